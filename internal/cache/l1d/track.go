package l1d

import (
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

// tracker follows one warp through the loops and calls of its program and gives
// the point of what it executes. Lanes that have parted are followed in groups,
// because a group that waits for the others must find its own iteration again.
// The groups' masks are disjoint, so there are at most as many as lanes.
type tracker struct {
	points *points
	groups []group
	cur    int // the group that executed last
}

// group is a set of lanes that came the same way.
type group struct {
	mask   simt.Mask
	frames []frame // of the functions entered; the last one is executing
}

// frame is a function in execution by a group.
type frame struct {
	call  int32   // the call that entered it, isa.NoPC for the kernel
	block int32   // block executed last, -1 where none
	iters []int64 // iteration of each loop around that block, outermost first
}

func (t *tracker) reset() {
	if len(t.groups) == 0 {
		t.groups = make([]group, 1, 4)
	}
	t.groups = t.groups[:1]
	t.cur = 0
	g := &t.groups[0]
	g.mask = 0
	g.frames = g.frames[:0]
	g.push(isa.NoPC)
}

// push enters a function. The slices of earlier frames are used again.
func (g *group) push(call int32) {
	n := len(g.frames)
	if n < cap(g.frames) {
		g.frames = g.frames[:n+1]
	} else {
		g.frames = append(g.frames, frame{})
	}
	f := &g.frames[n]
	f.call, f.block, f.iters = call, -1, f.iters[:0]
}

// copyFrom makes g follow the way that o has come.
func (g *group) copyFrom(o *group) {
	for cap(g.frames) < len(o.frames) {
		g.frames = append(g.frames[:cap(g.frames)], frame{})
	}
	g.frames = g.frames[:len(o.frames)]
	for i := range o.frames {
		f, x := &g.frames[i], &o.frames[i]
		f.call, f.block, f.iters = x.call, x.block, append(f.iters[:0], x.iters...)
	}
}

// step follows one executed instruction that has marks or whose active lanes
// are not those of the instruction before.
func (t *tracker) step(s *simt.Step) {
	marks := t.points.marks[s.PC]
	if t.groups[t.cur].mask != s.Active {
		t.gather(s.Active, s.PC)
	} else if marks&markFirst != 0 {
		t.enter(&t.groups[t.cur], s.PC)
	}
	switch {
	case marks&markCall != 0 && s.Exec != 0 && t.points.entry[s.NextPC]:
		t.isolate(s.Exec)
		t.groups[t.cur].push(s.PC)
	case marks&markLeave != 0 && s.Exec != 0:
		t.isolate(s.Exec)
		g := &t.groups[t.cur]
		if len(g.frames) > 1 && t.points.program.Instructions[s.PC].Kind == isa.Return {
			g.frames = g.frames[:len(g.frames)-1]
			return
		}
		g.mask = 0 // these lanes have ended
		t.drop(t.cur)
		t.cur = 0
	}
}

// gather makes one group of the active lanes: they have just been left alone,
// or have met again.
func (t *tracker) gather(active simt.Mask, pc int32) {
	if len(t.groups) == 1 && t.groups[0].mask == 0 {
		t.groups[0].mask = active // the first instruction
		t.enter(&t.groups[0], pc)
		return
	}
	best := -1
	for i := 0; i < len(t.groups); i++ {
		g := &t.groups[i]
		if g.mask&active == 0 {
			continue
		}
		if rest := g.mask &^ active; rest != 0 {
			t.split(i, rest)
			g = &t.groups[i]
		}
		if t.points.marks[pc]&markFirst != 0 {
			t.enter(g, pc)
		}
		if best < 0 {
			best = i
			continue
		}
		b := &t.groups[best]
		b.mask |= g.mask
		if later(g, b) {
			b.frames, g.frames = g.frames, b.frames
		}
		t.drop(i)
		i--
	}
	t.cur = best
}

// isolate splits the current group so that it holds only the given lanes.
func (t *tracker) isolate(lanes simt.Mask) {
	if rest := t.groups[t.cur].mask &^ lanes; rest != 0 {
		t.split(t.cur, rest)
	}
}

// split takes the lanes of rest out of group i, into one of their own.
func (t *tracker) split(i int, rest simt.Mask) {
	n := len(t.groups)
	if n < cap(t.groups) {
		t.groups = t.groups[:n+1]
	} else {
		t.groups = append(t.groups, group{})
	}
	t.groups[i].mask &^= rest
	t.groups[n].mask = rest
	t.groups[n].copyFrom(&t.groups[i])
}

// drop removes group i, keeping its memory; the only group stays, empty.
func (t *tracker) drop(i int) {
	n := len(t.groups) - 1
	if n == 0 {
		return
	}
	t.groups[i], t.groups[n] = t.groups[n], t.groups[i]
	t.groups = t.groups[:n]
}

// enter follows a group over the edge from the block it was in to the one that
// starts at pc.
func (t *tracker) enter(g *group, pc int32) {
	f := &g.frames[len(g.frames)-1]
	to := t.points.block[pc]
	b := &t.points.blocks[to]
	common := int32(0)
	if f.block >= 0 {
		common = t.points.commonDepth(f.block, to)
	}
	f.block = to
	f.iters = f.iters[:min(len(f.iters), int(common))]
	for len(f.iters) < int(b.depth) {
		f.iters = append(f.iters, 0)
	}
	if common == b.depth && b.loop >= 0 && t.points.loops[b.loop].header == to {
		f.iters[b.depth-1]++ // from inside: over a back edge
	}
}

// commonDepth is the number of loops that hold both blocks.
func (s *points) commonDepth(a, b int32) int32 {
	x, y := s.blocks[a].loop, s.blocks[b].loop
	for x != y {
		if x < 0 || y >= 0 && s.loops[y].depth > s.loops[x].depth {
			x, y = y, x
		}
		x = s.loops[x].parent
	}
	if x < 0 {
		return 0
	}
	return s.loops[x].depth
}

// later says whether g has come further than b in the loops around a block they
// are both in.
func later(g, b *group) bool {
	x, y := g.frames[len(g.frames)-1].iters, b.frames[len(b.frames)-1].iters
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return x[i] > y[i]
		}
	}
	return len(x) > len(y)
}

// key appends the point of instruction pc, which the current group is executing:
// for every function entered and every loop around, the place of the loop and
// the iteration, then the place of the call, at last that of pc.
func (t *tracker) key(key []int64, pc int32) []int64 {
	g := &t.groups[t.cur]
	for i := range g.frames {
		f := &g.frames[i]
		at := pc
		if i+1 < len(g.frames) {
			at = g.frames[i+1].call
		}
		n := len(key)
		d := len(f.iters)
		for range d {
			key = append(key, 0, 0)
		}
		for l := t.points.blocks[f.block].loop; l >= 0; l = t.points.loops[l].parent {
			d--
			key[n+2*d], key[n+2*d+1] = t.points.loops[l].number, f.iters[d]
		}
		key = append(key, t.points.number[at])
	}
	return key
}
