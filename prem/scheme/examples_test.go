package scheme

import (
	"fmt"
	"os"
	"testing"

	"github.com/warpbound/warpbound/examples/prem"
	"github.com/warpbound/warpbound/prem/device"
	"github.com/warpbound/warpbound/prem/loop"
)

func TestExamples(t *testing.T) {
	for _, e := range prem.All() {
		if n := os.Getenv("P"); n != "" && n != e.Name {
			continue
		}
		text, err := e.Source()
		if err != nil {
			t.Fatal(err)
		}
		p := parse(t, e.File(), text, nil)
		in := arguments(t, e)
		want := copyOf(in)
		if err := loop.Run(p, e.Function(), want); err != nil {
			t.Fatal(err)
		}
		for _, spm := range []int64{48 << 10, 4 << 10, 1 << 10} {
			for _, s := range schemes {
				t.Run(fmt.Sprintf("%s/%s/%d", e.Name, s, spm), func(t *testing.T) {
					c, err := build(p, s, planned(spm))
					if err != nil {
						t.Skip(err)
					}
					if os.Getenv("PRINT") != "" {
						for _, k := range c.f.Kernels() {
							fmt.Print(device.Print(c.source[k]))
						}
					}
					got := copyOf(in)
					got.OnKernel = func(k *loop.Kernel, f *loop.Frame) (bool, error) {
						return true, c.launch(k, f, device.Options{Races: true})
					}
					if err := loop.Run(p, e.Function(), got); err != nil {
						t.Fatal(err)
					}
					if d := differs(p, got, want); d != "" {
						t.Error(d)
					}
				})
			}
		}
	}
}
