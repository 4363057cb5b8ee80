package scheme

import (
	"errors"
	"fmt"
	"testing"

	"github.com/warpbound/warpbound/examples/prem"
	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
)

// sizes are extents of the example programs, by the macros that set them.
func sizes(n string) map[string]string {
	if n == "" {
		return nil
	}
	out := map[string]string{"TSTEPS": "2"}
	for _, m := range []string{"N", "NB", "NC", "NF", "NI", "NJ", "NK", "NL", "NM", "NN", "NP", "NQ", "NR", "NX", "NY"} {
		out[m] = n
	}
	return out
}

// Every example program computes under every scheme what it computes as it is. At
// the TX1's 48 KiB every plan exists and has separate phases; of less, some
// statements need more.
func TestExamples(t *testing.T) {
	refused := make(map[int64]int)
	for _, e := range prem.All() {
		text, err := e.Source()
		if err != nil {
			t.Fatal(err)
		}
		rank := 0
		for _, q := range e.Params {
			rank = max(rank, len(q.Dims))
		}
		large := "36"
		if rank > 2 {
			large = "7"
		}
		for _, size := range []string{"", "6", large} {
			p := parse(t, e.File(), text, sizes(size))
			in := fill(t, p, map[string]loop.Value{"alpha": real(e, "alpha", 1.5), "beta": real(e, "beta", 1.25), "a": loop.OfDouble(0.4),
				"c": loop.OfDouble(0.1), "omega": loop.OfDouble(1.2), "eps": loop.OfFloat(0.1)})
			for _, spm := range []int64{48 << 10, 4 << 10, 1 << 10} {
				for _, s := range schemes {
					if spm < 48<<10 && s == device.Base || size == large && (spm == 4<<10 || s == device.CMPT) {
						continue
					}
					t.Run(fmt.Sprintf("%s/%s/%s/%d", e.Name, size, s, spm), func(t *testing.T) {
						c, err := build(p, s, planned(spm))
						if errors.Is(err, errPlan) && spm < 48<<10 {
							refused[spm]++
							return
						}
						if err != nil {
							t.Fatal(err)
						}
						for _, k := range c.f.Kernels() {
							if w := c.source[k].Compatible; w != nil && spm == 48<<10 {
								t.Error(w)
							}
						}
						compare(t, p, c, in, size == "6")
					})
				}
			}
		}
	}
	if refused[4<<10] > 20 || refused[1<<10] > 60 {
		t.Errorf("no plan in %v cases", refused)
	}
}

// real is a value of the type that a scalar of a program has.
func real(e prem.Benchmark, name string, v float64) loop.Value {
	for _, q := range e.Params {
		if q.Name == name && q.Type == prem.Double {
			return loop.OfDouble(v)
		}
	}
	return loop.OfFloat(float32(v))
}
