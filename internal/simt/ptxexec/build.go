package ptxexec

import (
	"github.com/warpbound/warpbound/isa"
	"github.com/warpbound/warpbound/ptx"
)

// instruction lowers one instruction that is not a call.
func (l *lowerer) instruction(s *ptx.Inst) {
	f, err := s.Form()
	if err != nil {
		l.errorf(s.Pos, "%v", err)
		return
	}
	if state, reason := f.State(); state != ptx.Executed {
		l.refuse(s.Pos, "instruction "+s.Opcode(), reason)
		return
	}
	if !fits(f.Variant, len(s.Operands)) {
		l.errorf(s.Pos, "%s does not take %d operands", s.Opcode(), len(s.Operands))
		return
	}
	l.is.Class = class(s.Op, &f)
	if l.irregular(s, &f) {
		return
	}
	if op, ok := pure(s.Op, &f); ok {
		l.pure(s, &f, op)
		return
	}
	l.refuse(s.Pos, "instruction "+s.Opcode(), "it is not modelled")
}

func fits(v *ptx.Variant, n int) bool {
	for _, list := range v.Operands {
		if len(list) == n {
			return true
		}
		if k := len(list); k > 0 && list[k-1].Kind == ptx.OperandRest && n >= k-1 {
			return true
		}
	}
	return false
}

// spec returns the places of the instruction's operands.
func spec(s *ptx.Inst, f *ptx.Form) []ptx.OperandSpec {
	for _, list := range f.Variant.Operands {
		if len(list) == len(s.Operands) {
			return list
		}
	}
	return nil
}

// operandType is the type of the value in an operand's place.
func operandType(p ptx.OperandSpec, f *ptx.Form) ptx.Type {
	switch p.Rule {
	case ptx.RuleFixed:
		return p.Type
	case ptx.RuleType2, ptx.RuleMemory2:
		return f.Type2
	case ptx.RuleType3:
		return f.Type3
	case ptx.RuleWide:
		switch f.Type {
		case ptx.U16:
			return ptx.U32
		case ptx.S16:
			return ptx.S32
		case ptx.U32:
			return ptx.U64
		}
		return ptx.S64
	}
	return f.Type
}

// pure lowers an instruction whose operands are a destination and up to three
// sources.
func (l *lowerer) pure(s *ptx.Inst, f *ptx.Form, op pureOp) {
	places := spec(s, f)
	l.in.group = gPure
	regs := [3]*int32{&l.in.a, &l.in.b, &l.in.c}
	n := 0
	for i := 1; i < len(places) && n < 3; i++ {
		*regs[n] = l.src(&s.Operands[i], operandType(places[i], f))
		n++
	}
	l.in.d = l.dst(&s.Operands[0])
	if s.Op == "cvt" && f.Action != "pack" {
		op = widen(op, f.Type, l.width(&s.Operands[0], f.Type.Bits()))
	}
	l.in.f, l.in.v = op.f, op.v
	l.in.open = l.openResult(s, f)
	l.in.lin = linearOf(s.Op, f, l.width(&s.Operands[0], f.Type.Bits()))
	l.refreshed()
}

// refreshed makes the instruction set the special registers it reads that
// change while a warp runs.
func (l *lowerer) refreshed() {
	if len(l.dynamicSpecials) == 0 {
		return
	}
	regs := append([]special(nil), l.dynamicSpecials...)
	l.in.group = gExec
	l.in.run = func(w *warp, in *instr, m uint32) error {
		for _, sr := range regs {
			sr.fill(w, sr.reg)
		}
		if m != 0 {
			w.pure(in, m)
		}
		return nil
	}
}

// irregular lowers the instructions that are more than a function of value
// registers; it reports whether s is one of them.
func (l *lowerer) irregular(s *ptx.Inst, f *ptx.Form) bool {
	switch s.Op {
	case "mov":
		l.mov(s, f)
	case "setp":
		if isPacked(f.Type) {
			l.packedSetp(s, f)
		} else {
			l.setp(s, f)
		}
	case "selp":
		l.selp(s, f)
	case "and", "or", "xor", "not":
		if f.Type != ptx.Pred {
			return false
		}
		l.predicateOp(s)
	case "ld", "ldu":
		l.load(s, f)
	case "st":
		l.store(s, f)
	case "bra":
		l.bra(s)
	case "ret":
		l.in.group = gRet
		l.is.Kind = isa.Return
		l.readRets()
	case "exit":
		l.in.group = gExit
		l.is.Kind = isa.Exit
	case "bar", "barrier":
		l.barrier(s, f)
	case "cvta":
		l.cvta(s, f)
	default:
		return l.rare(s, f)
	}
	return true
}

func (l *lowerer) mov(s *ptx.Inst, f *ptx.Form) {
	d, a := &s.Operands[0], &s.Operands[1]
	switch {
	case f.Type == ptx.Pred:
		l.in.group = gPred
		l.in.boolOp = boolMov
		l.in.pa, l.in.aNeg = l.srcPred(a)
		l.in.pd = l.dstPred(d)
	case len(l.vector(d)) > 1 || len(l.vector(a)) > 1:
		l.movVector(s, f)
	case a.Kind == ptx.KindName && l.frameSymbol(a) != nil:
		l.frameAddress(d, l.frameSymbol(a), a.Imm, localWindow)
	default:
		l.in.group = gPure
		l.in.a = l.src(a, f.Type)
		l.in.d = l.dst(d)
		l.in.f, l.in.v = move, moveV
		l.in.lin = linear{op: linMove, bits: uint8(f.Type.Bits())}
		if f.Type.Bits() == 16 {
			// Special registers were 16 bits wide once.
			l.in.f, l.in.v = move16, nil
		}
		l.refreshed()
	}
}

func move(a, _, _ uint64) uint64   { return a }
func move16(a, _, _ uint64) uint64 { return a & 0xffff }
func moveV(d, a, _, _ *lanes)      { *d = *a }

func (l *lowerer) frameSymbol(o *ptx.Operand) *symbol {
	if sym := l.sc.find(o.Name); sym != nil && sym.kind == symFrame {
		return sym
	}
	return nil
}

// frameAddress lowers the address of a local variable or parameter of the
// function. Those of parameters are generic, as PTX copies a parameter whose
// address is taken to local memory.
func (l *lowerer) frameAddress(d *ptx.Operand, sym *symbol, offset, bias uint64) {
	offset += sym.addr
	if sym.space == isa.Param {
		offset += bias
	}
	l.in.group = gExec
	l.in.d = l.dst(d)
	l.in.run = func(w *warp, in *instr, m uint32) error {
		if m != 0 {
			w.setScalar(in.d, m, w.frames[len(w.frames)-1].base+offset)
		}
		return nil
	}
}

func (l *lowerer) setp(s *ptx.Inst, f *ptx.Form) {
	l.in.group = gSetp
	l.in.lin = compares(f)
	l.in.a = l.src(&s.Operands[1], f.Type)
	l.in.b = l.src(&s.Operands[2], f.Type)
	if len(s.Operands) > 3 {
		l.in.pc, l.in.cNeg = l.srcPred(&s.Operands[3])
		l.in.boolOp = boolOf(f.Bool)
	}
	if f.Type.Float() {
		l.in.f = compareFloat(f.Cmp, f.Type, f.Ftz)
		l.in.cmp = floatCompareV(f.Cmp, f.Type, f.Ftz)
	} else {
		l.in.f, l.in.cmp = compareInt(f.Cmp, f.Type)
	}
	d := &s.Operands[0]
	if d.Kind == ptx.KindPair {
		l.in.pd, l.in.pq = l.dstPred(&d.Sub[0]), l.dstPred(&d.Sub[1])
	} else {
		l.in.pd = l.dstPred(d)
	}
}

func boolOf(b ptx.BoolOp) uint8 {
	switch b {
	case ptx.BoolAnd:
		return boolAnd
	case ptx.BoolOr:
		return boolOr
	case ptx.BoolXor:
		return boolXor
	}
	return boolNone
}

func (l *lowerer) selp(s *ptx.Inst, f *ptx.Form) {
	l.in.group = gSelp
	l.in.a = l.src(&s.Operands[1], f.Type)
	l.in.b = l.src(&s.Operands[2], f.Type)
	l.in.pc, l.in.cNeg = l.srcPred(&s.Operands[3])
	l.in.d = l.dst(&s.Operands[0])
}

func (l *lowerer) predicateOp(s *ptx.Inst) {
	l.in.group = gPred
	l.in.boolOp = map[string]uint8{"and": boolAnd, "or": boolOr, "xor": boolXor, "not": boolNot}[s.Op]
	l.in.pa, l.in.aNeg = l.srcPred(&s.Operands[1])
	if len(s.Operands) > 2 {
		l.in.pc, l.in.cNeg = l.srcPred(&s.Operands[2])
	}
	l.in.pd = l.dstPred(&s.Operands[0])
}

// elements splits a vector operand.
func elements(o *ptx.Operand) []ptx.Operand {
	if o.Kind == ptx.KindVec {
		return o.Sub
	}
	return []ptx.Operand{*o}
}

func (l *lowerer) memory(s *ptx.Inst, f *ptx.Form, n int) *memInfo {
	mi := &memInfo{width: uint64(f.Type.Bytes())}
	if want := max(int(f.Vec), 1); n != want {
		l.errorf(s.Pos, "%s takes %d registers, not %d", s.Opcode(), want, n)
	}
	l.in.mem = mi
	l.in.flow = flowMemory
	mi.align = mi.width * uint64(max(f.Vec, 1))
	l.is.WidthBytes = int32(mi.align)
	return mi
}

func (l *lowerer) load(s *ptx.Inst, f *ptx.Form) {
	l.in.group = gLoad
	l.is.Kind = isa.Load
	l.is.Uncached = f.Volatile || f.Cache == ptx.CacheCV || f.Cache == ptx.CacheCG || f.Scope > ptx.ScopeCTA && (f.Sem == ptx.SemRelaxed || f.Sem == ptx.SemAcquire)
	elems := l.vector(&s.Operands[0])
	mi := l.memory(s, f, len(elems))
	sp := spaceOf(f.Space)
	if s.Op == "ldu" && f.Space == ptx.SpaceNone {
		sp = isa.Generic
	}
	l.address(&s.Operands[1], sp, mi)
	for i := range elems {
		if elems[i].Kind == ptx.KindSink {
			mi.regs = append(mi.regs, -1)
			continue
		}
		mi.regs = append(mi.regs, l.dst(&elems[i]))
		if w := l.width(&elems[i], 0); f.Type.Signed() && w > f.Type.Bits() {
			mi.sext, mi.dbits = uint8(f.Type.Bits()), uint8(w)
		}
	}
	l.is.Class.Space = mi.space
}

// vector splits a vector operand, or names the elements of a vector register.
func (l *lowerer) vector(o *ptx.Operand) []ptx.Operand {
	if o.Kind == ptx.KindName {
		if sym := l.sc.find(o.Name); sym != nil && len(sym.elems) > 0 {
			out := make([]ptx.Operand, len(sym.elems))
			for i, e := range sym.elems {
				out[i] = ptx.Operand{Kind: ptx.KindName, Name: e.name, Pos: o.Pos}
			}
			return out
		}
	}
	return elements(o)
}

func (l *lowerer) store(s *ptx.Inst, f *ptx.Form) {
	l.in.group = gStore
	l.is.Kind = isa.Store
	elems := l.vector(&s.Operands[1])
	mi := l.memory(s, f, len(elems))
	l.address(&s.Operands[0], spaceOf(f.Space), mi)
	for i := range elems {
		mi.regs = append(mi.regs, l.src(&elems[i], f.Type))
	}
	l.is.Class.Space = mi.space
}

// target resolves a label.
func (l *lowerer) target(o *ptx.Operand) int32 {
	if o.Kind == ptx.KindName {
		if at, ok := l.sc.label(o.Name); ok {
			return at
		}
	}
	l.errorf(o.Pos, "label %s is not declared", o.Name)
	return 0
}

func (l *lowerer) bra(s *ptx.Inst) {
	l.in.group = gBranch
	l.is.Kind = isa.Branch
	l.in.target = l.target(&s.Operands[0])
	l.is.Targets = []int32{l.in.target}
}

func (l *lowerer) cvta(s *ptx.Inst, f *ptx.Form) {
	var base uint64
	switch spaceOf(f.Space) {
	case isa.Shared:
		base = sharedWindow
	case isa.Local:
		base = localWindow
	case isa.Param:
		base = paramWindow
	}
	a := &s.Operands[1]
	if sym := l.frameSymbol(a); a.Kind == ptx.KindName && sym != nil && !f.To {
		offset := base
		if sym.space == isa.Param {
			// A parameter of a function: its address is generic already.
			offset = 0
		}
		l.frameAddress(&s.Operands[0], sym, a.Imm+offset, localWindow)
		return
	}
	if f.To {
		base = -base
	}
	mask := widthMask(f.Type.Bits())
	l.in.group = gPure
	l.in.a = l.src(a, f.Type)
	l.in.d = l.dst(&s.Operands[0])
	l.in.f = func(a, _, _ uint64) uint64 { return (a + base) & mask }
	l.in.lin = linear{op: linMove, bits: uint8(f.Type.Bits())}
	if base == 0 {
		l.in.f, l.in.v = move, moveV
	}
}

func (l *lowerer) barrier(s *ptx.Inst, f *ptx.Form) {
	if f.Action == "warp" {
		l.warpBarrier(s)
		return
	}
	l.in.group = gBarrier
	l.is.Kind = isa.Barrier
	x := &extra{}
	l.in.x = x
	ops := s.Operands
	switch f.Action {
	case "arrive":
		x.mode = barArrive
	case "red":
		x.mode = barRed
		l.in.pa, l.in.aNeg = l.srcPred(&ops[len(ops)-1])
		if f.Atom == ptx.AtomPopc {
			x.op = redPopc
			l.in.d = l.dst(&ops[0])
		} else {
			x.op = boolOr
			if f.Atom == ptx.AtomAnd {
				x.op = boolAnd
			}
			l.in.pd = l.dstPred(&ops[0])
			x.bits = 1
		}
		ops = ops[1 : len(ops)-1]
	}
	l.in.a = l.src(&ops[0], ptx.U32)
	if len(ops) > 1 {
		l.in.b = l.src(&ops[1], ptx.U32)
		x.imm = 1
	}
}
