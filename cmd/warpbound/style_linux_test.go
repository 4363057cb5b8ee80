package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// On a terminal reports have bars beside shares, and colours where it has them; without the
// colours the text is the same. Elsewhere they have neither.
func TestStyleOfReports(t *testing.T) {
	saxpy := filepath.Join("..", "..", "examples", "basic", "saxpy", "saxpy.toml")
	dumb := onTerminal(t, 100, "analyze", saxpy)
	if !regexp.MustCompile(`% [█▉▊▋▌▍▎▏]`).MatchString(dumb) || strings.Contains(dumb, "\x1b") {
		t.Errorf("no bars, or colours, on a terminal without colours:\n%s", dumb)
	}
	coloured := onTerminalOf(t, "xterm", 100, "analyze", saxpy)
	if !strings.Contains(coloured, "\x1b[1;32mBOUND\x1b[0m") || escapes.ReplaceAllString(coloured, "") != dumb {
		t.Errorf("colours:\n%q", coloured)
	}
	if plain := onTerminalOf(t, "xterm", 100, "analyze", saxpy, "--color", "never"); plain != dumb {
		t.Errorf("--color never:\n%q", plain)
	}
	var out, errs bytes.Buffer
	if code := run(context.Background(), []string{"analyze", saxpy}, &out, &errs); code != 0 || strings.ContainsAny(out.String(), "\x1b█") {
		t.Errorf("in a pipe: %d, %s%s", code, &out, &errs)
	}
	out.Reset()
	if code := run(context.Background(), []string{"analyze", saxpy, "--color", "always"}, &out, &errs); code != 0 || !strings.Contains(out.String(), "\x1b[1;32mBOUND") {
		t.Errorf("--color always in a pipe: %d, %s%s", code, &out, &errs)
	}
	if code := run(context.Background(), []string{"analyze", saxpy, "--color", "alway"}, &out, &errs); code != exitUsage || !strings.HasPrefix(errs.String(), "--color alway: did you mean always?") {
		t.Errorf("--color alway: %d, %s", code, &errs)
	}
}

// A name in a file cannot colour a report, where colours pass.
func TestColoursOfFilesDoNotPass(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"k.ptx":  ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<3>;\n.loc 1 7 3\nadd.u32 %r1, %r1, 1;\nret;\n}\n.file 1 \"\x1b[31mred.cu\"\n",
		"k.toml": "kernel = \"k.ptx\"\ngrid = [1]\nblock = [32]\nargs = [{ name = \"p\", type = \"u32\", count = 8 }]\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var out, errs bytes.Buffer
	if code := run(context.Background(), []string{"analyze", filepath.Join(dir, "k.toml"), "--by", "line", "--color", "always"}, &out, &errs); code != 0 || strings.Contains(out.String(), "\x1b[31m") || !strings.Contains(out.String(), `\x1b[31mred.cu`) {
		t.Errorf("%d: %q %s", code, &out, &errs)
	}
}
