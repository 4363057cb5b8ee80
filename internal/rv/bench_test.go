package rv

import (
	"os"
	"testing"
)

// BenchmarkDecode decodes the words of asm.txt; one operation is one word.
func BenchmarkDecode(b *testing.B) {
	rows := readAsm(b)
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		if in, err := Decode(rows[i%len(rows)].word); err != nil || in.Op == Invalid {
			b.Fatal(err)
		}
	}
}

// BenchmarkLoad loads and lowers a program of 180 words with debug information.
func BenchmarkLoad(b *testing.B) {
	data, err := os.ReadFile("testdata/sample-clang.elf")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		img, err := Load("sample.elf", data)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := Lower(img); err != nil {
			b.Fatal(err)
		}
	}
}
