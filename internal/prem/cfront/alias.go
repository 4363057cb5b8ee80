package cfront

import (
	"fmt"

	"github.com/warpbound/warpbound/internal/prem/loop"
)

// pointer is an array parameter without restrict.
type pointer struct {
	name   string
	at     loop.Pos
	arrays []*loop.Array
}

// aliases refuses parameters that may overlap with something written: of two arrays
// neither of which is a restrict parameter, one is written in the function. (What
// a restrict parameter accesses and anyone writes, no other name accesses: C99
// 6.7.3.1.)
func (l *lowerer) aliases(f *loop.Func) {
	if len(l.loose) == 0 {
		return
	}
	used, written := accesses(f.Body)
	type object struct {
		name string
		used bool
		set  bool
	}
	touch := func(name string, list ...*loop.Array) object {
		o := object{name: name}
		for _, a := range list {
			o.used = o.used || used[a]
			o.set = o.set || written[a]
		}
		return o
	}
	var objects []object
	for _, p := range l.loose {
		objects = append(objects, touch(p.name, p.arrays...))
	}
	seen := make(map[*loop.Record]bool)
	for _, a := range l.p.Arrays {
		switch {
		case a.Record == nil:
			objects = append(objects, touch(a.Name, a))
		case !seen[a.Record]:
			seen[a.Record] = true
			var list []*loop.Array
			for _, m := range a.Record.Members {
				list = append(list, m.Array)
			}
			objects = append(objects, touch(a.Record.Name, list...))
		}
	}
	for i, p := range l.loose {
		// Pairs of parameters are looked at once, from the first.
		for _, o := range objects[i+1:] {
			me := objects[i]
			if !me.used || !o.used || !me.set && !o.set {
				continue
			}
			which := p.name
			if !me.set {
				which = o.name
			}
			l.errs = append(l.errs, &loop.Error{Pos: p.at, Msg: fmt.Sprintf("parameter %s may point into %s, and %s is written: expected restrict where they never overlap, as in *restrict %s or %s[restrict n]", p.name, o.name, which, p.name, p.name)})
			break
		}
	}
}

// accesses lists the arrays that statements read or write, and those they write.
func accesses(list []loop.Stmt) (used, written map[*loop.Array]bool) {
	used, written = make(map[*loop.Array]bool), make(map[*loop.Array]bool)
	loop.WalkExprs(list, func(e loop.Expr) {
		if i, ok := e.(*loop.Index); ok {
			used[i.Array] = true
		}
	})
	loop.WalkStmts(list, func(s loop.Stmt) {
		if a, ok := s.(*loop.Assign); ok {
			if i, ok := a.LHS.(*loop.Index); ok {
				written[i.Array] = true
			}
		}
	})
	return used, written
}
