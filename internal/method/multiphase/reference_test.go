package multiphase

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/warpbound/warpbound/internal/verify/exhaust"
)

// The reference computes every bound again from its definition, by enumeration:
// all paths of the graph, all splits of all bursts, all walks. It shares nothing
// with the package but the notation.
type reference struct {
	s      exhaust.System
	prompt map[int]bool // units on which every initiation takes one cycle
	least  map[int]int  // smallest initiation + latency per unit
}

func newReference(s exhaust.System) *reference {
	r := &reference{s: s, prompt: map[int]bool{}, least: map[int]int{}}
	for _, w := range s.Warps {
		for _, in := range w {
			if _, ok := r.prompt[in.Unit]; !ok {
				r.prompt[in.Unit] = true
				r.least[in.Unit] = in.Init + in.Lat
			}
			r.prompt[in.Unit] = r.prompt[in.Unit] && in.Init == 1
			r.least[in.Unit] = min(r.least[in.Unit], in.Init+in.Lat)
		}
	}
	return r
}

// times issues and dispatches a warp alone, cycle by cycle.
func (r *reference) times(w exhaust.Sequence) (dispatch []int, exec int) {
	dispatch = make([]int, len(w))
	busy := map[int]bool{}
	issued := 0
	for t := 0; issued < len(w); t++ {
		in := &w[issued]
		ready := true
		for _, b := range in.Src {
			if dispatch[b]+w[b].Init+w[b].Lat > t {
				ready = false
			}
		}
		if !ready {
			continue
		}
		d := t
		for j := range issued {
			if w[j].Unit == in.Unit {
				d = max(d, dispatch[j]+w[j].Init)
			}
		}
		dispatch[issued] = d
		for c := d; c < d+in.Init; c++ {
			busy[c] = true
		}
		issued++
	}
	return dispatch, len(busy)
}

func (r *reference) iso(w exhaust.Sequence) (iso, exec int) {
	dispatch, exec := r.times(w)
	for j, in := range w {
		iso = max(iso, dispatch[j]+in.Init+in.Lat)
	}
	return iso, exec
}

// paths gives the longest path per exact set of units by walking every path.
func (r *reference) paths(w exhaust.Sequence) map[int]int {
	longest := map[int]int{}
	var issue, dispatch func(q, set, length int)
	dispatch = func(q, set, length int) {
		set |= 1 << w[q].Unit
		longest[set] = max(longest[set], length+w[q].Init+w[q].Lat)
		for p := q + 1; p < len(w); p++ {
			if w[p].Unit == w[q].Unit {
				dispatch(p, set, length+w[q].Init)
				break
			}
		}
		for k := q + 1; k < len(w); k++ {
			if slices.Contains(w[k].Src, q) {
				issue(k, set, length+w[q].Init+w[q].Lat)
			}
		}
	}
	issue = func(q, set, length int) {
		dispatch(q, set, length)
		if q+1 < len(w) {
			issue(q+1, set, length+1)
		}
	}
	issue(0, 0, 0)
	return longest
}

// fresh are the sources of k that no earlier instruction has.
func fresh(w exhaust.Sequence, k int) []int {
	var out []int
	for _, b := range w[k].Src {
		old := false
		for j := range k {
			old = old || slices.Contains(w[j].Src, b)
		}
		if !old {
			out = append(out, b)
		}
	}
	return out
}

// bursts sums Ê over the bursts of w by trying every split.
func (r *reference) bursts(w exhaust.Sequence, set int) int {
	total := 0
	for start := 0; start < len(w); {
		end := start + 1
		for end < len(w) && len(fresh(w, end)) == 0 {
			end++
		}
		best := end - start
		for f := range 32 {
			if set>>f&1 == 0 {
				continue
			}
			for split := start; split <= end; split++ {
				sum := split - start
				for j := split; j < end; j++ {
					if w[j].Unit == f {
						sum += w[j].Init
					}
				}
				best = max(best, sum)
			}
		}
		total += best
		start = end
	}
	return total
}

// walks is the largest cost of a walk with refunds, by trying every walk. state
// is -1 for U, else the unit.
func (r *reference) walks(w exhaust.Sequence, set, k, state int) int {
	if k == len(w) {
		return 0
	}
	best := -1
	try := func(next, paid int) {
		cost := 1
		if next >= 0 {
			cost = 0
			if w[k].Unit == next {
				cost = w[k].Init
			}
		}
		best = max(best, cost-paid+r.walks(w, set, k+1, next))
	}
	enter := func(paid int) {
		try(-1, paid)
		for f := range 32 {
			if set>>f&1 == 1 {
				try(f, paid)
			}
		}
	}
	if state < 0 {
		enter(0)
		return best
	}
	try(state, 0)
	if k == 0 || len(fresh(w, k)) > 0 {
		enter(r.refund(w, k, state))
	}
	return best
}

func (r *reference) refund(w exhaust.Sequence, k, f int) int {
	least := -1
	for _, b := range fresh(w, k) {
		sum := 0
		if w[b].Init+w[b].Lat <= r.least[f] && (w[b].Unit == f || r.prompt[w[b].Unit]) {
			for j := b; j < k; j++ {
				if w[j].Unit == f {
					sum += w[j].Init
				}
			}
		}
		if least < 0 || sum < least {
			least = sum
		}
	}
	return max(least, 0)
}

func (r *reference) bounds() [6]int64 {
	var best [6]int
	for i, w := range r.s.Warps {
		iso, _ := r.iso(w)
		used := 0
		for _, in := range w {
			used |= 1 << in.Unit
		}
		var sums [4]int
		for v, other := range r.s.Warps {
			if v == i {
				continue
			}
			_, exec := r.iso(other)
			sums[0] += exec
			for _, in := range other {
				sums[1] += in.Init
				if used>>in.Unit&1 == 1 {
					sums[2] += in.Init
				} else {
					sums[2]++
				}
			}
			sums[3] += r.bursts(other, used)
		}
		for m, sum := range sums {
			best[m] = max(best[m], iso+sum)
		}
		for set, length := range r.paths(w) {
			path, ref := length, length
			for v, other := range r.s.Warps {
				if v != i {
					path += r.bursts(other, set)
					ref += r.walks(other, set, 0, -1)
				}
			}
			best[4], best[5] = max(best[4], path), max(best[5], ref)
		}
	}
	var out [6]int64
	for i, b := range best {
		out[i] = int64(b)
	}
	return out
}

func TestBoundsEqualTheirDefinitions(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	cases := 4000
	if testing.Short() {
		cases = 800
	}
	for range cases {
		s := exhaust.RandomSystem(rng, exhaust.Shape{Warps: 3, Instrs: 6, Units: 3, Init: 3, Lat: 3, Equal: 4})
		want := newReference(s).bounds()
		r := analyzeBlock(t, unbounded(0), s)
		for i, method := range published() {
			if got := r.Bound(method).Cycles; got != want[i] {
				t.Fatalf("%s: %s is %d, by definition %d", s, method, got, want[i])
			}
		}
	}
}

// TestBoundsAreOrdered is REF ≤ PATH ≤ BURST ≤ FUA ≤ SUM.
func TestBoundsAreOrdered(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 24))
	order := []string{REF, PATH, BURST, FUA, SUM}
	for range 1500 {
		s := exhaust.RandomSystem(rng, exhaust.Shape{Warps: 4, Instrs: 12, Units: 4, Init: 4, Lat: 8, Sections: 3, Equal: 3})
		r := analyzeBlock(t, unbounded(0), s)
		for i := 1; i < len(order); i++ {
			if a, b := r.Bound(order[i-1]), r.Bound(order[i]); a.Cycles > b.Cycles {
				t.Fatalf("%s: %s %d > %s %d", s, a.Method, a.Cycles, b.Method, b.Cycles)
			}
		}
	}
}

// TestGroupedUnits: telling fewer units apart only makes PATH and REF larger.
func TestGroupedUnits(t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 26))
	larger := 0
	for range 400 {
		s := exhaust.RandomSystem(rng, exhaust.Shape{Warps: 3, Instrs: 8, Units: 6, Init: 4, Lat: 6, Equal: 3})
		h := withFacts(unbounded(0), s)
		var last [2]int64
		for limit := 6; limit >= 1; limit-- {
			a, err := NewAnalyzer(h, Options{MaxPathUnits: limit, Methods: []string{PATH, REF, BURST}})
			if err != nil {
				t.Fatal(err)
			}
			r, err := a.Block(t.Context(), blockOf(s))
			if err != nil {
				t.Fatal(err)
			}
			now := [2]int64{r.Bound(PATH).Cycles, r.Bound(REF).Cycles}
			if limit < 6 && (now[0] < last[0] || now[1] < last[1]) {
				t.Fatalf("%s: with %d groups PATH and REF %v, with one more %v", s, limit, now, last)
			}
			if limit < 6 && now != last {
				larger++
			}
			last = now
		}
	}
	if larger == 0 {
		t.Error("grouping never made a difference: the test does not exercise it")
	}
}
