package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/testkit/golden"
)

// onlySummary is the pipe that the page has behind long tables.
const onlySummary = " | sed -n '/^cache/,$p'"

// TestCachePage repeats the commands of docs/cache.md: a block of code that starts
// with "$ warpbound" holds the command and its output. UPDATE_GOLDEN=1 writes them.
func TestCachePage(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	file := filepath.Join("docs", "cache.md")
	old, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(old), "```\n")
	commands := 0
	for i := 1; i < len(parts); i += 2 {
		line, _, _ := strings.Cut(parts[i], "\n")
		command, ok := strings.CutPrefix(line, "$ warpbound ")
		if !ok {
			continue
		}
		commands++
		parts[i] = line + "\n" + repeat(t, command)
	}
	if commands < 4 {
		t.Errorf("%d commands", commands)
	}
	golden.File(t, file, strings.Join(parts, "```\n"))
}

// repeat runs a command of the page. A picture is compared with the one that is
// there.
func repeat(t *testing.T, command string) string {
	t.Helper()
	command, summary := strings.CutSuffix(command, onlySummary)
	var args []string
	picture, drawn := "", ""
	for _, w := range strings.Fields(command) {
		switch found, err := filepath.Glob(strings.ReplaceAll(w, "[!", "[^")); {
		case err == nil && strings.Contains(w, "*") && len(found) > 0:
			args = append(args, found...)
		case strings.HasSuffix(w, ".svg"):
			picture, drawn = w, filepath.Join(t.TempDir(), filepath.Base(w))
			args = append(args, drawn)
		default:
			args = append(args, w)
		}
	}
	var out, errs bytes.Buffer
	run(context.Background(), args, &out, &errs)
	if picture != "" {
		samePicture(t, picture, drawn)
	}
	text := out.String() + errs.String()
	if summary {
		at := strings.Index(text, "\ncache ")
		if at < 0 {
			t.Fatalf("%s: no summary in\n%s", command, text)
		}
		text = text[at+1:]
	}
	return text
}

func samePicture(t *testing.T, want, got string) {
	t.Helper()
	data, err := os.ReadFile(got)
	if err != nil {
		t.Fatal(err)
	}
	golden.File(t, want, data)
}
