package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// transcript is what a command writes while it runs.
type transcript struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *transcript) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *transcript) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// until waits for a number of lines with a text.
func (b *transcript) until(t *testing.T, text string, count int) {
	t.Helper()
	for end := time.Now().Add(time.Minute); strings.Count(b.String(), text) < count; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%q is not there %d times:\n%s", text, count, b)
		}
	}
}

// A command that watches runs again when the kernel or the launch file is saved, says what is
// wrong with them meanwhile, and ends well when it is interrupted.
func TestWatch(t *testing.T) {
	dir := t.TempDir()
	save := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const head = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<3>;\nmov.u32 %r1, 1;\n"
	const launch = "kernel = \"k.ptx\"\ngrid = [1]\nblock = [32]\n"
	save("k.ptx", head+"ret;\n}\n")
	save("k.toml", launch)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var out, errs transcript
	code := make(chan int)
	go func() { code <- run(ctx, []string{"analyze", filepath.Join(dir, "k.toml"), "--watch"}, &out, &errs) }()

	errs.until(t, "watching 2 files; Ctrl-C ends", 1)
	if n := strings.Count(out.String(), "BOUND "); n != 1 {
		t.Fatalf("%d bounds:\n%s", n, &out)
	}
	save("k.ptx", head+"add.u32 %r1, %r1, 1;\nret;\n}\n")
	errs.until(t, "watching", 2)
	first, second, _ := strings.Cut(strings.TrimPrefix(out.String(), "kernel"), "\nkernel")
	if first == second || !strings.Contains(second, "BOUND ") {
		t.Errorf("after the kernel has changed:\n%s\nbefore:\n%s", second, first)
	}
	save("k.toml", launch+"blocks = 3\n")
	errs.until(t, "watching", 3)
	if !strings.Contains(errs.String(), `k.toml:4:1: unknown key "blocks"`) {
		t.Errorf("no error about the launch file: %s", &errs)
	}
	save("k.toml", launch)
	errs.until(t, "watching", 4)
	stop()
	if c := <-code; c != 0 {
		t.Errorf("exit code %d: %s", c, &errs)
	}
	if n := strings.Count(out.String(), "BOUND "); n != 3 {
		t.Errorf("%d bounds:\n%s", n, &out)
	}
}
