package soundness

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/warpbound/warpbound/internal/verify/exhaust"
)

// Scope is a small scope to be tried completely: every block of Warps warps over
// Units units whose instructions take their initiation from Inits, their latency
// from Lats and at most MaxSources sources, on every one of Machines.
type Scope struct {
	Warps, Units int
	// PerWarp and Total limit the instructions of a warp and of the block.
	PerWarp, Total int
	Inits, Lats    []int
	MaxSources     int
	// Sections is the number of sections of the block, each with an instruction of
	// some warp; 0 means 1. Sources may lie in earlier sections.
	Sections int
	// Equal restricts the scope to blocks whose warps run the same program.
	Equal    bool
	Machines []exhaust.Rules
	Workers  int // 0: one per processor
	// Progress, if not nil, is called now and then with the programs of the first
	// warp done.
	Progress func(done, total int)
}

// ScopeResult is the outcome of trying a scope.
type ScopeResult struct {
	Programs int   `json:"programs"` // of one warp
	Blocks   int64 `json:"blocks"`
	Compared int64 `json:"compared"` // safe bounds against exact worst cases
	Skipped  int64 `json:"skipped"`  // too large to explore
	// Violations has at most one per program of the first warp.
	Violations []Violation `json:"violations"`
}

// Machines lists the kinds of machine on which the bounds differ: queues unbounded,
// absent, of one place, pooled; FIFO and any order; barriers, if there are any, do
// not drain. The adversary may shorten latencies.
func Machines() []exhaust.Rules {
	var out []exhaust.Rules
	for _, slots := range []int{-1, 0, 1} {
		for _, fifo := range []bool{true, false} {
			if slots == 0 && !fifo {
				continue
			}
			out = append(out, exhaust.Rules{Slots: slots, FIFO: fifo, OwnOrder: true, ShortLat: true})
		}
	}
	return append(out,
		exhaust.Rules{Slots: 1, Pooled: true, OwnOrder: true, ShortLat: true},
		exhaust.Rules{Slots: -1, ShortLat: true})
}

// BarrierMachines adds barriers that drain to Machines.
func BarrierMachines() []exhaust.Rules {
	return append(Machines(),
		exhaust.Rules{Slots: -1, OwnOrder: true, Draining: true, ShortLat: true},
		exhaust.Rules{Slots: 1, FIFO: true, OwnOrder: true, Draining: true, ShortLat: true})
}

// Run tries the whole scope. The outcome does not depend on Workers.
func (s Scope) Run(ctx context.Context) (*ScopeResult, error) {
	if s.Warps < 1 || s.Warps > 3 || s.Units < 1 || s.Units > 4 || s.PerWarp < 1 || len(s.Inits) == 0 || len(s.Lats) == 0 || len(s.Machines) == 0 || s.Sections < 0 || s.Sections > 4 {
		return nil, fmt.Errorf("scope of %d warps, %d units, %d sections, %d instructions, %d initiations, %d latencies, %d machines: expected 1 to 3, 1 to 4, 0 to 4, and at least 1 of the others",
			s.Warps, s.Units, s.Sections, s.PerWarp, len(s.Inits), len(s.Lats), len(s.Machines))
	}
	programs := s.programs()
	r := &ScopeResult{Programs: len(programs)}
	parts := make([]ScopeResult, len(programs))
	errs := make([]error, len(programs))
	workers := s.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	var next, done atomic.Int64
	var wg sync.WaitGroup
	var mu sync.Mutex
	for range workers {
		wg.Go(func() {
			c := &checker{ctx: ctx}
			for {
				i := int(next.Add(1)) - 1
				if i >= len(programs) || ctx.Err() != nil {
					return
				}
				errs[i] = s.from(c, programs, i, &parts[i])
				if n := int(done.Add(1)); s.Progress != nil && n%256 == 0 {
					mu.Lock()
					s.Progress(n, len(programs))
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	for i := range parts {
		r.Blocks += parts[i].Blocks
		r.Compared += parts[i].Compared
		r.Skipped += parts[i].Skipped
		r.Violations = append(r.Violations, parts[i].Violations...)
	}
	return r, errors.Join(append(errs, ctx.Err())...)
}

// from tries every block whose first warp runs program i: later warps run it or a
// program after it, so that each multiset occurs once.
func (s *Scope) from(c *checker, programs []exhaust.Sequence, i int, r *ScopeResult) error {
	c.compared, c.skipped = 0, 0
	sys := exhaust.System{Warps: []exhaust.Sequence{programs[i]}}
	var extend func(from int) error
	extend = func(from int) error {
		if len(sys.Warps) == s.Warps {
			return s.judge(c, &sys, r)
		}
		to := len(programs)
		if s.Equal {
			to = from + 1
		}
		for j := from; j < to && len(r.Violations) == 0; j++ {
			if sys.Len()+len(programs[j]) > s.Total {
				continue
			}
			sys.Warps = append(sys.Warps, programs[j])
			if err := extend(j); err != nil {
				return err
			}
			sys.Warps = sys.Warps[:len(sys.Warps)-1]
		}
		return c.ctx.Err()
	}
	if len(programs[i]) > s.Total {
		return nil
	}
	err := extend(i)
	r.Compared, r.Skipped = c.compared, c.skipped
	return err
}

func (s *Scope) judge(c *checker, sys *exhaust.System, r *ScopeResult) error {
	if used := sectionsUsed(sys); used != max(s.Sections, 1) {
		return nil
	}
	r.Blocks++
	for _, m := range s.Machines {
		v, err := c.tiny(sys, m, true)
		if err != nil {
			return err
		}
		if v != nil {
			r.Violations = append(r.Violations, *v)
			return nil
		}
	}
	return nil
}

// programs lists every program of one warp, shorter ones first.
func (s *Scope) programs() []exhaust.Sequence {
	var all []exhaust.Sequence
	last := []exhaust.Sequence{{}}
	for range s.PerWarp {
		var longer []exhaust.Sequence
		for _, p := range last {
			for _, src := range sourceSets(len(p), s.MaxSources) {
				longer = s.extend(longer, p, src)
			}
		}
		all = append(all, longer...)
		last = longer
	}
	return all
}

// extend appends p with each possible instruction that has the sources.
func (s *Scope) extend(to []exhaust.Sequence, p exhaust.Sequence, src []int) []exhaust.Sequence {
	from := 0
	if len(p) > 0 {
		from = p[len(p)-1].Section
	}
	for section := from; section < max(s.Sections, 1); section++ {
		for u := range s.Units {
			for _, init := range s.Inits {
				for _, lat := range s.Lats {
					to = append(to, append(p[:len(p):len(p)], exhaust.Instr{Unit: u, Init: init, Lat: lat, Src: src, Section: section}))
				}
			}
		}
	}
	return to
}

// sectionsUsed counts the sections with instructions.
func sectionsUsed(sys *exhaust.System) int {
	var used uint64
	for _, p := range sys.Warps {
		for _, in := range p {
			used |= 1 << in.Section
		}
	}
	return bits.OnesCount64(used)
}

// sourceSets lists the sets of at most limit instructions before j.
func sourceSets(j, limit int) [][]int {
	sets := [][]int{nil}
	for b := range j {
		for _, s := range sets {
			if len(s) < limit {
				sets = append(sets, append(s[:len(s):len(s)], b))
			}
		}
	}
	return sets
}
