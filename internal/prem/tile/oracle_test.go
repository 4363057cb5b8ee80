package tile_test

import (
	"fmt"
	"math"
	"slices"

	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/prem/tile"
)

// oracle executes a plan tile by tile, thread by thread, following the source's
// expressions and not the planner's analysis, and compares what happens with what
// the plan says. Conditions on data are taken both ways.
type oracle struct {
	plan   *tile.Plan
	env    env
	sample bool // of walks and tiled loops, only some iterations
	body   []loop.Stmt
	// seen counts the executions of SIMT iterations.
	seen map[[4]int64]int
	// trace is what each thread of the tile executed, by the plan.
	trace [][]event
	// of the interval in hand
	boxes map[*loop.Index]*placed
	wrote map[element]*held
	read  map[element][]*tile.Box
	err   error
	// intervals and accesses count what was checked.
	intervals, accesses int
}

// env holds the values of variables, by their numbers.
type env struct{ values []value }

type value struct {
	of *loop.Var // nil for none
	v  int64
}

func (e *env) get(v *loop.Var) (int64, bool) {
	if v.ID < len(e.values) && e.values[v.ID].of == v {
		return e.values[v.ID].v, true
	}
	return 0, false
}

func (e *env) set(v *loop.Var, x int64) {
	for v.ID >= len(e.values) {
		e.values = append(e.values, value{})
	}
	e.values[v.ID] = value{v, x}
}

func (e *env) drop(v *loop.Var) {
	if v.ID < len(e.values) {
		e.values[v.ID] = value{}
	}
}

// placed is a box with the values of its forms in an interval, which threads share.
type placed struct {
	box    *tile.Box
	frames []frame
}

type frame struct{ lo, begin, end int64 }

func (o *oracle) place(b *tile.Box) *placed {
	p := &placed{box: b}
	for _, d := range b.Dims {
		f := frame{o.linear(d.Lo), math.MinInt64, math.MaxInt64}
		for _, l := range d.Begin {
			f.begin = max(f.begin, o.linear(l))
		}
		for _, l := range d.End {
			f.end = min(f.end, o.linear(l))
		}
		p.frames = append(p.frames, f)
	}
	return p
}

// event is an execution of a reference.
type event struct {
	ref  *loop.Index
	subs [4]int64
}

type element struct {
	array *loop.Array
	subs  [4]int64
}

// held is the box through which an element was written, and whether for certain.
type held struct {
	box  *tile.Box
	sure bool
}

func (o *oracle) fail(format string, args ...any) {
	if o.err == nil {
		o.err = fmt.Errorf(format, args...)
	}
}

// eval is the value of an integer expression, false where it depends on data.
func (o *oracle) eval(e loop.Expr) (int64, bool) {
	switch e := e.(type) {
	case *loop.IntLit:
		return e.Value, true
	case *loop.Ref:
		v, ok := o.env.get(e.Var)
		return v, ok
	case *loop.Convert:
		if !e.T.IsInteger() || !e.X.Type().IsInteger() {
			return 0, false
		}
		return o.eval(e.X)
	case *loop.Unary:
		x, ok := o.eval(e.X)
		switch e.Op {
		case loop.Neg:
			return -x, ok
		case loop.Not:
			return truth(x == 0), ok
		}
	case *loop.Cond:
		c, ok := o.eval(e.If)
		if !ok {
			return 0, false
		}
		if c != 0 {
			return o.eval(e.Then)
		}
		return o.eval(e.Else)
	case *loop.Binary:
		x, ok := o.eval(e.X)
		switch {
		case ok && e.Op == loop.LAnd && x == 0:
			return 0, true
		case ok && e.Op == loop.LOr && x != 0:
			return 1, true
		}
		y, ok2 := o.eval(e.Y)
		if !ok || !ok2 {
			return 0, false
		}
		switch e.Op {
		case loop.Add:
			return x + y, true
		case loop.Sub:
			return x - y, true
		case loop.Mul:
			return x * y, true
		case loop.Div:
			return x / y, true
		case loop.Rem:
			return x % y, true
		case loop.Lt:
			return truth(x < y), true
		case loop.Le:
			return truth(x <= y), true
		case loop.Gt:
			return truth(x > y), true
		case loop.Ge:
			return truth(x >= y), true
		case loop.Eq:
			return truth(x == y), true
		case loop.Ne:
			return truth(x != y), true
		case loop.LAnd, loop.LOr:
			return truth(y != 0), true
		}
	}
	return 0, false
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func (o *oracle) must(e loop.Expr) int64 {
	v, ok := o.eval(e)
	if !ok {
		o.fail("%s: the oracle cannot evaluate %s", e.Position(), loop.ExprString(e))
	}
	return v
}

func (o *oracle) linear(l loop.Linear) int64 {
	n := l.Const
	for _, t := range l.Terms {
		v, ok := o.env.get(t.Var)
		if !ok {
			o.fail("form %s names %s, which has no value there", form(l), t.Var.Name)
		}
		n += t.Coef * v
	}
	return n
}

func allows(op loop.Op, v, hi int64) bool {
	switch op {
	case loop.Lt:
		return v < hi
	case loop.Le:
		return v <= hi
	case loop.Gt:
		return v > hi
	}
	return v >= hi
}

// executes reports whether the thread's own loop has the iteration v.
func (o *oracle) executes(l *loop.For, v int64) bool {
	lo, hi := o.must(l.Lo), o.must(l.Hi)
	return (v-lo)%l.Step == 0 && (v-lo)/l.Step >= 0 && allows(l.Cmp, v, hi)
}

// visitor gets each reference that is executed, in order.
type visitor func(x *loop.Index, write, sure bool)

func (o *oracle) stmts(list []loop.Stmt, sure bool, visit visitor) {
	for _, s := range list {
		o.stmt(s, sure, visit)
	}
}

func (o *oracle) stmt(s loop.Stmt, sure bool, visit visitor) {
	switch s := s.(type) {
	case *loop.For:
		lo, hi := o.must(s.Lo), o.must(s.Hi)
		for v := lo; allows(s.Cmp, v, hi) && o.err == nil; v += s.Step {
			o.env.set(s.Var, v)
			o.stmts(s.Body, sure, visit)
		}
		o.env.drop(s.Var)
	case *loop.Block:
		o.stmts(s.Body, sure, visit)
	case *loop.Nest:
		o.stmt(s.Loop, sure, visit)
	case *loop.If:
		o.expr(s.Cond, sure, visit)
		c, ok := o.eval(s.Cond)
		if !ok || c != 0 {
			o.stmts(s.Then, sure && ok, visit)
		}
		if !ok || c == 0 {
			o.stmts(s.Else, sure && ok, visit)
		}
	case *loop.Decl:
		if s.Init != nil {
			o.expr(s.Init, sure, visit)
		}
	case *loop.Assign:
		o.expr(s.RHS, sure, visit)
		if x, ok := s.LHS.(*loop.Index); ok {
			visit(x, true, sure)
		}
	}
}

func (o *oracle) expr(e loop.Expr, sure bool, visit visitor) {
	switch e := e.(type) {
	case *loop.Index:
		visit(e, false, sure)
	case *loop.Unary:
		o.expr(e.X, sure, visit)
	case *loop.Convert:
		o.expr(e.X, sure, visit)
	case *loop.Call:
		for _, a := range e.Args {
			o.expr(a, sure, visit)
		}
	case *loop.Cond:
		o.expr(e.If, sure, visit)
		c, ok := o.eval(e.If)
		if !ok || c != 0 {
			o.expr(e.Then, sure && ok, visit)
		}
		if !ok || c == 0 {
			o.expr(e.Else, sure && ok, visit)
		}
	case *loop.Binary:
		o.expr(e.X, sure, visit)
		if e.Op == loop.LAnd || e.Op == loop.LOr {
			x, ok := o.eval(e.X)
			if ok && (x != 0) == (e.Op == loop.LOr) {
				return
			}
			o.expr(e.Y, sure && ok, visit)
			return
		}
		o.expr(e.Y, sure, visit)
	}
}

func (o *oracle) event(x *loop.Index) event {
	ev := event{ref: x}
	for d, s := range x.Subs {
		ev.subs[d] = o.must(s)
	}
	return ev
}

// run checks the tiles of the SIMT space that pick chooses.
func (o *oracle) run(pick func(tile, tiles int64) bool) error {
	dims := o.plan.Dims
	lo, n, tiles := make([]int64, len(dims)), make([]int64, len(dims)), make([]int64, len(dims))
	total, space := int64(1), int64(1)
	for d, x := range dims {
		lo[d] = o.must(x.Loop.Lo)
		hi := o.must(x.Loop.Hi)
		for v := lo[d]; allows(x.Loop.Cmp, v, hi); v += x.Loop.Step {
			n[d]++
		}
		size := x.Threads * x.Per
		tiles[d] = (n[d] + size - 1) / size
		total *= tiles[d]
		space *= n[d]
	}
	o.seen = make(map[[4]int64]int)
	all := true
	for q := range total {
		if !pick(q, total) {
			all = false
			continue
		}
		at, r := make([]int64, len(dims)), q
		for d := len(dims) - 1; d >= 0; d-- {
			at[d] = r % tiles[d]
			r /= tiles[d]
			o.env.set(dims[d].Origin, lo[d]+dims[d].Loop.Step*dims[d].Threads*dims[d].Per*at[d])
		}
		o.tile()
		if o.err != nil {
			return fmt.Errorf("tile %d: %w", q, o.err)
		}
	}
	if all && !o.sample {
		if int64(len(o.seen)) != space {
			o.fail("%d SIMT iterations executed, there are %d", len(o.seen), space)
		}
		for it, c := range o.seen {
			if c != 1 {
				o.fail("SIMT iteration %v executed %d times", it, c)
			}
		}
	}
	return o.err
}

// iterations calls f for each SIMT iteration of a thread in the tile, in order.
func (o *oracle) iterations(thread int64, f func(it [4]int64)) {
	dims := o.plan.Dims
	c := make([]int64, len(dims))
	for d := len(dims) - 1; d >= 0; d-- {
		c[d] = thread % dims[d].Threads
		thread /= dims[d].Threads
	}
	var it [4]int64
	var nest func(d int)
	nest = func(d int) {
		if d == len(dims) {
			f(it)
			return
		}
		x := dims[d]
		for k := range x.Per {
			origin, _ := o.env.get(x.Origin)
			v := origin + x.Loop.Step*(c[d]+k*x.Threads)
			if o.executes(x.Loop, v) {
				o.env.set(x.Loop.Var, v)
				it[d] = v
				nest(d + 1)
				o.env.drop(x.Loop.Var)
			}
		}
	}
	nest(0)
}

func (o *oracle) tile() {
	o.trace = make([][]event, o.plan.Threads)
	o.nodes(o.plan.Body, nil)
	if o.sample {
		return
	}
	for t := range o.plan.Threads {
		var want []event
		o.iterations(t, func(it [4]int64) {
			o.seen[it]++
			o.stmts(o.body, true, func(x *loop.Index, _, _ bool) { want = append(want, o.event(x)) })
		})
		if !slices.Equal(want, o.trace[t]) {
			o.fail("thread %d executes %d references, not the %d of the source in its order", t, len(o.trace[t]), len(want))
		}
	}
}

// common gives the values of a loop over all threads.
func (o *oracle) common(l *loop.For, lo, hi []loop.Linear, step int64) []int64 {
	if len(lo) == 0 || len(hi) == 0 {
		o.fail("loop over %s without bounds", l.Var.Name)
		return nil
	}
	v := o.linear(lo[0])
	for _, f := range lo {
		if l.Step > 0 {
			v = max(v, o.linear(f))
		} else {
			v = min(v, o.linear(f))
		}
	}
	var out []int64
next:
	for ; ; v += step {
		for _, f := range hi {
			if !allows(l.Cmp, v, o.linear(f)) {
				break next
			}
		}
		out = append(out, v)
	}
	if n := len(out); o.sample && n > 4 {
		out = []int64{out[0], out[1], out[n/2], out[n-1]}
	}
	return out
}

// walked are the walks around the node in hand.
type walked struct {
	l *loop.For
	v int64
}

func (o *oracle) nodes(list []tile.Node, around []walked) {
	for _, n := range list {
		if o.err != nil {
			return
		}
		switch n := n.(type) {
		case *tile.Plain:
			o.threads(n.Stmts, nil, around, func(x *loop.Index, _, _ bool) {
				o.fail("%s: reference in a run of plain statements", x.At)
			})
		case *tile.Walk:
			for _, v := range o.common(n.Loop, n.Lo, n.Hi, n.Loop.Step) {
				o.env.set(n.Loop.Var, v)
				o.nodes(n.Body, append(slices.Clone(around), walked{n.Loop, v}))
			}
			o.env.drop(n.Loop.Var)
		case *tile.Interval:
			if n.Tile == nil {
				o.interval(n, around)
				continue
			}
			t := n.Tile
			for _, v := range o.common(t.Loop, t.Lo, t.Hi, t.Loop.Step*t.Count) {
				o.env.set(t.Origin, v)
				o.interval(n, around)
			}
			o.env.drop(t.Origin)
		}
	}
}

// threads executes an interval's statements in all threads that take part.
func (o *oracle) threads(list []loop.Stmt, t *tile.TileLoop, around []walked, visit visitor) {
	for th := range o.plan.Threads {
		o.iterations(th, func([4]int64) {
			for _, w := range around {
				if !o.executes(w.l, w.v) {
					return
				}
			}
			record := func(x *loop.Index, write, sure bool) {
				if !o.sample {
					o.trace[th] = append(o.trace[th], o.event(x))
				}
				visit(x, write, sure)
			}
			if t == nil {
				o.stmts(list, true, record)
				return
			}
			org, _ := o.env.get(t.Origin)
			for m := range t.Count {
				v := org + m*t.Loop.Step
				if o.executes(t.Loop, v) {
					o.env.set(t.Loop.Var, v)
					o.stmts(t.Loop.Body, true, record)
					o.env.drop(t.Loop.Var)
				}
			}
		})
	}
}

func (o *oracle) interval(n *tile.Interval, around []walked) {
	o.intervals++
	o.boxes = make(map[*loop.Index]*placed)
	var all []*placed
	for _, b := range n.Boxes {
		p := o.place(b)
		all = append(all, p)
		for _, r := range b.Refs {
			if o.boxes[r] != nil {
				o.fail("%s: reference in two boxes", r.At)
			}
			o.boxes[r] = p
		}
	}
	o.wrote, o.read = make(map[element]*held), make(map[element][]*tile.Box)
	o.threads(n.Stmts, n.Tile, around, o.access)
	for el, h := range o.wrote {
		for _, b := range o.read[el] {
			if b != h.box {
				o.fail("element %v of %s is written in one box and accessed in another", el.subs, el.array.Name)
			}
		}
	}
	holders := make(map[element][]*tile.Box)
	for _, p := range all {
		b := p.box
		o.contents(p, func(el element) {
			holders[el] = append(holders[el], b)
			h := o.wrote[el]
			if b.Exact && (h == nil || h.box != b || !h.sure) {
				o.fail("exact box of %s: element %v is not written", b.Array.Name, el.subs)
			}
		})
	}
	for el, list := range holders {
		for i, b := range list {
			for _, c := range list[:i] {
				if !b.Written && !c.Written && !slices.Contains(b.After, c) {
					o.fail("element %v of %s is loaded twice", el.subs, el.array.Name)
				}
			}
		}
	}
}

// access checks one executed reference.
func (o *oracle) access(x *loop.Index, write, sure bool) {
	if o.err != nil {
		return
	}
	o.accesses++
	p := o.boxes[x]
	if p == nil {
		o.fail("%s: reference in no box", x.At)
		return
	}
	b := p.box
	if write && !b.Written || !write && !b.Read {
		o.fail("%s: the box of %s does not know of the access", x.At, x.Array.Name)
	}
	ev := o.event(x)
	for d, s := range b.Dims {
		v, f := ev.subs[d], p.frames[d]
		if (v-f.lo)%s.Step != 0 || v < f.lo || (v-f.lo)/s.Step >= s.Count || v < f.begin || v > f.end {
			o.fail("%s: subscript %d of %s is %d, outside the box from %d, %d of step %d, between %d and %d",
				x.At, d, x.Array.Name, v, f.lo, s.Count, s.Step, f.begin, f.end)
		}
	}
	el := element{x.Array, ev.subs}
	if write {
		switch h := o.wrote[el]; {
		case h == nil:
			o.wrote[el] = &held{b, sure}
		case h.box != b:
			o.fail("element %v of %s is written in two boxes", el.subs, el.array.Name)
		case sure:
			h.sure = true
		}
	} else if !slices.Contains(o.read[el], b) {
		o.read[el] = append(o.read[el], b)
	}
}

// contents calls f on the elements that a box holds, which must lie in the array.
func (o *oracle) contents(p *placed, f func(element)) {
	b := p.box
	el := element{array: b.Array}
	var nest func(d int)
	nest = func(d int) {
		if d == len(b.Dims) {
			f(el)
			return
		}
		s, fr := b.Dims[d], p.frames[d]
		for q := range s.Count {
			v := fr.lo + q*s.Step
			if v < fr.begin || v > fr.end {
				continue
			}
			if x := b.Array.Extents[d]; v < 0 || x != nil && v >= o.must(x) {
				o.fail("the box of %s holds subscript %d of dimension %d", b.Array.Name, v, d)
				return
			}
			el.subs[d] = v
			nest(d + 1)
		}
	}
	nest(0)
}
