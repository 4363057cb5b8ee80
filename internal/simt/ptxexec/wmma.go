package ptxexec

import (
	"slices"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
	"github.com/warpbound/warpbound/ptx"
)

// wmma: matrices that are loaded, multiplied and stored as a whole. PTX does not
// say which elements of a fragment a lane holds, so what is in the registers of
// one that is loaded is open, and so is which elements registers that the kernel
// filled by itself stand for, in a product or a matrix that is stored: here element
// e, row by row, is number e/32 of lane e mod 32. Nor does it say which lanes load
// and store what: each register of each lane counts as an access to a segment of
// its own.

// fragmentSlot is how far accesses of fragments are reported apart: more than a
// segment is long and than banks have words.
const fragmentSlot = 1 << 16

// fragment is the layout of one operand of a wmma instruction.
type fragment struct {
	rows, cols int
	typ        ptx.Type
	regs       int // registers of a lane; the last ones may be unused
	byColumn   bool
}

// wmmaSizes are m, n and k of the shapes.
var wmmaSizes = map[string][3]int{
	"m16n16k16": {16, 16, 16}, "m8n32k16": {8, 32, 16}, "m32n8k16": {32, 8, 16}, "m16n16k8": {16, 16, 8}, "m8n8k4": {8, 8, 4},
}

// wmmaFragment is the fragment that a letter stands for. PTX ISA, "Matrix
// Fragments for WMMA".
func wmmaFragment(shape [3]int, letter string, t ptx.Type) fragment {
	m, n, k := shape[0], shape[1], shape[2]
	f := fragment{rows: m, cols: n, typ: t}
	switch letter {
	case "a":
		f.cols = k
	case "b":
		f.rows = k
	}
	f.regs = registersOf(f.rows*f.cols, t)
	if t == ptx.F16 && (letter == "a" || letter == "b") {
		f.regs = 8
	}
	return f
}

// cells gives the place of element i of the lane 4*g + t.
func (f *fragment) cells() func(g, t, i int) cell {
	cols := f.cols
	return func(g, t, i int) cell {
		e := i*32 + 4*g + t
		return cellAt(e/cols, e%cols)
	}
}

// wmma lowers wmma.load, wmma.store and wmma.mma.
func (l *lowerer) wmma(s *ptx.Inst, f *ptx.Form) {
	var shape [3]int
	for _, m := range f.Other {
		if size, ok := wmmaSizes[m]; ok {
			shape = size
		}
	}
	if f.Action == "mma" {
		l.wmmaMultiply(s, f, shape)
		return
	}
	frag := wmmaFragment(shape, f.Action2, f.Type)
	frag.byColumn = slices.Contains(f.Other, "col")
	x := &extra{frag: &frag, taint: wmmaTaint, e: -1}
	l.in.group, l.in.flow, l.in.x = gMem, flowOwn, x
	l.is.Unplaced = true
	l.is.WidthBytes = 1
	mi := &memInfo{width: uint64(f.Type.Bytes()), align: uint64(f.Type.Bytes()), regs: []int32{-1}}
	l.in.mem = mi
	load := f.Action == "load"
	at, regs := 1, 0
	l.is.Kind, l.is.Class.Family = isa.Load, isa.LoadMem
	if !load {
		at, regs = 0, 1
		l.is.Kind, l.is.Class.Family = isa.Store, isa.StoreMem
	}
	l.address(&s.Operands[at], spaceOf(f.Space), mi)
	l.is.Class.Space = mi.space
	if len(s.Operands) > 2 {
		x.e = l.src(&s.Operands[2], ptx.U32)
	}
	list := l.vector(&s.Operands[regs])
	if len(list) != frag.regs {
		l.errorf(s.Operands[regs].Pos, "%d registers, expected %d for a fragment of %d by %d elements of type %s", len(list), frag.regs, frag.rows, frag.cols, frag.typ)
		return
	}
	for i := range list {
		if load {
			x.regs = append(x.regs, l.dst(&list[i]))
		} else {
			x.regs = append(x.regs, l.src(&list[i], ptx.B32))
		}
	}
	l.in.open = openFragment
	l.in.run = runFragmentStore
	if load {
		l.in.run = runFragmentLoad
	}
}

// wmmaMultiply lowers wmma.mma, which multiplies as mma does.
func (l *lowerer) wmmaMultiply(s *ptx.Inst, f *ptx.Form, shape [3]int) {
	x := &matrix{m: shape[0], n: shape[1], k: shape[2], result: f.Type, ta: f.Type2, tb: f.Type3, acc: f.Type4, sat: f.SatFinite}
	if f.Type3 == ptx.TypeNone { // only the accumulators are named
		x.ta, x.tb, x.acc = ptx.F16, ptx.F16, f.Type2
	}
	a, b, c, d := wmmaFragment(shape, "a", x.ta), wmmaFragment(shape, "b", x.tb), wmmaFragment(shape, "c", x.acc), wmmaFragment(shape, "d", x.result)
	l.is.Class.Type = classType(x.ta)
	x.a, x.b, x.c = a.cells(), b.cells(), c.cells()
	l.matrixRegisters(s, x, a.regs, b.regs, c.regs, d.regs)
	l.in.group, l.in.flow = gExec, flowWarp
	l.in.open = openFragment // and sums of floats are, too
	l.in.x = &extra{e: -1, mat: x}
	l.in.run = runMMA
}

// openFragment says that it is open which elements the registers of any lane hold.
func openFragment(w *warp, _ *instr, m uint32) uint32 {
	return m
}

// inner is how many elements lie side by side.
func (f *fragment) inner() int {
	if f.byColumn {
		return f.rows
	}
	return f.cols
}

// place is the address of an element of a matrix at base, whose rows or columns
// lie stride elements apart.
func (f *fragment) place(base, stride uint64, e int) uint64 {
	row, col := uint64(e/f.cols), uint64(e%f.cols)
	if f.byColumn {
		row, col = col, row
	}
	return base + (row*stride+col)*uint64(f.typ.Bytes())
}

// fragmentAddress is where the matrix is and how far its rows or columns are
// apart, which must be the same for all lanes.
func (w *warp) fragmentAddress(in *instr, m uint32) (base, stride uint64, err error) {
	if err = w.whole(m); err != nil {
		return 0, 0, err
	}
	if base, err = w.same(in.a, m, "the address of a matrix"); err != nil {
		return 0, 0, err
	}
	stride = uint64(in.x.frag.inner())
	if in.x.e >= 0 {
		if stride, err = w.same(in.x.e, m, "the stride of a matrix"); err != nil {
			return 0, 0, err
		}
	}
	off := in.mem.off
	if in.mem.frame {
		off += w.frames[len(w.frames)-1].base
	}
	return in.mem.at(base, off), stride & 0xffffffff, nil
}

// reportFragment says in the step that every register of every lane accesses a
// segment of its own, of all the same bank.
func (w *warp) reportFragment(f *fragment, sp isa.Space) {
	s := w.step
	s.Space, s.WidthBytes = sp, 1
	s.MoreCount, s.More = f.regs-1, w.blk.moreAddresses()
	for lane := range s.Addresses {
		at := uint64(unplacedMemory + lane*8*fragmentSlot)
		s.Addresses[lane] = at
		for r := 1; r < f.regs; r++ {
			s.More[r-1][lane] = at + uint64(r*fragmentSlot)
		}
	}
}

func runFragmentLoad(w *warp, in *instr, m uint32) error {
	w.step.Space, w.step.WidthBytes = in.mem.space, 1
	if m == 0 {
		return nil
	}
	base, stride, err := w.fragmentAddress(in, m)
	if err != nil {
		return err
	}
	f := in.x.frag
	var out [8]lanes
	n := f.typ.Bits()
	per := max(32/n, 1)
	space := in.mem.space
	for e := range f.rows * f.cols {
		data, sp, _, err := w.locate(in.mem, f.place(base, stride, e), in.mem.width, e&31, false)
		if err != nil {
			return err
		}
		space = sp
		i := e / 32
		out[i/per][e&31] |= readBytes(data, in.mem.width) << (i % per * n)
	}
	w.reportFragment(f, space)
	for i, r := range in.x.regs {
		*w.dst(r, m) = out[i]
	}
	return nil
}

func runFragmentStore(w *warp, in *instr, m uint32) error {
	w.step.Space, w.step.WidthBytes = in.mem.space, 1
	if m == 0 {
		return nil
	}
	base, stride, err := w.fragmentAddress(in, m)
	if err != nil {
		return err
	}
	f := in.x.frag
	var v [8]*lanes
	for i, r := range in.x.regs {
		v[i] = w.src(r)
	}
	space := in.mem.space
	n := f.rows * f.cols
	first := w.blk.k.vary.first(n)
	for i := range n {
		e := (first + i) % n
		data, sp, _, err := w.locate(in.mem, f.place(base, stride, e), in.mem.width, e&31, true)
		if err != nil {
			return err
		}
		space = sp
		from := w.blk.k.vary.element(e, n)
		writeBytes(data, in.mem.width, element(v[:], f.typ, from&31, from/32))
	}
	w.reportFragment(f, space)
	return nil
}

// wmmaTaint is the taint of a fragment that is loaded, which is that of the whole
// matrix, and of a matrix that is stored, which is that of the whole fragment; in
// the account of what PTX leaves open, that of the layout. Of rows or columns that
// overlap where they are stored, it is open which stays.
func wmmaTaint(t *warpTaint, w *warp, in *instr, m, g uint32) {
	t.address(w, in, in.a, m, g)
	unknown := t.vals[in.a] & (m | g)
	if in.x.e >= 0 {
		unknown |= t.vals[in.x.e] & (m | g)
		if t.vals[in.x.e]&m != 0 {
			t.record(w, simt.TaintAddress, w.blk.k.prog.valNames[in.x.e])
		}
	}
	if store := len(in.wv) == 0; store && (unknown != 0 || m == 0) {
		t.taintAll(w, in.mem, m|g)
	}
	if m == 0 {
		t.results(in, g, g)
		return
	}
	base, stride, err := w.fragmentAddress(in, m)
	if err != nil {
		return // the instruction fails
	}
	f := in.x.frag
	load := len(in.wv) > 0
	tainted := g != 0 || unknown != 0
	if !load {
		overlap := stride < uint64(f.inner())
		tainted = t.leftOpen(w, in, m) != 0 || tainted || overlap || t.reads(in, m)
	}
	for e := range f.rows * f.cols {
		sp, at := w.where(in.mem, f.place(base, stride, e))
		if load {
			tainted = t.readMemory(w, sp, at, in.mem.width, e&31) || tainted
		} else {
			t.writeMemory(w, sp, at, in.mem.width, e&31, tainted)
		}
	}
	if tainted {
		m, g = m|g, m|g
	}
	if load {
		t.results(in, m, g|t.leftOpen(w, in, m))
	}
}
