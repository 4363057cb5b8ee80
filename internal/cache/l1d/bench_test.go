package l1d

import (
	"context"
	"io"
	"testing"

	"github.com/warpbound/warpbound/internal/cache"
	"github.com/warpbound/warpbound/internal/simt"
)

// benchmarkLaunches are a streaming kernel, one that loops, and one with shared
// memory and barriers.
var benchmarkLaunches = []string{"basic/vecadd/vecadd.toml", "polybench/gemm/gemm.toml", "rodinia/srad/srad1.toml"}

// BenchmarkOrder generates the order of a launch on one SM with two resident
// blocks; an access is one warp's.
func BenchmarkOrder(b *testing.B) {
	for _, name := range benchmarkLaunches {
		b.Run(name, func(b *testing.B) {
			l := openExample(b, name)
			a := analyse(b, tainted(b, l))
			k := fresh(b, l)
			r := Residency{Blocks: simt.NumBlocks(k.Grid()), SMs: 1, BlocksPerSM: 2}
			b.ReportAllocs()
			b.ResetTimer()
			accesses, executed := int64(0), int64(0)
			for range b.N {
				o := newOrder(b, a, k, Options{})
				for batch := range r.Rounds() {
					blocks := r.Batch(nil, 0, batch)
					accesses += drainOrder(b, o, blocks)
				}
				executed += o.Executed()
			}
			b.ReportMetric(float64(accesses)/b.Elapsed().Seconds(), "accesses/s")
			b.ReportMetric(float64(executed)/b.Elapsed().Seconds(), "instructions/s")
		})
	}
}

func drainOrder(b *testing.B, o *Order, blocks []int64) int64 {
	n := int64(0)
	for _, i := range blocks {
		if err := o.Admit(0, i); err != nil {
			b.Fatal(err)
		}
	}
	for {
		_, _, _, ok, err := o.Next(0)
		if err != nil {
			b.Fatal(err)
		}
		if !ok {
			break
		}
		n++
		if err := o.Sent(0); err != nil {
			b.Fatal(err)
		}
	}
	for _, i := range blocks {
		if err := o.Retire(0, i); err != nil {
			b.Fatal(err)
		}
	}
	return n
}

// BenchmarkExecution executes the same launches without an order: what the
// machine behind it takes.
func BenchmarkExecution(b *testing.B) {
	for _, name := range benchmarkLaunches {
		b.Run(name, func(b *testing.B) {
			k := fresh(b, openExample(b, name))
			executed := int64(0)
			for range b.N {
				n, err := simt.Run(context.Background(), k, simt.Limits{})
				if err != nil {
					b.Fatal(err)
				}
				executed += n
			}
			b.ReportMetric(float64(executed)/b.Elapsed().Seconds(), "instructions/s")
		})
	}
}

// BenchmarkEstimate estimates nine caches at a time over six million accesses of
// warps.
func BenchmarkEstimate(b *testing.B) {
	var caches []cache.Config
	for _, sets := range []int{16, 32, 64} {
		for _, ways := range []int{4, 8, 16} {
			caches = append(caches, cache.Config{Sets: sets, Ways: ways, LineBytes: 128, SectorBytes: 128, WriteEvict: true})
		}
	}
	for _, c := range []struct {
		name    string
		caches  []cache.Config
		classes bool
	}{{"none", nil, false}, {"1", caches[:1], false}, {"9", caches, false}, {"1-classes", caches[:1], true}} {
		b.Run(c.name, func(b *testing.B) {
			s := longLoop(18)
			a, newKernel := s.again(b)
			b.ResetTimer()
			segments := int64(0)
			for range b.N {
				e, err := a.Estimate(context.Background(), newKernel, Residency{Blocks: 2, SMs: 1, BlocksPerSM: 2}, c.caches, EstimateOptions{Classes: c.classes})
				if err != nil {
					b.Fatal(err)
				}
				for i := range e.Instructions {
					segments += e.Instructions[i].Segments
				}
			}
			b.ReportMetric(float64(segments)/b.Elapsed().Seconds(), "accesses/s")
		})
	}
}

func BenchmarkListing(b *testing.B) {
	l := openExample(b, "polybench/gemm/gemm.toml")
	a, k := analyse(b, tainted(b, l)), fresh(b, l)
	b.ResetTimer()
	for range b.N {
		if err := a.WriteListing(context.Background(), io.Discard, k, ListingOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}
