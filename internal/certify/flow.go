package certify

import (
	"math/big"
	"slices"
)

// flow says which instructions may be executed one after the other by a warp: along
// the edges of the control flow, and from where lanes that parted wait for each other
// to where others of them go on. Instructions that take no issue slot are passed. Places
// are instructions, and behind them the ends of functions.
type flow struct {
	k      *kernel
	issued func(c class) bool
	next   [][]int     // of each instruction, the places at which a warp arrives behind it
	others [][]int     // of each place, where lanes that wait for others there may go on
	meet   map[int]int // where the lanes of a branch meet
	// gone are the instructions behind which lanes may be no more: ends of the kernel, and
	// of iterations, since a bound on a loop may say that there is no other.
	gone  []bool
	after []map[int]bool
}

// newFlow prepares a kernel; issued says which classes take an issue slot.
func newFlow(k *kernel, issued func(c class) bool) *flow {
	n := len(k.code)
	f := &flow{k: k, issued: issued, next: make([][]int, n), others: make([][]int, n+len(k.funcs)), meet: map[int]int{}, gone: make([]bool, n), after: make([]map[int]bool, n)}
	for fn := range k.funcs {
		f.meetings(fn)
	}
	leaves := slices.ContainsFunc(k.code, func(in instruction) bool { return in.exits && in.fn > 0 })
	var waiting []int
	for p := range f.others {
		if len(f.others[p]) > 0 || p >= n {
			waiting = append(waiting, p)
		}
	}
	for i := range k.code {
		in := &k.code[i]
		f.next[i] = f.succs(i)
		if in.callee >= 0 {
			f.next[i] = append(f.next[i], k.funcs[in.callee].first)
			f.others[n+in.callee] = append(f.others[n+in.callee], i+1)
		}
		if in.ends && !in.exits {
			f.next[i] = append(f.next[i], n+in.fn)
		}
		// That a warp goes from a branch where its lanes meet, and neither way, is no path,
		// but any-of has it.
		if meet, ok := f.meet[i]; ok {
			f.next[i] = append(f.next[i], meet)
		}
		// Where lanes are gone, those that wait for them anywhere go on. Where a function can
		// end lanes, any-of may have all that follows a call.
		if in.exits || leaves || f.gone[i] {
			f.next[i] = append(f.next[i], waiting...)
		}
	}
	return f
}

// succs are the instructions behind i in its function: a call's callee returns there.
func (f *flow) succs(i int) []int {
	in := &f.k.code[i]
	out := slices.Clone(in.targets)
	if (in.guarded || !in.ends && len(in.targets) == 0) && i < f.k.funcs[in.fn].last {
		out = append(out, i+1)
	}
	return out
}

// shared are the instructions that all ways from each of n instructions to an end share,
// by the instructions next on a way.
func shared(n int, next func(i int) []int, ends func(i int) bool) []*big.Int {
	all := new(big.Int).Lsh(big.NewInt(1), uint(n))
	all.Sub(all, big.NewInt(1))
	sets := slices.Repeat([]*big.Int{all}, n)
	for changed := true; changed; {
		changed = false
		for k := range 2 * n { // forwards and backwards
			i := min(k, 2*n-1-k)
			set := new(big.Int)
			if !ends(i) {
				set.Set(all)
			}
			for _, s := range next(i) {
				set.And(set, sets[s])
			}
			if set.SetBit(set, i, 1).Cmp(sets[i]) != 0 {
				sets[i], changed = set, true
			}
		}
	}
	return sets
}

// meetings finds where the lanes of every branch of a function meet: at its immediate
// post-dominator, the instruction that all ways to the end share with no other between.
// And it finds the ends of iterations: instructions before one that dominates them.
func (f *flow) meetings(fn int) {
	first, n := f.k.funcs[fn].first, f.k.funcs[fn].last+1-f.k.funcs[fn].first
	succs, preds := make([][]int, n), make([][]int, n)
	for i := range n {
		for _, s := range f.succs(first + i) {
			succs[i], preds[s-first] = append(succs[i], s-first), append(preds[s-first], i)
		}
	}
	behind := shared(n, func(i int) []int { return succs[i] }, func(i int) bool { return f.k.code[first+i].ends })
	before := shared(n, func(i int) []int { return preds[i] }, func(i int) bool { return i == 0 })
	for i := range n {
		f.gone[first+i] = slices.ContainsFunc(succs[i], func(s int) bool { return before[i].Bit(s) == 1 })
		if len(succs[i]) < 2 && !(f.k.code[first+i].ends && f.k.code[first+i].guarded) {
			continue
		}
		rest := new(big.Int).SetBit(behind[i], i, 0)
		meet := first + slices.IndexFunc(behind, func(s *big.Int) bool { return s.Cmp(rest) == 0 })
		if meet < first {
			meet = len(f.k.code) + fn
		}
		f.others[meet] = append(f.others[meet], f.succs(first+i)...)
		f.meet[first+i] = meet
	}
}

// from collects in out the issued instructions, and ends of functions, that may come first
// where a warp arrives at some place.
func (f *flow) from(places []int, out map[int]bool) {
	seen := map[int]bool{}
	for len(places) > 0 {
		p := places[len(places)-1]
		places = places[:len(places)-1]
		if seen[p] {
			continue
		}
		seen[p] = true
		places = append(places, f.others[p]...)
		if p >= len(f.k.code) || f.issued(f.k.code[p].class) {
			out[p] = true
		} else {
			places = append(places, f.next[p]...)
		}
	}
}

// follows tells whether instruction j may be executed behind i; behind all instructions is
// the end of the kernel.
func (f *flow) follows(i, j int) bool {
	if f.after[i] == nil {
		f.after[i] = map[int]bool{}
		f.from(slices.Clone(f.next[i]), f.after[i])
	}
	return f.after[i][j]
}
