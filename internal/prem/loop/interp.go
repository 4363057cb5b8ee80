package loop

import (
	"fmt"
	"maps"
	"slices"
)

// Args are the inputs of Invoke, by name: every scalar parameter of the function,
// every array parameter and every file-scope array the function uses. Buffers are
// updated in place.
type Args struct {
	Scalars map[string]Value
	Arrays  map[string]*Buffer
	// MaxSteps bounds the statements executed; 0 is 2^32, which take minutes.
	MaxSteps int64
	// Poll, unless nil, is called after every 2^16 statements, with how many have been
	// executed; its error ends the run. Long runs are interrupted by it.
	Poll func(statements int64) error
	// OnKernel, unless nil, is called in place of each kernel that execution
	// reaches. If it gives false the kernel is then executed sequentially; its error
	// ends the run.
	OnKernel func(k *Nest, f *Frame) (done bool, err error)
}

// Frame is the state of a function where a kernel is reached.
type Frame struct{ m *machine }

// Scalar is the value of a scalar in scope, or false where it is not set.
func (f *Frame) Scalar(v *Var) (Value, bool) { return Value{v.Type, f.m.vals[v.ID]}, f.m.set[v.ID] }

// SetScalar assigns a scalar in scope, such as a reduction variable, a value of
// its type.
func (f *Frame) SetScalar(v *Var, x Value) { f.m.vals[v.ID], f.m.set[v.ID] = x.Bits, true }

// Buffer is the memory of an array, or nil where it has none.
func (f *Frame) Buffer(a *Array) *Buffer { return f.m.bufs[a.ID] }

// Eval is the value of an expression over scalars in scope. The error is an
// *Error at what C leaves undefined.
func (f *Frame) Eval(e Expr) (v Value, err error) {
	defer func() {
		if r := recover(); r != nil {
			t, ok := r.(trap)
			if !ok {
				panic(r)
			}
			err = t.err
		}
	}()
	return Value{e.Type(), f.m.eval(e)}, nil
}

// trap carries a fault from the depth of the evaluation to Invoke.
type trap struct{ err error }

type machine struct {
	vals []uint64
	set  []bool
	bufs []*Buffer
	out  uint64 // the function's result, once it has returned
	hook func(k *Nest, f *Frame) (bool, error)

	left, limit int64 // statements: until the next look, and in all
	executed    int64 // until the last look
	poll        func(statements int64) error
}

// defaultSteps is the limit on statements where Args sets none.
const defaultSteps = 1 << 32

// pollEvery is the number of statements between two calls of Poll.
const pollEvery = 1 << 16

// step counts a statement.
func (m *machine) step(at Pos) {
	if m.left--; m.left < 0 {
		m.look(at)
	}
}

// look ends the run where it is too long or was cancelled; otherwise the statement
// that has been counted is executed.
func (m *machine) look(at Pos) {
	span := min(pollEvery, m.limit-m.executed)
	m.executed += span
	if m.executed >= m.limit {
		panic(trap{errorf(at, "more than %d statements executed on the host, expected fewer", m.limit)})
	}
	if m.poll != nil {
		if err := m.poll(m.executed); err != nil {
			panic(trap{err})
		}
	}
	m.left = min(pollEvery, m.limit-m.executed) - 1
}

// Invoke executes function name of p, which Check must accept, changes the buffers of
// args, and gives the function's result: a Value of type NoType where it returns
// nothing. The error is an *Error with the position of a fault, or that of
// Args.OnKernel; then the buffers hold what was stored until the fault.
func Invoke(p *Unit, name string, args Args) (result Value, err error) {
	i := slices.IndexFunc(p.Funcs, func(f *Func) bool { return f.Name == name })
	if i < 0 {
		return Value{}, fmt.Errorf("%s: no function %s with a kernel", p.File, name)
	}
	m := &machine{
		vals:  make([]uint64, p.NumVars),
		set:   make([]bool, p.NumVars),
		bufs:  make([]*Buffer, p.NumArrays),
		hook:  args.OnKernel,
		limit: args.MaxSteps,
		poll:  args.Poll,
	}
	if m.limit <= 0 {
		m.limit = defaultSteps
	}
	m.left = min(pollEvery, m.limit)
	defer func() {
		if r := recover(); r != nil {
			t, ok := r.(trap)
			if !ok {
				panic(r)
			}
			result, err = Value{}, t.err
		}
	}()
	f := p.Funcs[i]
	if err := m.bind(p, f, args); err != nil {
		return Value{}, err
	}
	m.stmts(f.Body)
	return Value{f.Result, m.out}, nil
}

func (m *machine) bind(p *Unit, f *Func, args Args) error {
	known := make(map[string]bool)
	for _, q := range f.Params {
		if q.Var == nil {
			known[q.Array.Name] = true
			continue
		}
		known[q.Var.Name] = true
		v, ok := args.Scalars[q.Var.Name]
		if !ok || v.Type != q.Var.Type {
			return errorf(q.Var.At, "argument %s: want a value of type %s", q.Var.Name, q.Var.Type)
		}
		m.vals[q.Var.ID], m.set[q.Var.ID] = v.Bits, true
	}
	arrays := slices.Clone(p.Arrays)
	for _, a := range p.Arrays {
		known[a.Name] = true
	}
	for _, q := range f.Params {
		if q.Array != nil {
			arrays = append(arrays, q.Array)
		}
	}
	for _, names := range [][]string{slices.Sorted(maps.Keys(args.Scalars)), slices.Sorted(maps.Keys(args.Arrays))} {
		for _, n := range names {
			if !known[n] {
				return errorf(f.At, "argument %s: %s has no such parameter", n, f.Name)
			}
		}
	}
	bound := make(map[*Buffer]string)
	for _, a := range arrays {
		b := args.Arrays[a.Name]
		if b == nil && a.Global {
			continue // refused at its first use
		}
		if b == nil || b.Elem != a.Elem || len(b.Shape) != len(a.Extents) {
			return errorf(a.At, "argument %s: want a buffer of %s with %d dimensions", a.Name, a.Elem, len(a.Extents))
		}
		n := int64(1)
		for d, x := range a.Extents {
			n *= b.Shape[d]
			if x == nil {
				continue
			}
			if want := int64(m.eval(x)); want != b.Shape[d] {
				return errorf(a.At, "argument %s: dimension %d is %d, want %d", a.Name, d, b.Shape[d], want)
			}
		}
		if n != int64(len(b.Bits)) {
			return errorf(a.At, "argument %s: %d elements for shape %v", a.Name, len(b.Bits), b.Shape)
		}
		if other, dup := bound[b]; dup {
			return errorf(a.At, "argument %s: the buffer of %s too, but arrays do not alias", a.Name, other)
		}
		bound[b] = a.Name
		m.bufs[a.ID] = b
	}
	return nil
}

// stmts executes a list and reports whether the function has returned.
func (m *machine) stmts(list []Stmt) (returned bool) {
	for _, s := range list {
		if m.stmt(s) {
			return true
		}
	}
	return false
}

func (m *machine) stmt(s Stmt) (returned bool) {
	m.step(s.Position())
	switch s := s.(type) {
	case *For:
		return m.loop(s)
	case *If:
		if truth(s.Cond.Type(), m.eval(s.Cond)) {
			return m.stmts(s.Then)
		}
		return m.stmts(s.Else)
	case *Assign:
		v := m.eval(s.RHS)
		switch l := s.LHS.(type) {
		case *Ref:
			m.vals[l.Var.ID], m.set[l.Var.ID] = v, true
		case *Index:
			b, i := m.element(l)
			b.Bits[i] = v
		}
	case *Decl:
		if m.set[s.Var.ID] = s.Init != nil; s.Init != nil {
			m.vals[s.Var.ID] = m.eval(s.Init)
		}
	case *Block:
		return m.stmts(s.Body)
	case *Data:
		return m.stmts(s.Body)
	case *Return:
		if s.Value != nil {
			m.out = m.eval(s.Value)
		}
		return true
	case *Nest:
		if m.hook != nil {
			done, err := m.hook(s, &Frame{m})
			if err != nil {
				panic(trap{err})
			}
			if done {
				return false
			}
		}
		return m.loop(s.Loop)
	}
	return false
}

// loop evaluates the bound once: Check has made sure that it does not change.
func (m *machine) loop(s *For) (returned bool) {
	t := s.Var.Type
	m.vals[s.Var.ID], m.set[s.Var.ID] = m.eval(s.Lo), true
	hi := m.eval(s.Hi)
	for compare(s.Cmp, t, m.vals[s.Var.ID], hi) {
		if m.stmts(s.Body) {
			return true
		}
		m.step(s.At)
		next, fault := binary(Add, t, t, m.vals[s.Var.ID], uint64(s.Step))
		if fault != "" {
			panic(trap{errorf(s.At, "%s", fault)})
		}
		m.vals[s.Var.ID] = next
	}
	return false
}

func (m *machine) element(e *Index) (*Buffer, int64) {
	b := m.bufs[e.Array.ID]
	if b == nil {
		panic(trap{errorf(e.At, "array %s has no buffer", e.Array.Name)})
	}
	flat := int64(0)
	for d, s := range e.Subs {
		i := m.eval(s)
		// A negative signed subscript is above every extent as unsigned.
		if i >= uint64(b.Shape[d]) {
			panic(trap{errorf(e.At, "subscript %d of %s is %d, outside [0, %d)", d, e.Array.Name, int64(i), b.Shape[d])})
		}
		flat = flat*b.Shape[d] + int64(i)
	}
	return b, flat
}

func (m *machine) eval(e Expr) uint64 {
	fault := ""
	var r uint64
	switch e := e.(type) {
	case *IntLit:
		return uint64(e.Value)
	case *FloatLit:
		return e.Bits()
	case *Ref:
		if !m.set[e.Var.ID] {
			panic(trap{errorf(e.At, "%s is read before it is set", e.Var.Name)})
		}
		return m.vals[e.Var.ID]
	case *Index:
		b, i := m.element(e)
		return b.Bits[i]
	case *Cond:
		if truth(e.If.Type(), m.eval(e.If)) {
			return m.eval(e.Then)
		}
		return m.eval(e.Else)
	case *Call:
		return m.call(e)
	case *Convert:
		r, fault = convert(e.T, e.X.Type(), m.eval(e.X))
	case *Unary:
		r, fault = unary(e.Op, e.X.Type(), m.eval(e.X))
	case *Binary:
		x := m.eval(e.X)
		if e.Op == LAnd || e.Op == LOr {
			if truth(e.X.Type(), x) == (e.Op == LOr) {
				return bool64(e.Op == LOr)
			}
			return bool64(truth(e.Y.Type(), m.eval(e.Y)))
		}
		r, fault = binary(e.Op, e.X.Type(), e.Y.Type(), x, m.eval(e.Y))
	}
	if fault != "" {
		panic(trap{errorf(e.Position(), "%s", fault)})
	}
	return r
}

func unary(op Op, t Type, x uint64) (uint64, string) {
	switch {
	case op == Not:
		return bool64(!truth(t, x)), ""
	case op == Cpl:
		return truncate(t, ^x), ""
	case t == Float:
		return x ^ 1<<31, ""
	case t == Double:
		return x ^ 1<<63, ""
	}
	return binary(Sub, t, t, 0, x)
}

func (m *machine) call(e *Call) uint64 {
	var a [2]uint64
	for i, x := range e.Args {
		a[i] = m.eval(x)
	}
	return e.Fn.Eval(a[0], a[1])
}
