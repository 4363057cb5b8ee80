package load

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/warpbound/warpbound/launch"
)

// Buffers that the limit of address space leaves no room for are refused; without the
// limit they take no memory before they are touched.
func TestRoomForBuffers(t *testing.T) {
	dir := t.TempDir()
	text := ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\nret;\n}\n"
	if err := os.WriteFile(filepath.Join(dir, "k.ptx"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	open := func(count int64) error {
		file := filepath.Join(dir, "k.toml")
		text := fmt.Sprintf("kernel = \"k.ptx\"\ngrid = [1]\nblock = [32]\nargs = [{ name = \"p\", type = \"u32\", count = %d }]\n", count)
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		l, err := Open(file)
		if err == nil {
			_, err = l.Kernel(true)
		}
		return err
	}
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &old); err != nil {
		t.Fatal(err)
	}
	free := room(launch.MaxBufferBytes)
	if old.Cur > 1<<62 && free != launch.MaxBufferBytes {
		t.Errorf("room for %d bytes without a limit", free)
	}
	limit := old
	limit.Cur = 8 << 30
	if err := syscall.Setrlimit(syscall.RLIMIT_AS, &limit); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_AS, &old); err != nil {
			t.Error(err)
		}
	}()
	if free := room(launch.MaxBufferBytes); free < 1<<30 || free > 8<<30-reserve {
		t.Errorf("room for %d bytes of 8 GiB", free)
	}
	if err := open(3 << 30); err == nil || !strings.Contains(err.Error(), "the buffers take 12884901888 bytes, expected at most ") || !strings.Contains(err.Error(), "ulimit -v") {
		t.Errorf("12 GiB of 8: %v", err)
	}
	if err := open(1 << 26); err != nil {
		t.Errorf("256 MiB of 8 GiB: %v", err)
	}
}
