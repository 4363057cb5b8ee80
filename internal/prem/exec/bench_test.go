package exec

import (
	"context"
	"testing"

	"github.com/warpbound/warpbound/examples/prem"
	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/prem/ptxgen"
	"github.com/warpbound/warpbound/internal/prem/tile"
	"github.com/warpbound/warpbound/internal/verify/loopkit"
)

// BenchmarkGenerateAll is the PTX of every kernel of all example programs under
// all schemes, plans and device kernels being there.
func BenchmarkGenerateAll(b *testing.B) {
	var modules [][]*device.Entry
	n := 0
	for _, e := range prem.All() {
		p := parsed(b, e)
		for _, s := range schemes {
			m, err := Compile(p, e.Function(), Options{Scheme: s, Tile: tile.Options{SPMBytes: 6 << 10}, Trusted: true})
			if err != nil {
				b.Fatal(err)
			}
			var ks []*device.Entry
			for _, k := range m.Kernels {
				ks = append(ks, k.Device)
				n++
			}
			modules = append(modules, ks)
		}
	}
	b.ResetTimer()
	for range b.N {
		for _, ks := range modules {
			if _, err := ptxgen.Generate(ks, ptxgen.Options{}); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(n), "kernels/op")
}

// BenchmarkCompileAll is everything from the loops on, for all programs and schemes.
func BenchmarkCompileAll(b *testing.B) {
	var programs []*loop.Unit
	for _, e := range prem.All() {
		programs = append(programs, parsed(b, e))
	}
	for b.Loop() {
		for _, p := range programs {
			for _, s := range schemes {
				if _, err := Compile(p, p.Funcs[0].Name, Options{Scheme: s, Tile: tile.Options{SPMBytes: 6 << 10}, Trusted: true}); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
}

// BenchmarkFunctional executes all launches of a program.
func BenchmarkFunctional(b *testing.B) {
	for _, name := range []string{"gemm", "heat3d"} {
		for _, s := range schemes {
			b.Run(name+"/"+s.String(), func(b *testing.B) {
				e := example(b, name)
				m, err := Compile(parsed(b, e), e.Function(), Options{Scheme: s, Tile: tile.Options{SPMBytes: 6 << 10}})
				if err != nil {
					b.Fatal(err)
				}
				args := loopkit.Arguments(b, e, e.Inputs())
				x := &Functional{}
				for b.Loop() {
					if err := m.Run(context.Background(), args, x.Run); err != nil {
						b.Fatal(err)
					}
				}
				total := int64(0)
				for _, c := range x.Counts {
					total += c.WarpInstructions
				}
				b.ReportMetric(float64(total)/b.Elapsed().Seconds(), "warpinstructions/s")
			})
		}
	}
}
