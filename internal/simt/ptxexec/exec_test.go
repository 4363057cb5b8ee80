package ptxexec

import (
	"context"
	"encoding/binary"
	"math"
	"os"
	"testing"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/ptx"
)

func parse(t testing.TB, src string) *ptx.File {
	t.Helper()
	f, err := ptx.Parse("t.ptx", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func lower(t testing.TB, src, entry string) *Code {
	t.Helper()
	p, err := Lower(parse(t, src), entry)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func launch(t testing.TB, p *Code, l LaunchConfig) *Kernel {
	t.Helper()
	k, err := NewKernel(p, l)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func run(t testing.TB, k *Kernel) int64 {
	t.Helper()
	n, err := simt.Run(context.Background(), k, simt.Limits{MaxInstructions: 1 << 24})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func u32bytes(xs ...uint32) []byte {
	var b []byte
	for _, x := range xs {
		b = binary.LittleEndian.AppendUint32(b, x)
	}
	return b
}

func f32bytes(xs ...float32) []byte {
	var b []byte
	for _, x := range xs {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

func u32s(b []byte) []uint32 {
	out := make([]uint32, len(b)/4)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return out
}

func f32s(b []byte) []float32 {
	out := make([]float32, len(b)/4)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return out
}

func buffer(b []byte) *Buffer { return &Buffer{Contents: b, ElementBytes: 4} }

func floats(n int, f func(i int) float32) []float32 {
	out := make([]float32, n)
	for i := range out {
		out[i] = f(i)
	}
	return out
}

func read(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
