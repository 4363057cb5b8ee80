package main

import (
	"bytes"
	"context"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/testkit/golden"
)

// mostOfTrace is the most bytes of a trace that the repository keeps.
const mostOfTrace = 300_000

var traceCommand = regexp.MustCompile("`warpbound ([^`]* --trace (" + gallery + "/[a-z0-9]+\\.pftrace))`")

// TestGalleryTraces gives the commands of the gallery that write traces, which have to be
// the same to the byte.
func TestGalleryTraces(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	page, err := os.ReadFile(gallery + "/README.md")
	if err != nil {
		t.Fatal(err)
	}
	commands := traceCommand.FindAllStringSubmatch(string(page), -1)
	if len(commands) != 5 {
		t.Fatalf("%d traces", len(commands))
	}
	made := t.TempDir()
	for _, c := range commands {
		name := path.Base(c[2])
		to := filepath.Join(made, name)
		args := strings.Fields(c[1])
		args[len(args)-1] = to
		var out, errs bytes.Buffer
		if code := run(context.Background(), args, &out, &errs); code != 0 {
			t.Errorf("%s: exit code %d\n%s", c[1], code, &errs)
			continue
		}
		trace, err := os.ReadFile(to)
		if err != nil {
			t.Fatal(err)
		}
		if len(trace) > mostOfTrace {
			t.Errorf("%s has %d bytes, expected at most %d", name, len(trace), mostOfTrace)
		}
		golden.File(t, c[2], trace)
	}
}

// TestGalleryPrograms compiles the program of the gallery.
func TestGalleryPrograms(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	page, err := os.ReadFile(gallery + "/README.md")
	if err != nil {
		t.Fatal(err)
	}
	command := regexp.MustCompile("`warpbound (prem [^`]* -o (" + gallery + "/[a-z0-9]+))`").FindStringSubmatch(string(page))
	if command == nil {
		t.Fatal("no program")
	}
	made := t.TempDir()
	args := strings.Fields(command[1])
	args[len(args)-1] = made
	var out, errs bytes.Buffer
	if code := run(context.Background(), args, &out, &errs); code != 0 {
		t.Fatalf("%s: exit code %d\n%s", command[1], code, &errs)
	}
	files, err := os.ReadDir(made)
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(made, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		golden.File(t, command[2]+"/"+f.Name(), data)
	}
}
