package ptx

import (
	"bytes"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzParse holds the parser to: no panic, errors with positions, and what is
// printed parses to the same tree. The checker must get through any tree.
func FuzzParse(f *testing.F) {
	for _, src := range testdata(f) {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		file, err := Parse("f.ptx", src)
		if err != nil {
			var list ErrorList
			if !errors.As(err, &list) || len(list) == 0 || len(list) > MaxErrors {
				t.Fatalf("error is %T with %d entries", err, len(list))
			}
			for _, e := range list {
				if e.Pos.Line < 1 || e.Pos.Col < 1 || e.Msg == "" {
					t.Fatalf("error without a position: %v", e)
				}
			}
			return
		}
		var out bytes.Buffer
		if err := Print(&out, file); err != nil {
			t.Fatal(err)
		}
		again, err := Parse("f.ptx", out.Bytes())
		if err != nil {
			t.Fatalf("printed text does not parse: %v\n%q", err, out.Bytes())
		}
		if !cmp.Equal(file, again, ignorePos) {
			t.Fatalf("printed text parses to another tree:\n%s", cmp.Diff(file, again, ignorePos))
		}
		_ = Check(file)
	})
}
