package ptxexec

import (
	"github.com/warpbound/warpbound/isa"
	"github.com/warpbound/warpbound/ptx"
)

// pendingCall is a call whose callee's registers are not known yet.
type pendingCall struct {
	pc     int32
	stmt   *ptx.Call
	callee int32
	info   *callInfo
	args   []actual
	rets   []actual
}

// actual is an argument, or the destination of a result, as the caller names
// it.
type actual struct {
	where place
	reg   int32 // register or predicate; -1 for a result that is thrown away
	off   uint64
	size  uint64
	sink  bool
	pos   ptx.Pos
}

// callStmt lowers a call.
func (l *lowerer) callStmt(s *ptx.Call) {
	l.in.group = gCall
	l.is.Kind = isa.Call
	l.is.Class = isa.Class{Family: isa.CallTo}
	fn := l.byName[s.Callee.Name]
	switch {
	case fn == nil && l.sc.find(s.Callee.Name) != nil:
		l.indirectCall(s)
		return
	case fn == nil:
		l.errorf(s.Callee.Pos, "function %s is not declared", s.Callee.Name)
		return
	case fn.Body == nil:
		l.refuse(s.Pos, "call of "+s.Callee.Name, "the function has no body in this module")
		return
	case fn.Entry:
		l.errorf(s.Callee.Pos, "%s is a kernel, expected a function", s.Callee.Name)
		return
	}
	l.in.x = &extra{call: l.prepareCall(s, fn)}
}

// prepareCall lowers what a call passes to one function it may enter; nil after
// an error.
func (l *lowerer) prepareCall(s *ptx.Call, fn *ptx.Func) *callInfo {
	callee := l.states[l.index[fn]]
	if len(s.Args) != len(callee.params) || len(s.Rets) != len(callee.rets) {
		l.errorf(s.Pos, "call of %s with %d arguments and %d results, expected %d and %d",
			fn.Name, len(s.Args), len(s.Rets), len(callee.params), len(callee.rets))
		return nil
	}
	call := pendingCall{pc: int32(len(l.out.code)), stmt: s, callee: l.index[fn], info: &callInfo{callee: l.index[fn]}}
	for i := range s.Args {
		call.args = append(call.args, l.actual(&s.Args[i], callee.params[i], false))
	}
	for i := range s.Rets {
		call.rets = append(call.rets, l.actual(&s.Rets[i], callee.rets[i], true))
	}
	l.fn.calls = append(l.fn.calls, call)
	return call.info
}

// actual lowers an argument or result of a call against its formal.
func (l *lowerer) actual(o *ptx.Operand, formal *symbol, result bool) actual {
	a := actual{pos: o.Pos, size: formalPlace(formal).size}
	if result && o.Kind == ptx.KindSink {
		a.sink = true
		return a
	}
	if o.Kind == ptx.KindName {
		if sym := l.sc.find(o.Name); sym != nil {
			switch sym.kind {
			case symFrame:
				a.where, a.off, a.size = inMem, sym.addr+o.Imm, sym.size
				return a
			case symPred:
				if result {
					l.write(sym)
				} else {
					l.read(sym)
				}
				a.where, a.reg = inPred, sym.reg
				return a
			}
		}
	}
	a.where = inReg
	if result {
		a.reg = l.dst(o)
	} else {
		a.reg = l.src(o, formal.typ)
	}
	return a
}

// linkCalls completes the calls of a function.
func (l *lowerer) linkCalls(st *funcState) {
	for i := range st.calls {
		c := &st.calls[i]
		callee := l.states[c.callee]
		is := &l.prog.Instructions[c.pc]
		is.Targets = append(is.Targets, l.prog.Functions[c.callee].Entry)
		info := c.info
		for k, formal := range callee.params {
			from, to := c.args[k], formalPlace(formal)
			if cp, ok := l.copyBetween(from, to); ok {
				info.in = append(info.in, cp)
			}
			if formal.isa != isa.NoReg && to.where != inMem {
				is.Writes = appendReg(is.Writes, formal.isa)
			}
		}
		for k, formal := range callee.rets {
			if c.rets[k].sink {
				continue
			}
			if cp, ok := l.copyBetween(formalPlace(formal), c.rets[k]); ok {
				info.out = append(info.out, cp)
			}
		}
	}
}

func formalPlace(s *symbol) actual {
	switch s.kind {
	case symReg:
		return actual{where: inReg, reg: s.reg, size: uint64(s.typ.Bytes())}
	case symPred:
		return actual{where: inPred, reg: s.reg, size: 1}
	}
	return actual{where: inMem, off: s.addr, size: s.size}
}

func (l *lowerer) copyBetween(from, to actual) (copyInfo, bool) {
	size := from.size
	switch {
	case from.where == inMem && to.where == inMem:
		size = min(from.size, to.size)
	case from.where == inMem:
		size = from.size
	case to.where == inMem:
		size = to.size
	}
	if size == 0 {
		return copyInfo{}, false
	}
	if (from.where != inMem || to.where != inMem) && size > 8 {
		l.errorf(to.pos, "a value of %d bytes is passed in a register", size)
		return copyInfo{}, false
	}
	return copyInfo{from: from.where, to: to.where, fromReg: from.reg, toReg: to.reg, fromOff: from.off, toOff: to.off, bytes: size}, true
}
