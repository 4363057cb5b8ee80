package ptx

import (
	"bytes"
	"io"
	"os"
	"testing"
)

// benchSource is about 1 MB of compiler output: the kernels of all.ptx, again
// and again under the same header.
func benchSource(b *testing.B) []byte {
	b.Helper()
	src, err := os.ReadFile("testdata/all.ptx")
	if err != nil {
		b.Fatal(err)
	}
	at := bytes.Index(src, []byte(".visible"))
	out := append([]byte{}, src[:at]...)
	for len(out) < 1<<20 {
		out = append(out, src[at:]...)
	}
	return out
}

func BenchmarkLex(b *testing.B) {
	src := string(benchSource(b))
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		l := lexer{src: src, line: 1, rep: &reporter{}}
		for l.next().kind != tokEOF {
		}
	}
}

func BenchmarkParse(b *testing.B) {
	src := benchSource(b)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse("b.ptx", src); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPrint(b *testing.B) {
	src := benchSource(b)
	f, err := Parse("b.ptx", src)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		if err := Print(io.Discard, f); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	src, err := os.ReadFile("testdata/all.ptx")
	if err != nil {
		b.Fatal(err)
	}
	f, err := Parse("b.ptx", src)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		if err := Check(f); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkForm(b *testing.B) {
	in := &Inst{Op: "ld", Mods: []string{"global", "nc", "L1::no_allocate", "v4", "f32"}, Operands: make([]Operand, 2)}
	for b.Loop() {
		if _, err := in.Form(); err != nil {
			b.Fatal(err)
		}
	}
}
