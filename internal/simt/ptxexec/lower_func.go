package ptxexec

import (
	"fmt"
	"slices"

	"github.com/warpbound/warpbound/internal/conf"
	"github.com/warpbound/warpbound/isa"
	"github.com/warpbound/warpbound/ptx"
)

// function lowers one function's body.
func (l *lowerer) function(st *funcState) {
	l.fn = st
	f := function{name: st.decl.Name, regLo: int32(len(l.out.regInit)), predLo: int32(l.out.numPreds)}
	st.entry = int32(len(l.out.code))
	for _, formals := range [][]*symbol{st.rets, st.params} {
		for _, sym := range formals {
			if sym.kind == symReg || sym.kind == symPred {
				l.register(sym)
			}
		}
	}
	l.flatten(st, st.decl.Body, st.scope)
	l.initialiseAll()
	for i := range st.items {
		l.statement(&st.items[i])
		if len(l.errs) >= conf.MaxErrors {
			return
		}
	}
	for _, sym := range st.own {
		// Declared in a function, a shared variable takes space used or not.
		l.use(sym)
	}
	l.closeFunction(st)
	f.regHi, f.predHi = int32(len(l.out.regInit)), int32(l.out.numPreds)
	f.frameBytes = alignUp(st.frame, 16)
	l.out.funcs = append(l.out.funcs, f)
	l.prog.LocalBytes += int64(st.local)
	l.prog.Functions = append(l.prog.Functions, isa.Function{Name: f.name, Entry: st.entry, End: int32(len(l.out.code))})
}

// closeFunction adds a return where the body may run past its end or a label
// stands there.
func (l *lowerer) closeFunction(st *funcState) {
	n := len(l.out.code)
	need := n == int(st.entry)
	if !need {
		last := &l.prog.Instructions[n-1]
		switch last.Kind {
		case isa.Branch, isa.Exit, isa.Return:
			need = last.Guard != isa.NoReg
		default:
			need = true
		}
	}
	end := int32(n)
	for pc := int(st.entry); pc < n && !need; pc++ {
		for _, t := range l.prog.Instructions[pc].Targets {
			need = need || t == end && l.prog.Instructions[pc].Kind == isa.Branch
		}
	}
	if !need {
		return
	}
	l.begin(st.decl.Body.End, 0, "ret")
	l.in.group = gRet
	l.is.Kind, l.is.Class = isa.Return, isa.Class{Family: isa.ReturnFrom}
	l.readRets()
	l.emit()
}

// flatten lists the statements of a block that become instructions, and
// declares its names and labels.
func (l *lowerer) flatten(st *funcState, b *ptx.Block, sc *scope) {
	type level struct {
		stmts []ptx.Stmt
		scope *scope
	}
	stack := []level{{b.Stmts, sc}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if len(top.stmts) == 0 {
			stack = stack[:len(stack)-1]
			continue
		}
		s := top.stmts[0]
		top.stmts = top.stmts[1:]
		switch s := s.(type) {
		case *ptx.Block:
			stack = append(stack, level{s.Stmts, newScope(top.scope)})
		case *ptx.VarDecl:
			l.localDecl(st, s, top.scope)
		case *ptx.Label:
			at := st.entry + int32(len(st.items))
			top.scope.labels[s.Name] = at
			name := s.Name
			if l.labels[name]++; l.labels[name] > 1 {
				name = fmt.Sprintf("%s#%d", name, l.labels[name])
			}
			l.prog.Labels[name] = at
		case *ptx.BranchTargets:
			top.scope.tables[s.Name] = s
		case *ptx.Inst:
			s = l.sums(st, s, top.scope)
			st.items = append(st.items, item{stmt: s, scope: top.scope})
		case *ptx.Call:
			st.items = append(st.items, item{stmt: s, scope: top.scope})
		}
	}
}

// sums makes the sources of an instruction that are sums, such as %r1+4, registers
// that additions before it set: that is what assemblers make of them.
func (l *lowerer) sums(st *funcState, s *ptx.Inst, sc *scope) *ptx.Inst {
	out := s
	visit := func(list []ptx.Operand, own func() []ptx.Operand) {
		for i := range list {
			o := &list[i]
			if o.Kind != ptx.KindName || o.Imm == 0 {
				continue
			}
			from := sc.find(o.Name)
			if from == nil || from.kind != symReg {
				continue
			}
			name := fmt.Sprintf("%s%+d", o.Name, int64(o.Imm))
			if sc.syms[name] == nil {
				sc.syms[name] = registerSymbol(name, from.typ)
			}
			base, offset, sum := *o, ptx.Operand{Kind: ptx.KindInt, Pos: o.Pos, Imm: o.Imm}, *o
			base.Imm, sum.Imm, sum.Name = 0, 0, name
			add := &ptx.Inst{Pos: s.Pos, Loc: s.Loc, Guard: s.Guard, Op: "add", Mods: []string{fmt.Sprintf("u%d", from.typ.Bits())}, Operands: []ptx.Operand{sum, base, offset}}
			st.items = append(st.items, item{stmt: add, scope: sc})
			own()[i] = sum
		}
	}
	whole := func() []ptx.Operand {
		if out == s {
			c := *s
			c.Operands = slices.Clone(s.Operands)
			out = &c
		}
		return out.Operands
	}
	visit(s.Operands, whole)
	for k := range s.Operands {
		if s.Operands[k].Kind == ptx.KindVec {
			sub := s.Operands[k].Sub
			visit(sub, func() []ptx.Operand {
				v := &whole()[k]
				if &v.Sub[0] == &sub[0] {
					v.Sub = slices.Clone(sub)
				}
				return v.Sub
			})
		}
	}
	return out
}

// localDecl declares the names of a declaration inside a function.
func (l *lowerer) localDecl(st *funcState, d *ptx.VarDecl, sc *scope) {
	switch d.Space.Base() {
	case ptx.SpaceReg:
		sc.declareRegisters(d)
	case ptx.SpaceLocal, ptx.SpaceParam:
		for i := range d.Vars {
			v := &d.Vars[i]
			size, align, unsized := layout(d, v)
			if unsized {
				l.refuse(v.Pos, "variable "+v.Name, "local variables without a size are not modelled")
			}
			sym := &symbol{kind: symFrame, name: v.Name, typ: d.Type, space: isa.Local, size: size, addr: st.place(size, align)}
			if d.Space.Base() == ptx.SpaceParam {
				sym.space = isa.Param
			} else {
				st.local += size
			}
			if st.frame > maxLocalBytes {
				l.errorf(v.Pos, "the local variables and parameters of %s take more than %d bytes", st.decl.Name, maxLocalBytes)
				st.frame = 0
			}
			sc.syms[v.Name] = sym
		}
	default:
		l.variableDecl(d, sc)
		for i := range d.Vars {
			if sym := sc.syms[d.Vars[i].Name]; sym != nil && sym.pending {
				st.own = append(st.own, sym)
			}
		}
	}
}

// register gives a register symbol its numbers.
func (l *lowerer) register(sym *symbol) {
	if sym.reg >= 0 {
		return
	}
	if sym.kind == symPred {
		sym.reg = int32(l.out.numPreds)
		l.out.numPreds++
		l.out.predNames = append(l.out.predNames, sym.name)
	} else {
		sym.reg = l.newRegister(initZero, 0)
		l.out.regBits[sym.reg] = uint8(sym.typ.Bits())
		l.out.valNames[sym.reg] = sym.name
	}
	sym.isa = isa.Reg(len(l.prog.Registers))
	l.prog.Registers = append(l.prog.Registers, sym.name)
	l.regTypes = append(l.regTypes, sym.typ)
}

// begin starts a new instruction.
func (l *lowerer) begin(pos ptx.Pos, loc int32, opcode string) {
	l.dynamicSpecials = l.dynamicSpecials[:0]
	l.in = &instr{guard: -1, pd: -1, pq: -1, pa: -1, pc: -1}
	l.is = &isa.Instruction{Opcode: opcode, Guard: isa.NoReg, Pos: l.position(pos)}
	if loc > 0 && int(loc) <= len(l.file.Locs) {
		at := l.file.Locs[loc-1]
		if name, ok := l.files[at.File]; ok {
			l.is.Source = isa.Position{File: name, Line: int(at.Line), Col: int(at.Col)}
			l.is.Inlined = l.inlined[loc-1]
		}
	}
}

// emit appends the instruction.
func (l *lowerer) emit() {
	l.out.code = append(l.out.code, *l.in)
	l.prog.Instructions = append(l.prog.Instructions, *l.is)
}

func (l *lowerer) guard(g *ptx.Guard) {
	if g.Reg == "" {
		return
	}
	sym := l.sc.find(g.Reg)
	if sym == nil || sym.kind != symPred {
		l.errorf(g.Pos, "guard %s is not a declared predicate", g.Reg)
		return
	}
	l.register(sym)
	l.in.guard, l.in.guardNeg = sym.reg, g.Neg
	l.is.Guard = sym.isa
	l.is.Reads = appendReg(l.is.Reads, sym.isa)
}

func appendReg(s []isa.Reg, r isa.Reg) []isa.Reg {
	for _, x := range s {
		if x == r {
			return s
		}
	}
	return append(s, r)
}

// statement lowers an instruction or a call.
func (l *lowerer) statement(it *item) {
	l.sc = it.scope
	switch s := it.stmt.(type) {
	case *ptx.Call:
		l.begin(s.Pos, s.Loc, "call")
		l.guard(&s.Guard)
		l.callStmt(s)
	case *ptx.Inst:
		l.begin(s.Pos, s.Loc, s.Opcode())
		l.guard(&s.Guard)
		l.instruction(s)
	}
	l.emit()
}

// readRets makes a return read the registers that hold the results.
func (l *lowerer) readRets() {
	for _, sym := range l.fn.rets {
		if sym.kind == symReg || sym.kind == symPred {
			l.is.Reads = appendReg(l.is.Reads, sym.isa)
		}
	}
}
