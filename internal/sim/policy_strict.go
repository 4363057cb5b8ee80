package sim

import "github.com/warpbound/warpbound/isa"

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

func (p *strict) pick(c *candidates) (int, error) {
	holder := firstFrom(c.turn, p.next)
	if holder < 0 || !hasBit(c.ready, holder) {
		return -1, nil
	}
	return holder, nil
}

func (p *strict) issuedFrom(local int, _ *candidates) { p.next = local + 1 }

// turnPicker is a picker whose turns end by what their holder executes, not only by
// what is ready.
type turnPicker interface {
	picker
	// executed is told, after an issue, the registers that the instruction wrote
	// and those that the warp's next one waits for.
	executed(local int, writes, waits []isa.Reg)
	// leaves is told that a warp has ended or arrived at a barrier.
	leaves(local int)
}

// greedyStrict is segment.GreedyTurns of package internal/method/segment: the warp that
// issued keeps the turn if it is ready in the next cycle.
type greedyStrict struct {
	strict
	issued bool  // the warp before next issued
	last   int64 // in this cycle
}

func (p *greedyStrict) pick(c *candidates) (int, error) {
	if holder := p.next - 1; p.issued && c.now <= p.last+1 && hasBit(c.ready, holder) {
		return holder, nil
	}
	p.issued = false
	return p.strict.pick(c)
}

func (p *greedyStrict) issuedFrom(local int, c *candidates) {
	p.strict.issuedFrom(local, c)
	p.issued, p.last = true, c.now
}

func (*greedyStrict) executed(int, []isa.Reg, []isa.Reg) {}

func (p *greedyStrict) leaves(local int) {
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

func (p *segmentStrict) pick(c *candidates) (int, error) {
	if !p.holds {
		return p.strict.pick(c)
	}
	if holder := p.next - 1; hasBit(c.ready, holder) {
		return holder, nil
	}
	return -1, nil
}

func (p *segmentStrict) issuedFrom(local int, c *candidates) {
	p.strict.issuedFrom(local, c)
	p.holds = true
}

func (p *segmentStrict) executed(local int, writes, waits []isa.Reg) {
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

func (p *segmentStrict) leaves(local int) {
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
