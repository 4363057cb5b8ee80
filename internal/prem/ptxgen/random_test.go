package ptxgen

import (
	"testing"

	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/testkit/ptxas"
	"github.com/warpbound/warpbound/internal/verify/deviceexec"
	"pgregory.net/rapid"
)

var allTypes = []loop.Type{loop.Int, loop.Uint, loop.Long, loop.Ulong, loop.Float, loop.Double}

// trees draws expressions over a kernel's variables and arrays.
type trees struct {
	t      *rapid.T
	m      *maker
	vars   []*loop.Var
	arrays []*loop.Array // of one dimension, extent 16
}

func (r *trees) pick(n int) int { return rapid.IntRange(0, n-1).Draw(r.t, "pick") }

// expr draws an expression of a type.
func (r *trees) expr(t loop.Type, depth int) loop.Expr {
	if depth == 0 || r.pick(8) == 0 {
		return r.leaf(t)
	}
	n := 9
	if t == loop.Int {
		n = 12
	}
	switch r.pick(n) {
	case 0, 1, 2:
		op := []loop.Op{loop.Add, loop.Sub, loop.Mul}[r.pick(3)]
		return bin(op, r.expr(t, depth-1), r.expr(t, depth-1))
	case 3:
		if t.IsFloat() {
			return bin(loop.Div, r.expr(t, depth-1), r.expr(t, depth-1))
		}
		// A divisor from 1 to 8.
		d := plus(bin(loop.And, r.expr(t, depth-1), lit(t, 7)), lit(t, 1))
		return bin([]loop.Op{loop.Div, loop.Rem}[r.pick(2)], r.expr(t, depth-1), d)
	case 4:
		if t.IsFloat() {
			name := []string{"sqrt", "fabs", "floor", "ceil"}[r.pick(4)]
			return r.call(t, name, r.expr(t, depth-1))
		}
		op := []loop.Op{loop.And, loop.Or, loop.Xor}[r.pick(3)]
		return bin(op, r.expr(t, depth-1), r.expr(t, depth-1))
	case 5:
		if t.IsFloat() {
			return r.call(t, []string{"fmin", "fmax"}[r.pick(2)], r.expr(t, depth-1), r.expr(t, depth-1))
		}
		// A value that can be shifted in its type, and a count from 0 to 7.
		ct := allTypes[r.pick(4)]
		x := bin(loop.And, r.expr(t, depth-1), lit(t, 1<<20-1))
		return bin([]loop.Op{loop.Shl, loop.Shr}[r.pick(2)], x, bin(loop.And, r.expr(ct, depth-1), lit(ct, 7)))
	case 6:
		op := loop.Neg
		if t.IsInteger() && r.pick(2) == 0 {
			op = loop.Cpl
		}
		return &loop.Unary{At: here, Op: op, X: r.expr(t, depth-1)}
	case 7:
		c := allTypes[r.pick(len(allTypes))]
		return &loop.Cond{At: here, If: r.expr(c, depth-1), Then: r.expr(t, depth-1), Else: r.expr(t, depth-1)}
	case 8:
		from := allTypes[r.pick(len(allTypes))]
		if from == t {
			return r.leaf(t)
		}
		return to(t, r.expr(from, depth-1))
	case 9:
		c := allTypes[r.pick(len(allTypes))]
		op := []loop.Op{loop.Lt, loop.Le, loop.Gt, loop.Ge, loop.Eq, loop.Ne}[r.pick(6)]
		return bin(op, r.expr(c, depth-1), r.expr(c, depth-1))
	case 10:
		a, b := allTypes[r.pick(len(allTypes))], allTypes[r.pick(len(allTypes))]
		return bin([]loop.Op{loop.LAnd, loop.LOr}[r.pick(2)], r.expr(a, depth-1), r.expr(b, depth-1))
	}
	return &loop.Unary{At: here, Op: loop.Not, X: r.expr(allTypes[r.pick(len(allTypes))], depth-1)}
}

func (r *trees) call(t loop.Type, name string, args ...loop.Expr) loop.Expr {
	if t == loop.Float {
		name += "f"
	}
	return &loop.Call{At: here, Fn: loop.Math(name), Args: args}
}

func (r *trees) leaf(t loop.Type) loop.Expr {
	var all []loop.Expr
	for _, v := range r.vars {
		if v.Type == t {
			all = append(all, get(v))
		}
	}
	for _, a := range r.arrays {
		if a.Elem == t {
			all = append(all, elem(a, r.subscript()))
		}
	}
	n := r.pick(len(all) + 1)
	if n < len(all) {
		return all[n]
	}
	v := float64(rapid.IntRange(-6, 9).Draw(r.t, "literal"))
	switch {
	case t.IsFloat():
		v /= 4
	case !t.IsSigned():
		v = max(v, -v)
	}
	return lit(t, v)
}

// subscript draws one from 0 to 15: of an integer variable, or read from memory.
func (r *trees) subscript() loop.Expr {
	var x loop.Expr = num(int64(r.pick(16)))
	var ints []loop.Expr
	for _, v := range r.vars {
		if v.Type.IsInteger() {
			ints = append(ints, get(v))
		}
	}
	for _, a := range r.arrays {
		if a.Elem.IsInteger() {
			ints = append(ints, elem(a, num(int64(r.pick(16)))))
		}
	}
	if len(ints) > 0 && r.pick(4) > 0 {
		y := ints[r.pick(len(ints))]
		x = bin(loop.And, y, lit(y.Type(), 15))
	}
	return x
}

// world is a kernel's parameters, a scalar and an array of every type and an
// array of results, with values of which some are awkward.
func world(t *rapid.T, m *maker, out loop.Type, teams, threads int64) (*trees, *loop.Array, []loop.Param, []deviceexec.Arg) {
	r := &trees{t: t, m: m}
	var params []loop.Param
	var args []deviceexec.Arg
	for _, ty := range allTypes {
		v := m.variable("v"+ty.String(), ty, loop.Parameter)
		r.vars = append(r.vars, v)
		params = append(params, loop.Param{Var: v})
		args = append(args, deviceexec.Arg{Value: loop.Value{Type: ty, Bits: anyValue(t, ty)}})
	}
	for _, ty := range allTypes {
		a := m.array("a"+ty.String(), ty, num(16))
		r.arrays = append(r.arrays, a)
		params = append(params, loop.Param{Array: a})
		args = append(args, deviceexec.Arg{Buffer: buffer(ty, func(int) uint64 { return anyValue(t, ty) }, 16)})
	}
	result := m.array("out", out, num(teams*threads), num(8))
	params = append(params, loop.Param{Array: result})
	args = append(args, deviceexec.Arg{Buffer: buffer(out, func(int) uint64 { return 0 }, teams*threads, 8)})
	return r, result, params, args
}

// anyValue draws small numbers mostly, and the ends of a type's range.
func anyValue(t *rapid.T, ty loop.Type) uint64 {
	if rapid.IntRange(0, 5).Draw(t, "awkward") > 0 {
		v := float64(rapid.IntRange(-9, 20).Draw(t, "value"))
		switch {
		case ty.IsFloat():
			v /= 8
		case !ty.IsSigned():
			v = max(v, -v)
		}
		return encode(ty, v)
	}
	x := rapid.Uint64().Draw(t, "bits")
	switch ty {
	case loop.Int:
		return uint64(int64(int32(x)))
	case loop.Uint, loop.Float:
		return uint64(uint32(x))
	}
	return x
}

// Every expression is computed as package loop does, bit for bit, by each thread.
func TestRandomExpressions(t *testing.T) {
	compared, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		m := &maker{}
		ty := rapid.SampledFrom(allTypes).Draw(t, "type")
		r, out, params, args := world(t, m, ty, 2, 3)
		k := m.kernel(2, 3, params)
		r.vars = append(r.vars, k.ThreadIdx, k.TeamIdx)
		x, y := m.local("x", ty), m.local("y", ty)
		row := plus(times(num(3), get(k.TeamIdx)), get(k.ThreadIdx))
		k.Body = append(k.Body, m.let(x, r.expr(ty, 4)), m.let(y, nil), m.set(get(y), r.expr(ty, 3)))
		r.vars = append(r.vars, x, y)
		k.Body = append(k.Body, m.set(elem(out, row, num(0)), r.expr(ty, 4)), m.set(elem(out, row, num(5)), get(x)), m.set(get(y), r.expr(ty, 2)),
			m.set(elem(out, row, num(7)), get(y)))
		if err := agree(t, m.seal(k), args); err != nil {
			refused++
		} else {
			compared++
		}
	})
	t.Logf("%d kernels compared, %d undefined", compared, refused)
	if compared < refused/4 {
		t.Errorf("only %d of %d kernels could be compared", compared, compared+refused)
	}
}

// bodies draws statements whose subscripts stay in their arrays: loop variables
// run from 0 to less than 6, and sums of them are divided or masked.
type bodies struct {
	*trees
	k      *device.Entry
	out    *loop.Array
	locals []*loop.Var // assigned
	depth  int
}

func (b *bodies) row() loop.Expr {
	return plus(times(num(b.k.Threads), get(b.k.TeamIdx)), get(b.k.ThreadIdx))
}

func (b *bodies) list(n int) []device.Stmt {
	vars, locals := len(b.vars), len(b.locals)
	var out []device.Stmt
	for range 1 + b.pick(n) {
		out = append(out, b.stmt()...)
	}
	b.vars, b.locals = b.vars[:vars], b.locals[:locals]
	return out
}

func (b *bodies) stmt() []device.Stmt {
	m, ty := b.m, b.out.Elem
	switch n := b.pick(9); {
	case n < 2 && b.depth < 3:
		return []device.Stmt{b.loop()}
	case n < 3 && b.depth < 3:
		b.depth++
		defer func() { b.depth-- }()
		c := b.expr(allTypes[b.pick(len(allTypes))], 2)
		if b.pick(3) == 0 {
			return []device.Stmt{m.when(c, b.list(2), nil)}
		}
		return []device.Stmt{m.when(c, b.list(2), b.list(2))}
	case n < 4:
		v := m.local("x", allTypes[b.pick(len(allTypes))])
		s := m.let(v, b.expr(v.Type, 2))
		b.vars = append(b.vars, v)
		return []device.Stmt{s}
	case n < 5:
		v := m.local("y", ty)
		s := m.let(v, b.expr(ty, 1))
		b.vars, b.locals = append(b.vars, v), append(b.locals, v)
		return []device.Stmt{s}
	case n < 7 && len(b.locals) > 0:
		v := b.locals[b.pick(len(b.locals))]
		return []device.Stmt{m.set(get(v), b.expr(ty, 2))}
	}
	e := b.place()
	if b.pick(2) == 0 {
		return []device.Stmt{m.set(e, b.expr(ty, 2))}
	}
	return []device.Stmt{m.set(e, plus(b.place(), b.expr(ty, 1)))}
}

// place is an element of the thread's own row.
func (b *bodies) place() *loop.Index {
	var ints []*loop.Var
	for _, v := range b.vars {
		if v.Kind == loop.Induction {
			ints = append(ints, v)
		}
	}
	col := num(int64(b.pick(3)))
	if len(ints) > 0 && b.pick(4) > 0 {
		v := ints[b.pick(len(ints))]
		// v + c, or 7 - v - c: from 0 to 7
		if col = plus(get(v), col); v.Type == loop.Long {
			col = plus(get(v), lit(loop.Long, float64(b.pick(3))))
		}
		if w := b.vars[b.pick(len(b.vars))]; w.Type == v.Type && b.pick(2) == 0 {
			col = plus(get(v), bin(loop.And, get(w), lit(v.Type, 1)))
		}
		if b.pick(3) == 0 {
			col = minus(lit(v.Type, 7), col)
		}
	}
	return elem(b.out, b.row(), col)
}

func (b *bodies) loop() device.Stmt {
	b.depth++
	defer func() { b.depth-- }()
	m := b.m
	t := []loop.Type{loop.Int, loop.Int, loop.Long}[b.pick(3)]
	lo, hi := lit(t, float64(b.pick(3))), lit(t, float64(b.pick(7)-1))
	var outer []*loop.Var
	for _, v := range b.vars {
		if v.Kind == loop.Induction && v.Type == t {
			outer = append(outer, v)
		}
	}
	if len(outer) > 0 && b.pick(2) == 0 {
		lo = get(outer[b.pick(len(outer))])
	}
	if t == loop.Int && b.pick(3) == 0 {
		lo = get(b.k.ThreadIdx)
	}
	v := m.variable("i", t, loop.Induction)
	s := &device.For{At: m.pos(), Var: v, Lo: lo, Hi: hi, Cmp: loop.Lt, Step: int64(1 + b.pick(3))}
	if hi.(*loop.IntLit).Value < 5 && b.pick(2) == 0 {
		s.Cmp = loop.Le
	}
	if b.pick(3) == 0 {
		s.Lo, s.Hi, s.Step = lit(t, 5), lo, -s.Step
		s.Cmp = []loop.Op{loop.Gt, loop.Ge}[b.pick(2)]
	}
	b.vars = append(b.vars, v)
	s.Body = b.list(3)
	b.vars = b.vars[:len(b.vars)-1]
	return s
}

// statements draws a kernel with its arguments.
func statements(t *rapid.T) (*device.Entry, []deviceexec.Arg) {
	m := &maker{}
	ty := rapid.SampledFrom(allTypes).Draw(t, "type")
	r, out, params, args := world(t, m, ty, 2, 5)
	k := m.kernel(2, 5, params)
	b := &bodies{trees: r, k: k, out: out}
	b.vars = append(b.vars, k.ThreadIdx, k.TeamIdx)
	k.Body = b.list(5)
	return m.seal(k), args
}

// Loops, conditions and assignments do what package device says.
func TestRandomStatements(t *testing.T) {
	compared, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		k, args := statements(t)
		if err := agree(t, k, args); err != nil {
			refused++
		} else {
			compared++
		}
	})
	t.Logf("%d kernels compared, %d undefined", compared, refused)
	if compared < refused/4 {
		t.Errorf("only %d of %d kernels could be compared", compared, compared+refused)
	}
}

// Their PTX is legal to NVIDIA's assembler, all conversions of all types included.
func TestRandomStatementsAssemble(t *testing.T) {
	a := ptxas.Need(t)
	var texts []string
	rapid.Check(t, func(t *rapid.T) {
		k, _ := statements(t)
		text, err := Generate([]*device.Entry{k}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, text)
	})
	all, err := a.CheckAll("sm_70", texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, complaints := range all {
		if len(complaints) > 0 {
			t.Errorf("%+v\n%s", complaints, texts[i])
		}
	}
}
