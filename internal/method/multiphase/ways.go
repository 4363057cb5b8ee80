package multiphase

import (
	"context"
	"errors"
	"math/bits"
	"slices"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/choice"
	"github.com/warpbound/warpbound/internal/method"
)

// Variables of wayMachine; units and registers follow.
const (
	wayNext  = iota // earliest issue of the next instruction
	wayEnd          // latest completion
	wayFixed        // number of the variables above
)

// wayInst is an instruction over the variables of wayMachine.
type wayInst struct {
	unit         int32
	init, lambda int64
	srcs, writes []int32
	price        int64 // that everything is moved back by (choice.Limits)
}

// wayMachine is isoMachine without phases: every variable after an instruction is
// a maximum of sums of variables before it, so vectors of several paths may be
// joined by their maxima (docs/soundness/inputs.md, lemma J). A register that
// nothing has written yet is 0, no later than any issue.
type wayMachine struct {
	insts []wayInst // by symbol
	kind  isoKind
	x     []int64
	c     choices
}

func (m *wayMachine) vars() []int64 { return m.x }
func (m *wayMachine) log() *choices { return &m.c }
func (m *wayMachine) jumped()       {}

func (m *wayMachine) run(symbols []int32) {
	x := m.x
	on := m.c.on
	for _, id := range symbols {
		in := &m.insts[id]
		issue := x[wayNext]
		for _, r := range in.srcs {
			issue = m.later(issue, x[r], on)
		}
		dispatch := m.later(issue, x[in.unit], on)
		x[in.unit] = dispatch + in.init
		done := dispatch + in.lambda
		x[wayEnd] = m.later(x[wayEnd], done, on)
		for _, w := range in.writes {
			x[w] = done
		}
		switch m.kind {
		case isoQueued:
			x[wayNext] = issue + 1
		case isoBlocking:
			x[wayNext] = dispatch + 1
		default:
			x[wayNext] = dispatch + in.init
		}
		if in.price != 0 {
			for i := range x {
				x[i] -= in.price
			}
		}
	}
}

func (m *wayMachine) later(a, b int64, on bool) int64 {
	if b > a {
		if on {
			m.c.add(1, b-a)
		}
		return b
	}
	if on {
		m.c.add(0, a-b)
	}
	return a
}

// raise sets variables to the maximum of what they are and of values.
func (m *wayMachine) raise(vars []int32, values []int64) {
	on := m.c.on
	for i, v := range vars {
		m.x[v] = m.later(m.x[v], values[i], on)
	}
}

// wayTable is a table of instructions over the variables of wayMachine, and what
// is known of the expressions over it.
type wayTable struct {
	insts []wayInst
	vars  int
	nodes map[*choice.Expr]*wayNode
	// maxOrders is up to how many steps every order of parts is followed.
	maxOrders int64
}

// wayNode is what the evaluation of an expression needs to know beforehand.
type wayNode struct {
	vars []int32 // that some instruction of it may change, ascending
	cost int64   // steps of an evaluation, roughly
	// orders: of an Any, every order is followed by itself.
	orders bool
}

// newWayTable numbers the variables of the instructions; low knows the registers
// that somebody reads.
func newWayTable(ops []method.Op, low *lowerer, units int) *wayTable {
	t := &wayTable{insts: make([]wayInst, len(ops)), vars: wayFixed + units + len(low.def), nodes: map[*choice.Expr]*wayNode{}}
	register := func(list []int32) []int32 {
		var out []int32
		for _, r := range list {
			if int(r) < len(low.reg) && low.reg[r] >= 0 {
				out = append(out, int32(wayFixed+units)+low.reg[r])
			}
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
	for i := range ops {
		op := &ops[i]
		t.insts[i] = wayInst{
			unit: int32(wayFixed + op.Unit), init: op.InitCycles, lambda: op.InitCycles + op.LatencyCycles,
			srcs: register(op.Reads), writes: register(op.Writes),
		}
	}
	return t
}

// all are all variables.
func (t *wayTable) all() []int32 {
	out := make([]int32, t.vars)
	for i := range out {
		out[i] = int32(i)
	}
	return out
}

// priced is the table in which every instruction moves all variables back by the price of
// its symbol.
func (t *wayTable) priced(price []int64) *wayTable {
	out := &wayTable{insts: slices.Clone(t.insts), vars: t.vars, nodes: map[*choice.Expr]*wayNode{}, maxOrders: t.maxOrders}
	for s := range out.insts {
		out.insts[s].price = price[s]
	}
	return out
}

// isolatedUnder is isolatedWays of the paths that respect the limits of the section: a path
// is as much longer than with prices as it pays (docs/soundness/covering.md, theorem 44
// (facts)).
func (a *Analyzer) isolatedUnder(ctx context.Context, sec *section, kind isoKind) (*isolated, error) {
	end, _, err := sec.limit.Under(sec.ways, choice.Values{
		Of: func(price []int64) (int64, error) {
			table := sec.table
			if price != nil {
				table = table.priced(price)
			}
			r, err := a.isolatedWays(ctx, table, sec.ways, kind)
			switch {
			case errors.Is(err, bound.ErrOverflow) && price != nil:
				return 0, choice.ErrOverflow
			case err != nil:
				return 0, err
			}
			return r.end, nil
		},
		Run: sec.table.again(kind),
	})
	if err != nil {
		return nil, err
	}
	return &isolated{end: end}, nil
}

// again is how much later a Run ends that is executed behind itself: what it adds to the time
// of a path, where it is the body of a loop.
func (t *wayTable) again(kind isoKind) func(run *choice.Expr) int64 {
	return func(run *choice.Expr) int64 {
		m := &wayMachine{insts: t.insts, kind: kind, x: make([]int64, t.vars)}
		m.run(run.Run())
		first := m.x[wayEnd]
		m.run(run.Run())
		return m.x[wayEnd] - first
	}
}

// Limits of the evaluation. Up to maxOrders steps, every order of the parts of an
// Any is followed by itself. A loop that is not periodic after maxPatience steps is no
// longer followed, and each time that happens patience halves, down to minPatience.
const (
	maxOrders   = 1 << 16
	maxPatience = 1 << 21
	minPatience = 1 << 12
	maxCost     = int64(1) << 40
)

// node prepares an expression and its parts.
func (t *wayTable) node(e *choice.Expr) *wayNode {
	if n := t.nodes[e]; n != nil {
		return n
	}
	n := &wayNode{}
	t.nodes[e] = n
	sum := int64(0)
	for _, p := range e.Parts() {
		q := t.node(p)
		n.vars = append(n.vars, q.vars...)
		sum = min(sum+q.cost, maxCost)
	}
	joins := int64(1 + len(n.vars)/4)
	switch e.Kind() {
	case choice.Run:
		n.cost = int64(len(e.Run()))
		n.vars = append(n.vars, wayNext, wayEnd)
		for _, s := range e.Run() {
			n.vars = append(append(n.vars, t.insts[s].unit), t.insts[s].writes...)
			if t.insts[s].price != 0 {
				n.vars = t.all()
				break
			}
		}
	case choice.Concat:
		n.cost = sum
	case choice.One:
		n.cost = sum + joins
	case choice.Any:
		k := len(e.Parts())
		n.cost = int64(k) * (sum + joins)
		if k <= 6 && (sum+joins)<<(k-1) <= t.maxOrders {
			n.orders, n.cost = true, (sum+joins)<<(k-1)
		}
	case choice.Repeat, choice.AtMost:
		body := t.node(e.Body())
		n.vars = append(n.vars, body.vars...)
		n.cost = body.cost * min(e.Count(), 8)
	}
	slices.Sort(n.vars)
	n.vars = slices.Clip(slices.Compact(n.vars))
	n.cost = min(n.cost, maxCost)
	return n
}

// ways evaluates expressions over a vector of variables.
type ways struct {
	folder
	m     *wayMachine
	table *wayTable
	free  [][]int64
}

// isolatedWays is the largest isolated time of any path of an expression, or a
// little more: see docs/soundness/inputs.md, theorem 40 (several paths).
func (a *Analyzer) isolatedWays(ctx context.Context, t *wayTable, e *choice.Expr, kind isoKind) (*isolated, error) {
	m := &wayMachine{insts: t.insts, kind: kind, x: make([]int64, t.vars)}
	w := ways{folder: folder{ctx: ctx, m: m, steps: a.opt.MaxSteps, maxLog: a.maxLog, lifts: true, patience: a.patience}, m: m, table: t}
	if err := w.expr(e); err != nil {
		return nil, err
	}
	if err := w.check(); err != nil {
		return nil, err
	}
	return &isolated{end: m.x[wayEnd]}, nil
}

// expr takes the vector from before an expression to behind it, whichever path
// is taken.
func (w *ways) expr(e *choice.Expr) error {
	switch e.Kind() {
	case choice.Run:
		return w.run(e.Run())
	case choice.Concat:
		for _, p := range e.Parts() {
			if err := w.expr(p); err != nil {
				return err
			}
		}
	case choice.Repeat:
		return w.loop(e.Count(), func() error { return w.expr(e.Body()) })
	case choice.AtMost:
		vars := w.table.node(e.Body()).vars
		return w.loop(e.Count(), func() error { return w.orNot(vars, e.Body()) })
	case choice.One:
		return w.one(w.table.node(e).vars, e.Parts())
	case choice.Any:
		return w.any(w.table.node(e), e.Parts())
	}
	return nil
}

// orNot follows an expression or leaves it out.
func (w *ways) orNot(vars []int32, e *choice.Expr) error {
	before := w.save(vars)
	defer w.drop(before)
	if err := w.expr(e); err != nil {
		return err
	}
	w.m.raise(vars, before)
	return nil
}

// one follows exactly one of the parts.
func (w *ways) one(vars []int32, parts []*choice.Expr) error {
	before := w.save(vars)
	defer w.drop(before)
	best, err := w.best(vars, len(parts), func(i int) error {
		w.restore(vars, before)
		return w.expr(parts[i])
	})
	w.drop(best)
	return err
}

// best joins what n ways lead to, and leaves it as the vector and as the result.
func (w *ways) best(vars []int32, n int, way func(i int) error) ([]int64, error) {
	best := w.save(vars)
	for i := range n {
		if err := way(i); err != nil {
			return best, err
		}
		if i > 0 {
			w.m.raise(vars, best)
		}
		for j, v := range vars {
			best[j] = w.m.x[v]
		}
	}
	return best, nil
}

// any follows each of any selection of the parts, in any order.
func (w *ways) any(n *wayNode, parts []*choice.Expr) error {
	if n.orders {
		return w.orders(n.vars, parts)
	}
	if len(parts) == 2 {
		// The shorter part before and behind the longer one: every order is a part
		// of that.
		short, long := parts[0], parts[1]
		if w.table.node(short).cost > w.table.node(long).cost {
			short, long = long, short
		}
		for _, p := range [3]*choice.Expr{short, long, short} {
			if err := w.orNot(w.table.node(p).vars, p); err != nil {
				return err
			}
		}
		return nil
	}
	for range parts {
		before := w.save(n.vars)
		err := w.one(n.vars, parts)
		w.m.raise(n.vars, before)
		w.drop(before)
		if err != nil {
			return err
		}
	}
	return nil
}

// orders follows every order of every selection: behind a selection is the join,
// over its last part, of that part behind the others.
func (w *ways) orders(vars []int32, parts []*choice.Expr) error {
	behind := make([][]int64, 1<<len(parts))
	behind[0] = w.save(vars)
	defer func() {
		for _, v := range behind {
			w.drop(v)
		}
	}()
	for mask := 1; mask < len(behind); mask++ {
		var last []int
		for left := uint(mask); left != 0; left &= left - 1 {
			last = append(last, bits.TrailingZeros(left))
		}
		var err error
		behind[mask], err = w.best(vars, len(last), func(i int) error {
			w.restore(vars, behind[mask&^(1<<last[i])])
			return w.expr(parts[last[i]])
		})
		if err != nil {
			return err
		}
	}
	for _, v := range behind[:len(behind)-1] {
		w.m.raise(vars, v)
	}
	return nil
}

func (w *ways) save(vars []int32) []int64 {
	var out []int64
	if n := len(w.free); n > 0 {
		out, w.free = w.free[n-1][:0], w.free[:n-1]
	}
	for _, v := range vars {
		out = append(out, w.m.x[v])
	}
	return out
}

func (w *ways) restore(vars []int32, values []int64) {
	for i, v := range vars {
		w.m.x[v] = values[i]
	}
}

// drop gives a saved vector back.
func (w *ways) drop(values []int64) {
	if values != nil {
		w.free = append(w.free, values)
	}
}

// lift ends a loop that takes long to become periodic. The last group of
// iterations moved no variable by more than some c; no later group does, since
// time only shifts what a loop does. So all variables are moved by c for each
// group left, which is no less than what the loop comes to. It returns the
// iterations so taken.
func (f *folder) lift(lv *level, left int64) (int64, error) {
	n := len(lv.pos) - 1
	if n < 4 || left < int64(n) {
		return 0, nil
	}
	vars := f.m.vars()
	c := int64(0)
	for i, v := range lv.vars[n] {
		c = max(c, v-lv.vars[0][i])
	}
	groups := left / int64(n)
	d, ok := mulSigned(groups, c)
	for i := range vars {
		var fits bool
		vars[i], fits = addSigned(vars[i], d)
		if !ok || !fits || vars[i] > maxTime {
			return 0, bound.ErrOverflow
		}
	}
	f.patience = max(f.patience/2, min(f.patience, minPatience))
	f.forget()
	lv.mark(f.m.log(), vars)
	return groups * int64(n), nil
}
