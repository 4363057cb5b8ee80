package ptxexec

import (
	"math"
	"math/bits"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
	"github.com/warpbound/warpbound/ptx"
)

// rare continues irregular with the rarer instructions.
func (l *lowerer) rare(s *ptx.Inst, f *ptx.Form) bool {
	switch s.Op {
	case "add", "sub", "addc", "subc", "mad", "madc":
		if !f.CC && s.Op != "addc" && s.Op != "subc" && s.Op != "madc" {
			return false
		}
		l.carry(s, f)
	case "set":
		if isPacked(f.Type2) {
			l.packedSet(s, f)
		} else {
			l.set(s, f)
		}
	case "testp", "isspacep":
		l.test(s, f)
	case "lop3":
		l.lop3(s, f)
	case "bfi":
		l.bfi(s, f)
	case "brx":
		l.brx(s)
	case "trap":
		l.in.group = gExec
		l.is.Kind = isa.Exit
		l.in.run = func(w *warp, _ *instr, m uint32) error {
			if m == 0 {
				return nil
			}
			return w.fault(simt.ErrTrap, bits.TrailingZeros32(m), "the kernel executed trap")
		}
	case "membar", "fence":
		l.is.Kind = isa.Fence
	case "prefetch", "prefetchu":
		l.prefetch(s, f)
	case "nanosleep":
		l.src(&s.Operands[0], ptx.U32)
	case "shfl":
		l.shfl(s, f)
	case "vote", "activemask":
		l.vote(s, f)
	case "match":
		l.match(s, f)
	case "redux":
		l.redux(s, f)
	case "elect":
		l.elect(s)
	case "atom", "red":
		l.atomic(s, f)
	case "cp":
		l.asyncCopy(s, f)
	default:
		return l.extension(s, f)
	}
	return true
}

// carryFlag is the symbol of the condition code, one a function.
func (l *lowerer) carryFlag() *symbol {
	const name = "%CC.CF"
	sym := l.fn.scope.syms[name]
	if sym == nil {
		sym = registerSymbol(name, ptx.Pred)
		l.fn.scope.syms[name] = sym
	}
	return sym
}

// carry lowers additions, subtractions and multiply-adds that read or write the
// carry flag.
func (l *lowerer) carry(s *ptx.Inst, f *ptx.Form) {
	x := &extra{bits: uint8(f.Type.Bits())}
	l.in.group, l.in.x = gExec, x
	l.in.a, l.in.b = l.src(&s.Operands[1], f.Type), l.src(&s.Operands[2], f.Type)
	mulOp := s.Op == "mad" || s.Op == "madc"
	if mulOp {
		l.in.c = l.src(&s.Operands[3], f.Type)
		product := laneFn(mul[uint64])
		if f.Mul == ptx.MulHi {
			product = mulHigh(f.Type)
		}
		l.in.f = product
	}
	x.op = 0
	if s.Op == "sub" || s.Op == "subc" {
		x.op = 1
	}
	flag := l.carryFlag()
	l.in.pc, l.in.pd = -1, -1
	if s.Op == "addc" || s.Op == "subc" || s.Op == "madc" {
		l.read(flag)
		l.in.pc = flag.reg
	}
	if f.CC {
		l.write(flag)
		l.in.pd = flag.reg
	}
	l.in.d = l.dst(&s.Operands[0])
	l.in.run = runCarry
}

// runCarry adds or subtracts with the carry flag in and out. After a
// subtraction the flag is the borrow.
func runCarry(w *warp, in *instr, m uint32) error {
	if m == 0 {
		return nil
	}
	a, b, c := w.src(in.a), w.src(in.b), w.src(in.c)
	d := w.dst(in.d, m)
	cin := w.getPred(in.pc, false)
	mask := widthMask(int(in.x.bits))
	var cout uint32
	for left := m; left != 0; left &= left - 1 {
		i := bits.TrailingZeros32(left) & 31
		x, y := a[i]&mask, b[i]&mask
		if in.f != nil {
			x, y = in.f(a[i], b[i], 0)&mask, c[i]&mask
		}
		carry := uint64(cin >> i & 1)
		var r, over uint64
		if in.x.op == 0 {
			r, over = bits.Add64(x, y, carry)
			if mask != math.MaxUint64 {
				over = r >> in.x.bits & 1
			}
		} else {
			r, over = bits.Sub64(x, y, carry)
		}
		d[i] = r & mask
		cout |= uint32(over) << i
	}
	w.setPred(in.pd, m, cout)
	return nil
}

// set lowers the comparison that writes a register: all ones, or 1.0.
func (l *lowerer) set(s *ptx.Inst, f *ptx.Form) {
	l.in.group = gExec
	l.in.a, l.in.b = l.src(&s.Operands[1], f.Type2), l.src(&s.Operands[2], f.Type2)
	if len(s.Operands) > 3 {
		l.in.pc, l.in.cNeg = l.srcPred(&s.Operands[3])
		l.in.boolOp = boolOf(f.Bool)
	}
	if f.Type2.Float() {
		l.in.f = compareFloat(f.Cmp, f.Type2, f.Ftz)
		l.in.cmp = floatCompareV(f.Cmp, f.Type2, f.Ftz)
	} else {
		l.in.f, l.in.cmp = compareInt(f.Cmp, f.Type2)
	}
	yes := widthMask(f.Type.Bits())
	if f.Type.Float() {
		yes = format(f.Type).FromInt(0, false, 1)
	}
	l.in.d = l.dst(&s.Operands[0])
	l.in.run = func(w *warp, in *instr, m uint32) error {
		if m == 0 {
			return nil
		}
		r := w.compare(in, m)
		if in.boolOp != boolNone {
			r = combine(in.boolOp, r, w.getPred(in.pc, in.cNeg))
		}
		d := w.dst(in.d, m)
		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m) & 31
			d[i] = -uint64(r>>i&1) & yes
		}
		return nil
	}
}

// test lowers testp and isspacep, which set a predicate from one value.
func (l *lowerer) test(s *ptx.Inst, f *ptx.Form) {
	l.in.group = gSetp
	if s.Op == "testp" {
		l.in.a = l.src(&s.Operands[1], f.Type)
		l.in.f = testProperty(f.Type, f.Test)
	} else {
		want := spaceOf(f.Space)
		l.in.a = l.src(&s.Operands[1], ptx.U64)
		l.in.f = func(a, _, _ uint64) uint64 {
			if sp, _ := resolve(a); sp == want {
				return 1
			}
			return 0
		}
	}
	l.in.pd = l.dstPred(&s.Operands[0])
}

func (l *lowerer) lop3(s *ptx.Inst, f *ptx.Form) {
	d := &s.Operands[0]
	l.in.a, l.in.b, l.in.c = l.src(&s.Operands[1], f.Type), l.src(&s.Operands[2], f.Type), l.src(&s.Operands[3], f.Type)
	l.in.f = lookup3(uint8(s.Operands[4].Imm))
	l.in.group = gPure
	if f.Bool == ptx.BoolNone {
		l.in.d = l.dst(d)
		return
	}
	l.in.pc, l.in.cNeg = l.srcPred(&s.Operands[5])
	l.in.boolOp = boolOf(f.Bool)
	if d.Kind != ptx.KindPair {
		l.errorf(d.Pos, "expected a pair of destinations d|p")
		return
	}
	l.in.d = l.dst(&d.Sub[0])
	l.in.pd = l.dstPred(&d.Sub[1])
	l.in.group = gExec
	l.in.run = func(w *warp, in *instr, m uint32) error {
		if m == 0 {
			return nil
		}
		q := w.getPred(in.pc, in.cNeg)
		w.pure(in, m)
		var r uint32
		for i, x := range w.src(in.d) {
			if x != 0 {
				r |= 1 << i
			}
		}
		w.setPred(in.pd, m, combine(in.boolOp, r, q))
		return nil
	}
}

func (l *lowerer) bfi(s *ptx.Inst, f *ptx.Form) {
	x := &extra{f4: insertField(f.Type)}
	l.in.group, l.in.x = gExec, x
	l.in.a, l.in.b = l.src(&s.Operands[1], f.Type), l.src(&s.Operands[2], f.Type)
	l.in.c, x.e = l.src(&s.Operands[3], ptx.U32), l.src(&s.Operands[4], ptx.U32)
	l.in.d = l.dst(&s.Operands[0])
	l.in.run = func(w *warp, in *instr, m uint32) error {
		if m == 0 {
			return nil
		}
		a, b, c, e := w.src(in.a), w.src(in.b), w.src(in.c), w.src(in.x.e)
		d := w.dst(in.d, m)
		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m) & 31
			d[i] = in.x.f4(a[i], b[i], c[i], e[i])
		}
		return nil
	}
}

func (l *lowerer) brx(s *ptx.Inst) {
	x := &extra{}
	l.in.group, l.in.x = gBrx, x
	l.is.Kind = isa.Branch
	l.in.a = l.src(&s.Operands[0], ptx.U32)
	list := &s.Operands[1]
	table := l.sc.table(list.Name)
	if list.Kind != ptx.KindName || table == nil {
		l.errorf(list.Pos, "%s is not a declared list of branch targets", list.Name)
		l.is.Targets = []int32{0}
		return
	}
	for _, name := range table.Labels {
		at, ok := l.sc.label(name)
		if !ok {
			l.errorf(table.Pos, "label %s is not declared", name)
		}
		x.targets = append(x.targets, at)
		l.is.Targets = append(l.is.Targets, at)
	}
}

// movVector lowers the packing of registers into a wider one, the unpacking of
// one into several, and the move of one vector to another.
func (l *lowerer) movVector(s *ptx.Inst, f *ptx.Form) {
	from, to := l.vector(&s.Operands[1]), l.vector(&s.Operands[0])
	x := &extra{bits: uint8(f.Type.Bits())}
	l.in.group, l.in.x = gExec, x
	if len(from) > 1 && len(to) > 1 {
		l.errorf(s.Pos, "mov packs or unpacks, expected one of its operands to be no vector")
		return
	}
	n := max(len(from), len(to))
	width := f.Type.Bits() / n
	if width < 8 || width*n != f.Type.Bits() || width&(width-1) != 0 {
		l.errorf(s.Pos, "%s has no %d elements", s.Opcode(), n)
		return
	}
	element := ptx.Type(0)
	switch width {
	case 8:
		element = ptx.B8
	case 16:
		element = ptx.B16
	case 32:
		element = ptx.B32
	default:
		element = f.Type
	}
	x.op = uint8(width)
	if len(from) == n {
		for i := range from {
			x.regs = append(x.regs, l.src(&from[i], element))
		}
		l.in.d = l.dst(&to[0])
		l.in.run = runPack
		return
	}
	l.in.a = l.src(&from[0], f.Type)
	for i := range to {
		x.regs = append(x.regs, l.dst(&to[i]))
	}
	l.in.run = runUnpack
}

func runPack(w *warp, in *instr, m uint32) error {
	if m == 0 {
		return nil
	}
	x := in.x
	width := uint(x.op)
	mask := widthMask(int(width))
	allUniform := m == w.live
	for _, r := range x.regs {
		allUniform = allUniform && w.st[r]&uniform != 0
	}
	if allUniform {
		var v uint64
		for k, r := range x.regs {
			v |= w.vals[r][0] & mask << (uint(k) * width)
		}
		w.setScalar(in.d, m, v)
		return nil
	}
	w.tmp = lanes{}
	for k, r := range x.regs {
		shift := uint(k) * width
		for i, v := range w.src(r) {
			w.tmp[i] |= v & mask << (shift & 63)
		}
	}
	d := w.dst(in.d, m)
	for ; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		d[i] = w.tmp[i]
	}
	return nil
}

func runUnpack(w *warp, in *instr, m uint32) error {
	if m == 0 {
		return nil
	}
	x := in.x
	width := uint(x.op)
	mask := widthMask(int(width))
	if w.st[in.a]&uniform != 0 {
		v := w.vals[in.a][0]
		for k, r := range x.regs {
			w.setScalar(r, m, v>>(uint(k)*width)&mask)
		}
		return nil
	}
	w.tmp = *w.src(in.a)
	for k, r := range x.regs {
		d := w.dst(r, m)
		shift := uint(k) * width
		for left := m; left != 0; left &= left - 1 {
			i := bits.TrailingZeros32(left) & 31
			d[i] = w.tmp[i] >> (shift & 63) & mask
		}
	}
	return nil
}
