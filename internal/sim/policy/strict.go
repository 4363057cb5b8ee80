package policy

import (
	"github.com/warpbound/warpbound/internal/sim/slotset"
	"github.com/warpbound/warpbound/isa"
)

// strictPolicy tells whether a policy waits for the warp that has the turn even
// if others are ready.
func strictPolicy(name string) bool {
	switch name {
	case "srr", "gsrr", "segments":
		return true
	}
	return false
}

// strict gives the turn to one warp after the other, for one instruction each.
// The policies that keep it longer say when it ends.
type strict struct{ next int }

func (p *strict) Pick(c *Candidates) (int, error) {
	holder := slotset.First(c.Turn, p.next)
	if holder < 0 || !slotset.Has(c.Ready, holder) {
		return -1, nil
	}
	return holder, nil
}

func (p *strict) IssuedFrom(local int, _ *Candidates) { p.next = local + 1 }

// greedyStrict is segment.GreedyTurns of package internal/method/segment: the warp that
// issued keeps the turn if it is ready in the next cycle.
type greedyStrict struct {
	strict
	issued bool  // the warp before next issued
	last   int64 // in this cycle
}

func (p *greedyStrict) Pick(c *Candidates) (int, error) {
	if holder := p.next - 1; p.issued && c.Now <= p.last+1 && slotset.Has(c.Ready, holder) {
		return holder, nil
	}
	p.issued = false
	return p.strict.Pick(c)
}

func (p *greedyStrict) IssuedFrom(local int, c *Candidates) {
	p.strict.IssuedFrom(local, c)
	p.issued, p.last = true, c.Now
}

func (*greedyStrict) Executed(int, []isa.Reg, []isa.Reg) {}

func (p *greedyStrict) Leaves(local int) {
	if local == p.next-1 {
		p.issued = false
	}
}

// segmentStrict is segment.SegmentTurns of package internal/method/segment.
type segmentStrict struct {
	strict
	holds   bool // the warp before next keeps the turn
	written []bool
	marked  []isa.Reg // registers written in the turn
}

func (p *segmentStrict) Pick(c *Candidates) (int, error) {
	if !p.holds {
		return p.strict.Pick(c)
	}
	if holder := p.next - 1; slotset.Has(c.Ready, holder) {
		return holder, nil
	}
	return -1, nil
}

func (p *segmentStrict) IssuedFrom(local int, c *Candidates) {
	p.strict.IssuedFrom(local, c)
	p.holds = true
}

func (p *segmentStrict) Executed(local int, writes, waits []isa.Reg) {
	if !p.holds || local != p.next-1 {
		return
	}
	for _, r := range writes {
		for int(r) >= len(p.written) {
			p.written = append(p.written, false)
		}
		if !p.written[r] {
			p.written[r] = true
			p.marked = append(p.marked, r)
		}
	}
	for _, r := range waits {
		if int(r) < len(p.written) && p.written[r] {
			p.pass()
			return
		}
	}
}

func (p *segmentStrict) Leaves(local int) {
	if local == p.next-1 {
		p.pass()
	}
}

// pass ends the turn.
func (p *segmentStrict) pass() {
	p.holds = false
	for _, r := range p.marked {
		p.written[r] = false
	}
	p.marked = p.marked[:0]
}
