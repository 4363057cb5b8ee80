package taint

import (
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

// op accesses the granule and says what comes of it: whether a load is tainted, and
// whether a store is recorded.
type op func(g *Granule) string

func who(block, warp int64, epoch uint32) *Who {
	return &Who{Block: Agent(block), Warp: Agent(warp), Epoch: epoch}
}

func load(w *Who, bytes uint8) op {
	return func(g *Granule) string {
		if g.Tainted(w, bytes) {
			return "tainted"
		}
		g.Rely(w, w.Block)
		return "known"
	}
}

func store(w *Who, bytes uint8, tainted bool) op {
	return func(g *Granule) string {
		if g.Write(w, bytes, tainted) {
			return "recorded"
		}
		return "stored"
	}
}

// What comes of accesses to a granule that is known at first.
func TestGranule(t *testing.T) {
	a, other, later, foreign := who(0, 0, 1), who(0, 1, 1), who(0, 1, 2), who(1, 0, 3)
	const known, tainted = false, true
	for _, c := range []struct {
		name string
		ops  []op
		want string
	}{
		{"a load behind another warp's store", []op{store(a, AllBytes, known), load(other, AllBytes)}, "stored tainted"},
		{"a load behind another warp's store and a barrier", []op{store(a, AllBytes, known), load(later, AllBytes)}, "stored known"},
		{"a load behind its own store", []op{store(a, AllBytes, known), load(a, AllBytes)}, "stored known"},
		{"a load behind another block's store", []op{store(a, AllBytes, known), load(foreign, AllBytes)}, "stored tainted"},
		{"a store behind another warp's load", []op{load(a, AllBytes), store(other, AllBytes, known)}, "known recorded"},
		{"a store behind another warp's load and a barrier", []op{load(a, AllBytes), store(later, AllBytes, known)}, "known stored"},
		{"a store behind another block's load", []op{load(a, AllBytes), store(foreign, AllBytes, known)}, "known recorded"},
		{"a store behind its own load", []op{load(a, AllBytes), store(a, AllBytes, known)}, "known stored"},
		{"a store behind another warp's load of what became tainted", []op{load(a, AllBytes), store(a, AllBytes, tainted), store(other, AllBytes, known)}, "known stored recorded"},
		{"stores of two warps, and a barrier", []op{store(a, AllBytes, known), store(other, AllBytes, known), load(later, AllBytes)}, "stored stored tainted"},
		{"stores of two blocks", []op{store(a, AllBytes, known), store(foreign, AllBytes, known), load(foreign, AllBytes)}, "stored stored tainted"},
		{"a known store behind a tainted one", []op{store(a, AllBytes, tainted), store(a, AllBytes, known), load(a, AllBytes)}, "stored stored known"},
		{"a known store of a byte behind a tainted one", []op{store(a, AllBytes, tainted), store(a, 1, known), load(a, AllBytes), load(a, 1)}, "stored stored tainted known"},
		{"a tainted store of a byte", []op{store(a, 4, tainted), load(a, 3), load(a, 12)}, "stored known tainted"},
	} {
		var g Granule
		var got []string
		for _, op := range c.ops {
			got = append(got, op(&g))
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: %s, want %s", c.name, s, c.want)
		}
	}
}

// A store to an unknown place of a memory leaves nothing known in it, and is recorded
// where others have relied on anything there.
func TestWhole(t *testing.T) {
	for _, c := range []struct {
		name          string
		reader, store *Who
		relied        bool
	}{
		{"the same warp", who(0, 0, 1), who(0, 0, 1), false},
		{"another warp", who(0, 0, 1), who(0, 1, 1), true},
		{"another warp behind a barrier", who(0, 0, 1), who(0, 1, 2), false},
		{"another block", who(0, 0, 1), who(1, 0, 2), true},
	} {
		var m Whole
		m.Rely(c.reader, c.reader.Block)
		if m.Spoilt() {
			t.Errorf("%s: spoilt by a load", c.name)
		}
		if relied := m.Spoil(c.store); relied != c.relied || !m.Spoilt() {
			t.Errorf("%s: recorded %v, spoilt %v; want %v, true", c.name, relied, m.Spoilt(), c.relied)
		}
	}
}

func TestClashes(t *testing.T) {
	at := [simt.MaxLanes]uint64{0, 4, 4, 8, 4, 12, 12}
	spaces := [simt.MaxLanes]isa.Space{5: isa.Shared}
	values := [simt.MaxLanes]int{1: 1, 2: 1, 4: 1}
	differ := func(i, j int) bool { return values[i] != values[j] }
	if got := Clashes(0x7f, 0, &at, &spaces, 4, differ); got != 0 {
		t.Errorf("equal values clash: %#x", got)
	}
	if got := Clashes(0x7f, 1<<2, &at, &spaces, 4, differ); got != 0x16 {
		t.Errorf("%#x clash with an unknown value, want 0x16", got)
	}
	values[4] = 2
	if got := Clashes(0x7f, 0, &at, &spaces, 4, differ); got != 0x16 {
		t.Errorf("%#x clash, want 0x16", got)
	}
	if got := Clashes(0x6f, 0, &at, &spaces, 4, differ); got != 0 {
		t.Errorf("%#x clash without the lane that differs", got)
	}
}

func TestLog(t *testing.T) {
	p := &isa.Program{Instructions: make([]isa.Instruction, 9)}
	var a, b Log
	a.Note(p, 7, simt.TaintBranch, "x1")
	a.Note(p, 3, simt.TaintOrder, "m")
	a.Note(p, 3, simt.TaintAddress, "x2")
	a.Note(p, 7, simt.TaintBranch, "x9")
	b.Note(p, 3, simt.TaintOrder, "")
	got := ""
	for _, x := range append(a.List(), a.Without(&b)...) {
		got += " " + x.Kind.String() + ":" + x.Register
	}
	if want := " address:x2 order:m branch:x1 address:x2 branch:x1"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
