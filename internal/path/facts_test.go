package path

import (
	"reflect"
	"testing"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/choice"
	"github.com/warpbound/warpbound/internal/simt/facts"
)

// What facts say of symbols: of those that go back to a head, and of all of a place,
// whatever their transactions. A sum is left out where what makes it smaller has no symbol.
func TestLimitsOfFacts(t *testing.T) {
	symbols := []Symbol{{PC: 4, Transactions: 1}, {PC: 4, Transactions: 2}, {PC: 4, Transactions: 1, Back: true}, {PC: 6, Transactions: 1}}
	timing := make([]gpu.Timing, 9)
	timing[8].NotIssued = true
	places := func(pcs ...int32) (out []facts.Place) {
		for i, pc := range pcs {
			out = append(out, facts.Place{PCs: []int32{pc}, Factor: int64(1 - 2*i)})
		}
		return out
	}
	for name, c := range map[string]struct {
		fact  facts.Fact
		limit *choice.Limit
		pair  *choice.Exclusion
	}{
		"an entry":                  {fact: facts.Fact{Kind: facts.PerEntry, Head: 4, Most: 5}},
		"a warp":                    {fact: facts.Fact{Kind: facts.PerWarp, Head: 4, Most: 5}, limit: &choice.Limit{Factor: []int64{0, 0, 1, 0}, Most: 5}},
		"a thread":                  {fact: facts.Fact{Kind: facts.PerThread, Head: 4, Most: 5}, limit: &choice.Limit{Factor: []int64{0, 0, 1, 0}, Most: 160}},
		"a thread that does much":   {fact: facts.Fact{Kind: facts.PerThread, Head: 4, Most: 1 << 62}},
		"a place":                   {fact: facts.Fact{Kind: facts.Counts, Most: 5, Places: places(4)}, limit: &choice.Limit{Factor: []int64{1, 1, 1, 0}, Most: 5}},
		"a difference":              {fact: facts.Fact{Kind: facts.Counts, Most: 5, Places: places(4, 6)}, limit: &choice.Limit{Factor: []int64{1, 1, 1, -1}, Most: 5}},
		"one with what is no step":  {fact: facts.Fact{Kind: facts.Counts, Most: 5, Places: places(4, 8)}},
		"a sum of what is no step":  {fact: facts.Fact{Kind: facts.Counts, Most: 5, Places: places(8)}, limit: &choice.Limit{Factor: []int64{0, 0, 0, 0}, Most: 5}},
		"places that exclude":       {fact: facts.Fact{Kind: facts.Exclusive, Places: places(4, 6)}, pair: &choice.Exclusion{A: []bool{true, true, true, false}, B: []bool{false, false, false, true}}},
		"a branch that all take so": {fact: facts.Fact{Kind: facts.Uniform, Places: places(4)}},
	} {
		limits, pairs := limits(symbols, []facts.Fact{c.fact}, timing, 32)
		var limit *choice.Limit
		var pair *choice.Exclusion
		if len(limits) > 0 {
			limit = &limits[0]
		}
		if len(pairs) > 0 {
			pair = &pairs[0]
		}
		if !reflect.DeepEqual(limit, c.limit) || !reflect.DeepEqual(pair, c.pair) {
			t.Errorf("%s: %+v and %+v, want %+v and %+v", name, limit, pair, c.limit, c.pair)
		}
	}
}
