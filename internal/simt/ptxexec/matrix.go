package ptxexec

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/ptxexec/internal/fp"
	"github.com/warpbound/warpbound/isa"
	"github.com/warpbound/warpbound/ptx"
)

// Matrix instructions: the 32 lanes of a warp hold the fragments of matrices A
// (m by k), B (k by n), C and D (m by n), and compute D = A*B + C together.
//
// PTX does not say in which order products are added, nor how sums are rounded.
// Here an element of D starts as that of C and adds the products by ascending k,
// one fused multiply-add of f32 (or f64) each, rounded to nearest; with f16
// accumulators the sum is rounded to f16 at the end. As other machines may
// differ, no floating-point result is relied on: it is tainted. Sums of integers
// are exact.

// cell is the row and column of one element of a fragment.
type cell struct{ row, col uint8 }

// matrix says what an mma computes and where its elements are: by lane, in the
// order of the registers and within them from the lowest bits on.
type matrix struct {
	m, n, k             int
	ta, tb, acc, result ptx.Type
	sat                 bool
	a, b, c             func(group, thread, i int) cell // of element i in the lane 4*group + thread
	ra, rb, rc, rd      []int32
}

// mmaShape is a line of the table of shapes.
type mmaShape struct {
	name    string
	m, n, k int
	types   []ptx.Type // of A and B
	a, b, c func(group, thread, i int) cell
}

func cellAt(row, col int) cell { return cell{uint8(row), uint8(col)} }

// The accumulators of 16 rows: elements 0 and 1 in one row, 2 and 3 eight below.
func accumulators16(g, t, i int) cell { return cellAt(g+i>>1*8, t*2+i&1) }
func accumulators8(g, t, i int) cell  { return cellAt(g, t*2+i) }

// mmaShapes are the shapes executed. PTX ISA, "Matrix Fragments for mma".
var mmaShapes = []mmaShape{
	{"m8n8k4", 8, 8, 4, []ptx.Type{ptx.F64},
		func(g, t, _ int) cell { return cellAt(g, t) },
		func(g, t, _ int) cell { return cellAt(t, g) }, accumulators8},
	{"m8n8k16", 8, 8, 16, []ptx.Type{ptx.S8, ptx.U8},
		func(g, t, i int) cell { return cellAt(g, t*4+i) },
		func(g, t, i int) cell { return cellAt(t*4+i, g) }, accumulators8},
	{"m16n8k4", 16, 8, 4, []ptx.Type{ptx.TF32},
		func(g, t, i int) cell { return cellAt(g+i*8, t) },
		func(g, t, _ int) cell { return cellAt(t, g) }, accumulators16},
	{"m16n8k8", 16, 8, 8, []ptx.Type{ptx.TF32},
		func(g, t, i int) cell { return cellAt(g+i&1*8, t+i>>1*4) },
		func(g, t, i int) cell { return cellAt(t+i*4, g) }, accumulators16},
	{"m16n8k8", 16, 8, 8, []ptx.Type{ptx.F16, ptx.BF16},
		func(g, t, i int) cell { return cellAt(g+i>>1*8, t*2+i&1) },
		func(g, t, i int) cell { return cellAt(t*2+i, g) }, accumulators16},
	{"m16n8k16", 16, 8, 16, []ptx.Type{ptx.F16, ptx.BF16},
		func(g, t, i int) cell { return cellAt(g+i>>1&1*8, t*2+i&1+i>>2*8) },
		func(g, t, i int) cell { return cellAt(t*2+i&1+i>>1*8, g) }, accumulators16},
	{"m16n8k16", 16, 8, 16, []ptx.Type{ptx.S8, ptx.U8},
		func(g, t, i int) cell { return cellAt(g+i>>2*8, t*4+i&3) },
		func(g, t, i int) cell { return cellAt(t*4+i, g) }, accumulators16},
	{"m16n8k32", 16, 8, 32, []ptx.Type{ptx.S8, ptx.U8},
		func(g, t, i int) cell { return cellAt(g+i>>2&1*8, t*4+i&3+i>>3*16) },
		func(g, t, i int) cell { return cellAt(t*4+i&3+i>>2*16, g) }, accumulators16},
}

// registersOf is the number of registers of a fragment with that many elements.
func registersOf(elements int, t ptx.Type) int {
	return elements / 32 / max(32/t.Bits(), 1)
}

// mma lowers mma.sync.
func (l *lowerer) mma(s *ptx.Inst, f *ptx.Form) {
	x := &matrix{result: f.Type, ta: f.Type2, tb: f.Type3, acc: f.Type4, sat: f.SatFinite}
	shape := f.Other[0]
	for i := range mmaShapes {
		d := &mmaShapes[i]
		if d.name != shape || !slices.Contains(d.types, x.ta) || !slices.Contains(d.types, x.tb) {
			continue
		}
		x.m, x.n, x.k, x.a, x.b, x.c = d.m, d.n, d.k, d.a, d.b, d.c
	}
	if x.m == 0 || !x.accumulates() {
		l.refuse(s.Pos, "instruction "+s.Opcode(), "PTX has no such shape of these types, or it is not modelled")
		return
	}
	l.matrixRegisters(s, x, registersOf(x.m*x.k, x.ta), registersOf(x.k*x.n, x.tb), registersOf(x.m*x.n, x.acc), registersOf(x.m*x.n, x.result))
	l.in.group, l.in.flow = gExec, flowWarp
	if x.acc != ptx.S32 {
		l.in.open = openSum
	}
	l.in.x = &extra{e: -1, mat: x}
	l.in.run = runMMA
}

// openSum says that a sum of products is open: the order of the additions, and what
// they keep.
func openSum(w *warp, _ *instr, m uint32) uint32 {
	return m
}

// accumulates says whether the accumulators fit the factors.
func (x *matrix) accumulates() bool {
	switch x.ta {
	case ptx.F16:
		return x.tb == ptx.F16 && (x.acc == ptx.F16 || x.acc == ptx.F32) && x.result == x.acc && !x.sat
	case ptx.BF16, ptx.TF32:
		return x.tb == x.ta && x.acc == ptx.F32 && x.result == ptx.F32 && !x.sat
	case ptx.F64:
		return x.tb == x.ta && x.acc == ptx.F64 && x.result == ptx.F64 && !x.sat
	}
	return x.acc == ptx.S32 && x.result == ptx.S32
}

// matrixRegisters lowers the operands d, a, b, c.
func (l *lowerer) matrixRegisters(s *ptx.Inst, x *matrix, na, nb, nc, nd int) {
	ops := s.Operands
	read := func(o *ptx.Operand, want, elements int, t ptx.Type) (regs []int32) {
		list := l.vector(o)
		if len(list) != want {
			l.errorf(o.Pos, "%d registers, expected %d for a fragment of %d elements of type %s", len(list), want, elements, t)
			return nil
		}
		for i := range list {
			regs = append(regs, l.src(&list[i], ptx.B32))
		}
		return regs
	}
	x.ra = read(&ops[1], na, x.m*x.k, x.ta)
	x.rb = read(&ops[2], nb, x.k*x.n, x.tb)
	x.rc = read(&ops[3], nc, x.m*x.n, x.acc)
	list := l.vector(&ops[0])
	if len(list) != nd {
		l.errorf(ops[0].Pos, "%d registers, expected %d for a fragment of %d elements of type %s", len(list), nd, x.m*x.n, x.result)
		return
	}
	for i := range list {
		x.rd = append(x.rd, l.dst(&list[i]))
	}
}

// element reads one element of a fragment in a lane.
func element(v []*lanes, t ptx.Type, lane, i int) uint64 {
	n := t.Bits()
	if n >= 32 {
		return v[i][lane]
	}
	per := 32 / n
	return v[i/per][lane] >> (i % per * n) & widthMask(n)
}

// whole checks that all lanes of a warp execute a matrix instruction.
func (w *warp) whole(m uint32) error {
	if m != ^uint32(0) {
		return w.fault(simt.ErrInvalid, -1, fmt.Sprintf("a matrix instruction is executed by lanes %#x, expected all 32 lanes of a warp", m))
	}
	return nil
}

// tiles are the matrices of an mma as numbers: bit patterns of f32 or f64, or
// integers.
type tiles struct {
	a [16 * 32]uint64
	b [32 * 32]uint64
	c [32 * 32]uint64
}

// gatherTile reads a fragment of rows by cols elements from registers.
func (w *warp) gatherTile(out []uint64, regs []int32, t ptx.Type, elements, cols int, at func(g, t, i int) cell) {
	var v [8]*lanes
	for i, r := range regs {
		v[i] = w.src(r)
	}
	for lane := range 32 {
		for i := range elements / 32 {
			p := at(lane>>2, lane&3, i)
			out[int(p.row)*cols+int(p.col)] = numberOf(element(v[:], t, lane, i), t)
		}
	}
}

// numberOf widens an element: halves to f32, integers to 64 bits.
func numberOf(x uint64, t ptx.Type) uint64 {
	switch t {
	case ptx.F16, ptx.BF16:
		return fp.F32.Convert(fp.RN, format(t), x)
	case ptx.TF32:
		return x &^ 0x1fff // the bits that tf32 has not
	case ptx.S8:
		return uint64(int64(int8(x)))
	case ptx.S32:
		return uint64(int64(int32(x)))
	}
	return x
}

// multiply computes D from the numbers of A, B and C into c.
func (x *matrix) multiply(t *tiles) {
	for i := range x.m {
		for j := range x.n {
			t.c[i*x.n+j] = x.dot(t, i, j)
		}
	}
}

func (x *matrix) dot(t *tiles, i, j int) uint64 {
	sum := t.c[i*x.n+j]
	for k := range x.k {
		a, b := t.a[i*x.k+k], t.b[k*x.n+j]
		switch x.acc {
		case ptx.S32:
			sum += a * b
		case ptx.F64:
			sum = fma64(a, b, sum)
		default:
			sum = fma32(a, b, sum)
		}
	}
	switch {
	case x.acc == ptx.S32 && x.sat:
		return uint64(uint32(max(-1<<31, min(int64(sum), 1<<31-1))))
	case x.acc == ptx.S32:
		return sum & 0xffffffff
	case x.result == ptx.F16:
		return fp.F16.Convert(fp.RN, fp.F32, sum)
	}
	return sum
}

func runMMA(w *warp, in *instr, m uint32) error {
	if m == 0 {
		return nil
	}
	if err := w.whole(m); err != nil {
		return err
	}
	x := in.x.mat
	if w.blk.k.tiles == nil {
		w.blk.k.tiles = new(tiles)
	}
	t := w.blk.k.tiles
	w.gatherTile(t.a[:], x.ra, x.ta, x.m*x.k, x.k, x.a)
	w.gatherTile(t.b[:], x.rb, x.tb, x.k*x.n, x.n, x.b)
	w.gatherTile(t.c[:], x.rc, x.acc, x.m*x.n, x.n, x.c)
	x.multiply(t)
	n := x.result.Bits()
	per := max(32/n, 1)
	for r, reg := range x.rd {
		d := w.dst(reg, m)
		for lane := range d {
			var v uint64
			for e := range per {
				p := x.c(lane>>2, lane&3, r*per+e)
				v |= t.c[int(p.row)*x.n+int(p.col)] << (e * n)
			}
			d[lane] = v
		}
	}
	return nil
}

// ldmatrix lowers the load of up to four matrices of 8 by 8 halves from shared
// memory. Lanes 8i to 8i+7 hold the addresses of the rows of matrix i; every
// lane gets two neighbours of each.
func (l *lowerer) ldmatrix(s *ptx.Inst, f *ptx.Form) {
	x := &extra{taint: matrixLoadTaint, mode: 1}
	for _, m := range f.Other {
		switch m {
		case "x2":
			x.mode = 2
		case "x4":
			x.mode = 4
		case "trans":
			x.op = 1
		}
	}
	l.in.group, l.in.flow, l.in.x = gMem, flowOwn, x
	l.is.Kind = isa.Load
	l.is.WidthBytes = 16
	mi := &memInfo{width: 16, align: 16, regs: []int32{-1}}
	l.in.mem = mi
	sp := isa.Shared
	if f.Space == ptx.SpaceNone {
		sp = isa.Generic
	}
	l.address(&s.Operands[1], sp, mi)
	l.is.Class.Space = mi.space
	list := l.vector(&s.Operands[0])
	if len(list) != int(x.mode) {
		l.errorf(s.Operands[0].Pos, "%d registers, expected %d", len(list), x.mode)
		return
	}
	for i := range list {
		x.regs = append(x.regs, l.dst(&list[i]))
	}
	l.in.run = runLoadMatrix
}

func runLoadMatrix(w *warp, in *instr, m uint32) error {
	s, mi, x := w.step, in.mem, in.x
	s.Space, s.WidthBytes = isa.Shared, 16
	if m == 0 {
		return nil
	}
	if err := w.whole(m); err != nil {
		return err
	}
	w.addresses(in, mi, m)
	rows := 8 * int(x.mode)
	var halves [32][8]uint64
	for i := range rows {
		data, sp, at, err := w.locate(mi, s.Addresses[i], 16, i, false)
		if err != nil {
			return err
		}
		if sp != isa.Shared {
			return w.fault(simt.ErrOutOfBounds, i, fmt.Sprintf("a row of a matrix at %s, expected shared memory", w.place(sp, at)))
		}
		s.Addresses[i] = at
		for k := range halves[i] {
			halves[i][k] = readBytes(data[2*k:], 2)
		}
	}
	for i := rows; i < 32; i++ {
		s.Addresses[i] = s.Addresses[i%rows] // these lanes access nothing of their own
	}
	for k, r := range x.regs {
		d := w.dst(r, m)
		for lane := range d {
			g, t := lane>>2, lane&3*2
			if x.op == 0 {
				d[lane] = halves[8*k+g][t] | halves[8*k+g][t+1]<<16
			} else {
				d[lane] = halves[8*k+t][g] | halves[8*k+t+1][g]<<16
			}
		}
	}
	return nil
}

// matrixLoadTaint is the taint of ldmatrix: of all that is loaded and of the
// addresses that are used, in all lanes.
func matrixLoadTaint(t *warpTaint, w *warp, in *instr, m, g uint32) {
	k, mi := w.blk.k, in.mem
	used := uint32(1)<<(8*in.x.mode) - 1
	if in.x.mode == 4 {
		used = ^uint32(0)
	}
	if t.vals[in.a]&m&used != 0 {
		t.record(w, simt.TaintAddress, k.prog.valNames[in.a])
	}
	if g != 0 {
		t.record(w, simt.TaintAddress, k.prog.predNames[in.guard])
	}
	tainted := g != 0 || t.vals[in.a]&m&used != 0
	a := w.src(in.a)
	for left := m & used; left != 0; left &= left - 1 {
		i := bits.TrailingZeros32(left) & 31
		sp, at := w.where(mi, mi.at(a[i], mi.off))
		tainted = t.readMemory(w, sp, at, 16, i) || tainted
	}
	t.setResults(in, m|g, tainted)
}
