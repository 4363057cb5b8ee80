package inputs

import (
	"slices"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/choice"
	"github.com/warpbound/warpbound/internal/path"
	"github.com/warpbound/warpbound/internal/simt"
)

// Covers says whether what a warp of a block took, by number in the block, is one of the
// paths that are covered for the class of the block: as many sections, and in each the
// same instructions in the same order, of which none makes more transactions.
func Covers(c *path.Recorded, class *path.BlockClass, warp int, sections [][]path.Symbol) bool {
	w := of(class, warp)
	if w == nil || w.Stages == nil && len(w.Choices) != len(sections) {
		return false
	}
	if w.Stages != nil {
		// Others may pass barriers when it has ended.
		for range mostBehind {
			if CoverTogether(c, class, map[int][][]path.Symbol{warp: sections}) {
				return true
			}
			sections = append(sections[:len(sections):len(sections)], nil)
		}
		return false
	}
	for i, took := range sections {
		if !covers(c, w.Choices[i], took) {
			return false
		}
	}
	return true
}

// mostBehind is how many barriers others pass behind the end of a warp.
const mostBehind = 256

// covers says whether what a warp took is one of the paths of an expression.
func covers(c *path.Recorded, e *choice.Expr, took []path.Symbol) bool {
	m := &matcher{n: len(took), memo: map[[2]int][]int{}, fits: func(at int, symbol int32) bool {
		got, most := took[at], c.Symbols[symbol]
		return got.PC == most.PC && got.Transactions <= most.Transactions
	}}
	return slices.Contains(m.from(e, 0), len(took))
}

// CoverTogether says whether what some warps of a block took, by their numbers, is what
// the stages of the block have: one and the same path of stages, of which each warp took a
// path of each section, and none of further sections if it has ended.
func CoverTogether(c *path.Recorded, class *path.BlockClass, took map[int][][]path.Symbol) bool {
	n := 0
	var stages *choice.Expr
	warps := map[int]*path.Warp{}
	for warp, sections := range took {
		n = max(n, len(sections))
		if warps[warp] = of(class, warp); warps[warp] == nil || warps[warp].Stages == nil {
			return false
		}
		stages = warps[warp].Stages
	}
	known := map[[2]int]bool{}
	m := &matcher{n: n, memo: map[[2]int][]int{}, fits: func(at int, section int32) bool {
		key := [2]int{at, int(section)}
		if fits, ok := known[key]; ok {
			return fits
		}
		fits := true
		for warp, sections := range took {
			if at < len(sections) {
				fits = fits && covers(c, warps[warp].Choices[section], sections[at])
			}
		}
		known[key] = fits
		return fits
	}}
	return slices.Contains(m.from(stages, 0), n)
}

// of is what a warp may execute.
func of(class *path.BlockClass, warp int) *path.Warp {
	for i := range class.Warps {
		if w := &class.Warps[i]; slices.Contains(w.IDs, warp) {
			return w.Warp
		}
	}
	return nil
}

// Sections collects what warps of blocks take, from the steps of an execution.
type Sections map[Place][][]path.Symbol

// Place is a warp of a block.
type Place struct {
	Block int64
	Warp  int
}

// Step adds a step.
func (s Sections) Step(block int64, warp int, step *simt.Step, timing []gpu.Timing, mem *gpu.Memory) {
	at := Place{block, warp}
	list := s[at]
	if list == nil {
		list = [][]path.Symbol{nil}
	}
	if t := &timing[step.PC]; !t.NotIssued {
		last := &list[len(list)-1]
		*last = append(*last, path.Symbol{PC: step.PC, Transactions: path.Transactions(step, t, mem)})
	}
	if step.Barrier >= 0 {
		list = append(list, nil)
	}
	s[at] = list
}

// matcher finds where paths of an expression end in a sequence of symbols.
type matcher struct {
	n    int                                // symbols of the sequence
	fits func(place int, symbol int32) bool // a symbol of the expression is at a place
	memo map[[2]int][]int                   // by expression and start
}

// from is where the paths of e end that begin at a place.
func (m *matcher) from(e *choice.Expr, at int) []int {
	key := [2]int{e.ID(), at}
	if ends, ok := m.memo[key]; ok {
		return ends
	}
	var ends []int
	switch e.Kind() {
	case choice.Empty:
		ends = []int{at}
	case choice.Run:
		run := e.Run()
		if m.n-at < len(run) {
			break
		}
		for i, s := range run {
			if !m.fits(at+i, s) {
				run = nil
				break
			}
		}
		if run != nil {
			ends = []int{at + len(run)}
		}
	case choice.Concat:
		ends = []int{at}
		for _, p := range e.Parts() {
			ends = m.all(p, ends)
		}
	case choice.One:
		for _, p := range e.Parts() {
			ends = union(ends, m.from(p, at))
		}
	case choice.Any:
		ends = m.any(e.Parts(), at)
	case choice.Repeat, choice.AtMost:
		now := []int{at}
		if e.Kind() == choice.AtMost {
			ends = now
		}
		for range e.Count() {
			if now = m.all(e.Body(), now); len(now) == 0 {
				break
			}
			if e.Kind() == choice.AtMost {
				n := len(ends)
				if ends = union(ends, now); len(ends) == n {
					break // nothing new any more
				}
			}
		}
		if e.Kind() == choice.Repeat {
			ends = now
		}
	}
	m.memo[key] = ends
	return ends
}

// any is where selections of the parts end, in any order.
func (m *matcher) any(parts []*choice.Expr, at int) []int {
	ends := []int{at}
	for i, p := range parts {
		rest := append(append([]*choice.Expr(nil), parts[:i]...), parts[i+1:]...)
		for _, end := range m.from(p, at) {
			ends = union(ends, m.any(rest, end))
		}
	}
	return ends
}

func (m *matcher) all(e *choice.Expr, starts []int) []int {
	var out []int
	for _, at := range starts {
		out = union(out, m.from(e, at))
	}
	return out
}

// union adds places that are not there yet.
func union(a, b []int) []int {
	out := a[:len(a):len(a)]
	for _, x := range b {
		seen := false
		for _, y := range a {
			seen = seen || x == y
		}
		if !seen {
			out = append(out, x)
		}
	}
	return out
}
