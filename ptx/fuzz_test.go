package ptx

import (
	"bytes"
	"errors"
	"reflect"
	"testing"
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
		if !equalTrees(reflect.ValueOf(file), reflect.ValueOf(again)) {
			t.Fatalf("printed text parses to another tree:\n%q", out.Bytes())
		}
		_ = Check(file)
	})
}

// equalTrees is reflect.DeepEqual but for positions. Comparing by go-cmp as
// the tests do takes too long on the large unequal trees that fuzzing finds.
func equalTrees(a, b reflect.Value) bool {
	if a.IsValid() != b.IsValid() {
		return false
	}
	if !a.IsValid() || a.Type() == reflect.TypeFor[Pos]() {
		return true
	}
	if a.Type() != b.Type() {
		return false
	}
	switch a.Kind() {
	case reflect.Pointer, reflect.Interface:
		return a.IsNil() == b.IsNil() && (a.IsNil() || equalTrees(a.Elem(), b.Elem()))
	case reflect.Slice:
		if a.Len() != b.Len() || a.IsNil() != b.IsNil() {
			return false
		}
		for i := range a.Len() {
			if !equalTrees(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Struct:
		for i := range a.NumField() {
			if !equalTrees(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	}
	return a.Equal(b)
}
