package frontend

import (
	"slices"
	"testing"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/sim/slotset"
)

// set makes a set of slots, "x" for members: "x.x" is 0 and 2.
func set(s string) []uint64 {
	m := []uint64{0}
	for i, c := range s {
		if c == 'x' {
			slotset.Add(m, int32(i))
		}
	}
	return m
}

// Four warps, of which slot 2 is the oldest and slot 1 has fewest entries. Each
// word is the ready warps of a cycle.
func TestFrontPolicies(t *testing.T) {
	v := &view{age: []int64{3, 2, 1, 4}, issued: []int64{5, 5, 5, 9}, entries: []int32{4, 1, 3, 1}, active: set("xxxx")}
	for _, c := range []struct {
		policy string
		ready  []string
		want   []int
	}{
		{"lrr", []string{"xxxx", "xxxx", "x..x", "x..x", "....", ".x.."}, []int{0, 1, 3, 0, -1, 1}},
		{"lo", []string{"xxxx", "xxxx", "xx.x", "x..x"}, []int{2, 2, 1, 0}},
		{"licount", []string{"xxxx", "x.xx", "x.x.", "...."}, []int{1, 3, 2, -1}},
		{"srr", []string{"xxxx", "x.xx", "..x.", "xxx.", "x..."}, []int{0, -1, 2, -1, 0}},
		{"so", []string{"xxxx", "xx.x", "..x."}, []int{2, -1, 2}},
		{"sicount", []string{"xxxx", "x.xx", ".x.."}, []int{1, -1, 1}},
		{"gtlrr", []string{"..x.", "xxxx", "xx.x", "xxxx", "....", "...x", "x..."}, []int{2, 2, 3, 3, -1, 3, 0}},
		{"gtlo", []string{"...x", "xxxx", "xx..", "xxxx"}, []int{3, 3, 1, 1}},
		{"gtlicount", []string{"x...", "xxxx", "..xx"}, []int{0, 0, 3}},
		// The turn goes on while nobody is ready: from 0 to 1, 2, 3.
		{"gsrr", []string{"xxxx", "xxxx", ".xxx", ".xxx", "x...", "x..."}, []int{0, 0, 1, 1, -1, -1}},
		// Slot 3 has issued 4 more than the others.
		{"atlrr:4", []string{"...x", "xxxx", "xxxx"}, []int{3, 3, 3}},
		{"atlrr:3", []string{"...x", "xxxx", "xxxx", ".x.x"}, []int{3, 0, 0, 1}},
		{"atlo:3", []string{"...x", "xxxx", "x..x"}, []int{3, 2, 0}},
	} {
		p, err := gpu.ParseFrontPolicy(c.policy)
		if err != nil {
			t.Fatal(err)
		}
		picker := newPicker(p)
		var got []int
		for _, r := range c.ready {
			got = append(got, picker.pick(v, set(r), v.active))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: selects %v, want %v", c.policy, got, c.want)
		}
	}
}

// A warp that comes into the slot of the one selected last is not that one.
func TestFrontPolicyForgets(t *testing.T) {
	v := &view{age: []int64{1, 2}, issued: make([]int64, 2), entries: make([]int32, 2), active: set("xx")}
	p := newPicker(gpu.FrontPolicy{Algorithm: gpu.RoundRobin, Category: gpu.Greedy})
	if got := p.pick(v, set("x."), v.active); got != 0 {
		t.Fatal(got)
	}
	v.age[0] = 3
	if got := p.pick(v, set("xx"), v.active); got != 1 {
		t.Errorf("selects slot %d, want the next one", got)
	}
}

// Cycles in which nobody is ready can be skipped.
func TestFrontPolicyIdle(t *testing.T) {
	v := &view{age: []int64{1, 2, 3, 4, 5}, issued: make([]int64, 5), entries: []int32{3, 3, 1, 3, 3}, active: set("xx.xx")}
	nobody := set("")
	for _, name := range gpu.FrontPolicyNames() {
		p, err := gpu.ParseFrontPolicy(name)
		if err != nil {
			p, err = gpu.ParseFrontPolicy(name + ":2")
		}
		if err != nil {
			t.Fatal(err)
		}
		for n := range int64(12) {
			skipped, stepped := newPicker(p), newPicker(p)
			for _, q := range []*picker{&skipped, &stepped} {
				q.pick(v, set(".x"), v.active)
			}
			skipped.idle(v, v.active, n)
			for range n {
				if got := stepped.pick(v, nobody, v.active); got != -1 {
					t.Fatalf("%s: selects slot %d, which is not ready", name, got)
				}
			}
			if skipped != stepped {
				t.Errorf("%s: %d cycles lead to %+v, at once to %+v", name, n, stepped, skipped)
			}
		}
	}
}
