package cfront

import (
	"modernc.org/cc/v4"

	"github.com/warpbound/warpbound/internal/prem/loop"
)

// fileDeclaration handles arrays and constants; types and prototypes need nothing.
func (l *lowerer) fileDeclaration(d *cc.Declaration) {
	if d.Case != cc.DeclarationDecl {
		l.unsupported(at(d), "declaration of this form at file scope")
	}
	for il := d.InitDeclaratorList; il != nil; il = il.InitDeclaratorList {
		id := il.InitDeclarator
		dd := id.Declarator
		name := dd.Name()
		where := pos(dd.NameTok().Position())
		if dd.IsTypename() || dd.Type().Kind() == cc.Function {
			continue
		}
		if !l.try(func() { l.fileObject(dd, id, name, where) }) {
			l.bind(name, poison{})
		}
	}
}

func (l *lowerer) fileObject(d *cc.Declarator, id *cc.InitDeclarator, name string, where loop.Pos) {
	l.plain(d, where)
	if l.lookup(name) != nil {
		l.fail(where, "second declaration of %s", name)
	}
	if at, ok := d.Type().(*cc.ArrayType); ok {
		if id.Initializer != nil {
			l.unsupported(where, "initialiser of array %s", name)
		}
		a := loop.Array{Name: name, Global: true, Const: d.IsConst(), At: where}
		t := l.dims(&a, at)
		l.p.Arrays = append(l.p.Arrays, l.newArray(a, t)...)
		return
	}
	if d.Type().Kind() == cc.Struct {
		l.fileStructure(d, id, name, where)
		return
	}
	t := l.scalarType(d.Type(), where)
	if !d.IsConst() || id.Initializer == nil || id.Initializer.Case != cc.InitializerExpr {
		l.fail(where, "scalar %s of file scope that is no initialised constant", name)
	}
	e := loop.Fold(convertTo(l.expr(id.Initializer.AssignmentExpression), t))
	switch e.(type) {
	case *loop.IntLit, *loop.FloatLit:
		l.bind(name, e)
	default:
		l.fail(where, "initialiser of %s is no constant of its type", name)
	}
}

// fileStructure is a constant of structure type.
func (l *lowerer) fileStructure(d *cc.Declarator, id *cc.InitDeclarator, name string, where loop.Pos) {
	if !d.IsConst() || id.Initializer == nil {
		l.fail(where, "structure %s of file scope that is no initialised constant", name)
	}
	s := &structure{fields: l.fields(d.Type(), where)}
	for i, e := range l.initialisers(d, id, where) {
		switch v := loop.Fold(e).(type) {
		case *loop.IntLit, *loop.FloatLit:
			s.values = append(s.values, v)
		default:
			l.fail(where, "initialiser of %s.%s is no constant of its type", name, s.fields[i].name)
		}
	}
	l.bind(name, s)
}

// dims appends the extents of an array type to a and gives the elements' type.
func (l *lowerer) dims(a *loop.Array, t cc.Type) cc.Type {
	where := a.At
	for t.Kind() == cc.Array {
		at, ok := t.(*cc.ArrayType)
		if !ok {
			l.unsupported(where, "array type of %s", a.Name)
		}
		switch {
		case at.IsVLA() && a.Global:
			l.unsupported(where, "variable-length array %s", a.Name)
		case at.IsVLA():
			if at.SizeExpression() == nil {
				l.fail(where, "array %s with an unknown extent", a.Name)
			}
			a.Extents = append(a.Extents, l.extent(at.SizeExpression()))
		case at.Len() <= 0:
			l.fail(where, "array %s with extent %d or none", a.Name, at.Len())
		default:
			a.Extents = append(a.Extents, length(at.Len(), where))
		}
		t = at.Elem()
	}
	return t
}

func length(n int64, where loop.Pos) loop.Expr {
	if n > 1<<31-1 {
		return &loop.IntLit{At: where, T: loop.Long, Value: n}
	}
	return &loop.IntLit{At: where, T: loop.Int, Value: n}
}

func (l *lowerer) extent(e cc.ExpressionNode) loop.Expr {
	x := l.expr(e)
	if !x.Type().IsInteger() {
		l.unsupported(at(e), "extent of type %s", x.Type())
	}
	return x
}

// arrayParam is a parameter T a[restrict n][m], T *restrict a or T (*restrict a)[m].
// The first extent is no part of the type, so it comes from the declarator.
func (l *lowerer) arrayParam(d *cc.Declarator, t cc.Type, where loop.Pos) []*loop.Array {
	pt, ok := t.(*cc.PointerType)
	if !ok {
		l.unsupported(where, "parameter %s of type pointer", d.Name())
	}
	a := loop.Array{Name: d.Name(), At: where, Const: d.IsConst()}
	if pt.Elem().Kind() == cc.Ptr {
		l.unsupported(where, "parameter %s of type pointer to pointer", a.Name)
	}
	restrict, first := l.outermost(d)
	a.Extents = []loop.Expr{nil}
	if first != nil {
		a.Extents[0] = l.extent(first)
	}
	elem := l.dims(&a, pt.Elem())
	list := l.newArray(a, elem)
	if !restrict {
		l.loose = append(l.loose, pointer{a.Name, where, list})
	}
	return list
}

// outermost finds the derivation next to the name: whether it has restrict, and
// its extent if it is an array with one.
func (l *lowerer) outermost(d *cc.Declarator) (restrict bool, extent cc.ExpressionNode) {
	var inner *cc.DirectDeclarator
	dd := d.DirectDeclarator
	for dd != nil && dd.Case != cc.DirectDeclaratorIdent {
		inner = dd
		if dd.Case == cc.DirectDeclaratorDecl {
			return l.outermost(dd.Declarator)
		}
		dd = dd.DirectDeclarator
	}
	if inner == nil {
		if d.Pointer == nil {
			return false, nil
		}
		return hasRestrict(d.Pointer.TypeQualifiers), nil
	}
	switch inner.Case {
	case cc.DirectDeclaratorArr, cc.DirectDeclaratorStaticArr, cc.DirectDeclaratorArrStatic:
		return hasRestrict(inner.TypeQualifiers), inner.AssignmentExpression
	}
	return false, nil
}

func hasRestrict(q *cc.TypeQualifiers) bool {
	for ; q != nil; q = q.TypeQualifiers {
		if q.TypeQualifier != nil && q.TypeQualifier.Case == cc.TypeQualifierRestrict {
			return true
		}
	}
	return false
}

// localDeclaration lowers the declarators of a block one by one.
func (l *lowerer) localDeclaration(d *cc.Declaration) []loop.Stmt {
	if d.Case != cc.DeclarationDecl {
		l.unsupported(at(d), "declaration of this form in a block")
	}
	var out []loop.Stmt
	for il := d.InitDeclaratorList; il != nil; il = il.InitDeclaratorList {
		id := il.InitDeclarator
		dd := id.Declarator
		if dd.Name() == "__func__" {
			continue
		}
		where := pos(dd.NameTok().Position())
		ok := l.try(func() {
			if dd.Type().Kind() == cc.Struct && !dd.IsTypename() {
				out = append(out, l.localStructure(dd, id, where)...)
				return
			}
			t, init := l.localScalar(dd, id, where)
			out = append(out, &loop.Decl{At: where, Var: l.newVar(dd.Name(), t, loop.Local, dd.IsConst(), where), Init: init})
		})
		if !ok {
			l.bind(dd.Name(), poison{})
		}
	}
	return out
}

func (l *lowerer) localScalar(d *cc.Declarator, id *cc.InitDeclarator, where loop.Pos) (loop.Type, loop.Expr) {
	l.storage(d, where)
	switch {
	case d.Type().Kind() == cc.Array || d.Type().Kind() == cc.Ptr:
		l.unsupported(where, "local %s %s", typeName(d.Type()), d.Name())
	case d.Type().Kind() == cc.Function:
		l.unsupported(where, "prototype %s in a block", d.Name())
	}
	t := l.scalarType(d.Type(), where)
	if id.Initializer == nil {
		return t, nil
	}
	if id.Initializer.Case != cc.InitializerExpr {
		l.unsupported(where, "initialiser list of %s", d.Name())
	}
	// C's scope of the name begins before its initialiser; the one meant there
	// is the new, unset one.
	if l.mentions(id.Initializer.AssignmentExpression, d.Name()) {
		l.fail(where, "initialiser of %s reads %s", d.Name(), d.Name())
	}
	return t, convertTo(l.expr(id.Initializer.AssignmentExpression), t)
}

// storage refuses what a block cannot declare here.
func (l *lowerer) storage(d *cc.Declarator, where loop.Pos) {
	l.plain(d, where)
	switch {
	case d.IsTypename():
		l.unsupported(where, "typedef %s in a block", d.Name())
	case d.IsStatic(), d.IsExtern():
		l.unsupported(where, "static or extern %s in a block", d.Name())
	}
}

func (l *lowerer) mentions(n cc.Node, name string) bool {
	for _, t := range cc.NodeTokens(n) {
		if t.SrcStr() == name {
			return true
		}
	}
	return false
}
