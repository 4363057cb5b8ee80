package highs

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
)

// tiny is a module of one empty function, quick to compile.
const tiny = "\x00asm\x01\x00\x00\x00\x01\x04\x01\x60\x00\x00\x03\x02\x01\x00\x0a\x04\x01\x02\x00\x0b"

func start(t *testing.T, disk *diskCache) {
	t.Helper()
	eng, err := load([]byte(tiny), disk)
	if err != nil {
		t.Fatal(err)
	}
	eng.runtime.Close(context.Background())
}

// TestCacheDamaged: what stands in the cache cannot break the start, whichever
// byte is damaged and wherever the file ends; afterwards it is whole again.
func TestCacheDamaged(t *testing.T) {
	disk := &diskCache{t.TempDir()}
	start(t, disk)
	files := disk.files()
	if len(files) != 1 {
		t.Fatalf("cache files %v, want one", files)
	}
	for _, file := range []string{files[0], files[0] + sealSuffix} {
		whole, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i := range whole {
			damaged := bytes.Clone(whole)
			damaged[i] ^= 0x55
			cases := [][]byte{damaged}
			if i%8 == 0 {
				cases = append(cases, whole[:i])
			}
			for _, data := range cases {
				if err := os.WriteFile(file, data, 0o600); err != nil {
					t.Fatal(err)
				}
				start(t, disk)
				if now, err := os.ReadFile(file); err != nil || !bytes.Equal(now, whole) {
					t.Fatalf("%s, byte %d: not repaired, %v", filepath.Base(file), i, err)
				}
			}
		}
	}
}

// TestCacheUsed: an intact file is not written again.
func TestCacheUsed(t *testing.T) {
	disk := &diskCache{t.TempDir()}
	start(t, disk)
	file := disk.files()[0]
	before, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	start(t, disk)
	after, err := os.Stat(file)
	if err != nil || !os.SameFile(before, after) || !before.ModTime().Equal(after.ModTime()) {
		t.Errorf("written again, %v", err)
	}
}

// TestCacheUnusable: no cache directory is no failure.
func TestCacheUnusable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	start(t, &diskCache{filepath.Join(file, "below")})
	if data, err := os.ReadFile(file); err != nil || len(data) != 0 {
		t.Errorf("the file holds %d bytes, %v", len(data), err)
	}
	start(t, nil)
	for _, name := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData", "home"} {
		t.Setenv(name, "")
	}
	if c := userCache(); c != nil {
		t.Errorf("a cache at %s without home directory", c.dir)
	}
}
