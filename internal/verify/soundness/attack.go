package soundness

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/warpbound/warpbound/internal/method/multiphase"
	"github.com/warpbound/warpbound/internal/verify/exhaust"
)

// AttackConfig says which bound to attack, on which machine, and how long.
type AttackConfig struct {
	Seed    uint64
	Method  string // of multiphase.Methods; attacked whether it calls itself safe or not
	Machine exhaust.Rules
	// Climbs is the number of starts, Steps the changes tried in each.
	Climbs, Steps int
	// Sections is the largest number of sections of a start. 0 means three for
	// CHAIN, whose matter they are, and one or two for the others.
	Sections int
	Workers  int // 0: one per processor
	// Progress, if not nil, is called from one goroutine at a time.
	Progress func(done, total int)
}

// AttackResult is the outcome of an attack. It depends on the configuration only,
// not on Workers.
type AttackResult struct {
	Climbs int `json:"climbs"`
	// Closest is the smallest bound minus worst case seen; negative if violated.
	Closest int64 `json:"closest_cycles"`
	// Violation is the first found, shrunk, or nil.
	Violation *Violation `json:"violation,omitempty"`
}

// Attack climbs from random systems towards one whose worst case exceeds the
// bound. It ends after the round of climbs in which it finds one.
func Attack(ctx context.Context, cfg AttackConfig) (*AttackResult, error) {
	workers := cfg.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	r := &AttackResult{Closest: 1 << 62}
	const round = 64
	for from := 0; from < cfg.Climbs && r.Violation == nil; from += round {
		n := min(round, cfg.Climbs-from)
		climbs := make([]climb, n)
		var next atomic.Int64
		var wg sync.WaitGroup
		for range min(workers, n) {
			wg.Go(func() {
				c := &checker{ctx: ctx}
				for {
					i := int(next.Add(1)) - 1
					if i >= n || ctx.Err() != nil {
						return
					}
					climbs[i] = c.climb(&cfg, rand.New(rand.NewPCG(cfg.Seed, uint64(from+i))))
				}
			})
		}
		wg.Wait()
		if err := ctx.Err(); err != nil {
			return r, err
		}
		for _, one := range climbs {
			if one.err != nil {
				return r, one.err
			}
			r.Climbs++
			r.Closest = min(r.Closest, one.margin)
			if one.v != nil && r.Violation == nil {
				r.Violation = one.v
			}
		}
		if cfg.Progress != nil {
			cfg.Progress(from+n, cfg.Climbs)
		}
	}
	return r, nil
}

// climb is one climb's outcome.
type climb struct {
	margin int64
	v      *Violation
	err    error
}

// sections is the largest number of sections of a start, 0 if it is to be drawn.
func (cfg *AttackConfig) sections() int {
	if cfg.Sections == 0 && cfg.Method == multiphase.CHAIN {
		return 3
	}
	return cfg.Sections
}

// randomStart draws where a climb begins.
func randomStart(rng *rand.Rand, sections int) exhaust.System {
	shape := exhaust.Shape{Warps: 2 + rng.IntN(2), Instrs: 5, Units: 3, Init: 3, Lat: rng.IntN(3), Sections: sections, Equal: 3}
	if sections == 0 {
		shape.Sections = 1 + rng.IntN(2)
	}
	return exhaust.RandomSystem(rng, shape)
}

// randomClimb is a short attack on a safe bound of a random machine.
func (c *checker) randomClimb(rng *rand.Rand) (*Violation, error) {
	m := exhaust.RandomMachine(rng)
	if rng.IntN(2) == 0 {
		m.Slots, m.Pooled = -1, false
	}
	m.ShortInit = false
	m.ShortLat = m.ShortLat && rng.IntN(3) == 0
	cfg := AttackConfig{Method: strength[rng.IntN(len(strength))], Machine: m, Steps: 120}
	one := c.climb(&cfg, rng)
	c.explorer.MaxStates = 0
	return one.v, one.err
}

// margin is the bound minus the exact worst case. A system that is too large or
// whose method is refused is as far away as possible.
func (c *checker) margin(s *exhaust.System, method string, m exhaust.Rules) (margin, cycles int64, err error) {
	const far = 1 << 30
	h := Hardware(m, s.Units())
	stateFacts(&h, *s)
	a, err := multiphase.NewAnalyzer(h, multiphase.Options{MaxPhases: 1, Methods: []string{method}})
	if err != nil {
		return 0, 0, err
	}
	r, err := a.Block(c.ctx, Block(*s, 1))
	if err != nil {
		return 0, 0, err
	}
	b := r.Bound(method)
	if b == nil {
		return far, 0, nil
	}
	worst, err := c.explorer.Worst(s, m)
	if err != nil {
		return far, 0, nil
	}
	return b.Cycles - int64(worst), b.Cycles, nil
}

// climb changes a system at random and keeps changes that do not lead away from
// a violation, now and then one that does.
func (c *checker) climb(cfg *AttackConfig, rng *rand.Rand) climb {
	c.explorer.MaxStates = 20_000
	s := randomStart(rng, cfg.sections())
	now, _, err := c.margin(&s, cfg.Method, cfg.Machine)
	best := now
	for step := 0; step < cfg.Steps && err == nil && c.ctx.Err() == nil; step++ {
		next := mutate(rng, s)
		if sections := cfg.sections(); sections > 1 && rng.IntN(4) == 0 {
			moveBarrier(rng, &next, sections)
		}
		if next.Validate() != nil || next.Len() > 11 || next.Units() > 4 || next.Len() == 0 {
			continue
		}
		var margin int64
		if margin, _, err = c.margin(&next, cfg.Method, cfg.Machine); err != nil {
			break
		}
		c.compared++
		if margin <= now || rng.IntN(60) == 0 {
			s, now = next, margin
		}
		best = min(best, margin)
		if margin < 0 {
			v, err := c.reproduce(cfg, s)
			return climb{margin, v, err}
		}
	}
	return climb{margin: best, err: err}
}

// reproduce shrinks a violating system and describes it.
func (c *checker) reproduce(cfg *AttackConfig, s exhaust.System) (*Violation, error) {
	small := Shrink(s, func(x *exhaust.System) bool {
		margin, _, err := c.margin(x, cfg.Method, cfg.Machine)
		return err == nil && margin < 0
	})
	margin, cycles, err := c.margin(&small, cfg.Method, cfg.Machine)
	if err != nil {
		return nil, err
	}
	if margin >= 0 {
		return nil, fmt.Errorf("violation lost while shrinking %s", s)
	}
	return &Violation{
		Kind: "attack", Method: cfg.Method, Machine: cfg.Machine.String(), System: small.String(),
		BoundCycles: cycles, Cycles: cycles - margin, Detail: c.explorer.Witness(),
	}, nil
}

// mutate returns a changed copy: one to three small edits.
func mutate(rng *rand.Rand, s exhaust.System) exhaust.System {
	out := s.Clone()
	for range 1 + rng.IntN(3) {
		edit(rng, &out)
	}
	return out
}

func edit(rng *rand.Rand, s *exhaust.System) {
	w := rng.IntN(len(s.Warps))
	p := s.Warps[w]
	j := rng.IntN(len(p))
	in := &p[j]
	switch rng.IntN(12) {
	case 0:
		in.Unit = rng.IntN(min(4, s.Units()+1))
	case 1, 2:
		in.Init = max(1, in.Init+rng.IntN(5)-2)
	case 3:
		in.Lat = max(0, in.Lat+rng.IntN(5)-2)
	case 4, 5:
		toggleSource(rng, in, j)
	case 6:
		insertCopy(rng, s, w, j)
	case 7:
		dropInstr(s, w, j)
	case 8:
		s.Warps[rng.IntN(len(s.Warps))] = s.Clone().Warps[w]
	case 9:
		// The same timing on every instruction of a unit.
		for _, q := range s.Warps {
			for i := range q {
				if q[i].Unit == in.Unit {
					q[i].Init, q[i].Lat = in.Init, in.Lat
				}
			}
		}
	case 10:
		if j+1 < len(p) {
			p[j].Unit, p[j+1].Unit = p[j+1].Unit, p[j].Unit
			p[j].Init, p[j+1].Init = p[j+1].Init, p[j].Init
		}
	default:
		if s.Sections() > 1 {
			in.Section = rng.IntN(s.Sections())
		}
	}
}

// moveBarrier takes the instructions of a warp from some one on to the section
// before or behind, as far as the order of sections allows.
func moveBarrier(rng *rand.Rand, s *exhaust.System, sections int) {
	p := s.Warps[rng.IntN(len(s.Warps))]
	j, up := rng.IntN(len(p)), rng.IntN(2) == 0
	least := 0
	if j > 0 {
		least = p[j-1].Section
	}
	for i := j; i < len(p); i++ {
		if up {
			p[i].Section = min(p[i].Section+1, sections-1)
		} else {
			p[i].Section = max(p[i].Section-1, least)
		}
	}
}

func toggleSource(rng *rand.Rand, in *exhaust.Instr, j int) {
	if j == 0 {
		return
	}
	b := rng.IntN(j)
	for k, src := range in.Src {
		if src == b {
			in.Src = append(in.Src[:k], in.Src[k+1:]...)
			return
		}
	}
	in.Src = append(in.Src, b)
}

// insertCopy repeats instruction j of warp w before itself.
func insertCopy(rng *rand.Rand, s *exhaust.System, w, j int) {
	p := s.Clone().Warps[w]
	p = append(p[:j+1:j+1], p[j:]...)
	for i := j + 1; i < len(p); i++ {
		src := append([]int(nil), p[i].Src...)
		for k, b := range src {
			if b >= j && rng.IntN(2) == 0 && b+1 < i {
				src[k] = b + 1
			}
		}
		p[i].Src = src
	}
	s.Warps[w] = p
}
