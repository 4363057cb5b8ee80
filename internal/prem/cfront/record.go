package cfront

import (
	"fmt"

	"modernc.org/cc/v4"

	"github.com/warpbound/warpbound/internal/prem/loop"
)

// structure is a scalar of structure type: a variable for each member, or for a
// constant of file scope a literal.
type structure struct {
	fields []field
	values []any // *loop.Var, *loop.IntLit or *loop.FloatLit
}

// table is an array of structures: an array for each member.
type table struct {
	record *loop.Record
	fields []field
}

type field struct {
	name   string
	typ    loop.Type
	offset int64
}

// fields gives the members of a structure type, all of them scalars, laid out as
// the ABI of x86-64 has it, or refuses what it has besides.
func (l *lowerer) fields(t cc.Type, where loop.Pos) []field {
	st, ok := t.(*cc.StructType)
	if !ok || st.NumFields() == 0 || st.IsIncomplete() {
		l.unsupported(where, "structure without members")
	}
	var out []field
	end, align := int64(0), int64(1)
	for i := range st.NumFields() {
		f := st.FieldByIndex(i)
		name := f.Name()
		switch {
		case f.IsBitfield():
			l.unsupported(where, "bit-field %s in a structure", name)
		case name == "":
			l.unsupported(where, "%s without a name in a structure", typeName(f.Type()))
		case f.Declarator().IsVolatile() || f.Declarator().IsAtomic() || f.Declarator().IsConst():
			l.unsupported(where, "qualified member %s of a structure", name)
		}
		s, ok := scalarOf(f.Type())
		if !ok {
			l.unsupported(where, "%s %s in a structure", typeName(f.Type()), name)
		}
		n := s.Size()
		if end = (end + n - 1) / n * n; f.Offset() != end {
			l.fail(where, "structure whose member %s is not where natural alignment puts it", name)
		}
		out = append(out, field{name, s, end})
		end += n
		align = max(align, n)
	}
	if st.Size() != (end+align-1)/align*align {
		l.fail(where, "structure of %d bytes, not as natural alignment has it", st.Size())
	}
	return out
}

// tag names a structure type.
func tag(t cc.Type, where loop.Pos) string {
	if st, ok := t.(*cc.StructType); ok {
		tok := st.Tag()
		if s := tok.SrcStr(); s != "" {
			return s
		}
	}
	if d := t.Typedef(); d != nil {
		return d.Name()
	}
	return fmt.Sprintf("anonymous_%d", where.Line)
}

// attributed refuses attributes, whose effect on layout the parser does not give.
func (l *lowerer) attributed(n cc.Node) {
	for _, t := range cc.NodeTokens(n) {
		switch t.SrcStr() {
		case "__attribute__", "__attribute", "_Alignas", "__declspec":
			l.unsupported(pos(t.Position()), "%s", t.SrcStr())
		}
	}
}

// newArray makes and binds the array a, whose elements have type t: one array, or
// one for each member of a structure.
func (l *lowerer) newArray(a loop.Array, t cc.Type) []*loop.Array {
	if t.Kind() != cc.Struct {
		a.Elem = l.scalarType(t, a.At)
		a.ID = l.p.NumArrays
		l.p.NumArrays++
		l.bind(a.Name, &a)
		return []*loop.Array{&a}
	}
	tb := &table{fields: l.fields(t, a.At), record: &loop.Record{Name: a.Name, Tag: tag(t, a.At), Bytes: t.Size(), At: a.At}}
	var out []*loop.Array
	for _, f := range tb.fields {
		m := a
		m.Name, m.Elem, m.Offset, m.Record = a.Name+"."+f.name, f.typ, f.offset, tb.record
		m.ID = l.p.NumArrays
		l.p.NumArrays++
		tb.record.Members = append(tb.record.Members, loop.Member{Name: f.name, Array: &m})
		out = append(out, &m)
	}
	l.bind(a.Name, tb)
	return out
}

// newStructure makes and binds a variable for each member.
func (l *lowerer) newStructure(name string, t cc.Type, k loop.Kind, isConst bool, where loop.Pos) []*loop.Var {
	s := &structure{fields: l.fields(t, where)}
	var out []*loop.Var
	for _, f := range s.fields {
		v := l.newVar(name+"."+f.name, f.typ, k, isConst, where)
		out = append(out, v)
		s.values = append(s.values, v)
	}
	l.bind(name, s)
	return out
}

// localStructure lowers the declaration of a structure in a block.
func (l *lowerer) localStructure(d *cc.Declarator, id *cc.InitDeclarator, where loop.Pos) []loop.Stmt {
	l.storage(d, where)
	inits := l.initialisers(d, id, where)
	var out []loop.Stmt
	for i, v := range l.newStructure(d.Name(), d.Type(), loop.Local, d.IsConst(), where) {
		s := &loop.Decl{At: where, Var: v}
		if inits != nil {
			s.Init = inits[i]
		}
		out = append(out, s)
	}
	return out
}

// initialisers are those of each member, converted, or nil where there are none.
func (l *lowerer) initialisers(d *cc.Declarator, id *cc.InitDeclarator, where loop.Pos) []loop.Expr {
	fields := l.fields(d.Type(), where)
	in := id.Initializer
	if in == nil {
		return nil
	}
	if l.mentions(in, d.Name()) {
		l.fail(where, "initialiser of %s reads %s", d.Name(), d.Name())
	}
	if in.Case == cc.InitializerExpr {
		var out []loop.Expr
		have, parts := l.whole(in.AssignmentExpression)
		if !sameFields(have, fields) {
			l.fail(where, "initialiser of %s has another type", d.Name())
		}
		for _, p := range parts {
			out = append(out, p(where))
		}
		return out
	}
	out := make([]loop.Expr, len(fields))
	next := 0
	for il := in.InitializerList; il != nil; il = il.InitializerList {
		if il.Designation != nil {
			next = l.designated(il.Designation, fields, where)
		}
		if next >= len(fields) || il.Initializer.Case != cc.InitializerExpr {
			l.fail(where, "initialiser list of %s, which is not one value a member", d.Name())
		}
		e := l.expr(il.Initializer.AssignmentExpression)
		out[next] = convertTo(e, fields[next].typ)
		next++
	}
	// Members without an initialiser are zero (C99 6.7.8).
	for i, f := range fields {
		if out[i] == nil {
			out[i] = convertTo(&loop.IntLit{At: where, T: loop.Int}, f.typ)
		}
	}
	return out
}

// designated gives the member that `.name =` designates.
func (l *lowerer) designated(d *cc.Designation, fields []field, where loop.Pos) int {
	if d.DesignatorList != nil && d.DesignatorList.DesignatorList == nil {
		if x := d.DesignatorList.Designator; x.Case == cc.DesignatorField {
			for i, f := range fields {
				if f.name == x.Token2.SrcStr() {
					return i
				}
			}
		}
	}
	l.fail(where, "designator that names no member")
	return 0
}

func sameFields(a, b []field) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// whole gives the members of an expression that is a structure, a variable or an
// element, each as a maker of new nodes.
func (l *lowerer) whole(n cc.ExpressionNode) ([]field, []func(loop.Pos) loop.Expr) {
	obj, subs, name := l.object(n)
	var out []func(loop.Pos) loop.Expr
	switch o := obj.(type) {
	case *structure:
		if len(subs) > 0 {
			break
		}
		for _, v := range o.values {
			out = append(out, func(at loop.Pos) loop.Expr { return reference(v, at) })
		}
		return o.fields, out
	case *table:
		for i := range o.fields {
			out = append(out, func(at loop.Pos) loop.Expr { return l.elementOf(o.record.Members[i].Array, subs, name, at) })
		}
		return o.fields, out
	}
	l.fail(at(n), "structure of an unsupported form: %s", cc.NodeSource(n))
	return nil, nil
}

// reference names a variable or repeats a constant.
func reference(v any, at loop.Pos) loop.Expr {
	switch v := v.(type) {
	case *loop.Var:
		return &loop.Ref{At: at, Var: v}
	case *loop.IntLit:
		return &loop.IntLit{At: at, T: v.T, Value: v.Value}
	}
	f := v.(*loop.FloatLit)
	return &loop.FloatLit{At: at, T: f.T, Value: f.Value}
}

// member lowers s.x and a[i].x.
func (l *lowerer) member(n *cc.PostfixExpression) loop.Expr {
	name, where := n.Token2.SrcStr(), at(n)
	if n.PostfixExpression.Type().Kind() == cc.Union {
		l.unsupported(where, "member of a union")
	}
	fields, parts := l.whole(n.PostfixExpression)
	for i, f := range fields {
		if f.name == name {
			return parts[i](where)
		}
	}
	l.fail(where, "member %s, which the structure does not have", name)
	return nil
}

// copyAll lowers the assignment of a whole structure, member by member.
func (l *lowerer) copyAll(n *cc.AssignmentExpression) loop.Stmt {
	where := at(n)
	to, left := l.whole(n.UnaryExpression)
	from, right := l.whole(n.AssignmentExpression)
	if n.Case != cc.AssignmentExpressionAssign || !sameFields(to, from) {
		l.fail(where, "assignment of structures of different types")
	}
	out := &loop.Block{At: where}
	written := make(map[any]bool)
	for _, f := range left {
		switch e := f(where).(type) {
		case *loop.Ref:
			written[e.Var] = true
		case *loop.Index:
			written[e.Array] = true
		default:
			l.fail(where, "assignment to a constant")
		}
	}
	for i := range left {
		lhs, rhs := left[i](where), right[i](where)
		for _, e := range []loop.Expr{lhs, rhs} {
			x, ok := e.(*loop.Index)
			if !ok {
				continue
			}
			// The first member's assignment must not move the second's.
			for _, s := range x.Subs {
				loop.WalkExpr(s, func(y loop.Expr) {
					switch y := y.(type) {
					case *loop.Ref:
						if written[y.Var] {
							l.fail(where, "assignment of a structure that its own subscript depends on")
						}
					case *loop.Index:
						if written[y.Array] {
							l.fail(where, "assignment of a structure that its own subscript depends on")
						}
					}
				})
			}
		}
		out.Body = append(out.Body, l.store(where, lhs, loop.NoOp, rhs))
	}
	return out
}
