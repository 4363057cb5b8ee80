package certify

import (
	"math/big"
	"slices"
)

// flow says which instructions may be executed one after the other by a warp: along
// the edges of the control flow, and from where lanes that parted wait for each other
// to where others of them go on. Instructions that take no issue slot are passed.
type flow struct {
	k      *kernel
	issued []bool
	// parted are the branches whose lanes meet at an instruction, and at the end of a
	// function behind all instructions.
	parted  [][]int
	meet    map[int]int // where the lanes of a branch meet
	returns [][]int     // of each function, behind its calls
	after   []map[int]bool
}

// newFlow prepares a kernel; issued are the instructions that take an issue slot.
func newFlow(k *kernel, issued []bool) *flow {
	n := len(k.code)
	f := &flow{k: k, issued: issued, parted: make([][]int, n+len(k.funcs)), meet: map[int]int{}, returns: make([][]int, len(k.funcs)), after: make([]map[int]bool, n)}
	for i := range k.code {
		if c := k.code[i].callee; c >= 0 {
			f.returns[c] = append(f.returns[c], i+1)
		}
	}
	for fn := range k.funcs {
		f.meetings(fn)
	}
	return f
}

// succs are the instructions behind i in its function: a call's callee returns there.
func (f *flow) succs(i int) []int {
	in := &f.k.code[i]
	out := slices.Clone(in.targets)
	if in.guarded || !in.ends && len(in.targets) == 0 {
		if i < f.k.funcs[in.fn].last {
			out = append(out, i+1)
		}
	}
	return out
}

// meetings finds where the lanes of every branch of a function meet: at its immediate
// post-dominator, the instruction that all ways to the end share with no other between.
func (f *flow) meetings(fn int) {
	first, n := f.k.funcs[fn].first, f.k.funcs[fn].last+1-f.k.funcs[fn].first
	all := new(big.Int).SetBit(new(big.Int), n, 1)
	all.Sub(all, big.NewInt(1))
	sets := slices.Repeat([]*big.Int{all}, n) // instructions on every way to the end
	for changed := true; changed; {
		changed = false
		for i := n - 1; i >= 0; i-- {
			next := new(big.Int)
			if !f.k.code[first+i].ends {
				next.Set(all)
			}
			for _, s := range f.succs(first + i) {
				next.And(next, sets[s-first])
			}
			if next.SetBit(next, i, 1).Cmp(sets[i]) != 0 {
				sets[i], changed = next, true
			}
		}
	}
	for i := range n {
		if len(f.succs(first+i)) < 2 && !(f.k.code[first+i].ends && f.k.code[first+i].guarded) {
			continue
		}
		behind := new(big.Int).SetBit(sets[i], i, 0)
		meet := slices.IndexFunc(sets, func(s *big.Int) bool { return s.Cmp(behind) == 0 })
		if meet += first; meet < first {
			meet = len(f.k.code) + fn
		}
		f.parted[meet] = append(f.parted[meet], first+i)
		f.meet[first+i] = meet
	}
}

// from collects in out the issued instructions that may come first where a warp arrives
// at some place.
func (f *flow) from(places []int, out map[int]bool) {
	seen := map[int]bool{}
	n := len(f.k.code)
	for len(places) > 0 {
		p := places[len(places)-1]
		places = places[:len(places)-1]
		if seen[p] {
			continue
		}
		seen[p] = true
		for _, b := range f.parted[p] {
			places = append(places, f.succs(b)...)
		}
		switch {
		case p >= n:
			out[p] = true
			places = append(places, f.returns[p-n]...)
		case f.issued[p]:
			out[p] = true
		default:
			places = append(places, f.behind(p)...)
		}
	}
}

// behind are the places at which a warp arrives after instruction i. That it goes from a
// branch where its lanes meet, and neither way, is no path, but any-of has it; likewise
// from the end of an iteration where the branches of the loop meet, as a bound on the loop
// may say that there is no other iteration.
func (f *flow) behind(i int) []int {
	in := &f.k.code[i]
	out := f.succs(i)
	for b := i; b >= slices.Min(append(out, i)); b-- {
		if meet, ok := f.meet[b]; ok {
			out = append(out, meet)
		}
	}
	switch {
	case in.callee >= 0:
		out = append(out, f.k.funcs[in.callee].first)
	case in.exits:
		// The lanes are gone; those that wait for them anywhere go on.
		for p := range f.parted {
			if len(f.parted[p]) > 0 || p >= len(f.k.code) {
				out = append(out, p)
			}
		}
	case in.ends:
		out = append(out, len(f.k.code)+in.fn)
	}
	return out
}

// follows tells whether instruction j may be executed behind i; behind all instructions is
// the end of the kernel.
func (f *flow) follows(i, j int) bool {
	if f.after[i] == nil {
		f.after[i] = map[int]bool{}
		f.from(f.behind(i), f.after[i])
	}
	return f.after[i][j]
}
