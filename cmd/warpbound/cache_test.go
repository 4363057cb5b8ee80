package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// The commands on caches end when they are interrupted, before they start and
// while the kernel runs, and write nothing.
func TestCacheInterrupted(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"spin.ptx":  ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\nL:\n\tbra L;\n}\n",
		"spin.toml": "kernel = \"spin.ptx\"\ngrid = [1]\nblock = [64]\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{saxpy, filepath.Join(dir, "spin.toml")} {
		for _, args := range [][]string{
			{"cache", file, "--gpu", "gtx480"}, {"cache", "listing", file}, {"compare", "schemes", file, "--gpu", "gtx480", "--schemes", "default"},
		} {
			ctx, cancel := context.WithCancel(context.Background())
			if file == saxpy {
				cancel()
			} else {
				time.AfterFunc(20*time.Millisecond, cancel)
			}
			var out, errs bytes.Buffer
			if code := run(ctx, args, &out, &errs); code != 1 || errs.String() != "interrupted\n" || out.Len() > 0 {
				t.Errorf("%v: exit code %d, %s%s", args, code, &errs, &out)
			}
			cancel()
		}
	}
}
