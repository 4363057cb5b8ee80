package replay

import (
	"slices"
	"testing"
)

// members makes a set of the slots whose letters are not '.'.
func members(s string) set {
	out := newSet(len(s))
	for i := range s {
		if s[i] != '.' {
			out.add(i)
		}
	}
	return out
}

// Each policy chooses among four warps, by hand. ready has a mark for each warp
// that is ready in a cycle; all are active and were activated in the order 2, 0,
// 3, 1, with 3, 1, 2 and 1 entries queued.
func TestPolicies(t *testing.T) {
	ready := []string{"x.x.", "xxx.", "..xx", "....", "xx..", "xxxx", "xxxx"}
	for _, c := range []struct {
		p    Policy
		want []int
	}{
		{Policy{RoundRobin, Loose, 0}, []int{0, 1, 2, -1, 0, 1, 2}},
		{Policy{Oldest, Loose, 0}, []int{2, 2, 2, -1, 0, 2, 2}},
		{Policy{ICount, Loose, 0}, []int{2, 1, 3, -1, 1, 1, 1}},
		{Policy{RoundRobin, Strict, 0}, []int{0, 1, 2, -1, 0, 1, 2}},
		{Policy{Oldest, Strict, 0}, []int{2, 2, 2, -1, -1, 2, 2}},
		{Policy{ICount, Strict, 0}, []int{-1, 1, -1, -1, 1, 1, 1}},
		{Policy{RoundRobin, Greedy, 0}, []int{0, 0, 2, -1, 0, 0, 0}},
		{Policy{Oldest, Greedy, 0}, []int{2, 2, 2, -1, 0, 0, 0}},
		{Policy{ICount, Greedy, 0}, []int{2, 2, 2, -1, 1, 1, 1}},
		{Policy{RoundRobin, GreedyStrict, 0}, []int{0, 0, -1, -1, -1, 3, 3}},
		{Policy{RoundRobin, Adaptive, 1}, []int{0, 0, 2, -1, 0, 1, 1}},
		{Policy{Oldest, Adaptive, 0}, []int{2, 2, 2, -1, 0, 2, 2}},
	} {
		s := newSelector(c.p)
		v := view{active: members("xxxx"), selectable: members("xxxx"), order: []int32{2, 0, 3, 1}, queued: []int{3, 1, 2, 1}, issued: make([]int64, 4)}
		var got []int
		for _, r := range ready {
			v.ready = members(r)
			i := s.pick(&v)
			if i >= 0 {
				v.issued[i]++
			}
			got = append(got, i)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.p, got, c.want)
		}
	}
}

// Cycles in which nobody is ready can be passed at once.
func TestIdleCyclesOfPolicies(t *testing.T) {
	for _, p := range policies {
		for n := range int64(12) {
			v := view{active: members("xxxxx"), selectable: members("x.xx."), ready: members("....."), order: []int32{0, 1, 2, 3, 4}, queued: make([]int, 5), issued: make([]int64, 5)}
			a, b := newSelector(p), newSelector(p)
			a.last, b.last = 2, 2
			for range n {
				if i := a.pick(&v); i >= 0 {
					t.Fatalf("%s selects warp %d", p, i)
				}
			}
			b.idle(&v, n)
			if a != b {
				t.Errorf("%s: after %d cycles %+v, at once %+v", p, n, a, b)
			}
		}
	}
}

// Whoever takes the slot of a warp is not the one selected last.
func TestGreedEndsWithTheWarp(t *testing.T) {
	v := view{active: members("xx"), selectable: members("xx"), ready: members("xx"), order: []int32{1, 0}, queued: make([]int, 2), issued: make([]int64, 2)}
	s := newSelector(Policy{RoundRobin, Greedy, 0})
	if i := s.pick(&v); i != 0 {
		t.Fatalf("first warp %d", i)
	}
	s.ended(1)
	if i := s.pick(&v); i != 0 {
		t.Errorf("warp %d though warp 0 goes on", i)
	}
	s.ended(0)
	if i := s.pick(&v); i != 1 {
		t.Errorf("warp %d after warp 0 has ended", i)
	}
}
