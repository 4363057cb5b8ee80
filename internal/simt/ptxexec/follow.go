package ptxexec

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

// follower executes blocks whose registers carry, beside their values, how these
// depend on the block's coordinates: value + form · (block - representative),
// modulo two to the width of the register. Where an instruction is affine only
// for some blocks, or decides a path, it adds conditions on the blocks; see
// simt.BlockClass and docs/soundness/paths.md, theorem 27 (classes of blocks).
//
// Loads from global memory yield nothing and stores to it are dropped: values
// from memory never reach an address or a branch of a kernel that is followed.
type follower struct {
	k *Kernel
	slice
	class   simt.BlockClass
	rep     [3]int64
	shifted []bool // by PC: Shifts is set
	block   *followedBlock
	skip    func(*simt.Loop) (bool, error) // nil where loops are not skipped
}

// slice is what can reach an address, a branch, a barrier, or which lanes exchange
// values.
type slice struct {
	relevant    []bool // by PC: a result does
	vals, preds []bool // by register
}

// Follower returns an executor that finds classes of blocks, or an error, which
// wraps simt.ErrNotFollowed, where addresses or paths of the program depend on
// what is in memory.
func (k *Kernel) Follower() (simt.Follower, error) {
	if len(k.ranges) > 0 {
		return nil, fmt.Errorf("%w: arguments that may be any number of a range", simt.ErrNotFollowed)
	}
	if k.leastGrid != k.grid {
		return nil, fmt.Errorf("%w: a grid that may be any of a range", simt.ErrNotFollowed)
	}
	slice, err := reaching(k.prog)
	if err != nil {
		return nil, err
	}
	own := &Kernel{
		prog: k.prog, grid: k.grid, block: k.block, warpSize: k.warpSize, sharedBytes: k.sharedBytes,
		dynamicBytes: k.dynamicBytes, maxCallDepth: k.maxCallDepth, params: k.params, memory: k.memory,
	}
	return &follower{k: own, slice: slice}, nil
}

// form is the dependence of a value on the block's coordinates, and, while an
// iteration of a loop stands for those after it, on their number.
type form = [4]int64

// ofBlock is the part of a form that is about the block.
func ofBlock(of form) [3]int64 { return [3]int64{of[0], of[1], of[2]} }

// still is a form without its dependence on the iteration.
func still(of form) form { return form{of[0], of[1], of[2]} }

// Follow implements simt.Follower.
func (f *follower) Follow(i int64) (simt.Block, error) {
	inner, err := f.k.NewBlock(i)
	if err != nil {
		return nil, err
	}
	b := inner.(*block)
	n := len(f.k.prog.code)
	f.rep = simt.BlockAt(f.k.grid, i)
	f.class = simt.BlockClass{Representative: f.rep, Shifts: make([][3]int64, n)}
	f.shifted = make([]bool, n)
	fb := &followedBlock{block: b, warps: make([]followedWarp, len(b.warps)), list: make([]simt.Warp, len(b.warps))}
	for j := range fb.warps {
		fb.warps[j].start(f, &b.warps[j])
		fb.list[j] = &fb.warps[j]
	}
	f.block = fb
	return fb, nil
}

// Class implements simt.Follower.
func (f *follower) Class() simt.BlockClass { return f.class }

// need adds the condition low <= of · d <= high on the blocks of the class.
func (f *follower) need(of [3]int64, low, high int64) {
	if of == ([3]int64{}) {
		return // of the representative it holds
	}
	if least, most, ok := simt.Reach(f.k.grid, f.rep, of); ok && low <= least && most <= high {
		return
	}
	if of[0] < 0 || of[0] == 0 && (of[1] < 0 || of[1] == 0 && of[2] < 0) {
		of, low, high = [3]int64{-of[0], -of[1], -of[2]}, -high, -low
	}
	for i := range f.class.Conditions {
		if c := &f.class.Conditions[i]; c.Of == of {
			c.Low, c.High = max(c.Low, low), min(c.High, high)
			return
		}
	}
	f.class.Conditions = append(f.class.Conditions, simt.Condition{Of: of, Low: low, High: high})
}

// need adds the condition low <= of · d <= high on the blocks of the class, d
// being the distance to the representative, and on the iterations.
func (w *followedWarp) need(of form, low, high int64) {
	w.f.need(ofBlock(of), low, high)
	if of[3] != 0 {
		w.loop.need(of, low, high)
	}
}

// fixed makes a form vanish in the class.
func (w *followedWarp) fixed(of form) {
	if of != (form{}) {
		w.need(of, 0, 0)
	}
}

// followedBlock is a block of warps that are followed.
type followedBlock struct {
	*block
	warps []followedWarp
	list  []simt.Warp
}

// Warps implements simt.Block.
func (b *followedBlock) Warps() []simt.Warp { return b.list }

// followedWarp is a warp and what is known of its registers.
type followedWarp struct {
	*warp
	f     *follower
	known []uint32 // by value register: lanes whose value is known to be affine
	forms []form   // by value register: of those lanes
	preds []uint32 // by predicate: lanes where it is the same in the whole class
	loop  loopWatch
}

func (w *followedWarp) start(f *follower, inner *warp) {
	p := f.k.prog
	w.warp, w.f = inner, f
	w.known, w.forms, w.preds = make([]uint32, len(p.regInit)), make([]form, len(p.regInit)), make([]uint32, p.numPreds)
	for r, init := range p.regInit {
		if init != initZero {
			w.known[r] = ^uint32(0)
		}
	}
	for _, sr := range p.specials {
		if sr.tainted {
			w.known[sr.reg] = 0
		}
		if sr.axis > 0 {
			w.forms[sr.reg][sr.axis-1] = 1
		}
	}
}

// refuse is the error of an instruction that is not followed.
func (w *followedWarp) refuse(what string) error {
	pc := w.top.pc
	return fmt.Errorf("%w: %s: %s", simt.ErrNotFollowed, w.blk.k.prog.isa.Instructions[pc].Pos, what)
}

// Step implements simt.Warp.
func (w *followedWarp) Step(s *simt.Step) error {
	if w.status != simt.Ready || w.f.skip == nil {
		return w.follow(s)
	}
	if err := w.skipLoop(); err != nil {
		return err
	}
	if err := w.follow(s); err != nil {
		return err
	}
	w.watchLoop(s)
	return nil
}

// follow executes an instruction.
func (w *followedWarp) follow(s *simt.Step) error {
	if w.status != simt.Ready {
		return w.warp.Step(s)
	}
	pc := w.top.pc
	in := &w.code[pc]
	active := w.top.mask
	m, unsure := active, uint32(0)
	if in.guard >= 0 {
		m = w.warp.preds[in.guard]
		if in.guardNeg {
			m = ^m
		}
		m &= active
		unsure = active &^ w.preds[in.guard]
	}
	if in.open != nil && w.f.relevant[pc] && in.open(w.warp, in, active) != 0 {
		return w.refuse("a result that the instruction set leaves open")
	}
	switch in.group {
	case gLoad, gStore, gMem:
		if unsure != 0 {
			return w.refuse("an access under a condition that is not known")
		}
		return w.memory(in, m, s)
	case gNop:
	case gPure, gSelp, gSetp, gPred:
		if w.f.relevant[pc] {
			if m&^unsure != 0 {
				if err := w.compute(in, m&^unsure); err != nil {
					return err
				}
			}
			w.forget(in, unsure)
		} else {
			w.forget(in, active)
		}
	case gExec:
		if in.flow == flowAddress {
			return w.refuse("a prefetch")
		}
		if err := w.exchange(in, m, unsure); err != nil {
			return err
		}
	default:
		if unsure != 0 {
			return w.refuse("a path that is not known")
		}
		if err := w.controls(in, m); err != nil {
			return err
		}
	}
	return w.warp.Step(s)
}

// controls checks the operands of an instruction that changes the path.
func (w *followedWarp) controls(in *instr, m uint32) error {
	switch in.group {
	case gCall:
		return w.refuse("a call")
	case gBrx:
		return w.same(in.a, m, "a branch")
	case gBarrier:
		w.forget(in, m)
		if in.x.imm != 0 {
			if err := w.same(in.b, m, "a barrier"); err != nil {
				return err
			}
		}
		return w.same(in.a, m, "a barrier")
	}
	return nil
}

// same makes a register the same in all blocks of the class.
func (w *followedWarp) same(r int32, m uint32, what string) error {
	if m&^w.known[r] != 0 {
		return w.refuse(what + " on a value that is not known")
	}
	w.fixed(w.forms[r])
	return nil
}

// exchange follows the rarer instructions: results of those in which lanes
// exchange values are unknown, results of the others are the same in all blocks
// of the class.
func (w *followedWarp) exchange(in *instr, m, unsure uint32) error {
	members := memberRegister(in)
	if unsure != 0 && (members >= 0 || aborts(in)) {
		return w.refuse("lanes that are not known")
	}
	if members >= 0 && m != 0 {
		if err := w.same(members, m, "lanes taking part"); err != nil {
			return err
		}
	}
	if in.flow != flowLanes || !w.f.relevant[w.top.pc] {
		w.forget(in, m|unsure)
		return nil
	}
	k := w.constants(in, m&^unsure)
	w.forget(in, m|unsure)
	for _, r := range in.wv {
		w.result(r, k, form{}, k)
	}
	for _, p := range in.wp {
		w.preds[p] |= k
	}
	return nil
}

// aborts says that an instruction has no effect but an error: trap.
func aborts(in *instr) bool { return len(in.wv)+len(in.wp) == 0 }

// memberRegister is the register that says which lanes take part in an
// instruction, -1 where there is none.
func memberRegister(in *instr) int32 {
	switch {
	case in.group != gExec:
		return -1
	case in.flow == flowLanes:
		if aborts(in) && in.a != 0 {
			return in.a // bar.warp.sync
		}
		return -1
	case in.x == nil:
		return in.a // elect
	}
	return in.x.e
}

// constants makes the operands the same in all blocks of the class, and returns
// the lanes of m in which all are known.
func (w *followedWarp) constants(in *instr, m uint32) uint32 {
	for _, r := range in.rv {
		m &= w.known[r]
	}
	for _, p := range in.rp {
		m &= w.preds[p]
	}
	if m != 0 {
		for _, r := range in.rv {
			w.fixed(w.forms[r])
		}
	}
	return m
}

// forget makes the results unknown in the lanes of m.
func (w *followedWarp) forget(in *instr, m uint32) {
	for _, r := range in.wv {
		w.known[r] &^= m
	}
	for _, p := range in.wp {
		w.preds[p] &^= m
	}
}

// result gives register r the form of in the lanes of k, of the lanes of m
// written; in the others nothing is known.
func (w *followedWarp) result(r int32, m uint32, of form, k uint32) {
	keep := w.known[r] & w.live &^ m
	if k != 0 {
		if keep != 0 {
			w.fixed(difference(of, w.forms[r]))
		}
		w.forms[r] = of
	}
	w.known[r] = keep | k
}

func difference(a, b form) form { return form{a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3]} }

// memory follows an access. Global memory is left alone.
func (w *followedWarp) memory(in *instr, m uint32, s *simt.Step) error {
	pc := w.top.pc
	if m == 0 {
		return w.warp.Step(s)
	}
	w.warp.step = s
	a, mi := in.a, in.mem
	if m&^w.known[a] != 0 {
		return w.refuse("an address that is not known")
	}
	w.addresses(in, mi, m)
	if mi.space == isa.Param && !mi.frame || mi.space == isa.Const {
		return w.parameter(in, m, s)
	}
	if in.flow == flowCopy {
		if err := w.copies(in, m); err != nil {
			return err
		}
	}
	sp, err := w.bounds(mi, &s.Addresses, m, w.forms[a])
	if err != nil {
		return err
	}
	if sp != isa.Global {
		w.fixed(still(w.forms[a]))
		w.forget(in, m)
		of := w.forms[a]
		if err := w.warp.Step(s); err != nil {
			return err
		}
		w.noteAccess(s, of)
		return nil
	}
	if !w.f.shifted[pc] {
		w.f.shifted[pc], w.f.class.Shifts[pc] = true, ofBlock(w.forms[a])
	} else {
		c := w.f.class.Shifts[pc]
		w.fixed(difference(still(w.forms[a]), form{c[0], c[1], c[2]}))
	}
	w.forget(in, m)
	w.skip(s, m, mi)
	w.noteAccess(s, w.forms[a])
	return nil
}

// copies checks what an asynchronous copy reads beside its source: every lane
// must read all that it copies.
func (w *followedWarp) copies(in *instr, m uint32) error {
	known := w.known[in.b] & w.known[in.c]
	if in.x.mode != 0 && in.pc >= 0 {
		known &= w.preds[in.pc]
	}
	if m&^known != 0 {
		return w.refuse("an asynchronous copy that is not known")
	}
	w.fixed(w.forms[in.b])
	w.fixed(w.forms[in.c])
	var to [simt.MaxLanes]uint64
	for i, x := range w.src(in.b) {
		to[i] = in.x.to.at(x, in.x.to.off)
		if m>>i&1 != 0 && w.copySize(in, i) != in.mem.width {
			return w.refuse("an asynchronous copy of a part")
		}
	}
	_, err := w.bounds(in.x.to, &to, m, w.forms[in.b])
	return err
}

// skip makes a step of a global access without executing it.
func (w *followedWarp) skip(s *simt.Step, m uint32, mi *memInfo) {
	pc := w.top.pc
	w.clock++
	s.PC, s.Active, s.Exec = pc, simt.Mask(w.top.mask), simt.Mask(m)
	s.Space, s.WidthBytes, s.Local = isa.Global, int32(mi.total()), 0
	s.Barrier, s.BarrierFull, s.BarrierOpened = -1, false, false
	w.top.pc = pc + 1
	if w.top.pc == w.top.rpc {
		w.settle()
	}
	s.NextPC = w.top.pc
}

// parameter follows a load from memory that nobody writes.
func (w *followedWarp) parameter(in *instr, m uint32, s *simt.Step) error {
	w.fixed(w.forms[in.a])
	known := m
	if in.mem.space == isa.Const {
		for left := m; left != 0; left &= left - 1 {
			i := bits.TrailingZeros32(left) & 31
			if g := w.blk.k.memory.find(s.Addresses[i], in.mem.total()); g == nil || !g.given {
				known &^= 1 << i
			}
		}
	}
	for _, r := range in.mem.regs {
		if r >= 0 {
			w.result(r, m, form{}, known)
		}
	}
	if err := w.warp.Step(s); err != nil {
		return err
	}
	w.noteAccess(s, form{})
	return nil
}

// bounds keeps every address inside the buffer that the representative's is in,
// for all blocks of the class, and aligned as it is. It returns the space.
func (w *followedWarp) bounds(mi *memInfo, addr *[simt.MaxLanes]uint64, m uint32, of form) (isa.Space, error) {
	lo, hi, or := ^uint64(0), uint64(0), uint64(0)
	for left := m; left != 0; left &= left - 1 {
		a := addr[bits.TrailingZeros32(left)&31]
		lo, hi, or = min(lo, a), max(hi, a), or|a
	}
	sp, at := w.where(mi, lo)
	base, size := lo-at, uint64(0)
	switch sp {
	case isa.Shared:
		size = uint64(w.blk.k.sharedBytes)
	case isa.Local:
		size = w.local.end
	case isa.Global:
		if g := w.blk.k.memory.find(lo, 1); g != nil && !g.constant {
			base, size = g.base, g.size
		}
	}
	total := mi.total()
	if hi < base || hi-base >= size || size-(hi-base) < total || or&(mi.align-1) != 0 || hi > simt.MaxReach {
		return sp, w.refuse("an access that is wrong, or in several memories")
	}
	for _, x := range of {
		if x&int64(mi.align-1) != 0 {
			w.fixed(of)
			break
		}
	}
	w.need(of, int64(base)-int64(lo), int64(base+size-total)-int64(hi))
	// The register itself must not wrap around: it may be narrower than an
	// address, and the offset is added to what it holds.
	off := mi.off
	if mi.frame {
		off += w.frames[len(w.frames)-1].base
	}
	switch low, high := lo-off, hi-off; {
	case low > high || high > simt.MaxReach:
		w.fixed(of)
	case high < 1<<32:
		w.need(of, -int64(low), 1<<32-1-int64(high))
	default:
		w.need(of, -int64(low), simt.MaxReach-int64(high))
	}
	return sp, nil
}

// reaching says of each instruction whether a result of it reaches an address, a
// branch, a barrier, or which lanes exchange values. It is an error where a value
// loaded from memory that can be written does.
func reaching(p *Code) (of slice, err error) {
	refuse := func(pc int, what string) (slice, error) {
		return slice{}, fmt.Errorf("%w: %s: %s", simt.ErrNotFollowed, p.isa.Instructions[pc].Pos, what)
	}
	vals, preds := make([]bool, len(p.regInit)), make([]bool, p.numPreds)
	mark := func(set []bool, r int32) {
		if r >= 0 {
			set[r] = true
		}
	}
	for pc := range p.code {
		in := &p.code[pc]
		switch in.flow {
		case flowLanes, flowWarp, flowMemory, flowShuffle, flowCopy, flowCommit, flowAwait, flowAddress:
		default:
			return refuse(pc, "an instruction that is not followed")
		}
		switch in.group {
		case gCall:
			return refuse(pc, "calls are not followed")
		case gBranch, gRet, gExit:
			mark(preds, in.guard)
		case gBrx, gBarrier, gLoad, gStore, gMem:
			mark(preds, in.guard)
			mark(vals, in.a)
			if in.group == gBarrier && in.x.imm != 0 || in.flow == flowCopy {
				mark(vals, in.b)
			}
			if in.flow == flowCopy {
				mark(vals, in.c)
				mark(preds, in.pc)
			}
		case gExec:
			r := memberRegister(in)
			mark(vals, r)
			if r >= 0 || aborts(in) {
				mark(preds, in.guard)
			}
		}
	}
	relevant := make([]bool, len(p.code))
	for changed := true; changed; {
		changed = false
		for pc := range p.code {
			in := &p.code[pc]
			if relevant[pc] || !slices.ContainsFunc(in.wv, func(r int32) bool { return vals[r] }) && !slices.ContainsFunc(in.wp, func(r int32) bool { return preds[r] }) {
				continue
			}
			relevant[pc], changed = true, true
			switch {
			case in.group == gLoad && (in.mem.space == isa.Const || in.mem.space == isa.Param && !in.mem.frame):
			case in.group == gLoad || in.group == gMem:
				return refuse(pc, "a value from memory reaches an address or a branch")
			case in.group == gBarrier || in.flow != flowLanes:
				return refuse(pc, "a value from other lanes reaches an address or a branch")
			}
			mark(preds, in.guard)
			for _, r := range in.rv {
				vals[r] = true
			}
			for _, r := range in.rp {
				preds[r] = true
			}
		}
	}
	return slice{relevant, vals, preds}, nil
}

var _ simt.Follower = (*follower)(nil)
