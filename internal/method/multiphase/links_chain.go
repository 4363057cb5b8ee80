package multiphase

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/method"
)

// chainLinks is chain that knows what its times are the sums of. Beside each time stand its
// links; those of a time on the common clock have, beside the links of a warp's own clock,
// what other warps are charged.
type chainLinks struct {
	chain
	columns
	links   []*classLinks // of chain.classes
	openAt  []int64       // links of open
	ownAt   []int64       // links of own
	otherAt []int64       // links of what the end has beyond it
}

// classLinks are the links of a class.
type classLinks struct {
	m      *linkMachine
	others []int64
	done   []int64
}

// Of an instruction, what others are charged stands behind the kinds of links.
const (
	linkCharged = linkKinds
	chainLinked = linkKinds + 1
)

// border of a chain with links: everything that changes from one section to the next one.
type linkedBorder struct {
	state string
	flat  []int64
}

// throughSections is Analyzer.chainBound.
func (c *costs) throughSections(ctx context.Context, p *plan) (tally, error) {
	x := &chainLinks{chain: chain{a: c.a, ctx: ctx, steps: c.a.opt.MaxSteps}}
	for _, class := range p.block.Classes {
		cc := &chainClass{program: class.Stream, last: -1}
		for k, sec := range class.Stream.Sections {
			if sec.Len() > 0 {
				if cc.last < 0 {
					cc.first = k
				}
				cc.last = k
			}
		}
		x.classes = append(x.classes, cc)
	}
	charges := map[*section]tally{}
	for _, t := range p.tuples {
		for _, m := range t.all {
			if charges[m.sec] != nil {
				continue
			}
			charged, err := c.charged(ctx, m.sec, SUM, 0, nil)
			if err != nil {
				return nil, err
			}
			if slices.ContainsFunc(slices.Collect(maps.Keys(charged)), func(c method.Cost) bool { return c.Symbol < 0 }) {
				return nil, fmt.Errorf("section %d: charges of several paths", t.first)
			}
			charges[m.sec] = charged
			for i := range m.sec.low.insts {
				x.add(m.sec.low.insts[i].op, chainLinked)
			}
		}
	}
	delay := x.width // of barriers
	x.width++
	for _, cc := range x.classes {
		l := &classLinks{others: make([]int64, x.width), done: make([]int64, x.width)}
		if cc.last >= 0 {
			cc.low = newLowerer(cc.program.Ops)
			l.m = newLinkMachine(cc.low.begin(c.a.hw.NumUnits), c.a.hw.matched(), x.columns)
		}
		x.links = append(x.links, l)
	}
	x.openAt, x.ownAt, x.otherAt = make([]int64, x.width), make([]int64, x.width), make([]int64, x.width)
	if err := x.run(p, charges, delay); err != nil {
		return nil, err
	}
	out := tally{}
	c.add(out, as(bound.LongestChain, x.belongs(x.ownAt, delay)), 1)
	c.add(out, as(bound.OtherWarps, x.belongs(x.otherAt, delay)), 1)
	c.add(out, delays(bound.BlockStartDelay, c.a.hw.BlockStartDelayCycles), 1)
	return out, nil
}

// belongs is what links belong to.
func (x *chainLinks) belongs(links []int64, delay int) tally {
	out := x.chained(links)
	for op, column := range x.column {
		if column >= 0 && links[column+linkCharged] != 0 {
			out[method.Cost{Kind: method.Charged, Symbol: int32(op)}] = links[column+linkCharged]
		}
	}
	if links[delay] != 0 {
		out[method.Cost{Kind: method.Delay, Symbol: -1}] = links[delay]
	}
	return out
}

// run is chain.run. Groups of sections are jumped where three borders, a group apart each,
// have the same state, and everything advanced alike from the first to the second as from
// there to the third.
func (x *chainLinks) run(p *plan, charges map[*section]tally, delay int) error {
	var history []linkedBorder
	for k := 0; k < len(p.order); k++ {
		if err := x.section(&p.tuples[p.order[k]], k, len(p.order), charges, delay); err != nil {
			return err
		}
		if k+1 == len(p.order) {
			break
		}
		history = append(history, linkedBorder{x.state(), x.flat()})
		if n := len(history) - 1 - 2*x.a.chainPeriod; n > 0 {
			history = slices.Delete(history, 0, n)
		}
		period, groups := x.repeats(p, history, k)
		if groups < 2 {
			continue
		}
		// The last group is executed: what completes last in it completes behind all others.
		if err := x.advance(history, period, int64(groups-1)); err != nil {
			return err
		}
		k += (groups - 1) * period
		history = history[:0]
	}
	if !x.a.hw.FIFO {
		for i, cc := range x.classes {
			if cc.low != nil {
				x.finish(cc.done, x.links[i].done, i)
			}
		}
	}
	return nil
}

// state is chain.state.
func (x *chainLinks) state() string {
	var key []byte
	for i, cc := range x.classes {
		if cc.low == nil {
			continue
		}
		start := x.open - cc.others
		key = append(key, cc.low.state()...)
		m := x.links[i].m
		for v := range m.times {
			if v != linkEnd {
				key = binary.AppendVarint(key, max(m.x[v]-start, 0))
			}
		}
	}
	return string(key)
}

// repeats says how many groups of which period come again after section k, all alike.
func (x *chainLinks) repeats(p *plan, history []linkedBorder, k int) (period, groups int) {
	n := len(history) - 1
	for period = 1; 2*period <= n; period++ {
		a, b, c := &history[n-2*period], &history[n-period], &history[n]
		if a.state != c.state || b.state != c.state || !slices.Equal(p.order[k+1-2*period:k+1-period], p.order[k+1-period:k+1]) || !x.steady(p, p.order[k+1-2*period:k+1], k) {
			continue
		}
		alike := true
		for i := range c.flat {
			if c.flat[i]-b.flat[i] != b.flat[i]-a.flat[i] {
				alike = false
				break
			}
		}
		if !alike {
			continue
		}
		group := p.order[k+1-period : k+1]
		for next := k + 1; next+period <= len(p.order) && slices.Equal(p.order[next:next+period], group); next += period {
			groups++
		}
		return period, groups
	}
	return 0, 0
}

// each calls a function for everything that changes from one section to the next one.
func (x *chainLinks) each(of func(v *int64)) {
	all := func(list []int64) {
		for i := range list {
			of(&list[i])
		}
	}
	of(&x.open)
	all(x.openAt)
	for i, cc := range x.classes {
		of(&cc.others)
		all(x.links[i].others)
		if m := x.links[i].m; m != nil {
			all(m.x)
		}
	}
}

func (x *chainLinks) flat() []int64 {
	var out []int64
	x.each(func(v *int64) { out = append(out, *v) })
	return out
}

// advance goes on by so many groups.
func (x *chainLinks) advance(history []linkedBorder, period int, groups int64) error {
	n := len(history) - 1
	from, to := history[n-period].flat, history[n].flat
	i, over := 0, false
	x.each(func(v *int64) {
		d, ok := mulSigned(groups, to[i]-from[i])
		sum, fits := addSigned(*v, d)
		over = over || !ok || !fits || sum > maxTime
		*v = sum
		i++
	})
	if over {
		return bound.ErrOverflow
	}
	return nil
}

// section is chain.section.
func (x *chainLinks) section(t *tuple, k, sections int, charges map[*section]tally, delay int) error {
	var sum calc
	all, allAt := int64(0), make([]int64, x.width)
	charge := func(to []int64, sec *section, times int64) {
		for of, n := range charges[sec] {
			to[x.column[of.Symbol]+linkCharged] += sum.mul(max(times, -times), n) * sign(times)
		}
	}
	for _, m := range t.all {
		all = sum.add(all, sum.mul(m.count, m.sec.sum))
		charge(allAt, m.sec, m.count)
	}
	open, openAt := x.open, slices.Clone(x.openAt)
	in := map[int]bool{}
	for _, m := range t.all {
		in[m.class] = true
		cc, l := x.classes[m.class], x.links[m.class]
		v := l.m.x
		if start := x.open - cc.others; start > v[linkNext] {
			v[linkNext] = start
			next := l.m.links(linkNext)
			for i := range next {
				next[i] = x.openAt[i] - l.others[i]
			}
		}
		v[linkEnd] = 0
		clear(l.m.links(linkEnd))
		cc.others = sum.add(cc.others, all-m.sec.sum)
		addAll(l.others, allAt)
		charge(l.others, m.sec, -1)
		body := cc.low.body(cc.program.Sections[k], cc.low.state())
		l.m.p.insts = cc.low.out
		f := folder{ctx: x.ctx, m: l.m, steps: x.steps, maxLog: x.a.maxLog}
		if err := f.seq(body); err != nil {
			return err
		}
		if err := f.check(); err != nil {
			return err
		}
		x.steps = f.steps
		last := linkNext
		if v[linkBusy] > v[linkNext] {
			last = linkBusy
		}
		if now := cc.common(v[last]); now > open {
			open = now
			copy(openAt, l.m.links(last))
			addAll(openAt, l.others)
		}
		x.complete(m.class)
	}
	if k+1 < sections {
		open = sum.add(open, x.a.hw.BarrierDelayCycles)
		openAt[delay] += x.a.hw.BarrierDelayCycles
	}
	x.open, x.openAt = open, openAt
	for i, cc := range x.classes {
		if !in[i] && cc.first <= k {
			cc.others = sum.add(cc.others, all)
			addAll(x.links[i].others, allAt)
		}
	}
	return sum.err()
}

func sign(n int64) int64 {
	if n < 0 {
		return -1
	}
	return 1
}

func addAll(to, from []int64) {
	for i, n := range from {
		to[i] += n
	}
}

// complete is chain.complete for the latest completion of a class.
func (x *chainLinks) complete(class int) {
	cc, l := x.classes[class], x.links[class]
	end := l.m.x[linkEnd]
	if end > cc.done {
		cc.done = end
		copy(l.done, l.m.links(linkEnd))
	}
	if x.a.hw.FIFO {
		x.finish(end, l.m.links(linkEnd), class)
	}
}

// finish is chain.finish.
func (x *chainLinks) finish(end int64, links []int64, class int) {
	if t := end + x.classes[class].others; t > x.end {
		x.end, x.own = t, end
		copy(x.ownAt, links)
		copy(x.otherAt, x.links[class].others)
	}
}
