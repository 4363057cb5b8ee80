package multiphase

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/method"
)

// chainClass is a class of warps on its way through all sections of a block.
type chainClass struct {
	low     *lowerer
	m       *isoMachine
	program *method.Stream
	first   int   // the first section it has instructions in
	last    int   // the last one, -1 if none
	others  int64 // initiations of other warps up to the section in progress
	done    int64 // latest completion of all sections
}

// chain is the state of the CHAIN bound (docs/soundness/hardware.md, theorem 13
// (CHAIN)): every warp runs alone through the whole program, keeping what is still
// pending across barriers; at a barrier it starts no earlier than any warp could have
// issued, and initiated, its part, other warps' initiations included.
type chain struct {
	a       *Analyzer
	ctx     context.Context
	classes []*chainClass
	open    int64 // when the barrier before the section opened, on the common clock
	end     int64 // largest completion plus charges
	own     int64 // of which the warp's own time
	steps   int64
}

// common is a class's own time t on the clock that includes the charges.
func (c *chainClass) common(t int64) int64 { return t + c.others }

// chainBound computes CHAIN for a block alone.
func (a *Analyzer) chainBound(ctx context.Context, p *plan, s situation) (bound.Bound, error) {
	b := bound.Bound{Scope: s.scope, Method: CHAIN, Safe: true, Assumptions: a.ledger(CHAIN, s), Theorem: a.hw.theorem(CHAIN, s)}
	c := chain{a: a, ctx: ctx, steps: a.opt.MaxSteps}
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
		if cc.last >= 0 {
			cc.low = newLowerer(class.Stream.Ops)
			cc.m = newIsoMachine(cc.low.begin(a.hw.NumUnits), a.hw.matched())
		}
		c.classes = append(c.classes, cc)
	}
	if err := c.run(p); err != nil {
		return b, err
	}
	var sum calc
	b.Breakdown = []bound.Component{
		bound.Part(bound.LongestChain, c.own),
		bound.Part(bound.OtherWarps, c.end-c.own),
		bound.Part(bound.BlockStartDelay, a.hw.BlockStartDelayCycles),
	}
	b.Cycles = sum.add(c.end, a.hw.BlockStartDelayCycles)
	return b, sum.err()
}

// maxChainPeriod is the longest group of sections whose repetition is noticed.
const maxChainPeriod = 4

// border is the state between two sections.
type border struct {
	state  string
	open   int64
	others []int64
	// ends are the latest completions of the section before the border by class,
	// notIn for a class that has no part in it.
	ends []int64
}

const notIn = -1

// run executes all sections. Where the state at a border is that of an earlier
// one and the sections since then come again, every further group advances all
// times alike, and the groups are jumped.
func (c *chain) run(p *plan) error {
	order := p.order
	var history []border
	for k := 0; k < len(order); k++ {
		ends, err := c.section(&p.tuples[order[k]], k, len(order))
		if err != nil {
			return err
		}
		if k+1 == len(order) {
			break
		}
		now := border{state: c.state(), open: c.open, ends: ends}
		for _, cc := range c.classes {
			now.others = append(now.others, cc.others)
		}
		history = append(history, now)
		if n := len(history) - 1 - c.a.chainPeriod; n > 0 {
			history = history[n:]
		}
		for period := 1; period < len(history); period++ {
			since := history[len(history)-1-period:]
			if since[0].state != now.state {
				continue
			}
			group, groups := order[k+1-period:k+1], 0
			if !c.steady(p, group, k) {
				break
			}
			for next := k + 1; next+period <= len(order) && slices.Equal(order[next:next+period], group); next += period {
				groups++
			}
			if groups > 0 {
				if err := c.jump(since, int64(groups), k); err != nil {
					return err
				}
				k += groups * period
				history = history[:0]
			}
			break
		}
	}
	if !c.a.hw.FIFO {
		// Units that serve in any order may serve what others issue later first.
		for _, cc := range c.classes {
			if cc.m != nil {
				c.finish(cc.done, cc.others)
			}
		}
	}
	return nil
}

// steady tells whether every warp either takes part in all of the sections or
// has ended by section k.
func (c *chain) steady(p *plan, sections []int32, k int) bool {
	for i, cc := range c.classes {
		if cc.last <= k {
			continue
		}
		for _, t := range sections {
			if k >= cc.first && !slices.ContainsFunc(p.tuples[t].all, func(m member) bool { return m.class == i }) {
				return false
			}
		}
	}
	return true
}

// section runs every warp through one section and opens the barrier behind it.
// It returns the section's latest completion by class.
func (c *chain) section(t *tuple, k, sections int) ([]int64, error) {
	var sum calc
	all := int64(0)
	for _, m := range t.all {
		all = sum.add(all, sum.mul(m.count, m.sec.sum))
	}
	open := c.open
	ends := make([]int64, len(c.classes))
	for i := range ends {
		ends[i] = notIn
	}
	for _, m := range t.all {
		cc := c.classes[m.class]
		x := cc.m.x
		// The section starts when the barrier before it has opened.
		x[isoNext] = max(x[isoNext], c.open-cc.others)
		x[isoEnd] = 0
		cc.others = sum.add(cc.others, all-m.sec.sum)
		body := cc.low.body(cc.program.Sections[k], cc.low.state())
		cc.m.p.insts = cc.low.out
		f := folder{ctx: c.ctx, m: cc.m, steps: c.steps, maxLog: c.a.maxLog}
		if err := f.seq(body); err != nil {
			return nil, err
		}
		if err := f.check(); err != nil {
			return nil, err
		}
		c.steps = f.steps
		open = max(open, cc.common(max(x[isoNext], x[isoBusy])))
		ends[m.class] = x[isoEnd]
		c.complete(cc, x[isoEnd], cc.others)
	}
	delay := c.a.hw.BarrierDelayCycles
	if k+1 == sections {
		delay = 0
	}
	c.open = sum.add(open, delay)
	for i, cc := range c.classes {
		// Before a warp's first instruction nothing of it is pending that others
		// could delay, so its clock can start there.
		if ends[i] == notIn && cc.first <= k {
			cc.others = sum.add(cc.others, all)
		}
	}
	return ends, sum.err()
}

// complete notes a section's latest completion on the class's own clock. In FIFO
// order nothing of later sections delays it: others is what was issued so far.
func (c *chain) complete(cc *chainClass, end, others int64) {
	cc.done = max(cc.done, end)
	if c.a.hw.FIFO {
		c.finish(end, others)
	}
}

func (c *chain) finish(end, others int64) {
	if t := end + others; t > c.end {
		c.end, c.own = t, end
	}
}

// state is everything that decides what the coming sections add: what is still
// pending of registers and units, relative to the opening of the barrier, and
// which instruction wrote each register.
func (c *chain) state() string {
	var key []byte
	for _, cc := range c.classes {
		if cc.m == nil {
			continue
		}
		start := c.open - cc.others
		key = append(key, cc.low.state()...)
		x := cc.m.x
		key = binary.AppendVarint(key, max(x[isoNext]-start, 0))
		key = binary.AppendVarint(key, max(x[isoBusy]-start, 0))
		for _, t := range x[isoFixed:] {
			key = binary.AppendVarint(key, max(t-start, 0))
		}
	}
	return string(key)
}

// jump advances everything after section k by groups of what happened since a
// border: since lists it and the ones after it, up to section k. Warps that have
// ended are only charged.
func (c *chain) jump(since []border, groups int64, k int) error {
	then, now := since[0], since[len(since)-1]
	advance, ok := mulSigned(groups, now.open-then.open)
	if !ok || advance > maxTime-c.open {
		return bound.ErrOverflow
	}
	c.open += advance
	for i, cc := range c.classes {
		charged, ok := mulSigned(groups, now.others[i]-then.others[i])
		if !ok || charged > maxTime-cc.others {
			return bound.ErrOverflow
		}
		cc.others += charged
		if cc.m == nil || cc.last <= k {
			continue
		}
		for j := range cc.m.x {
			cc.m.x[j] += advance - charged
		}
		// The sections of the last group jumped end later than those of the others.
		for _, b := range since[1:] {
			if b.ends[i] == notIn {
				continue
			}
			if b.ends[i]+advance > maxTime {
				return bound.ErrOverflow
			}
			c.complete(cc, b.ends[i]+advance-charged, b.others[i]+charged)
		}
	}
	return nil
}
