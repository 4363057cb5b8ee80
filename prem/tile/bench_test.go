package tile_test

import (
	"testing"

	"github.com/warpbound/warpbound/examples/prem"
	"github.com/warpbound/warpbound/prem/tile"
)

// BenchmarkMake plans every kernel of a program for 16 KiB.
func BenchmarkMake(b *testing.B) {
	for _, x := range prem.All() {
		b.Run(x.Name, func(b *testing.B) {
			p := example(b, x.Name, sizes("512"))
			b.ReportAllocs()
			for b.Loop() {
				for _, f := range p.Funcs {
					for _, k := range f.Kernels() {
						// A refusal is a result, too.
						if pl, err := tile.Make(p, f, k, tile.Options{SPMBytes: 16 << 10}); err == nil && pl.Body == nil {
							b.Fatal("no plan")
						}
					}
				}
			}
		})
	}
}
