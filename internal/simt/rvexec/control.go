package rvexec

import (
	"fmt"
	"math/bits"

	"github.com/warpbound/warpbound/internal/simt"
)

// threads is the mask of all threads of a warp.
func (k *Kernel) threads() uint32 { return uint32(uint64(1)<<k.launch.Threads - 1) }

// predicates is the lanes of m whose operand's lowest bit holds.
func (w *Warp) predicates(in *instr, m uint32) uint32 {
	a := &w.regs[in.a]
	var r uint32
	for i := range a {
		r |= a[i] & 1 << i
	}
	if in.neg {
		r = ^r
	}
	return r & m
}

func (w *Warp) pred(in *instr, m uint32) {
	if p := w.predicates(in, m); p != 0 {
		w.mask = p
		return
	}
	w.mask = w.regs[in.b][last(m)] & w.full
}

func (w *Warp) split(in *instr, m uint32) problem {
	depth := len(w.splits)
	then := w.predicates(in, m)
	other := m &^ then
	if then != 0 && other != 0 {
		if most := w.core.k.launch.Threads - 1; depth >= most {
			return problem{simt.ErrInvalid, fmt.Sprintf("more than %d open splits; active lanes %#x part into %#x and %#x", most, m, then, other)}
		}
		if bits.OnesCount32(then) < bits.OnesCount32(other) {
			then, other = other, then
		}
		w.splits = append(w.splits, split{full: m, other: other, pc: w.pc + 1})
		w.mask = then
	}
	d := &w.regs[in.d]
	for ; m != 0; m &= m - 1 {
		d[bits.TrailingZeros32(m)&31] = uint32(depth)
	}
	return problem{}
}

// join is the instruction that follows a JOIN.
func (w *Warp) join(in *instr, m uint32) (int32, problem) {
	depth := len(w.splits)
	to := w.regs[in.a][last(m)]
	switch {
	case to == uint32(depth):
		return w.pc + 1, problem{}
	case depth == 0:
		return 0, problem{simt.ErrInvalid, fmt.Sprintf("join to %d open splits, where none is open", to)}
	case to != uint32(depth-1):
		return 0, problem{simt.ErrInvalid, fmt.Sprintf("join to %d open splits, where %d are open", to, depth)}
	}
	s := &w.splits[depth-1]
	if !s.joined {
		s.joined = true
		w.mask = s.other
		return s.pc, problem{}
	}
	w.mask = s.full
	w.splits = w.splits[:depth-1]
	return w.pc + 1, problem{}
}

func (w *Warp) wspawn(in *instr, m uint32, s *simt.Step) problem {
	c := w.core
	c.changes++
	count := min(w.regs[in.a][last(m)], uint32(len(c.warps)))
	var pc int32
	if w.id != 0 {
		return problem{simt.ErrInvalid, "spawn by a warp other than warp 0"}
	}
	if count > 1 {
		to := w.regs[in.b][last(m)]
		var ok bool
		if pc, ok = c.k.img.Index(to); !ok {
			return c.badJump(to)
		}
	}
	switch {
	case c.active == 1:
		c.spawnWarps(count, pc)
		s.BarrierOpened = count > 1
	case c.k.launch.Variant == V22:
		c.spawn = spawn{pending: true, count: count, pc: pc}
		w.wait(-1)
	default:
		if busy := c.active & (1<<count - 1) &^ 1; busy != 0 {
			return problem{simt.ErrInvalid, fmt.Sprintf("spawn of warps %#x, which are active", busy)}
		}
		c.spawnWarps(count, pc)
		s.BarrierOpened = count > 1
	}
	return problem{}
}

// wait makes the warp wait in the instruction at its PC.
func (w *Warp) wait(barrier int32) {
	w.status = simt.Waiting
	w.waitBarrier, w.waitPC = barrier, w.pc
}

func (w *Warp) bar(in *instr, m uint32, s *simt.Step) problem {
	c := w.core
	c.changes++
	id, count := w.regs[in.a][last(m)], w.regs[in.b][last(m)]
	if id>>31 != 0 {
		if count != 1 || c.k.launch.Cores != 1 {
			return problem{simt.ErrUnsupported, fmt.Sprintf("barrier %#x of %d cores: barriers across cores are not executed", id, count)}
		}
		return problem{}
	}
	switch {
	case count == 1:
		return problem{}
	case id >= uint32(len(c.barriers)):
		return problem{simt.ErrInvalid, fmt.Sprintf("barrier %d of %d", id, len(c.barriers))}
	case count == 0 || count > uint32(len(c.warps)):
		return problem{simt.ErrInvalid, fmt.Sprintf("barrier %d of %d warps, where a core has %d", id, count, len(c.warps))}
	}
	b := &c.barriers[id]
	if b.arrived != 0 && b.count != count {
		return problem{simt.ErrInvalid, fmt.Sprintf("barrier %d of %d warps, where others gave %d", id, count, b.count)}
	}
	b.count = count
	b.arrived |= 1 << w.id
	s.Barrier = int32(id)
	s.BarrierFull = count == uint32(len(c.warps))
	if uint32(bits.OnesCount32(b.arrived)) < count {
		w.wait(int32(id))
		return problem{}
	}
	for rest := b.arrived; rest != 0; rest &= rest - 1 {
		c.warps[bits.TrailingZeros32(rest)].status = simt.Ready
	}
	*b = barrier{}
	s.BarrierOpened = true
	if s.BarrierFull {
		c.newEpoch()
	}
	return problem{}
}
