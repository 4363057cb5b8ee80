package rv

import (
	"strings"
	"testing"
)

// FuzzDecode: a word either is refused and prints as data, or its operands make
// the same instruction again.
func FuzzDecode(f *testing.F) {
	for _, r := range readAsm(f) {
		f.Add(r.word, r.pc)
	}
	f.Fuzz(func(t *testing.T, word, pc uint32) {
		i, err := Decode(word)
		text := Disassemble(word, pc)
		if i.Raw != word || (err == nil) != (i.Op != Invalid) || (err != nil) != strings.HasPrefix(text, ".word ") {
			t.Fatalf("%#08x: %+v, %v, %q", word, i, err, text)
		}
		if err != nil {
			if _, err := Encode(i); err == nil {
				t.Fatalf("%#08x: encoded though invalid", word)
			}
			return
		}
		again, err := Encode(i)
		if err != nil {
			t.Fatalf("%#08x: %s: %v", word, i, err)
		}
		j, err := Decode(again)
		if i.Raw = again; err != nil || j != i {
			t.Fatalf("%#08x: %+v, encoded and decoded %+v, %v", word, i, j, err)
		}
		if i.Pseudo(pc) == "" || i.String() == "" {
			t.Fatalf("%#08x prints as nothing", word)
		}
	})
}
