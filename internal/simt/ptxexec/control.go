package ptxexec

import (
	"fmt"
	"math/bits"

	"github.com/warpbound/warpbound/internal/simt"
)

// frame is a function in execution.
type frame struct {
	fn      int32
	base    uint64 // of its local memory, in bytes from the start of a lane's
	size    uint64
	entered uint32    // lanes that entered
	call    *callInfo // nil for the kernel
	saved   *savedRegs
}

// savedRegs are the registers of an outer activation of a recursive function.
type savedRegs struct {
	vals  []lanes
	st    []uint8
	preds []uint32
	tv    [numViews][]uint32 // their taint, by view
	tp    [numViews][]uint32
}

// control executes an instruction that may change the program counter.
func (w *warp) control(in *instr, m uint32) error {
	switch in.group {
	case gBranch:
		w.branch(in, m)
		return nil
	case gBrx:
		return w.brx(in, m)
	case gCall:
		return w.call(in, m)
	case gRet:
		w.ret(m)
		return nil
	case gExit:
		w.exit(m)
		return nil
	}
	return w.barrier(in, m)
}

// branch sends the lanes of m to the target; the others fall through. Lanes
// that part meet again at the immediate post-dominator, the taken ones going
// first.
func (w *warp) branch(in *instr, m uint32) {
	next := w.top.pc + 1
	switch m {
	case w.top.mask:
		w.top.pc = in.target
	case 0:
		w.top.pc = next
	default:
		rest := w.top.mask &^ m
		w.meet(w.blk.k.prog.reconv[w.top.pc])
		w.push(next, rest)
		w.push(in.target, m)
	}
	w.settle()
}

// meet prepares the top of the stack for groups that meet again at rpc: it
// becomes the group that waits there, unless the group below already does.
func (w *warp) meet(rpc int32) {
	if w.top.rpc != rpc || w.top.frame {
		w.top.pc = rpc
		w.stack = append(w.stack, w.top)
	}
	w.top = entry{rpc: rpc}
}

// push starts a group that meets the others where the top does. A group that is
// already there waits in the group below.
func (w *warp) push(pc int32, mask uint32) {
	rpc := w.top.rpc
	if pc == rpc {
		return
	}
	if w.top.mask != 0 {
		w.stack = append(w.stack, w.top)
	}
	w.top = entry{pc: pc, rpc: rpc, mask: mask}
}

// settle removes groups that are empty or have reached their meeting point.
func (w *warp) settle() {
	for w.top.mask == 0 || w.top.pc == w.top.rpc {
		if w.floor > 0 && len(w.stack) == w.floor {
			return // a side of a fork is over
		}
		if w.top.frame {
			w.leaveFrame()
		}
		n := len(w.stack)
		if n == 0 {
			w.top.pc = pcNone
			w.status = simt.Done
			return
		}
		w.top = w.stack[n-1]
		w.stack = w.stack[:n-1]
	}
}

// brx sends each lane to the target its index names. Lanes that part go in the
// order of their lowest lane.
func (w *warp) brx(in *instr, m uint32) error {
	if m == 0 {
		w.top.pc++
		w.settle()
		return nil
	}
	idx := w.src(in.a)
	var groups [32]entry
	n := 0
	for left := m; left != 0; {
		i := bits.TrailingZeros32(left) & 31
		k := idx[i]
		if k >= uint64(len(in.x.targets)) {
			return w.fault(simt.ErrInvalid, i, fmt.Sprintf("index %d into a branch table of %d", k, len(in.x.targets)))
		}
		g := entry{pc: in.x.targets[k]}
		for r := left; r != 0; r &= r - 1 {
			j := bits.TrailingZeros32(r) & 31
			if idx[j] < uint64(len(in.x.targets)) && in.x.targets[idx[j]] == g.pc {
				g.mask |= 1 << j
			}
		}
		left &^= g.mask
		groups[n] = g
		n++
	}
	rest := w.top.mask &^ m
	if n == 1 && rest == 0 {
		w.top.pc = groups[0].pc
		w.settle()
		return nil
	}
	next := w.top.pc + 1
	w.meet(w.blk.k.prog.reconv[w.top.pc])
	if rest != 0 {
		w.push(next, rest)
	}
	for n--; n >= 0; n-- {
		w.push(groups[n].pc, groups[n].mask)
	}
	w.settle()
	return nil
}

// exit ends the lanes of m.
func (w *warp) exit(m uint32) {
	w.top.pc++
	w.live &^= m
	w.top.mask &^= m
	for i := range w.stack {
		w.stack[i].mask &^= m
	}
	w.settle()
	if w.status == simt.Done {
		w.blk.ended(w)
	}
}

// ret makes the lanes of m leave the function; in the kernel itself they exit.
func (w *warp) ret(m uint32) {
	if len(w.frames) == 1 {
		w.exit(m)
		return
	}
	w.top.pc++
	w.top.mask &^= m
	if !w.top.frame {
		for i := len(w.stack) - 1; ; i-- {
			w.stack[i].mask &^= m
			if w.stack[i].frame {
				break
			}
		}
	}
	w.settle()
}

// call enters a function with the lanes of m.
func (w *warp) call(in *instr, m uint32) error {
	if m == 0 {
		w.top.pc++
		w.settle()
		return nil
	}
	if in.x.call == nil {
		return w.callIndirect(in, m)
	}
	return w.enter(in.x.call, m)
}

// enter makes a call with the lanes of m.
func (w *warp) enter(c *callInfo, m uint32) error {
	p := w.blk.k.prog
	if len(w.frames) > w.blk.k.maxCallDepth {
		return w.fault(simt.ErrCallDepth, bits.TrailingZeros32(m), fmt.Sprintf("more than %d nested calls", w.blk.k.maxCallDepth))
	}
	fn := &p.funcs[c.callee]
	caller := &w.frames[len(w.frames)-1]
	f := frame{fn: c.callee, base: (caller.base + caller.size + 15) &^ 15, size: fn.frameBytes, entered: m, call: c}
	if f.base+f.size > maxLocalBytes {
		return w.fault(simt.ErrCallDepth, bits.TrailingZeros32(m), fmt.Sprintf("the call needs %d bytes of local memory a thread, more than %d", f.base+f.size, maxLocalBytes))
	}
	w.local.grow(f.base, f.base+f.size)
	// The arguments are read before a recursive call's own registers change.
	w.copies = w.copies[:0]
	for i := range c.in {
		w.readCopy(&c.in[i], caller.base)
	}
	if w.passage != nil {
		w.passage.reads(c.in, caller.base, m)
	}
	if w.activeFunction(c.callee) {
		f.saved = w.save(fn)
	}
	w.freshRegisters(fn, m)
	for i := range c.in {
		w.writeCopy(&c.in[i], i, caller.base, f.base, m)
	}
	if w.passage != nil {
		w.passage.entered(fn, f.base, m)
		w.passage.writes(c.in, f.base, m)
	}
	w.frames = append(w.frames, f)
	w.top.pc++
	w.stack = append(w.stack, w.top)
	w.top = entry{pc: p.isa.Functions[c.callee].Entry, rpc: pcLeave, mask: m, frame: true}
	return nil
}

// leaveFrame ends the function on top, whose lanes have all returned or exited.
func (w *warp) leaveFrame() {
	n := len(w.frames) - 1
	f := w.frames[n]
	if f.call == nil {
		return
	}
	w.frames = w.frames[:n]
	w.local.end = w.frames[n-1].base + w.frames[n-1].size
	m := f.entered & w.live
	w.copies = w.copies[:0]
	for i := range f.call.out {
		w.readCopy(&f.call.out[i], f.base)
	}
	fn := &w.blk.k.prog.funcs[f.fn]
	if w.passage != nil {
		if m != 0 {
			w.passage.reads(f.call.out, f.base, m)
		}
		w.passage.left(fn, f.saved != nil)
	}
	if f.saved != nil {
		w.restore(fn, f.saved)
	}
	if m == 0 {
		return
	}
	for i := range f.call.out {
		c, base := &f.call.out[i], w.frames[n-1].base
		w.writeCopy(c, i, f.base, base, m)
		// In the caller's memory a result replaces another only if the lane is there.
		for left := m & w.loose; c.to == inMem && left != 0; left &= left - 1 {
			lane := uint64(bits.TrailingZeros32(left)) * w.local.stride
			for _, t := range w.taints {
				mark(w.local.shadows[t.view], lane+base+c.toOff, c.bytes, true)
			}
		}
	}
	if w.passage != nil {
		w.passage.writes(f.call.out, w.frames[n-1].base, m)
	}
}
