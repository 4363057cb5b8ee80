package l1d

import (
	"errors"
	"slices"
	"testing"

	"github.com/warpbound/warpbound/examples"
	"github.com/warpbound/warpbound/isa"
)

// walk lists the blocks of a function as a warp's stack visits them if every
// branch diverges and no loop goes round: the taken side up to where the lanes
// meet, then the other side, then what follows.
func walk(c *isa.CFG) []int32 {
	var out []int32
	seen := map[int32]bool{isa.NoBlock: true}
	var visit func(b, stop int32)
	visit = func(b, stop int32) {
		for b != stop && !seen[b] {
			seen[b] = true
			out = append(out, b)
			meet := c.Ipdom[b]
			for _, s := range c.Blocks[b].Succs {
				visit(s, meet)
			}
			b = meet
		}
	}
	visit(0, isa.NoBlock)
	return out
}

// The numbers of structured code are the places in the walk. What loops leave by
// a break stands behind the loop in one and not in the other.
func TestPointsFollowTheStack(t *testing.T) {
	equal, programs := 0, 0
	for _, e := range examples.All() {
		p := openExample(t, e.Launch).Program()
		all := make([]bool, len(p.Instructions))
		for pc := range all {
			all[pc] = true
		}
		s, err := newPoints(p, all)
		if errors.Is(err, ErrUnplaced) && e.Name == "texture" {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for f := range p.Functions {
			c, err := isa.BuildCFG(p, f)
			if err != nil {
				t.Fatal(err)
			}
			checkPoints(t, e.Launch, s, c)
			got := slices.Clone(c.Order)
			slices.SortFunc(got, func(a, b int32) int { return int(s.number[c.Blocks[a].First] - s.number[c.Blocks[b].First]) })
			programs++
			if slices.Equal(got, walk(c)) {
				equal++
			}
		}
	}
	if equal*20 < programs*19 {
		t.Errorf("%d of %d functions are numbered as the stack walks them", equal, programs)
	}
	t.Logf("%d of %d", equal, programs)
}

// checkPoints checks what must hold of any numbering: it counts the instructions
// of the blocks that can be reached, loops stand together with the header first,
// and only back edges lead backwards.
func checkPoints(t *testing.T, name string, s *points, c *isa.CFG) {
	t.Helper()
	loops := isa.Loops(c)
	seen := map[int64]bool{}
	for _, b := range c.Order {
		for pc := c.Blocks[b].First; pc < c.Blocks[b].End; pc++ {
			if n := s.number[pc]; seen[n] || n-s.number[c.Blocks[b].First] != int64(pc-c.Blocks[b].First) {
				t.Errorf("%s: instruction %d has number %d", name, pc, n)
			}
			seen[s.number[pc]] = true
		}
		for _, next := range c.Blocks[b].Succs {
			back := slices.ContainsFunc(loops, func(l isa.Loop) bool { return l.Header == next && l.Contains(b) })
			if !back && s.number[c.Blocks[next].First] <= s.number[c.Blocks[b].First] {
				t.Errorf("%s: block %d is numbered before its predecessor %d", name, next, b)
			}
		}
	}
	for i := range loops {
		l := &loops[i]
		first, size := s.number[c.Blocks[l.Header].First], int64(0)
		for _, b := range l.Blocks {
			size += int64(c.Blocks[b].End - c.Blocks[b].First)
		}
		for _, b := range l.Blocks {
			if n := s.number[c.Blocks[b].First]; n < first || n >= first+size {
				t.Errorf("%s: block %d of the loop at %d has number %d, outside [%d,%d)", name, b, l.Header, n, first, first+size)
			}
		}
	}
}
