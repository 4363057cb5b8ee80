package rv

import (
	"errors"
	"os"
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

// FuzzLoad: any file is refused with a FormatError or loads into an image that
// holds together; small texts lower to programs that pass their check.
func FuzzLoad(f *testing.F) {
	f.Add(small().bytes())
	p := small()
	p.with(programHeader{typ: 1, vaddr: 0x1012, filesz: 6, memsz: 8, flags: 7})
	f.Add(p.bytes())
	for _, name := range samples {
		data, err := os.ReadFile("testdata/" + name + ".elf")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		img, err := Load("fuzz.elf", data)
		var fe *FormatError
		switch {
		case err == nil:
		case errors.As(err, &fe) && img == nil:
			return
		default:
			t.Fatalf("%v beside %v", img, err)
		}
		if _, ok := img.Index(img.Entry); !ok || len(img.Insts) != len(img.Text) {
			t.Fatalf("entry %#x, %d words, %d instructions", img.Entry, len(img.Text), len(img.Insts))
		}
		for _, s := range img.Segments {
			if uint64(s.Addr)+uint64(s.MemBytes) > 1<<32 || len(s.Data) > int(s.MemBytes) {
				t.Fatalf("segment at %#x of %d bytes with %d", s.Addr, s.MemBytes, len(s.Data))
			}
		}
		for k := 1; k < len(img.Symbols); k++ {
			if img.Symbols[k-1].Addr >= img.Symbols[k].Addr {
				t.Fatalf("symbols %+v", img.Symbols)
			}
		}
		for k := 1; k < len(img.Lines); k++ {
			if img.Lines[k-1].Addr >= img.Lines[k].Addr {
				t.Fatalf("lines %+v", img.Lines)
			}
		}
		if len(img.Text) > 4096 {
			return
		}
		if p, err := Lower(img); err == nil {
			if err := p.Check(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
