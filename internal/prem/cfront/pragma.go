package cfront

import (
	"slices"
	"strings"

	"modernc.org/cc/v4"

	"github.com/warpbound/warpbound/internal/prem/loop"
)

// directive is one #pragma line: its tokens after `#pragma`.
type directive struct {
	at     loop.Pos
	tokens []tok
}

type tok struct {
	s  string
	at loop.Pos
}

// pragmas collects the directives of the main file in source order; next is the
// first that no statement has taken yet.
type pragmas struct {
	list     []directive
	next     int
	operator bool // a _Pragma operator was met
}

func (ps *pragmas) add(file string, tokens []cc.Token) {
	if len(tokens) == 0 {
		return
	}
	at := tokens[0].Position()
	if at.Filename != file {
		ps.operator = true
		return
	}
	d := directive{at: loop.Pos{File: file, Line: at.Line, Col: at.Column}}
	for _, t := range tokens {
		if s := strings.TrimSpace(t.SrcStr()); s != "" {
			d.tokens = append(d.tokens, tok{s, pos(t.Position())})
		}
	}
	ps.list = append(ps.list, d)
}

// take gives the directives before a position that none has taken.
func (ps *pragmas) take(before loop.Pos) []directive {
	from := ps.next
	for ps.next < len(ps.list) && ps.list[ps.next].at.Before(before) {
		ps.next++
	}
	return ps.list[from:ps.next]
}

// reader walks the tokens of a directive.
type reader struct {
	l     *lowerer
	d     directive
	i     int
	last  loop.Pos
	depth int
}

func (r *reader) peek() string {
	if r.i < len(r.d.tokens) {
		return r.d.tokens[r.i].s
	}
	return ""
}

func (r *reader) pos() loop.Pos {
	if r.i < len(r.d.tokens) {
		return r.d.tokens[r.i].at
	}
	return r.d.at
}

func (r *reader) next() string {
	s := r.peek()
	r.last = r.pos()
	r.i++
	return s
}

func (r *reader) accept(s string) bool {
	if r.peek() != s {
		return false
	}
	r.next()
	return true
}

func (r *reader) expect(s string) {
	if !r.accept(s) {
		r.l.fail(r.pos(), "OpenMP directive: want %q, have %q", s, r.peek())
	}
}

// words accepts a sequence or nothing of it.
func (r *reader) words(ws ...string) bool {
	for k, w := range ws {
		if r.i+k >= len(r.d.tokens) || r.d.tokens[r.i+k].s != w {
			return false
		}
	}
	r.i += len(ws)
	return true
}

// rest is the directive's text, for messages.
func (r *reader) rest() string {
	s := ""
	for _, t := range r.d.tokens[r.i:] {
		if src := t.s; src == "(" {
			break
		} else if s != "" {
			s += " " + src
		} else {
			s = src
		}
	}
	return s
}

// open decides what a directive is: data, or a kernel when data is false.
func (l *lowerer) open(d directive) (r *reader, data bool) {
	d.tokens = l.expand(d.tokens, nil)
	r = &reader{l: l, d: d, last: d.at}
	if !r.accept("omp") {
		l.unsupported(d.at, "pragma %s", r.rest())
	}
	switch {
	case r.words("target", "teams", "distribute", "parallel", "for"):
		return r, false
	case r.words("target", "data"):
		return r, true
	}
	l.unsupported(d.at, "OpenMP directive %s", r.rest())
	return nil, false
}

// maxClauseTokens bounds a directive after macro replacement.
const maxClauseTokens = 10_000

// expand replaces object-like macros, which keep the position of their use; names
// holds those being replaced.
func (l *lowerer) expand(in []tok, names []string) []tok {
	var out []tok
	for i, t := range in {
		m := l.ast.Macros[t.s]
		if m == nil || slices.Contains(names, t.s) || m.IsFnLike && (i+1 == len(in) || in[i+1].s != "(") {
			out = append(out, t)
			continue
		}
		if m.IsFnLike {
			l.unsupported(t.at, "function-like macro %s in a directive", t.s)
		}
		if at := pos(m.Position()); !m.IsConst || at.File == t.at.File && !at.Before(t.at) {
			l.fail(t.at, "macro %s in a directive has more than one definition or a later one", t.s)
		}
		var body []tok
		for _, r := range m.ReplacementList() {
			if s := strings.TrimSpace(r.SrcStr()); s != "" {
				body = append(body, tok{s, t.at})
			}
		}
		out = append(out, l.expand(body, append(slices.Clip(names), t.s))...)
		if len(out) > maxClauseTokens {
			l.fail(t.at, "directive of more than %d tokens", maxClauseTokens)
		}
	}
	return out
}

// dataClauses reads the clauses of target data.
func (r *reader) dataClauses() *loop.Data {
	s := &loop.Data{At: r.d.at}
	for r.i < len(r.d.tokens) {
		r.accept(",")
		if name := r.next(); name != "map" {
			r.l.unsupported(r.last, "OpenMP clause %s of target data", name)
		}
		s.Maps = append(s.Maps, r.mapClause()...)
	}
	return s
}

// kernelClauses reads the clauses of a kernel's directive.
func (r *reader) kernelClauses() *clauses {
	k := &loop.Nest{At: r.d.at, Collapse: 1}
	c := &clauses{kernel: k, named: make(map[any]bool)}
	k.Simd = r.accept("simd")
	seen := make(map[string]bool)
	for r.i < len(r.d.tokens) {
		r.accept(",")
		name := r.next()
		at := r.last
		switch name {
		case "collapse", "num_teams", "num_threads", "schedule", "default":
			if seen[name] {
				r.l.fail(at, "OpenMP clause %s twice", name)
			}
			seen[name] = true
		}
		switch name {
		case "collapse":
			e := r.parenthesised()
			lit, ok := e.(*loop.IntLit)
			if !ok || lit.Value < 1 || lit.Value > 16 {
				r.l.fail(at, "collapse(%s): want a constant from 1 to 16", loop.ExprText(e))
			}
			k.Collapse = int(lit.Value)
		case "num_teams":
			k.NumTeams = r.parenthesised()
		case "num_threads":
			k.NumThreads = r.parenthesised()
		case "map":
			k.Maps = append(k.Maps, r.mapClause()...)
		case "reduction":
			k.Reductions = append(k.Reductions, r.reduction()...)
		case "firstprivate":
			r.expect("(")
			for first := true; first || r.accept(","); first = false {
				k.FirstPrivate = append(k.FirstPrivate, r.scalars()...)
			}
			r.expect(")")
		case "private", "shared", "default":
			r.dataSharing(c, name)
		case "schedule":
			r.expect("(")
			if kind := r.next(); kind != "static" {
				r.l.fail(r.last, "schedule(%s): want static", kind)
			}
			k.Static = true
			if r.accept(",") {
				k.Chunk = r.expr(0)
			}
			r.expect(")")
		case "nowait":
			r.l.fail(at, "OpenMP clause nowait: the host waits for each kernel")
		default:
			r.l.unsupported(at, "OpenMP clause %s", name)
		}
	}
	c.left = k.Collapse
	return c
}

func (r *reader) parenthesised() loop.Expr {
	r.expect("(")
	e := r.expr(0)
	r.expect(")")
	return e
}

func (r *reader) scalar() *loop.Var {
	name := r.next()
	v, ok := r.l.lookup(name).(*loop.Var)
	if !ok {
		r.l.fail(r.last, "%s in a clause is no scalar variable", name)
	}
	return v
}

// scalars reads a name: a scalar, or a structure with all its members.
func (r *reader) scalars() []*loop.Var {
	s, ok := r.l.lookup(r.peek()).(*structure)
	if !ok {
		return []*loop.Var{r.scalar()}
	}
	r.next()
	return r.variables(s)
}

// variables are a structure's members, unless it is a constant.
func (r *reader) variables(s *structure) []*loop.Var {
	var out []*loop.Var
	for _, x := range s.values {
		v, ok := x.(*loop.Var)
		if !ok {
			r.l.fail(r.last, "constant in a clause")
		}
		out = append(out, v)
	}
	return out
}

func (r *reader) mapClause() []loop.Map {
	r.expect("(")
	kind := loop.ToFrom
	kinds := map[string]loop.MapKind{"to": loop.To, "from": loop.From, "tofrom": loop.ToFrom, "alloc": loop.Alloc}
	if r.i+1 < len(r.d.tokens) && r.d.tokens[r.i+1].s == ":" {
		word := r.next()
		k, ok := kinds[word]
		if !ok {
			r.l.unsupported(r.last, "map type %s", word)
		}
		kind = k
		r.next()
	}
	var out []loop.Map
	for first := true; first || r.accept(","); first = false {
		name := r.next()
		m := loop.Map{At: r.last, Kind: kind}
		var vars []*loop.Var
		var arrays []*loop.Array
		switch o := r.l.lookup(name).(type) {
		case *loop.Var:
			vars = []*loop.Var{o}
		case *loop.Array:
			arrays = []*loop.Array{o}
		case *structure:
			vars = r.variables(o)
		case *table:
			for _, x := range o.record.Members {
				arrays = append(arrays, x.Array)
			}
		default:
			r.l.fail(r.last, "map of %q, which is no variable", name)
		}
		for r.accept("[") {
			var s loop.Section
			if r.peek() == ":" {
				s.Lo = &loop.IntLit{At: r.pos(), T: loop.Int}
			} else {
				s.Lo = r.expr(0)
			}
			r.expect(":")
			s.Len = r.expr(0)
			r.expect("]")
			m.Sections = append(m.Sections, s)
		}
		for _, v := range vars {
			m.Var = v
			out = append(out, m)
		}
		m.Var = nil
		for _, a := range arrays {
			m.Array = a
			out = append(out, m)
		}
	}
	r.expect(")")
	return out
}

func (r *reader) reduction() []loop.Reduction {
	r.expect("(")
	ops := map[string]loop.RedOp{"+": loop.RedAdd, "*": loop.RedMul, "min": loop.RedMin, "max": loop.RedMax}
	name := r.next()
	op, ok := ops[name]
	if !ok {
		r.l.unsupported(r.last, "reduction operator %s", name)
	}
	r.expect(":")
	var out []loop.Reduction
	for first := true; first || r.accept(","); first = false {
		v := r.scalar()
		out = append(out, loop.Reduction{At: r.last, Op: op, Var: v})
	}
	r.expect(")")
	return out
}
