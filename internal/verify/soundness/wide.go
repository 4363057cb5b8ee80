package soundness

import (
	"errors"
	"math/rand/v2"
	"slices"

	"github.com/warpbound/warpbound/internal/method/makespan"
	"github.com/warpbound/warpbound/internal/verify/exhaust"
)

// Volume names the bound of theorem 14 (volume) in violations.
const Volume = "volume"

// randomWide draws a machine that issues several instructions in a cycle, to units
// of several servers, and compares theorem 14's bound with the exact worst case.
func (c *checker) randomWide(rng *rand.Rand) (*Violation, error) {
	units := 1 + rng.IntN(3)
	coin := func(n int) bool { return rng.IntN(n) == 0 }
	m := wideMachine{
		subCores: 1, width: 1 + rng.IntN(3), slots: rng.IntN(4) - 1, fifo: coin(2), draining: coin(3),
		shortInit: coin(6), shortLat: coin(4),
	}
	m.pooled = m.slots > 0 && coin(2)
	m.ownOrder = m.fifo || coin(2)
	if coin(3) {
		m.subCores = 2
	}
	for range units {
		m.servers = append(m.servers, 1+rng.IntN(3))
		m.shared = append(m.shared, m.subCores > 1 && coin(2))
	}
	shape := exhaust.Shape{Warps: 4, Instrs: 3, Units: units, Init: 1 + rng.IntN(3), Equal: 4, PerUnit: coin(3), Sections: 1 + rng.IntN(2)}
	if coin(3) {
		shape.Lat = 1 + rng.IntN(3)
	}
	s := exhaust.RandomSystem(rng, shape)
	v, err := c.wide(&s, &m)
	if v == nil || err != nil {
		return nil, err
	}
	small := Shrink(s, func(x *exhaust.System) bool {
		w, err := c.wide(x, &m)
		return err == nil && w != nil
	})
	return c.wide(&small, &m)
}

// wide compares the bound of a block with its exact worst case. Where sections do
// not add up, barriers are left out.
func (c *checker) wide(s *exhaust.System, m *wideMachine) (*Violation, error) {
	sm, warps := theorem14(s, m)
	if s.Sections() > 1 && !sm.SectionsAddUp() {
		flat := s.Clone()
		for _, p := range flat.Warps {
			for i := range p {
				p[i].Section = 0
			}
		}
		s = &flat
		sm, warps = theorem14(s, m)
	}
	b, err := sm.Bound(warps, nil)
	if err != nil {
		return nil, err
	}
	worst, err := c.wideExplorer.explore(s, m)
	if errors.Is(err, errWide) {
		c.skipped++
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	c.compared++
	if b.Cycles() >= int64(worst) {
		return nil, nil
	}
	return &Violation{Kind: KindWide, Method: Volume, Machine: m.String(), System: s.String(), BoundCycles: b.Cycles(), Cycles: int64(worst)}, nil
}

// theorem14 states a block and a machine in the terms of the theorem.
func theorem14(s *exhaust.System, m *wideMachine) (makespan.SM, []makespan.SMWarps) {
	sm := makespan.SM{SubCores: m.subCores, Width: int64(m.width), Queueless: m.slots == 0, FIFO: m.fifo, Draining: m.draining}
	for u := range m.servers {
		sm.Units = append(sm.Units, makespan.SMUnit{Servers: int64(m.servers[u]), Shared: m.shared[u]})
	}
	sections := s.Sections()
	var warps []makespan.SMWarps
	for i, p := range s.Warps {
		w := makespan.SMWarps{Warps: 1, SubCore: i % m.subCores, Sections: make([][]int64, sections), LatencyCycles: make([]int64, sections)}
		for _, in := range p {
			n := &w.Sections[in.Section]
			if *n == nil {
				*n = make([]int64, len(sm.Units))
			}
			(*n)[in.Unit] += int64(in.Init)
			w.LatencyCycles[in.Section] += int64(in.Lat)
			u := &sm.Units[in.Unit]
			u.LongestInitiationCycles = max(u.LongestInitiationCycles, int64(in.Init))
		}
		same := func(x makespan.SMWarps) bool {
			return x.SubCore == w.SubCore && slices.Equal(x.LatencyCycles, w.LatencyCycles) && slices.EqualFunc(x.Sections, w.Sections, slices.Equal)
		}
		if at := slices.IndexFunc(warps, same); at >= 0 {
			warps[at].Warps++
			continue
		}
		warps = append(warps, w)
	}
	return sm, warps
}
