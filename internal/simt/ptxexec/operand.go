package ptxexec

import (
	"fmt"
	"math"
	"strings"

	"github.com/warpbound/warpbound/isa"
	"github.com/warpbound/warpbound/ptx"
)

// literal is the pattern of a literal as a value of type t.
func literal(o *ptx.Operand, t ptx.Type) uint64 {
	x := o.Imm
	switch o.Kind {
	case ptx.KindF64:
		switch t {
		case ptx.F32:
			x = uint64(math.Float32bits(float32(math.Float64frombits(x))))
		case ptx.F16, ptx.BF16:
			x = format(t).Convert(0, format(ptx.F64), x)
		}
	case ptx.KindF32:
		if t == ptx.F64 {
			x = math.Float64bits(float64(math.Float32frombits(uint32(x))))
		}
	case ptx.KindInt:
		if t == ptx.F32 || t == ptx.F64 || t == ptx.F16 || t == ptx.BF16 {
			x = format(t).FromInt(0, int64(x) < 0 && !o.Unsigned, magnitude(o))
		}
	}
	if n := t.Bits(); n > 0 && n < 64 {
		x &= widthMask(n)
	}
	return x
}

func magnitude(o *ptx.Operand) uint64 {
	if int64(o.Imm) < 0 && !o.Unsigned {
		return -o.Imm
	}
	return o.Imm
}

// src returns the value register of a source operand of type t.
func (l *lowerer) src(o *ptx.Operand, t ptx.Type) int32 {
	switch o.Kind {
	case ptx.KindInt, ptx.KindF32, ptx.KindF64:
		return l.constant(literal(o, t))
	case ptx.KindName:
		return l.named(o, t)
	}
	l.errorf(o.Pos, "expected a register or a constant")
	return 0
}

// named returns the value register of a register, special register, or the
// address of a variable, as a value of type t.
func (l *lowerer) named(o *ptx.Operand, t ptx.Type) int32 {
	if sym := l.sc.find(o.Name); sym != nil {
		switch sym.kind {
		case symReg:
			if len(sym.elems) > 0 {
				l.refuse(o.Pos, "operand "+o.Name, "a vector register is used by its elements only")
				return 0
			}
			l.read(sym)
			return sym.reg
		case symPred:
			l.errorf(o.Pos, "%s is a predicate, expected a register with a value", o.Name)
			return 0
		case symMemory:
			l.use(sym)
			if sym.wrong != nil {
				l.errs = append(l.errs, sym.wrong)
			}
			return l.constant((sym.addr + o.Imm) & widthMask(max(t.Bits(), 1)))
		case symTexture:
			l.useTexture(sym)
			return l.constant(sym.addr)
		case symDynamic:
			l.use(sym)
			return l.dynamicAddress(o.Imm)
		case symExternal:
			l.refuse(o.Pos, "variable "+o.Name, "it is declared but not defined in this module")
			return 0
		}
		l.refuse(o.Pos, "operand "+o.Name, "the address of a local variable or parameter is taken by mov or cvta only")
		return 0
	}
	if strings.HasPrefix(o.Name, "%") {
		if sr, ok := specialRegs[o.Name[1:]]; ok {
			return l.special(o.Name[1:], sr)
		}
		l.refuse(o.Pos, "special register "+o.Name, "it is not modelled")
		return 0
	}
	if o.Name == "WARP_SZ" {
		return l.special(o.Name, specialReg{bits: 32, fill: scalar(func(w *warp) uint64 { return uint64(w.blk.k.warpSize) })})
	}
	if fn := l.byName[o.Name]; fn != nil {
		return l.constant(l.functionAddress(fn) + o.Imm)
	}
	l.errorf(o.Pos, "%s is not declared", o.Name)
	return 0
}

// special returns the value register that stands for a special register.
func (l *lowerer) special(name string, sr specialReg) int32 {
	r, ok := l.specials[name]
	if !ok {
		r = l.newRegister(initSpecial, 0)
		l.specials[name] = r
		l.out.specials = append(l.out.specials, special{reg: r, bits: sr.bits, tainted: sr.tainted, clock: sr.dynamic, size: strings.HasSuffix(name, "_size"), axis: sr.axis, extent: sr.extent, fill: sr.fill})
	}
	l.in.rv = append(l.in.rv, r)
	if sr.dynamic {
		l.dynamicSpecials = append(l.dynamicSpecials, special{reg: r, fill: sr.fill})
	}
	return r
}

// dynamicAddress returns the register with an address in dynamic shared memory,
// whose start is known only when all of the kernel is lowered.
func (l *lowerer) dynamicAddress(offset uint64) int32 {
	name := fmt.Sprintf("dynamic+%d", offset)
	if r, ok := l.specials[name]; ok {
		return r
	}
	r := l.newRegister(initSpecial, 0)
	l.specials[name] = r
	l.out.specials = append(l.out.specials, special{reg: r, fill: scalar(func(w *warp) uint64 {
		return uint64(w.blk.k.prog.dynamicBase) + offset
	})})
	return r
}

// read notes that the instruction reads a register.
func (l *lowerer) read(sym *symbol) {
	l.register(sym)
	l.is.Reads = appendReg(l.is.Reads, sym.isa)
	if sym.kind == symPred {
		l.in.rp = append(l.in.rp, sym.reg)
	} else {
		l.in.rv = append(l.in.rv, sym.reg)
	}
}

func (l *lowerer) write(sym *symbol) {
	l.register(sym)
	l.is.Writes = appendReg(l.is.Writes, sym.isa)
	if sym.kind == symPred {
		l.in.wp = append(l.in.wp, sym.reg)
	} else {
		l.in.wv = append(l.in.wv, sym.reg)
	}
}

// dst returns the value register of a destination; that of a sink is never
// read.
func (l *lowerer) dst(o *ptx.Operand) int32 {
	if o.Kind == ptx.KindSink {
		return l.scratch()
	}
	sym := l.regOperand(o, symReg)
	if sym == nil {
		return 0
	}
	l.write(sym)
	return sym.reg
}

// scratch is a register for results that are thrown away.
func (l *lowerer) scratch() int32 {
	r, ok := l.specials["_"]
	if !ok {
		r = l.newRegister(initZero, 0)
		l.specials["_"] = r
	}
	return r
}

func (l *lowerer) regOperand(o *ptx.Operand, kind symbolKind) *symbol {
	what := "register"
	if kind == symPred {
		what = "predicate"
	}
	if o.Kind != ptx.KindName {
		l.errorf(o.Pos, "expected a %s", what)
		return nil
	}
	sym := l.sc.find(o.Name)
	if sym == nil || sym.kind != kind || len(sym.elems) > 0 {
		l.errorf(o.Pos, "%s is not a declared %s", o.Name, what)
		return nil
	}
	return sym
}

// dstPred returns the predicate of a destination, -1 for a sink.
func (l *lowerer) dstPred(o *ptx.Operand) int32 {
	if o.Kind == ptx.KindSink {
		return -1
	}
	sym := l.regOperand(o, symPred)
	if sym == nil {
		return -1
	}
	l.write(sym)
	return sym.reg
}

// srcPred returns a predicate operand and whether it is negated. Constants
// stand for a predicate that is always true or false.
func (l *lowerer) srcPred(o *ptx.Operand) (reg int32, neg bool) {
	if o.Kind == ptx.KindInt {
		return -1, o.Imm != 0
	}
	sym := l.regOperand(o, symPred)
	if sym == nil {
		return -1, false
	}
	l.read(sym)
	return sym.reg, o.Not
}

// width returns the width in bits of the register an operand names, or n.
func (l *lowerer) width(o *ptx.Operand, n int) int {
	if o.Kind == ptx.KindName {
		if sym := l.sc.find(o.Name); sym != nil && sym.kind == symReg {
			return sym.typ.Bits()
		}
	}
	return n
}

// address lowers "[base+offset]" into mi and the instruction's register a.
// space is what the instruction says.
func (l *lowerer) address(o *ptx.Operand, sp isa.Space, mi *memInfo) {
	mi.space = sp
	defer func() { mi.mask = l.addressMask(mi.space) }()
	mi.off = o.Imm
	mi.site = l.out.sites
	l.out.sites++
	l.in.a = l.constant(0)
	if o.Kind != ptx.KindAddr {
		l.errorf(o.Pos, "expected an address in brackets")
		return
	}
	if o.Name == "" {
		return
	}
	base := *o
	base.Kind, base.Imm = ptx.KindName, 0
	sym := l.sc.find(o.Name)
	if sym == nil || sym.kind == symReg || sym.kind == symPred || sym.kind == symExternal {
		l.in.a = l.named(&base, ptx.U64)
		return
	}
	if sp == isa.Generic {
		mi.space = sym.space
	} else if sp != sym.space {
		l.errorf(o.Pos, "%s is in %s memory, not in %s", o.Name, sym.space, sp)
	}
	switch sym.kind {
	case symFrame:
		mi.frame = true
		mi.off += sym.addr
	case symDynamic:
		l.use(sym)
		l.in.a = l.dynamicAddress(0)
	default:
		l.use(sym)
		if sym.wrong != nil {
			l.errs = append(l.errs, sym.wrong)
		}
		mi.off += sym.addr
	}
}

// addressMask keeps the bits that addresses of a state space have.
func (l *lowerer) addressMask(sp isa.Space) uint64 {
	switch sp {
	case isa.Shared, isa.Local, isa.Param:
		return math.MaxUint32
	}
	return widthMask(l.out.addressBits)
}

// spaceOf maps a state space of the instruction set.
func spaceOf(s ptx.Space) isa.Space {
	switch s.Base() {
	case ptx.SpaceGlobal:
		return isa.Global
	case ptx.SpaceShared:
		return isa.Shared
	case ptx.SpaceConst:
		return isa.Const
	case ptx.SpaceLocal:
		return isa.Local
	case ptx.SpaceParam:
		return isa.Param
	}
	return isa.Generic
}
