package cfront

import (
	"errors"
	"fmt"
	"strings"

	"modernc.org/cc/v4"
	"modernc.org/token"

	"github.com/warpbound/warpbound/internal/prem/loop"
)

func pos(p token.Position) loop.Pos {
	return loop.Pos{File: p.Filename, Line: p.Line, Col: p.Column}
}

// at is the position of a node's first token.
func at(n cc.Node) loop.Pos { return pos(n.Position()) }

// poison stands for a name whose declaration was refused: its uses are refused
// without a second message.
type poison struct{}

// lowerer carries one translation unit. A name is bound to a *loop.Var, a
// *loop.Array, a *structure, a *table, a *loop.IntLit or *loop.FloatLit (a constant
// of file scope) or poison.
type lowerer struct {
	file    string
	ast     *cc.AST
	ps      *pragmas
	p       *loop.Unit
	scopes  []map[string]any
	loose   []pointer // array parameters of the function that are not restrict
	result  loop.Type // of the function
	region  bool      // in a target data region
	clauses *clauses  // of the kernel around, or nil
	errs    []error
}

// bail unwinds to the statement or declaration in which fail was called.
type bail struct{}

func (l *lowerer) fail(p loop.Pos, format string, args ...any) {
	l.errs = append(l.errs, &loop.Error{Pos: p, Msg: fmt.Sprintf(format, args...)})
	panic(bail{})
}

// unsupported refuses what the representation has no form for.
func (l *lowerer) unsupported(p loop.Pos, format string, args ...any) {
	l.fail(p, format+" is not supported", args...)
}

// try runs f and reports whether it came to its end.
func (l *lowerer) try(f func()) (ok bool) {
	defer func() {
		if r := recover(); r != nil {
			if _, is := r.(bail); !is {
				panic(r)
			}
		}
	}()
	f()
	return true
}

func (l *lowerer) lookup(name string) any {
	for i := len(l.scopes) - 1; i >= 0; i-- {
		if o, ok := l.scopes[i][name]; ok {
			if _, bad := o.(poison); bad {
				panic(bail{})
			}
			return o
		}
	}
	return nil
}

func (l *lowerer) bind(name string, o any) { l.scopes[len(l.scopes)-1][name] = o }
func (l *lowerer) push()                   { l.scopes = append(l.scopes, map[string]any{}) }
func (l *lowerer) pop()                    { l.scopes = l.scopes[:len(l.scopes)-1] }

func (l *lowerer) newVar(name string, t loop.Type, k loop.Kind, isConst bool, p loop.Pos) *loop.Var {
	v := &loop.Var{Name: name, Type: t, Kind: k, Const: isConst, ID: l.p.NumVars, At: p}
	l.p.NumVars++
	l.bind(name, v)
	return v
}

// lower contains panics: what the typed tree holds is the C parser's to answer for.
func lower(file string, ast *cc.AST, ps *pragmas) (p *loop.Unit, err error) {
	l := &lowerer{file: file, ast: ast, ps: ps, p: &loop.Unit{File: file}}
	defer func() {
		if r := recover(); r != nil {
			p, err = nil, fmt.Errorf("%s:1:1: %w: %v", file, errLower, r)
		}
	}()
	l.push()
	for u := ast.TranslationUnit; u != nil; u = u.TranslationUnit {
		e := u.ExternalDeclaration
		if e == nil || at(e).File != file {
			continue
		}
		l.try(func() { l.stray(at(e)) })
		l.try(func() { l.external(e) })
	}
	l.try(func() { l.stray(loop.Pos{File: file, Line: 1 << 30}) })
	if len(l.errs) > 0 {
		return nil, errors.Join(l.errs...)
	}
	return l.p, nil
}

// stray refuses directives before a position: they precede no statement.
func (l *lowerer) stray(before loop.Pos) {
	if ds := l.ps.take(before); len(ds) > 0 {
		text := ""
		for _, t := range ds[0].tokens {
			text += " " + t.s
		}
		if text == " once" {
			l.unsupported(ds[0].at, "#pragma once in a conditional, or with more on its line,")
		}
		l.fail(ds[0].at, "directive%s precedes no loop", text)
	}
}

func (l *lowerer) external(e *cc.ExternalDeclaration) {
	switch e.Case {
	case cc.ExternalDeclarationFuncDef:
		l.function(e.FunctionDefinition)
	case cc.ExternalDeclarationDecl:
		l.attributed(e.Declaration)
		l.fileDeclaration(e.Declaration)
	case cc.ExternalDeclarationAsmStmt:
		l.unsupported(at(e), "asm")
	}
}

func (l *lowerer) function(f *cc.FunctionDefinition) {
	name := f.Declarator.Name()
	where := pos(f.Declarator.NameTok().Position())
	if loop.Math(name) != nil {
		l.unsupported(where, "definition of %s, a function of math.h,", name)
	}
	body := f.CompoundStatement
	end := pos(body.Token2.Position())
	if n := l.ps.next; n >= len(l.ps.list) || !l.ps.list[n].at.Before(end) {
		l.p.Omitted = append(l.p.Omitted, loop.Omitted{Name: name, At: where})
		return
	}
	ft, ok := f.Declarator.Type().(*cc.FunctionType)
	if !ok || ft.IsVariadic() || f.DeclarationList != nil {
		l.ps.take(end)
		l.fail(where, "function %s: want a prototype with the types of all parameters", name)
	}
	out := &loop.Func{Name: name, At: where}
	if !l.try(func() { l.attributed(f); out.Result = l.resultType(name, ft.Result(), where) }) {
		l.ps.take(end)
		return
	}
	l.loose, l.result = nil, out.Result
	l.push()
	defer l.pop()
	if !l.try(func() { l.parameters(out, ft) }) {
		l.ps.take(end)
		return
	}
	l.stray(pos(body.Token.Position()))
	l.push()
	defer l.pop()
	out.Body = l.items(body)
	l.aliases(out)
	l.p.Funcs = append(l.p.Funcs, out)
}

// resultType is the type of what a function returns: a scalar, or nothing.
func (l *lowerer) resultType(name string, t cc.Type, where loop.Pos) loop.Type {
	if t.Kind() == cc.Void {
		return loop.NoType
	}
	s, ok := scalarOf(t)
	if !ok {
		l.unsupported(where, "function %s, whose result is of type %s,", name, typeName(t))
	}
	return s
}

func (l *lowerer) parameters(out *loop.Func, ft *cc.FunctionType) {
	// An extent may name a parameter that follows only in prototypes without
	// definition, so that one pass in order suffices.
	for _, q := range ft.Parameters() {
		if q.Type().Kind() == cc.Void {
			continue
		}
		d := q.Declarator
		if d == nil || q.Name() == "" {
			l.fail(at(q), "parameter without a name")
		}
		where := pos(d.NameTok().Position())
		l.plain(d, where)
		if q.Type().Kind() == cc.Ptr {
			for _, a := range l.arrayParam(d, q.Type(), where) {
				out.Params = append(out.Params, loop.Param{Array: a})
			}
			continue
		}
		if q.Type().Kind() == cc.Struct {
			for _, v := range l.newStructure(q.Name(), q.Type(), loop.Parameter, d.IsConst(), where) {
				out.Params = append(out.Params, loop.Param{Var: v})
			}
			continue
		}
		v := l.newVar(q.Name(), l.scalarType(q.Type(), where), loop.Parameter, d.IsConst(), where)
		out.Params = append(out.Params, loop.Param{Var: v})
	}
}

// plain refuses qualifiers and storage the representation has no form for.
func (l *lowerer) plain(d *cc.Declarator, where loop.Pos) {
	switch {
	case d.IsVolatile():
		l.unsupported(where, "volatile %s", d.Name())
	case d.IsAtomic():
		l.unsupported(where, "_Atomic %s", d.Name())
	case d.IsThreadLocal():
		l.unsupported(where, "_Thread_local %s", d.Name())
	}
}

// scalarType gives the representation's type or refuses the C type by its name.
func (l *lowerer) scalarType(t cc.Type, where loop.Pos) loop.Type {
	s, ok := scalarOf(t)
	if !ok {
		l.unsupported(where, "type %s", typeName(t))
	}
	return s
}

func scalarOf(t cc.Type) (loop.Type, bool) {
	switch t.Kind() {
	case cc.Int:
		return loop.Int, true
	case cc.UInt:
		return loop.Uint, true
	case cc.Long, cc.LongLong:
		return loop.Long, true
	case cc.ULong, cc.ULongLong:
		return loop.Ulong, true
	case cc.Float:
		return loop.Float, true
	case cc.Double:
		return loop.Double, true
	}
	return loop.NoType, false
}

func typeName(t cc.Type) string {
	switch t.Kind() {
	case cc.Struct:
		return "struct"
	case cc.Union:
		return "union"
	case cc.Enum:
		return "enum"
	case cc.Ptr:
		return "pointer"
	case cc.Array:
		return "array"
	}
	return strings.TrimSpace(t.String())
}
