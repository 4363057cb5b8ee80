package ptxexec

import (
	"context"
	"testing"

	"github.com/warpbound/warpbound/simt"
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
