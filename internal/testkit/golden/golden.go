// Package golden compares what a test made with the file that holds what it should be.
// UPDATE_GOLDEN=1 writes the files instead; git then shows what changed.
package golden

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/warpbound/warpbound/internal/testkit/settings"
)

// longest is the most that a failing test prints of a difference, in bytes.
const longest = 16 << 10

// File compares a file with what it should hold, and fails the test where they differ or the
// file is not there. With UPDATE_GOLDEN=1 it writes the file, and its folder.
func File[T string | []byte](t testing.TB, file string, want T) {
	t.Helper()
	old, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	if err == nil && string(old) == string(want) {
		return
	}
	if settings.Updating(t) {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("%s is not what the test makes (%s=1 go test -run %s writes it)%s", file, settings.UpdateGoldenName, t.Name(), difference(string(old), string(want)))
}

func difference(old, want string) string {
	const most = 1 << 20 // comparing longer texts takes long
	if !utf8.ValidString(old+want) || len(old) > most || len(want) > most {
		return ""
	}
	d := cmp.Diff(strings.Split(old, "\n"), strings.Split(want, "\n"))
	if len(d) > longest {
		d = d[:longest] + "\n..."
	}
	return " (- the file, + the test):\n" + d
}

// Part returns the text with the part between the lines <!-- name:begin --> and
// <!-- name:end --> replaced; it fails the test where the text has no such part.
func Part(t testing.TB, text, name, part string) string {
	t.Helper()
	begin, end := "<!-- "+name+":begin -->\n", "<!-- "+name+":end -->"
	i, j := strings.Index(text, begin), strings.Index(text, end)
	if i < 0 || j < i {
		t.Fatalf("there is no part %q", name)
	}
	return text[:i+len(begin)] + part + text[j:]
}
