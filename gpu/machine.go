package gpu

import (
	"fmt"
	"slices"

	"github.com/warpbound/warpbound/isa"
)

// QueueKind says what an issued instruction meets in front of its unit
// (docs/soundness/model.md, section 1 and theorem 6 (queues that fill)).
type QueueKind uint8

// The queue kinds.
const (
	Unbounded QueueKind = iota // issue never waits for a unit
	Slots                      // a private buffer of K entries per unit
	NoQueue                    // issue only to a unit that is not initiating
	Pooled                     // K entries shared by all units
)

func (k QueueKind) String() string {
	if int(k) < len(queueKinds) {
		return queueKinds[k]
	}
	return fmt.Sprintf("queue kind(%d)", k)
}

var queueKinds = [...]string{"unbounded", "slots", "none", "pooled"}

// TransactionRule says what makes one access take several transactions.
type TransactionRule uint8

// The transaction rules.
const (
	OneTransaction TransactionRule = iota
	Banks                          // bank conflicts of shared memory
	Segments                       // segments of global memory touched
)

// Timing is the timing of one static instruction in the terms of the bounds:
// an instruction dispatched in cycle D initiates in [D, D+Initiation) and
// completes at D+Initiation+Latency.
type Timing struct {
	Unit              int32 // index into Machine.Units
	NotIssued         bool  // takes no issue slot and no unit; completes at once
	Transactions      TransactionRule
	InitiationCycles  int64
	LatencyCycles     int64
	TransactionCycles int64 // added to the initiation per transaction after the first
	// UnitLatencyCycles is the published latency, before the dependency depth
	// is added: what the pipeline model works with.
	UnitLatencyCycles int64
}

// Initiation is the initiation of an access that makes n transactions, in
// cycles; n < 1 counts as 1.
func (t *Timing) Initiation(n int) int64 {
	if n <= 1 {
		return t.InitiationCycles
	}
	return t.InitiationCycles + int64(n-1)*t.TransactionCycles
}

// Machine is a description with everything resolved that does not depend on a
// kernel. It is immutable and safe for concurrent use.
type Machine struct {
	Desc  *Description
	Queue QueueKind
	Slots int  // K, where Queue is Slots or Pooled
	FIFO  bool // units serve in issue order; otherwise in any order
	Units []Unit

	timings []Timing // of the rules
	table   ruleTable
}

// Machine resolves the description. It fails only on a description that did
// not come from Load, Open or Preset: an unknown unit, kind or class.
func (d *Description) Machine() (*Machine, error) {
	m := &Machine{Desc: d, Slots: d.Queue.Slots, FIFO: d.Queue.Order == "fifo", Units: d.Units, table: compileRules(d.Timing)}
	kind := slices.Index(queueKinds[:], d.Queue.Kind)
	if kind < 0 {
		return nil, fmt.Errorf("GPU %s: queue kind %q, expected one of %v", d.Name, d.Queue.Kind, queueKinds)
	}
	m.Queue = QueueKind(kind)
	for i := range d.Timing {
		t, err := d.timing(i)
		if err != nil {
			return nil, fmt.Errorf("GPU %s: timing.%s: %w", d.Name, d.Timing[i].label(i), err)
		}
		m.timings = append(m.timings, t)
	}
	return m, nil
}

// timing resolves rule i. With depth = Issue.DependencyDepthCycles, an
// instruction dispatched in cycle D lets a dependent one issue in cycle
// D + latency + depth (or D + dependent_issue_cycles), so the latency of the
// bounds' model, which begins when the initiation ends, is
// max(0, latency + depth - initiation).
func (d *Description) timing(i int) (Timing, error) {
	r := &d.Timing[i]
	unit := slices.IndexFunc(d.Units, func(u Unit) bool { return u.Name == r.Unit })
	if unit < 0 {
		return Timing{}, fmt.Errorf("no unit %q", r.Unit)
	}
	if r.InitiationCycles < 1 || r.LatencyCycles < 1 {
		return Timing{}, fmt.Errorf("initiation %d and latency %d, expected at least 1", r.InitiationCycles, r.LatencyCycles)
	}
	for _, class := range r.Classes {
		if _, err := parsePattern(class); err != nil {
			return Timing{}, err
		}
	}
	distance := r.LatencyCycles + d.Issue.DependencyDepthCycles
	if r.DependentIssueCycles > 0 {
		distance = r.DependentIssueCycles
	}
	t := Timing{
		Unit:              int32(unit),
		NotIssued:         r.NotIssued,
		InitiationCycles:  r.InitiationCycles,
		LatencyCycles:     max(0, distance-r.InitiationCycles),
		TransactionCycles: r.TransactionCycles,
		UnitLatencyCycles: r.LatencyCycles,
	}
	switch r.Transactions {
	case "banks":
		t.Transactions = Banks
	case "segments":
		t.Transactions = Segments
	}
	return t, nil
}

// Timing returns the timing of a class and the index of the rule it comes from,
// in Desc.Timing.
func (m *Machine) Timing(c isa.Class) (Timing, int, error) {
	if i := m.table.index(c); i >= 0 && i < len(m.table.rule) {
		if r := m.table.rule[i]; r >= 0 {
			return m.timings[r], int(r), nil
		}
	}
	return Timing{}, -1, fmt.Errorf("GPU %s has no timing rule for class %q", m.Desc.Name, c)
}

// Resolve returns the timing of every instruction of a program, by its index.
func (m *Machine) Resolve(p *isa.Program) ([]Timing, error) {
	timings := make([]Timing, len(p.Instructions))
	for pc := range p.Instructions {
		in := &p.Instructions[pc]
		t, _, err := m.Timing(in.Class)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", in.Pos, in.Opcode, err)
		}
		if in.WidthBytes == 0 {
			t.Transactions = OneTransaction // accesses no memory, a fence for example
		}
		timings[pc] = t
	}
	return timings, nil
}
