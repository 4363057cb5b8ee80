package ptxexec

import (
	"context"
	"testing"

	"github.com/warpbound/warpbound/internal/simt"
)

// benchmark runs a launch again and again and reports warp instructions a
// second.
func benchmark(b *testing.B, k *Kernel) {
	b.ReportAllocs()
	var n int64
	for b.Loop() {
		done, err := simt.Run(context.Background(), k, simt.Limits{})
		if err != nil {
			b.Fatal(err)
		}
		n += done
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds()/1e6, "Mwarp-instr/s")
}

func BenchmarkSaxpy(b *testing.B) { benchmark(b, saxpy(b, 1<<20, 128, 256)) }

func BenchmarkSgemm(b *testing.B) {
	k, _, _ := sgemm(b, 256)
	benchmark(b, k)
}

// BenchmarkSgemmTaint is the same with taint followed.
func BenchmarkSgemmTaint(b *testing.B) {
	k, _, _ := sgemm(b, 128)
	benchmark(b, launch(b, k.prog, LaunchConfig{Grid: k.grid, Block: k.block, Options: Options{Taint: true}, Args: []Arg{
		{Name: "a", Buffer: buffer(k.Buffer("a"))}, {Name: "b", Buffer: buffer(k.Buffer("b"))}, {Name: "c", Buffer: buffer(k.Buffer("c"))}, {Bytes: u32bytes(128)},
	}}))
}

// BenchmarkDivergent is a loop whose lanes part in every turn.
func BenchmarkDivergent(b *testing.B) {
	benchmark(b, bodyKernel(b, kernel(`
	mov.u32 %r1, 0; mov.u32 %r2, 0;
L:	and.b32 %r3, %t, 3; and.b32 %r4, %r1, 3; setp.eq.u32 %p1, %r3, %r4;
	@%p1 bra A;
	add.u32 %r2, %r2, %r1; xor.b32 %r2, %r2, %r3;
	bra B;
A:	mad.lo.u32 %r2, %r2, 5, %r1;
B:	add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, 1000; @%p2 bra L;
	st.global.u32 [%o], %r2; ret;`), 1024, 256))
}
