package depend_test

import (
	"testing"

	"github.com/warpbound/warpbound/examples/prem"
	"github.com/warpbound/warpbound/internal/prem/cfront"
	"github.com/warpbound/warpbound/internal/prem/depend"
	"github.com/warpbound/warpbound/internal/prem/loop"
)

// programs parses the example programs.
func programs(t testing.TB) []*loop.Unit {
	t.Helper()
	var out []*loop.Unit
	for _, e := range prem.All() {
		text, err := e.Source()
		if err != nil {
			t.Fatal(err)
		}
		p, err := cfront.Parse(e.File(), text, nil)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
	return out
}

// BenchmarkExamples tests all kernels of a program, without parsing it.
func BenchmarkExamples(b *testing.B) {
	for i, p := range programs(b) {
		b.Run(prem.All()[i].Name, func(b *testing.B) {
			for b.Loop() {
				for _, f := range p.Funcs {
					for _, k := range f.Kernels() {
						if err := depend.Kernel(p, k); err != nil {
							b.Fatal(err)
						}
					}
				}
			}
		})
	}
}
