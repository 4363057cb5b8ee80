package ptxexec

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/ptx"
)

// Function addresses lie in a window of the generic address space that holds no
// memory, functionBytes apart.
const (
	functionWindow = 5 << 24
	functionBytes  = 16
)

// indirectTargets lists the functions that an indirect call of a function may
// enter: those of its .calltargets or of the table it names, or, with a
// .callprototype, all whose address the module takes and whose parameters and
// results have the sizes of the prototype's.
func (l *lowerer) indirectTargets(f *ptx.Func, c *ptx.Call) (targets []*ptx.Func) {
	add := func(name string, pos ptx.Pos) {
		if fn := l.byName[name]; fn != nil && !fn.Entry {
			if !slices.Contains(targets, fn) {
				targets = append(targets, fn)
			}
		} else {
			l.errorf(pos, "%s is not a declared function", name)
		}
	}
	eachStmt(f.Body, func(s ptx.Stmt) {
		switch s := s.(type) {
		case *ptx.CallTargets:
			if s.Name == c.Targets {
				for _, name := range s.Funcs {
					add(name, s.Pos)
				}
			}
		case *ptx.CallPrototype:
			if s.Name != c.Targets {
				return
			}
			for _, fn := range l.addressTaken() {
				if sameSizes(fn.Params, s.Params) && sameSizes(fn.Rets, s.Rets) && !slices.Contains(targets, fn) {
					targets = append(targets, fn)
				}
			}
		}
	})
	for _, d := range l.file.Decls {
		d, ok := d.(*ptx.VarDecl)
		if !ok {
			continue
		}
		for i := range d.Vars {
			if v := &d.Vars[i]; v.Name == c.Targets && v.Init != nil {
				eachName(v.Init, func(o *ptx.Operand) { add(o.Name, o.Pos) })
			}
		}
	}
	return targets
}

// eachName visits the names in an operand.
func eachName(o *ptx.Operand, visit func(*ptx.Operand)) {
	if o.Kind == ptx.KindName {
		visit(o)
	}
	for i := range o.Sub {
		eachName(&o.Sub[i], visit)
	}
}

// sameSizes says whether two lists of parameters take the same places.
func sameSizes(a, b []*ptx.VarDecl) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if len(a[i].Vars) != 1 || len(b[i].Vars) != 1 {
			return false
		}
		x, _, _ := layout(a[i], &a[i].Vars[0])
		y, _, _ := layout(b[i], &b[i].Vars[0])
		if x != y {
			return false
		}
	}
	return true
}

// addressTaken lists the functions with a body whose address the module takes,
// in the order in which they are defined.
func (l *lowerer) addressTaken() []*ptx.Func {
	if l.taken != nil {
		return l.taken
	}
	named := map[*ptx.Func]bool{}
	note := func(o *ptx.Operand) {
		eachName(o, func(o *ptx.Operand) { named[l.byName[o.Name]] = true })
	}
	variables := func(d *ptx.VarDecl) {
		for i := range d.Vars {
			if d.Vars[i].Init != nil {
				note(d.Vars[i].Init)
			}
		}
	}
	for _, d := range l.file.Decls {
		switch d := d.(type) {
		case *ptx.VarDecl:
			variables(d)
		case *ptx.Func:
			if d.Body == nil {
				continue
			}
			eachStmt(d.Body, func(s ptx.Stmt) {
				switch s := s.(type) {
				case *ptx.VarDecl:
					variables(s)
				case *ptx.Inst:
					for i := range s.Operands {
						note(&s.Operands[i])
					}
				case *ptx.Call:
					for i := range s.Args {
						note(&s.Args[i])
					}
				}
			})
		}
	}
	l.taken = []*ptx.Func{}
	for _, d := range l.file.Decls {
		if f, ok := d.(*ptx.Func); ok && f.Body != nil && !f.Entry && named[f] {
			l.taken = append(l.taken, f)
		}
	}
	return l.taken
}

// functionAddress is the address of a function.
func (l *lowerer) functionAddress(fn *ptx.Func) uint64 {
	for i, f := range l.addressed {
		if f == fn {
			return functionWindow + uint64(i)*functionBytes
		}
	}
	l.addressed = append(l.addressed, fn)
	return functionWindow + uint64(len(l.addressed)-1)*functionBytes
}

// indirectCall lowers a call through a register.
func (l *lowerer) indirectCall(s *ptx.Call) {
	x := &extra{}
	l.in.x = x
	if s.Targets == "" {
		l.errorf(s.Pos, "indirect call without targets, expected a .callprototype or .calltargets at the end")
		return
	}
	l.in.a = l.src(&s.Callee, ptx.U64)
	for _, fn := range l.indirectTargets(l.fn.decl, s) {
		if fn.Body == nil {
			l.refuse(s.Pos, "call of "+fn.Name, "the function has no body in this module")
			return
		}
		info := l.prepareCall(s, fn)
		if info == nil {
			return
		}
		x.calls = append(x.calls, info)
	}
	if len(x.calls) == 0 {
		l.errorf(s.Pos, "the indirect call has no targets, expected functions with the parameters and results of %s whose address is taken", s.Targets)
	}
}

// callee finds the call that the address of a lane stands for.
func (w *warp) callee(in *instr, lane int, address uint64) (*callInfo, error) {
	if i := (address - functionWindow) / functionBytes; address%functionBytes == 0 && i < uint64(len(w.blk.k.prog.functionAt)) {
		for _, c := range in.x.calls {
			if c.callee == w.blk.k.prog.functionAt[i] {
				return c, nil
			}
		}
	}
	return nil, w.fault(simt.ErrInvalid, lane, fmt.Sprintf("call of address %#x, which is no function that this call may enter", address))
}

// callIndirect enters the function that the lowest lane of m names, with all
// lanes that name it. The others execute the instruction again afterwards, and
// all continue together.
func (w *warp) callIndirect(in *instr, m uint32) error {
	v := w.src(in.a)
	first := bits.TrailingZeros32(m) & 31
	c, err := w.callee(in, first, v[first])
	if err != nil {
		return err
	}
	same := m
	for left := m; left != 0; left &= left - 1 {
		if i := bits.TrailingZeros32(left) & 31; v[i] != v[first] {
			same &^= 1 << i
		}
	}
	if same != m {
		pc := w.top.pc
		w.meet(pc + 1)
		w.push(pc, m&^same)
		w.push(pc, same)
		w.step.Exec = simt.Mask(same)
	}
	return w.enter(c, same)
}
