package depend_test

import (
	"testing"

	"github.com/warpbound/warpbound/examples/prem"
	"github.com/warpbound/warpbound/prem/cfront"
	"github.com/warpbound/warpbound/prem/depend"
)

func TestExamplesAreIndependent(t *testing.T) {
	for _, e := range prem.All() {
		text, err := e.Source()
		if err != nil {
			t.Fatal(err)
		}
		p, err := cfront.Parse(e.File(), text, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range p.Funcs {
			for _, k := range f.Kernels() {
				if err := depend.Kernel(p, k); err != nil {
					t.Error(err)
				}
			}
		}
	}
}
