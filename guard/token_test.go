package guard

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestTokenMemory(t *testing.T) {
	if _, err := NewToken(make([]uint32, TokenWords-1)); !errors.Is(err, ErrToken) {
		t.Errorf("short memory: %v", err)
	}
	if _, err := OpenToken(make([]uint32, TokenWords)); !errors.Is(err, ErrToken) {
		t.Errorf("no token: %v", err)
	}
	words := make([]uint32, TokenWords+1)
	words[RequestWord], words[GrantWord] = 9, 9
	a, err := NewToken(words)
	if err != nil {
		t.Fatal(err)
	}
	if a.Request() != 0 || a.Granted() != 0 {
		t.Errorf("words before: %v, %v", a.Request(), a.Granted())
	}
	a.SetRequest(MakeWord(3, Memory))
	a.setGranted(MakeWord(2, Launch))
	// The offsets are what generated device code is compiled against.
	if words[0] != 0x57425447 || words[1] != 1 || words[32] != 3<<3|2 || words[64] != 2<<3|1 {
		t.Errorf("layout: %#x", words)
	}
	b, err := OpenToken(words)
	if err != nil {
		t.Fatal(err)
	}
	if b.Request() != a.Request() || b.Granted() != a.Granted() {
		t.Error("two views differ")
	}
	words[VersionWord]++
	if _, err := OpenToken(words); !errors.Is(err, ErrToken) || !strings.Contains(err.Error(), "version 2") {
		t.Errorf("other version: %v", err)
	}
}

func TestMapToken(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "token")
	a, err := MapToken(path)
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		if !errors.Is(err, ErrNotSupported) {
			t.Errorf("got %v, want ErrNotSupported", err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	b, err := MapToken(path)
	if err != nil {
		t.Fatal(err)
	}
	a.SetRequest(MakeWord(4, Compute))
	b.setGranted(MakeWord(4, Compute))
	if b.Request() != MakeWord(4, Compute) || a.Granted() != MakeWord(4, Compute) {
		t.Errorf("two mappings differ: %v, %v", b.Request(), a.Granted())
	}
	for _, x := range []*Token{a, b, a} {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Size() != TokenBytes {
		t.Errorf("file: %v, %v", info, err)
	}

	other := filepath.Join(dir, "other")
	for name, content := range map[string]string{
		"short": "x", "somebody's data": strings.Repeat("data", TokenWords),
	} {
		if err := os.WriteFile(other, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := MapToken(other); !errors.Is(err, ErrToken) {
			t.Errorf("%s: %v", name, err)
		}
		if got, err := os.ReadFile(other); err != nil || string(got) != content {
			t.Errorf("%s: file changed to %q, %v", name, got, err)
		}
	}
	for _, bad := range []string{dir, filepath.Join(dir, "no", "such"), os.DevNull} {
		if _, err := MapToken(bad); err == nil {
			t.Errorf("%s: no error", bad)
		}
	}
}
