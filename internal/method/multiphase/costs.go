package multiphase

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/method"
)

// Costs are the cycles of the bound by a method on the whole launch by instruction. They add
// up to it. One may be negative: what facts about several places take from a sum.
func (l *Analysis) Costs(ctx context.Context, name string, path method.PathOf) ([]method.Cost, error) {
	a, sms, err := l.launched()
	if err != nil {
		return nil, err
	}
	if !slices.Contains(Methods(), name) {
		return nil, fmt.Errorf("costs: method %q, expected one of %v", name, Methods())
	}
	return a.Costs(ctx, l.f.Classes(), sms, name, path)
}

// Costs are the cycles of the bound by a method on blocks on so many SMs, as those of
// Analysis.
func (a *Analyzer) Costs(ctx context.Context, blocks []method.BlockClass, sms int64, name string, path method.PathOf) ([]method.Cost, error) {
	c := newCosts(a, name, path)
	total, err := c.launch(ctx, blocks, sms)
	if err != nil {
		return nil, err
	}
	var out []method.Cost
	for _, k := range slices.SortedFunc(maps.Keys(total), method.CompareCosts) {
		if n := total[k]; n != 0 {
			k.Cycles = n
			out = append(out, k)
		}
	}
	return out, c.calc.err()
}

// tally is cycles by what they belong to: Costs without cycles.
type tally map[method.Cost]int64

func (t tally) total() int64 {
	sum := int64(0)
	for _, n := range t {
		sum += n
	}
	return sum
}

// costs computes bounds as tallies.
type costs struct {
	a      *Analyzer
	name   string
	path   method.PathOf
	chains map[chainKey]tally
	calc   calc
	// Of the block in work: where its sections are from.
	streams map[*section]streamed
}

func newCosts(a *Analyzer, name string, path method.PathOf) *costs {
	return &costs{a: a, name: name, path: path, chains: map[chainKey]tally{}}
}

// streamed is a section of a stream.
type streamed struct {
	stream  *method.Stream
	section int
}

// add adds a tally to another one, so many times.
func (c *costs) add(to, t tally, times int64) {
	for k, n := range t {
		product, ok := mulSigned(n, times)
		sum, fits := addSigned(to[k], product)
		c.calc.over = c.calc.over || !ok || !fits
		to[k] = sum
	}
}

// as is a tally as a part of a bound.
func as(part bound.PartID, t tally) tally {
	out := tally{}
	for k, n := range t {
		k.Part = part
		out[k] += n
	}
	return out
}

// delays are cycles of no instruction.
func delays(part bound.PartID, cycles int64) tally {
	return tally{method.Cost{Part: part, Kind: method.Delay, Symbol: -1}: cycles}
}

// launch is Analyzer.several.
func (c *costs) launch(ctx context.Context, blocks []method.BlockClass, sms int64) (tally, error) {
	n := int64(0)
	for _, b := range blocks {
		n = c.calc.add(n, b.Count)
	}
	switch {
	case n == 1:
		return c.alone(ctx, blocks[0].Block)
	case c.a.hw.SlotsPerSM == 1:
		return c.oneSlot(ctx, blocks, n, sms)
	}
	return c.shared(ctx, blocks, n, sms)
}

// oneSlot is Analyzer.oneSlot.
func (c *costs) oneSlot(ctx context.Context, blocks []method.BlockClass, n, sms int64) (tally, error) {
	out, most := tally{}, int64(-1)
	for _, b := range blocks {
		one, err := c.alone(ctx, b.Block)
		if err != nil {
			return nil, err
		}
		if sms == 1 {
			c.add(out, one, b.Count)
		} else if sum := one.total(); sum > most {
			most, out = sum, tally{}
			c.add(out, one, (n-1)/sms+1)
		}
	}
	return as(bound.BlocksInSequence, out), nil
}

// shared is Analyzer.shared.
func (c *costs) shared(ctx context.Context, blocks []method.BlockClass, n, sms int64) (tally, error) {
	var each []blockCosts
	for _, b := range blocks {
		q, err := c.block(ctx, b.Block)
		if err != nil {
			return nil, err
		}
		each = append(each, q)
	}
	largest := func(of func(*blockCosts) tally) tally {
		return of(&each[most(len(each), func(i int) int64 { return of(&each[i]).total() })])
	}
	iso := largest(func(q *blockCosts) tally { return q.iso })
	out := tally{}
	if sms == 1 {
		c.add(out, as(bound.EarlierBlocksOfSlot, iso), (n-1)/c.a.hw.SlotsPerSM)
		all := int64(0)
		for i := range each {
			all += blocks[i].Count * each[i].sum.total()
		}
		last := most(len(each), func(i int) int64 { return max(all-each[i].sum.total(), 0) + each[i].own.total() })
		for i := range each {
			count := blocks[i].Count
			if i == last {
				count--
			}
			c.add(out, as(bound.OtherBlocks, each[i].sum), count)
		}
		c.add(out, as(bound.LastBlock, each[last].own), 1)
		return out, nil
	}
	sum := largest(func(q *blockCosts) tally { return q.sum })
	before := (n - 1) / sms
	c.add(out, as(bound.EarlierBlocksOfSlot, iso), before/c.a.hw.SlotsPerSM)
	c.add(out, as(bound.EarlierBlocksOfSM, sum), before)
	c.add(out, as(bound.BlocksBesideLast, sum), min(c.a.hw.SlotsPerSM-1, n-1))
	c.add(out, as(bound.LastBlock, largest(func(q *blockCosts) tally { return q.own })), 1)
	return out, nil
}

// most is the first index of the largest figure.
func most(n int, figure func(i int) int64) int {
	at, largest := 0, int64(math.MinInt64)
	for i := range n {
		if x := figure(i); x > largest {
			at, largest = i, x
		}
	}
	return at
}

// blockCosts is blockCharges.
type blockCosts struct{ iso, sum, own tally }

func (c *costs) begin(b *method.Block) (*plan, error) {
	p, err := c.a.plan(b)
	if err != nil {
		return nil, err
	}
	c.streams = map[*section]streamed{}
	for _, class := range p.block.Classes {
		for k := range class.Stream.Len() {
			sec, err := c.a.section(class.Stream, k)
			if err != nil {
				return nil, err
			}
			if sec != nil {
				c.streams[sec] = streamed{class.Stream, k}
			}
		}
	}
	return p, nil
}

func (c *costs) block(ctx context.Context, b *method.Block) (out blockCosts, err error) {
	p, err := c.begin(b)
	if err != nil {
		return out, err
	}
	iso, sums := make([]tally, len(p.tuples)), make([]tally, len(p.tuples))
	for i, t := range p.tuples {
		iso[i], sums[i] = tally{}, tally{}
		longest := int64(0)
		for _, m := range t.all {
			chain, err := c.chain(ctx, m.sec, c.a.hw.matched())
			if err != nil {
				return out, err
			}
			if n := chain.total(); n > longest {
				longest, iso[i] = n, chain
			}
			charged, err := c.charged(ctx, m.sec, SUM, 0, nil)
			if err != nil {
				return out, err
			}
			c.add(sums[i], charged, m.count)
		}
	}
	a := c.a
	if out.iso, err = c.sections(p, iso, a.hw.BarrierDelayCycles); err != nil {
		return out, err
	}
	c.add(out.iso, delays(bound.BlockStartDelay, a.hw.BlockStartDelayCycles), 1)
	if out.sum, err = c.sections(p, sums, 0); err != nil {
		return out, err
	}
	out.own, err = c.own(ctx, p, SUM, true)
	return out, err
}

// sections is what those of a plan come to, as often as each comes.
func (c *costs) sections(p *plan, each []tally, delay int64) (tally, error) {
	counts, total, err := p.counts(delay, func(tuple int) int64 { return each[tuple].total() })
	if err != nil {
		return nil, err
	}
	out := tally{}
	for i, n := range counts {
		c.add(out, each[i], n)
	}
	c.add(out, delays(bound.BarrierDelays, total-out.total()), 1)
	return out, nil
}

// alone is Analyzer.alone for the method.
func (c *costs) alone(ctx context.Context, b *method.Block) (tally, error) {
	p, err := c.begin(b)
	if err != nil {
		return nil, err
	}
	if c.name == CHAIN {
		return c.throughSections(ctx, p)
	}
	return c.own(ctx, p, c.name, p.sections > 1 && !c.a.hw.additive() && c.name == SUM)
}

// own is Analyzer.sectionBounds and Analyzer.blockParts.
func (c *costs) own(ctx context.Context, p *plan, name string, flat bool) (tally, error) {
	sections := make([]tally, len(p.tuples))
	for k, t := range p.tuples {
		cores := t.members
		if flat && len(t.all) > 0 {
			cores = [][]member{t.all}
		}
		sections[k] = tally{}
		for i, members := range cores {
			var foreign []member
			for j := range cores {
				if j != i {
					foreign = append(foreign, cores[j]...)
				}
			}
			bound, err := c.a.sectionBound(ctx, name, members, foreign)
			if err != nil {
				return nil, err
			}
			if i > 0 && bound.total() <= sections[k].total() {
				continue
			}
			if sections[k], err = c.section(ctx, name, members, foreign, bound); err != nil {
				return nil, err
			}
			if n := sections[k].total(); n != bound.total() {
				return nil, fmt.Errorf("section %d: costs add up to %d cycles, the bound is %d", t.first, n, bound.total())
			}
		}
	}
	out, err := c.sections(p, sections, c.a.hw.BarrierDelayCycles)
	if err != nil {
		return nil, err
	}
	c.add(out, delays(bound.BlockStartDelay, c.a.hw.BlockStartDelayCycles), 1)
	return out, nil
}

// section is the bound of a section in which a warp of a class is last.
func (c *costs) section(ctx context.Context, name string, members, foreign []member, of charge) (tally, error) {
	w := members[slices.IndexFunc(members, func(m member) bool { return m.class == of.class })]
	out, used := tally{}, w.sec.used
	var ref *refunds
	switch name {
	case PATH, REF:
		var all unitSet
		for _, m := range members {
			all |= m.sec.used
		}
		g := newGroups(all, c.a.opt.MaxPathUnits)
		path, err := c.a.pathLinks(ctx, w.sec.low, &g, of.mask)
		if err != nil {
			return nil, err
		}
		c.add(out, as(bound.LongestPath, path), 1)
		used = g.units(of.mask)
		if name == REF {
			ref = c.a.refundFacts(members)
		}
	default:
		kind := c.a.hw.matched()
		if name == GUB {
			kind = isoQueued
		}
		chain, err := c.chain(ctx, w.sec, kind)
		if err != nil {
			return nil, err
		}
		c.add(out, as(bound.Isolated, chain), 1)
	}
	for _, v := range members {
		charged, err := c.charged(ctx, v.sec, name, used, ref)
		if err != nil {
			return nil, err
		}
		count := v.count
		if v.class == of.class {
			count--
		}
		c.add(out, as(bound.OtherWarps, charged), count)
	}
	if name == GUB {
		return out, nil
	}
	shared := c.a.hw.shared()
	switch name {
	case FUA:
		shared &= w.sec.used
	case PATH, REF:
		shared = 0
	}
	for _, v := range foreign {
		for _, u := range shared.list() {
			on, err := c.weighed(v.sec, v.sec.loads[u], func(unit int, initiation int64) int64 {
				if unit != u {
					return 0
				}
				return initiation
			})
			if err != nil {
				return nil, err
			}
			c.add(out, as(bound.OtherWarps, on), v.count)
		}
	}
	if !c.a.hw.keepsOrder() {
		again, err := c.charged(ctx, w.sec, SUM, 0, nil)
		if err != nil {
			return nil, err
		}
		c.add(out, as(bound.OutOfOrder, again), 1)
	}
	return out, nil
}

// charged is Analyzer.chargeOne, and Analyzer.refWalk where there are refunds.
func (c *costs) charged(ctx context.Context, sec *section, name string, used unitSet, ref *refunds) (tally, error) {
	switch name {
	case GUB:
		return c.a.execLinks(ctx, sec.low)
	case BURST, PATH, REF:
		return c.a.walkLinks(ctx, sec.low, used&sec.used, ref)
	}
	most, err := c.a.chargeOne(ctx, name, sec, used)
	if err != nil {
		return nil, err
	}
	return c.weighed(sec, most, func(unit int, initiation int64) int64 {
		if name == FUA && !used.has(unit) {
			return 1
		}
		return initiation
	})
}

// weighed is the sum of weights of a section's instructions on a path on which that is most.
func (c *costs) weighed(sec *section, most int64, weight func(unit int, initiation int64) int64) (tally, error) {
	out := tally{}
	var counts []int64
	of := func(op int) (unit int, initiation int64) { return 0, 0 }
	if sec.ways == nil {
		counts = sec.low.counts()
		at := map[int32]*inst{}
		for i := range sec.low.insts {
			at[sec.low.insts[i].op] = &sec.low.insts[i]
		}
		of = func(op int) (int, int64) { return int(at[int32(op)].unit), at[int32(op)].init }
	} else {
		of = func(op int) (int, int64) {
			in := &sec.table.insts[op]
			return int(in.unit - wayFixed), in.init
		}
		var err error
		if counts, _, err = sec.ways.Heaviest(len(sec.table.insts), func(s int32) int64 { return weight(of(int(s))) }); err != nil {
			return nil, err
		}
	}
	for op, n := range counts {
		if n > 0 {
			if each := weight(of(op)); each > 0 {
				out[method.Cost{Kind: method.Charged, Symbol: int32(op)}] = c.calc.mul(n, each)
			}
		}
	}
	if rest := most - out.total(); rest != 0 {
		out[method.Cost{Kind: method.Joined, Symbol: -1}] = rest
	}
	return out, nil
}

// counts is how often each op comes.
func (p *lowered) counts() []int64 {
	n := int32(0)
	for i := range p.insts {
		n = max(n, p.insts[i].op+1)
	}
	out := make([]int64, n)
	var add func(s *lseq, times int64)
	add = func(s *lseq, times int64) {
		for i := range s.items {
			it := &s.items[i]
			for _, id := range it.insts {
				out[p.insts[id].op] += times
			}
			if it.body != nil {
				add(it.body, times*it.count)
			}
		}
	}
	add(p.body, 1)
	return out
}

// chainKey is a section on some hardware.
type chainKey struct {
	sec  *section
	kind isoKind
}

// chain is the isolated time of a section: of the path that stands for it where it has
// several.
func (c *costs) chain(ctx context.Context, sec *section, kind isoKind) (tally, error) {
	if t, ok := c.chains[chainKey{sec, kind}]; ok {
		return t, nil
	}
	iso, err := c.a.isolated(ctx, sec, kind)
	if err != nil {
		return nil, err
	}
	low := sec.low
	if sec.ways != nil {
		from := c.streams[sec]
		e, err := c.path(ctx, from.stream, from.section)
		if err != nil {
			return nil, err
		}
		if s, ok := e.Seq(); ok && e.Len() > 0 {
			low = c.a.lowerers[&from.stream.Ops[0]].lower(s, c.a.hw.NumUnits)
		}
	}
	out := tally{}
	if low != nil {
		if out, _, err = c.a.chainOf(ctx, low, kind); err != nil {
			return nil, err
		}
	}
	if rest := iso.end - out.total(); rest != 0 {
		out[method.Cost{Kind: method.Joined, Symbol: -1}] = rest
	}
	c.chains[chainKey{sec, kind}] = out
	return out, nil
}
