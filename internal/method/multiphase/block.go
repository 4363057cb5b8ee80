package multiphase

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/choice"
	"github.com/warpbound/warpbound/internal/method"
)

// plan is a block cut into its sections. Sections in which every class executes
// the same thing are listed once, with how often they occur.
type plan struct {
	block    *method.Block
	sections int64 // including repeated ones
	tuples   []tuple
	order    []int32 // the tuple of each section
	// stages, if it is not nil, says in what order, and how often, sections come; tuples
	// have no counts then.
	stages  *choice.Expr
	choices bool // some warp has a section that is more than one sequence
}

// tuple is what the classes execute between two barriers: members[i] are the
// warps of the i-th sub-core in use.
type tuple struct {
	first   int64 // the first section it is
	count   int64
	members [][]member
	all     []member // of every sub-core
}

func (a *Analyzer) plan(b *method.Block) (*plan, error) {
	if err := checkBlock(b, &a.hw); err != nil {
		return nil, err
	}
	b, err := a.recordedBlock(b)
	if err != nil {
		return nil, err
	}
	p := &plan{block: b, stages: b.Classes[0].Stream.Stages}
	for _, c := range b.Classes {
		p.sections = max(p.sections, int64(c.Stream.Len()))
		p.choices = p.choices || c.Stream.HasChoices()
	}
	index := map[string]int{}
	var key []byte
	for k := range int(p.sections) {
		key = key[:0]
		secs := make([]*section, len(b.Classes))
		for i, c := range b.Classes {
			sec, err := a.section(c.Stream, k)
			if err != nil {
				return nil, fmt.Errorf("warp class %d: %w", i, err)
			}
			id := int32(0)
			if sec != nil {
				id = sec.id
			}
			secs[i] = sec
			key = binary.LittleEndian.AppendUint32(key, uint32(id))
		}
		if j, ok := index[string(key)]; ok {
			p.tuples[j].count++
			p.order = append(p.order, int32(j))
			continue
		}
		index[string(key)] = len(p.tuples)
		p.order = append(p.order, int32(len(p.tuples)))
		p.tuples = append(p.tuples, a.newTuple(b, int64(k), secs))
	}
	if p.stages != nil {
		p.sections = p.stages.Len()
	}
	return p, nil
}

// counts are how often each tuple comes where sections come to most, if each takes what
// cycles says and a delay lies between two, and what they come to then.
func (p *plan) counts(delay int64, cycles func(tuple int) int64) (counts []int64, total int64, err error) {
	var c calc
	counts = make([]int64, len(p.tuples))
	if p.stages == nil {
		for i := range p.tuples {
			counts[i] = p.tuples[i].count
			total = c.add(total, c.mul(counts[i], cycles(i)))
		}
		total = c.add(total, c.mul(max(p.sections-1, 0), delay))
		return counts, total, c.err()
	}
	sections, total, err := p.stages.Heaviest(len(p.order), func(s int32) int64 { return c.add(cycles(int(p.order[s])), delay) })
	if err := errors.Join(err, c.err()); err != nil {
		return nil, 0, err
	}
	for s, n := range sections {
		counts[p.order[s]] += n
	}
	return counts, total - delay, nil
}

func (a *Analyzer) newTuple(b *method.Block, k int64, secs []*section) tuple {
	t := tuple{first: k, count: 1}
	cores := make([][]member, a.hw.SubCores)
	for i, c := range b.Classes {
		if secs[i] == nil {
			continue
		}
		m := member{secs[i], c.Count, i}
		cores[c.SubCore] = append(cores[c.SubCore], m)
		t.all = append(t.all, m)
	}
	for _, m := range cores {
		if len(m) > 0 {
			t.members = append(t.members, m)
		}
	}
	return t
}

// sectionBounds computes a method for every section. Sub-cores are bounded
// separately, and the slowest counts; flat takes all their warps together.
func (a *Analyzer) sectionBounds(ctx context.Context, method string, p *plan, flat bool) ([]bound.SectionBound, error) {
	worsts := make([]charge, len(p.tuples))
	for k, t := range p.tuples {
		cores := t.members
		if flat && len(t.all) > 0 {
			cores = [][]member{t.all}
		}
		var worst charge
		for i, members := range cores {
			var foreign []member
			for j := range cores {
				if j != i {
					foreign = append(foreign, cores[j]...)
				}
			}
			c, err := a.sectionBound(ctx, method, members, foreign)
			if err != nil {
				return nil, fmt.Errorf("section %d: %w", t.first, err)
			}
			if i == 0 || c.total() > worst.total() {
				worst = c
			}
		}
		worsts[k] = worst
	}
	counts, _, err := p.counts(a.hw.BarrierDelayCycles, func(tuple int) int64 { return worsts[tuple].total() })
	if err != nil {
		return nil, err
	}
	var out []bound.SectionBound
	for k, worst := range worsts {
		if counts[k] == 0 {
			continue
		}
		out = append(out, bound.SectionBound{
			First: p.tuples[k].first, Count: counts[k], Class: worst.class,
			OwnCycles: worst.own, OthersCycles: worst.others, OrderCycles: worst.extra,
		})
	}
	return out, nil
}

// parts are the summands of a block's bound.
type parts struct {
	own, others, order, barriers, start int64
}

// blockParts adds the sections of a block, its barriers and its start.
func (a *Analyzer) blockParts(sections []bound.SectionBound) (parts, error) {
	var c calc
	var sum parts
	n := int64(0)
	for i := range sections {
		s := &sections[i]
		n = c.add(n, s.Count)
		sum.own = c.add(sum.own, c.mul(s.Count, s.OwnCycles))
		sum.others = c.add(sum.others, c.mul(s.Count, s.OthersCycles))
		sum.order = c.add(sum.order, c.mul(s.Count, s.OrderCycles))
	}
	if n > 1 {
		sum.barriers = c.mul(n-1, a.hw.BarrierDelayCycles)
	}
	sum.start = a.hw.BlockStartDelayCycles
	c.add(sum.own, sum.others, sum.order, sum.barriers, sum.start)
	return sum, c.err()
}

func (s parts) total() int64 { return s.own + s.others + s.order + s.barriers + s.start }

// blockCharges are the quantities of theorems 4 (one SM) and 5 (grid) for one block.
type blockCharges struct {
	iso int64 // Σ over sections of the longest isolated time, with delays
	sum int64 // Σ init of all warps
	own parts // Σ over sections of SUM, with delays
}

func (c blockCharges) bound() int64 { return c.own.total() }

func (a *Analyzer) blockCharges(ctx context.Context, p *plan) (blockCharges, error) {
	var out blockCharges
	var c calc
	longest, sums := make([]int64, len(p.tuples)), make([]int64, len(p.tuples))
	for i, t := range p.tuples {
		for _, m := range t.all {
			iso, err := a.isolated(ctx, m.sec, a.hw.matched())
			if err != nil {
				return out, fmt.Errorf("section %d: %w", t.first, err)
			}
			longest[i] = max(longest[i], iso.end)
			sums[i] = c.add(sums[i], c.mul(m.count, m.sec.sum))
		}
	}
	var err error
	if _, out.iso, err = p.counts(a.hw.BarrierDelayCycles, func(tuple int) int64 { return longest[tuple] }); err != nil {
		return out, err
	}
	if _, out.sum, err = p.counts(0, func(tuple int) int64 { return sums[tuple] }); err != nil {
		return out, err
	}
	sections, err := a.sectionBounds(ctx, SUM, p, true)
	if err != nil {
		return out, err
	}
	if out.own, err = a.blockParts(sections); err != nil {
		return out, err
	}
	out.iso = c.add(out.iso, out.own.start)
	return out, c.err()
}
