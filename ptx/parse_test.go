package ptx

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// ignorePos compares syntax trees without positions.
var ignorePos = cmp.Comparer(func(a, b Pos) bool { return true })

func mustParse(t testing.TB, name string, src []byte) *File {
	t.Helper()
	f, err := Parse(name, src)
	if err != nil {
		t.Fatalf("Parse:\n%v", err)
	}
	return f
}

// roundTrip fails the test unless parsing what Print writes gives f again.
func roundTrip(t testing.TB, f *File) {
	t.Helper()
	var out bytes.Buffer
	if err := Print(&out, f); err != nil {
		t.Fatal(err)
	}
	g, err := Parse(f.Name, out.Bytes())
	if err != nil {
		t.Fatalf("printed text does not parse:\n%v\n%s", err, out.Bytes())
	}
	if d := cmp.Diff(f, g, ignorePos); d != "" {
		t.Fatalf("printed text parses to another tree:\n%s\n%s", d, out.Bytes())
	}
}

func testdata(t testing.TB) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob("testdata/*.ptx")
	if err != nil || len(names) == 0 {
		t.Fatalf("no testdata: %v", err)
	}
	files := make(map[string][]byte)
	for _, n := range names {
		src, err := os.ReadFile(n)
		if err != nil {
			t.Fatal(err)
		}
		files[n] = src
	}
	return files
}

func TestRoundTripTestdata(t *testing.T) {
	for name, src := range testdata(t) {
		t.Run(filepath.Base(name), func(t *testing.T) { roundTrip(t, mustParse(t, name, src)) })
	}
}

func TestCheckTestdata(t *testing.T) {
	for name, src := range testdata(t) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			if err := Check(mustParse(t, name, src)); err != nil {
				t.Errorf("Check:\n%v", err)
			}
		})
	}
}
