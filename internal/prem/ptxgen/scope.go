package ptxgen

import (
	"slices"

	"github.com/warpbound/warpbound/internal/prem/loop"
)

// scope is a stretch of code that is executed as a whole: what is computed in it
// holds until its end. depth counts the loops around it, the kernel as a whole as
// the first, so that code of depth 0 is executed once.
type scope struct {
	parent *scope
	depth  int
	out    *block
	cache  map[string]string // what is computed, by key, to the operand
}

func newScope(parent *scope, depth int) *scope {
	return &scope{parent, depth, &block{}, make(map[string]string)}
}

func (g *gen) lookup(key string) (string, bool) {
	for s := g.cur; s != nil; s = s.parent {
		if op, ok := s.cache[key]; ok {
			return op, true
		}
	}
	return "", false
}

// atLevel runs f before the outermost loop in which something of that level
// does not change, or here if there is none, and remembers the result there
// under key.
func (g *gen) atLevel(level int, key string, f func() string) string {
	if op, ok := g.lookup(key); ok {
		return op
	}
	here := g.cur
	if level < here.depth {
		g.cur = g.loops[level].pre
	}
	op := f()
	g.cur.cache[key] = op
	g.cur = here
	return op
}

// inside runs f in a scope of its own within the current one and gives its code.
func (g *gen) inside(f func()) *block {
	here := g.cur
	g.cur = newScope(here, here.depth)
	b := g.cur.out
	f()
	g.cur = here
	return b
}

// binding is what a variable stands for. Which of the fields are set tells apart:
// an induction variable (of), a value in a register that nothing assigns any more
// (op), a variable that is assigned (op, assigned), and a name for an
// expression that is computed where it is used (init).
type binding struct {
	ref      *loop.Ref // that names it as long as the kernel is generated
	level    int
	op       string
	assigned bool
	of       *loopState
	init     loop.Expr
	sum      poly // of init
	sym      int  // where neither assigned nor init is set
}

// symbol is an unknown of a poly.
type symbol struct {
	level    int
	volatile bool      // good at this place only
	typ      loop.Type // of op; Long for addresses
	op       string    // or "" where expr or of says
	expr     loop.Expr
	of       *loopState
	span     span
	address  bool // where a buffer or the scratchpad starts
}

// newSymbol adds a symbol, which may be anything of its type.
func (g *gen) newSymbol(s symbol) int {
	s.span = spanOf(s.typ)
	g.symbols = append(g.symbols, s)
	return len(g.symbols) - 1
}

// known is the binding of a variable; a use outside its scope is an error.
func (g *gen) known(e *loop.Ref) *binding {
	if b := g.vars[e.Var]; b != nil {
		return b
	}
	g.fail(e.At, "%s is used where it is not declared", e.Var.Name)
	g.bindValue(e.Var, "0", 0)
	return g.vars[e.Var]
}

// bindValue makes v stand for a register that keeps its value. A variable that is
// assigned where it is declared stands for one after the other: expressions that
// are kept name the value, not the variable.
func (g *gen) bindValue(v *loop.Var, op string, level int) *symbol {
	n := g.newSymbol(symbol{level: level, typ: v.Type, op: op})
	value := &loop.Var{Name: v.Name, Type: v.Type, Kind: v.Kind, ID: -1 - n, At: v.At}
	b := &binding{ref: &loop.Ref{At: v.At, Var: value}, level: level, op: op, sym: n}
	g.vars[v], g.vars[value] = b, b
	return &g.symbols[n]
}

// info says from which depth on an expression keeps its value, and whether it can
// be computed at any place from there on: it reads no memory and no variable that
// is assigned.
func (g *gen) info(e loop.Expr) (level int, pure bool) {
	pure = true
	join := func(list ...loop.Expr) {
		for _, x := range list {
			l, p := g.info(x)
			level, pure = max(level, l), pure && p
		}
	}
	switch e := e.(type) {
	case *loop.Ref:
		b := g.known(e)
		return b.level, !b.assigned
	case *loop.Index:
		return g.cur.depth, false
	case *loop.Unary:
		join(e.X)
	case *loop.Binary:
		join(e.X, e.Y)
	case *loop.Cond:
		join(e.If, e.Then, e.Else)
	case *loop.Call:
		join(e.Args...)
	case *loop.Convert:
		join(e.X)
	}
	return level, pure
}

// resolve replaces names of expressions by these, and names of values by those that
// last: what is kept may be needed after the names' scope, or after an assignment.
func (g *gen) resolve(e loop.Expr) loop.Expr {
	switch e := e.(type) {
	case *loop.Ref:
		switch b := g.known(e); {
		case b.init != nil:
			return b.init
		case b.ref != nil:
			return b.ref
		}
	case *loop.Unary:
		return &loop.Unary{At: e.At, Op: e.Op, X: g.resolve(e.X)}
	case *loop.Binary:
		return &loop.Binary{At: e.At, Op: e.Op, X: g.resolve(e.X), Y: g.resolve(e.Y)}
	case *loop.Cond:
		return &loop.Cond{At: e.At, If: g.resolve(e.If), Then: g.resolve(e.Then), Else: g.resolve(e.Else)}
	case *loop.Call:
		args := make([]loop.Expr, len(e.Args))
		for i, a := range e.Args {
			args[i] = g.resolve(a)
		}
		return &loop.Call{At: e.At, Fn: e.Fn, Args: args}
	case *loop.Convert:
		return &loop.Convert{At: e.At, T: e.T, X: g.resolve(e.X), Implicit: e.Implicit}
	}
	return e
}

// reads reports whether an expression reads an array.
func reads(e loop.Expr) bool {
	switch e := e.(type) {
	case *loop.Index:
		return true
	case *loop.Unary:
		return reads(e.X)
	case *loop.Binary:
		return reads(e.X) || reads(e.Y)
	case *loop.Cond:
		return reads(e.If) || reads(e.Then) || reads(e.Else)
	case *loop.Call:
		return slices.ContainsFunc(e.Args, reads)
	case *loop.Convert:
		return reads(e.X)
	}
	return false
}
