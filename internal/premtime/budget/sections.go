package budget

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/multiphase"
	"github.com/warpbound/warpbound/internal/method/serial"
	"github.com/warpbound/warpbound/internal/seq"
)

// sections bounds the time that the resident blocks of an SM need for a phase, and
// keeps what it has computed: phases that execute the same are bounded once.
type sections struct {
	rep      *method.Facts
	ops      []method.Op
	analyzer *multiphase.Analyzer
	serial   bool
	cycles   []int64 // by symbol: initiation and latency
	numbers  map[*seq.Seq]uint32
	parts    map[string]*method.Block
	memo     map[string]*timed
	ledgers  map[string][]bound.Assumption // of the bounds in use, by method and theorem
	key      []byte
}

// timed is the bound of a phase on an SM.
type timed struct {
	cycles          int64
	method, theorem string
	parts           []bound.Component
}

func newSections(rep *method.Facts, slots int64, ops []method.Op, methods []string) (*sections, error) {
	hw := method.HardwareOf(rep.Machine, slots)
	hw.BlockStartDelayCycles = 0
	s := &sections{rep: rep, ops: ops, numbers: map[*seq.Seq]uint32{}, parts: map[string]*method.Block{}, memo: map[string]*timed{}, ledgers: map[string][]bound.Assumption{}}
	opt := multiphase.Options{Ledger: rep.Ledger(), MaxPhases: 1}
	s.serial = methods == nil
	if methods != nil {
		opt.Methods = []string{}
		for _, m := range methods {
			if m == serial.Method {
				s.serial = true
			} else {
				opt.Methods = append(opt.Methods, m)
			}
		}
	}
	for i := range ops {
		s.cycles = append(s.cycles, ops[i].InitCycles+ops[i].LatencyCycles)
	}
	var err error
	s.analyzer, err = multiphase.NewAnalyzer(hw, opt)
	return s, err
}

// time bounds a phase of the given teams of one SM.
func (s *sections) time(ctx context.Context, spans []span) (*timed, error) {
	s.key = s.key[:0]
	blocks := make([]*method.Block, len(spans))
	single := true
	for i, x := range spans {
		at := len(s.key)
		s.appendKey(x)
		key := string(s.key[at:])
		if blocks[i] = s.parts[key]; blocks[i] == nil {
			blocks[i] = s.block(x)
			s.parts[key] = blocks[i]
		}
		single = single && x.hi-x.lo == 1
	}
	if t := s.memo[string(s.key)]; t != nil {
		return t, nil
	}
	t, err := s.bound(ctx, spans, blocks, single)
	if err != nil {
		return nil, err
	}
	s.memo[string(s.key)] = t
	return t, nil
}

// appendKey tells apart what a team executes in a phase, and on which schedulers.
func (s *sections) appendKey(x span) {
	c := &s.rep.Path.Classes[x.class]
	s.key = binary.LittleEndian.AppendUint32(s.key, uint32(x.slot*s.rep.Warps%s.rep.Machine.Desc.SM.Schedulers))
	s.key = binary.LittleEndian.AppendUint32(s.key, uint32(x.hi-x.lo))
	for _, class := range c.Schedule {
		for _, q := range clip(c.Warps[class].Warp.Sections, x) {
			n, ok := s.numbers[q]
			if !ok {
				n = uint32(len(s.numbers) + 1)
				s.numbers[q] = n
			}
			s.key = binary.LittleEndian.AppendUint32(s.key, n)
		}
		s.key = binary.LittleEndian.AppendUint32(s.key, 0)
	}
}

// clip is the sections of a phase; a warp that has ended has fewer.
func clip(all []*seq.Seq, x span) []*seq.Seq {
	return all[min(x.lo, len(all)):min(x.hi, len(all))]
}

// block is what a team executes in a phase, as a block of its own.
func (s *sections) block(x span) *method.Block {
	schedulers := s.rep.Machine.Desc.SM.Schedulers
	b := &method.Block{}
	for _, w := range s.rep.Path.Classes[x.class].Warps {
		p := &method.Stream{Ops: s.ops, Sections: clip(w.Warp.Sections, x)}
		perCore := make([]int64, schedulers)
		for _, id := range w.IDs {
			perCore[(x.slot*s.rep.Warps+id)%schedulers]++
		}
		for core, n := range perCore {
			if n > 0 {
				b.Classes = append(b.Classes, method.WarpClass{Stream: p, Count: n, SubCore: core})
			}
		}
	}
	return b
}

// bound takes the smallest safe bound of those that hold.
func (s *sections) bound(ctx context.Context, spans []span, blocks []*method.Block, single bool) (*timed, error) {
	var all []bound.Bound
	switch {
	case len(blocks) == 1:
		r, err := s.analyzer.Block(ctx, blocks[0])
		if err != nil {
			return nil, err
		}
		all = r.Bounds
	default:
		classes := make([]method.BlockClass, len(blocks))
		merged := &method.Block{}
		for i, b := range blocks {
			classes[i] = method.BlockClass{Block: b, Count: 1}
			merged.Classes = append(merged.Classes, b.Classes...)
		}
		r, err := s.analyzer.SM(ctx, classes)
		if err != nil {
			return nil, err
		}
		all = r.Bounds
		if single {
			// Without barriers inside the phase, the warps of several blocks are as
			// those of one (docs/soundness/phases.md, theorem 34 (lost cycles)).
			if r, err = s.analyzer.Block(ctx, merged); err != nil {
				return nil, err
			}
			all = append(all, r.Bounds...)
		}
	}
	if s.serial {
		b, err := s.serialBound(spans)
		if err != nil {
			return nil, err
		}
		all = append(all, b)
	}
	all = slices.DeleteFunc(all, func(b bound.Bound) bool { return !b.Safe })
	if len(all) == 0 {
		return nil, fmt.Errorf("no method bounds it on %s: expected %s among the methods", s.rep.Machine.Desc.Name, serial.Method)
	}
	best := slices.MinFunc(all, func(a, b bound.Bound) int { return int(min(max(a.Cycles-b.Cycles, -1), 1)) })
	s.ledgers[best.Method+best.Theorem] = best.Assumptions
	t := &timed{cycles: best.Cycles, method: best.Method, theorem: best.Theorem}
	for _, c := range best.Breakdown {
		if c.Cycles > 0 {
			t.parts = append(t.parts, c)
		}
	}
	return t, nil
}

// serialBound is theorem 10 (nothing overlaps) for everything that the teams of an SM
// execute.
func (s *sections) serialBound(spans []span) (bound.Bound, error) {
	w := serial.Work{Cycles: s.cycles, Counts: make([]int64, len(s.cycles)), BarrierDelayCycles: s.rep.Machine.Desc.Barrier.DelayCycles}
	for _, x := range spans {
		for _, c := range s.rep.Path.Classes[x.class].Warps {
			for _, q := range clip(c.Warp.Sections, x) {
				if err := q.Counts(c.Count, w.Counts); err != nil {
					return bound.Bound{}, err
				}
			}
		}
		w.Barriers += int64(x.hi - x.lo - 1)
	}
	return serial.Bound(bound.SM, w, s.rep.Ledger())
}
