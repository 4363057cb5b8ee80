package cfront

import (
	"modernc.org/cc/v4"

	"github.com/warpbound/warpbound/internal/prem/loop"
)

// clauses are a kernel with what its directive says and loop.Nest has no form for.
type clauses struct {
	kernel  *loop.Nest
	left    int // collapsed loops that are still to come
	private []private
	none    bool         // default(none)
	named   map[any]bool // variables and arrays of data-sharing clauses
}

// private is one list item of a private clause.
type private struct {
	name string
	at   loop.Pos
	v    *loop.Var
}

// dataSharing reads private, shared and default; name is the clause's.
func (r *reader) dataSharing(c *clauses, name string) {
	r.expect("(")
	defer r.expect(")")
	if name == "default" {
		switch kind := r.next(); kind {
		case "shared":
		case "none":
			c.none = true
		default:
			r.l.fail(r.last, "default(%s): want shared or none", kind)
		}
		return
	}
	for first := true; first || r.accept(","); first = false {
		item := r.next()
		switch o := r.l.lookup(item).(type) {
		case *loop.Var:
			if name == "private" {
				if o.Kind != loop.Local || o.Const {
					r.l.fail(r.last, "private(%s): want a local variable that can be assigned", item)
				}
				c.private = append(c.private, private{item, r.last, o})
			}
			c.named[o] = true
			continue
		case *loop.Array:
			if name == "shared" {
				c.named[o] = true
				continue
			}
		case *table:
			if name == "shared" {
				for _, m := range o.record.Members {
					c.named[m.Array] = true
				}
				continue
			}
		case *structure:
			if name == "shared" {
				for _, v := range o.values {
					c.named[v] = true
				}
				continue
			}
		}
		r.l.fail(r.last, "%s(%s): want a variable%s", name, item, map[bool]string{true: " or an array", false: " of scalar type"}[name == "shared"])
	}
}

// body lowers the body of one of the kernel's loops. Private variables are declared
// anew in the innermost collapsed one: what an iteration reads it has to set
// itself, as the loop's schedule leaves open which thread it runs on.
func (c *clauses) body(l *lowerer, s *cc.Statement) []loop.Stmt {
	if c != nil && c.left > 0 {
		if c.left--; c.left == 0 && len(c.private) > 0 {
			l.push()
			defer l.pop()
			var out []loop.Stmt
			for _, p := range c.private {
				out = append(out, &loop.Decl{At: p.at, Var: l.newVar(p.name, p.v.Type, loop.Local, false, p.at)})
			}
			return append(out, l.body(s)...)
		}
	}
	return l.body(s)
}

// listed refuses an item of two clauses and, under default(none), a variable of
// none.
func (l *lowerer) listed(c *clauses) {
	k := c.kernel
	named := make(map[any]bool)
	for _, v := range k.FirstPrivate {
		named[v] = true
	}
	for _, x := range k.Reductions {
		named[x.Var] = true
	}
	for _, m := range k.Maps {
		if m.Var != nil {
			named[m.Var] = true
		} else {
			named[m.Array] = true
		}
	}
	seen := make(map[*loop.Var]bool)
	for _, p := range c.private {
		if named[p.v] || seen[p.v] {
			l.fail(p.at, "%s stands in two clauses", p.name)
		}
		seen[p.v] = true
	}
	if !c.none {
		return
	}
	own := make(map[*loop.Var]bool)
	loop.WalkStmts([]loop.Stmt{k.Loop}, func(s loop.Stmt) {
		switch s := s.(type) {
		case *loop.For:
			own[s.Var] = true
		case *loop.Decl:
			own[s.Var] = true
		}
	})
	need := func(key any, name string, where loop.Pos) {
		if !named[key] && !c.named[key] {
			l.fail(where, "default(none): %s stands in no clause", name)
		}
	}
	loop.WalkExprs([]loop.Stmt{k.Loop}, func(e loop.Expr) {
		switch e := e.(type) {
		case *loop.Ref:
			if !own[e.Var] {
				need(e.Var, e.Var.Name, e.At)
			}
		case *loop.Index:
			need(e.Array, e.Array.Name, e.At)
		}
	})
}
