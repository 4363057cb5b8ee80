package static

import (
	"math/rand/v2"
	"testing"
)

// With a cold start the true classes of tiny systems can be had by exhaustion; the
// analysis finds nearly all of them. (No interleaving contradicts it: other tests.)
func TestPrecision(t *testing.T) {
	var hits, hitsFound, misses, missesFound int
	r := rand.New(rand.NewPCG(5, 6))
	for range 6000 {
		y := randomToy(r, 2, 5)
		y.start, y.order, y.limit = Cold, ProgramOrder, 0
		c, err := y.analyse()
		if err != nil {
			t.Fatal(err)
		}
		const hit, miss = 1, 2
		seen := make([][]int, len(y.warps))
		for w, seq := range y.warps {
			seen[w] = make([]int, len(seq))
		}
		err = y.everyOrder(func(order []int) error {
			m, at := y.begin(r), make([]int, len(y.warps))
			for _, w := range order {
				a := y.warps[w][at[w]]
				if m.Access(a.addr, a.kind).Hit {
					seen[w][at[w]] |= hit
				} else {
					seen[w][at[w]] |= miss
				}
				at[w]++
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for w, classes := range c.classes {
			for i, class := range classes {
				switch seen[w][i] {
				case hit:
					hits++
					if class == AlwaysHit {
						hitsFound++
					}
				case miss:
					misses++
					if class == AlwaysMiss {
						missesFound++
					}
				}
			}
		}
	}
	t.Logf("found %d of %d accesses that always hit, %d of %d that always miss", hitsFound, hits, missesFound, misses)
	if hitsFound*100 < hits*95 || missesFound*1000 < misses*998 {
		t.Errorf("found %d of %d accesses that always hit, want 95 %%, and %d of %d that always miss, want 99.8 %%", hitsFound, hits, missesFound, misses)
	}
}
