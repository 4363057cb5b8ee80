package tile_test

import (
	"testing"

	"github.com/warpbound/warpbound/examples/prem"
	"github.com/warpbound/warpbound/internal/prem/tile"
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

const unrolled = `void f(const float A[restrict 200][200][200], float B[restrict 200][200][200])
{
#pragma omp target teams distribute parallel for collapse(2) num_threads(64) map(to: A[0:200][0:200][0:200]) map(from: B[0:200][0:200][0:200])
    for (int i = 0; i < 198; i++) {
        for (int j = 0; j < 198; j++) {
            for (int k = 0; k < 198; k++) {
                B[i][j][k] = A[i + 0][j + 0][k + 0] + A[i + 0][j + 0][k + 1] + A[i + 0][j + 0][k + 2] + A[i + 0][j + 1][k + 0] + A[i + 0][j + 1][k + 1] + A[i + 0][j + 1][k + 2] + A[i + 0][j + 2][k + 0] + A[i + 0][j + 2][k + 1] + A[i + 0][j + 2][k + 2] + A[i + 1][j + 0][k + 0] + A[i + 1][j + 0][k + 1] + A[i + 1][j + 0][k + 2] + A[i + 1][j + 1][k + 0] + A[i + 1][j + 1][k + 1] + A[i + 1][j + 1][k + 2] + A[i + 1][j + 2][k + 0] + A[i + 1][j + 2][k + 1] + A[i + 1][j + 2][k + 2] + A[i + 2][j + 0][k + 0] + A[i + 2][j + 0][k + 1] + A[i + 2][j + 0][k + 2] + A[i + 2][j + 1][k + 0] + A[i + 2][j + 1][k + 1] + A[i + 2][j + 1][k + 2] + A[i + 2][j + 2][k + 0] + A[i + 2][j + 2][k + 1] + A[i + 2][j + 2][k + 2];
            }
        }
    }
}
`

// BenchmarkUnrolled plans a stencil of 27 references, which all merge.
func BenchmarkUnrolled(b *testing.B) {
	p := parse(b, "f.c", unrolled, nil)
	b.ReportAllocs()
	for b.Loop() {
		pl, err := tile.Make(p, p.Funcs[0], p.Funcs[0].Kernels()[0], tile.Options{SPMBytes: 16 << 10})
		if err != nil || len(pl.Body) != 1 || len(pl.Body[0].(*tile.Interval).Boxes) != 2 {
			b.Fatal(err)
		}
	}
}
