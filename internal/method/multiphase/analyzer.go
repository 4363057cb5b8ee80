package multiphase

import (
	"context"
	"fmt"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/choice"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/seq"
)

// Options limit an analysis and name what is known about its input. Zero values
// mean the defaults.
type Options struct {
	// MaxSteps limits the instructions executed for one quantity of one section,
	// jumped iterations not counted. Default 2^30.
	MaxSteps int64
	// MaxPhases limits the phases listed of a section. Default 64.
	MaxPhases int
	// MaxPathUnits limits how many units PATH and REF tell apart (1 to 10, default
	// 6); beyond it, some are grouped, which only makes the bounds larger.
	MaxPathUnits int
	// Methods are the ones to compute, in any order. Default all.
	Methods []string
	// Ledger replaces entries of every bound's assumptions by id: what the caller
	// knows better, such as A11 after a taint analysis.
	Ledger []bound.Assumption
}

// The methods, in the order of reports.
const (
	GUB   = "gub"
	SUM   = "sum"
	FUA   = "fua"
	BURST = "burst"
	PATH  = "path"
	REF   = "ref"
	CHAIN = "chain"
)

// Methods lists every method in the order of reports. The caller owns the slice.
func Methods() []string { return []string{GUB, SUM, FUA, BURST, PATH, REF, CHAIN} }

// Analyzer computes bounds on one piece of hardware and keeps what it computed:
// equal sections, by pointer, are analysed once. It is not safe for concurrent
// use.
type Analyzer struct {
	hw       hardware
	opt      Options
	lowerers map[*method.Op]*lowerer
	sections map[sectionKey]*section
	tables   map[*method.Op]*wayTable
	recorded map[*method.Stream]*method.Stream
	wanted   map[string]bool
	maxLog   int // of a folder

	chainPeriod int   // maxChainPeriod, or 0 to execute every section
	patience    int64 // steps before a loop of a set of paths is lifted
	maxOrders   int64 // steps up to which every order of parts is followed
}

// sectionKey names a section by its sequence or by its expression.
type sectionKey struct {
	ops *method.Op
	s   *seq.Seq
	e   *choice.Expr
	l   *choice.Limits
}

// NewAnalyzer checks the hardware and the options.
func NewAnalyzer(hw method.Hardware, opt Options) (*Analyzer, error) {
	if err := hw.Validate(); err != nil {
		return nil, fmt.Errorf("hardware: %w", err)
	}
	if opt.MaxSteps == 0 {
		opt.MaxSteps = 1 << 30
	}
	if opt.MaxPhases == 0 {
		opt.MaxPhases = 64
	}
	if opt.MaxPathUnits == 0 {
		opt.MaxPathUnits = 6
	}
	if opt.MaxSteps < 0 || opt.MaxPhases < 0 || opt.MaxPathUnits < 1 || opt.MaxPathUnits > 10 {
		return nil, fmt.Errorf("options: steps %d and phases %d, expected at least 1; path units %d, expected 1 to 10", opt.MaxSteps, opt.MaxPhases, opt.MaxPathUnits)
	}
	a := &Analyzer{hw: hardware{hw}, opt: opt, lowerers: map[*method.Op]*lowerer{}, sections: map[sectionKey]*section{}, tables: map[*method.Op]*wayTable{}, recorded: map[*method.Stream]*method.Stream{}, wanted: map[string]bool{}, maxLog: maxLog, chainPeriod: maxChainPeriod, patience: maxPatience, maxOrders: maxOrders}
	if opt.Methods == nil {
		opt.Methods = Methods()
	}
	for _, m := range Methods() {
		a.wanted[m] = false
	}
	for _, m := range opt.Methods {
		if _, ok := a.wanted[m]; !ok {
			return nil, fmt.Errorf("options: method %q, expected one of %v", m, Methods())
		}
		a.wanted[m] = true
	}
	return a, nil
}

// section is one barrier section of one program, with what was computed of it.
type section struct {
	id    int32
	low   *lowered     // nil where the section has choices
	ways  *choice.Expr // nil where it has none
	limit *choice.Limits
	table *wayTable // of ways
	fuas  map[unitSet]int64
	iso   [isoKinds]*isolated
	count int64   // instructions
	sum   int64   // Σ init
	insts []int64 // instructions per unit
	loads []int64 // Σ init per unit
	used  unitSet
	walks map[unitSet]int64
	refs  map[refKey]int64
	paths map[groupsKey][]int64
}

type refKey struct {
	s   unitSet
	ref string
}

// groupsKey is a partition of units as a comparable key.
type groupsKey [10]unitSet

// section returns the analysis of section k of a program, nil if it has none or
// if it is empty.
func (a *Analyzer) section(p *method.Stream, k int) (*section, error) {
	var key sectionKey
	switch {
	case k < len(p.Choices) && p.Choices[k].Len() > 0:
		key.e, key.l = p.Choices[k], p.Limits
	case k < len(p.Sections) && p.Sections[k].Len() > 0:
		key.s = p.Sections[k]
	default:
		return nil, nil
	}
	if len(p.Ops) == 0 {
		return nil, fmt.Errorf("section %d has instructions, but the table of ops is empty", k)
	}
	key.ops = &p.Ops[0]
	if sec, ok := a.sections[key]; ok {
		return sec, nil
	}
	low, ok := a.lowerers[key.ops]
	if !ok {
		if err := a.hw.checkOps(p.Ops); err != nil {
			return nil, err
		}
		low = newLowerer(p.Ops)
		a.lowerers[key.ops] = low
	}
	sec := &section{
		id:    int32(len(a.sections) + 1),
		insts: make([]int64, a.hw.NumUnits),
		loads: make([]int64, a.hw.NumUnits),
		walks: map[unitSet]int64{},
		refs:  map[refKey]int64{},
		paths: map[groupsKey][]int64{},
	}
	fill := a.sequence
	if key.e != nil {
		fill = a.alternatives
	}
	if err := fill(sec, p.Ops, key, low); err != nil {
		return nil, fmt.Errorf("section %d: %w", k, err)
	}
	a.sections[key] = sec
	return sec, nil
}

// sequence fills in a section that is one sequence.
func (a *Analyzer) sequence(sec *section, ops []method.Op, key sectionKey, low *lowerer) error {
	if err := checkSection(key.s, len(ops)); err != nil {
		return err
	}
	sec.low = low.lower(key.s, a.hw.NumUnits)
	return sec.totals(ops, key.s)
}

// totals sums instructions and initiations per unit over the folded section.
func (sec *section) totals(ops []method.Op, s *seq.Seq) error {
	counts := make([]int64, len(ops))
	if err := s.Counts(1, counts); err != nil {
		return err
	}
	var c calc
	for i, n := range counts {
		if n == 0 {
			continue
		}
		u := ops[i].Unit
		sec.used |= 1 << u
		sec.insts[u] = c.add(sec.insts[u], n)
		sec.loads[u] = c.add(sec.loads[u], c.mul(n, ops[i].InitCycles))
	}
	sec.count, sec.sum = c.add(sec.insts...), c.add(sec.loads...)
	return c.err()
}

// isolated returns the section's time alone.
func (a *Analyzer) isolated(ctx context.Context, sec *section, kind isoKind) (*isolated, error) {
	if sec.iso[kind] == nil {
		r, err := a.timeAlone(ctx, sec, kind)
		if err != nil {
			return nil, err
		}
		sec.iso[kind] = r
	}
	return sec.iso[kind], nil
}

func (a *Analyzer) timeAlone(ctx context.Context, sec *section, kind isoKind) (*isolated, error) {
	if sec.ways != nil {
		return a.isolatedUnder(ctx, sec, kind)
	}
	return a.isolatedTime(ctx, sec.low, kind)
}

// walk returns the BURST charge to a warp that uses the units s. Units the
// section does not use make no difference.
func (a *Analyzer) walk(ctx context.Context, sec *section, s unitSet) (int64, error) {
	s &= sec.used
	if v, ok := sec.walks[s]; ok {
		return v, nil
	}
	v, err := a.walkCost(ctx, sec.low, s, nil)
	if err != nil {
		return 0, err
	}
	sec.walks[s] = v
	return v, nil
}

// refWalk is walk with refunds.
func (a *Analyzer) refWalk(ctx context.Context, sec *section, s unitSet, ref *refunds, key string) (int64, error) {
	k := refKey{s & sec.used, key}
	if v, ok := sec.refs[k]; ok {
		return v, nil
	}
	v, err := a.walkCost(ctx, sec.low, k.s, ref)
	if err != nil {
		return 0, err
	}
	sec.refs[k] = v
	return v, nil
}

func (a *Analyzer) pathsOf(ctx context.Context, sec *section, g *groups) ([]int64, error) {
	var k groupsKey
	copy(k[:], g.sets)
	if v, ok := sec.paths[k]; ok {
		return v, nil
	}
	v, err := a.pathLengths(ctx, sec.low, g)
	if err != nil {
		return nil, err
	}
	sec.paths[k] = v
	return v, nil
}

// matched is the isolated time that the theorems for this hardware's queues
// use.
func (h *hardware) matched() isoKind {
	switch h.Queue {
	case method.Unbounded:
		return isoQueued
	case method.Pooled:
		return isoSerial
	default:
		return isoBlocking
	}
}
