package exhaust

import "math/rand/v2"

// Shape limits what RandomSystem draws.
type Shape struct {
	Warps, Instrs, Units int // each from 1 (Warps from 2 if it is more) to this
	Init, Lat, Sections  int
	// Equal makes all warps run the same program one time in Equal; 0 never.
	Equal int
	// PerUnit draws initiation and latency per unit, not per instruction.
	PerUnit bool
}

// RandomSystem draws a system.
func RandomSystem(rng *rand.Rand, s Shape) System {
	init, lat := make([]int, s.Units), make([]int, s.Units)
	for u := range init {
		init[u], lat[u] = 1+rng.IntN(s.Init), rng.IntN(s.Lat+1)
	}
	warps := s.Warps
	if warps > 2 {
		warps = 2 + rng.IntN(s.Warps-1)
	}
	var out System
	for range warps {
		p := make(Sequence, 1+rng.IntN(s.Instrs))
		section := 0
		depend := 1 + rng.IntN(4)
		for j := range p {
			in := &p[j]
			in.Unit = rng.IntN(s.Units)
			in.Init, in.Lat = init[in.Unit], lat[in.Unit]
			if !s.PerUnit {
				in.Init, in.Lat = 1+rng.IntN(s.Init), rng.IntN(s.Lat+1)
			}
			if s.Sections > 1 && section < s.Sections-1 && rng.IntN(3) == 0 {
				section++
			}
			in.Section = section
			for b := range j {
				if rng.IntN(1+depend) == 0 {
					in.Src = append(in.Src, b)
				}
			}
		}
		out.Warps = append(out.Warps, p)
	}
	if s.Equal > 0 && rng.IntN(s.Equal) == 0 {
		for i := range out.Warps {
			out.Warps[i] = out.Warps[0]
		}
	}
	return out
}

// RandomMachine draws a machine of any kind.
func RandomMachine(rng *rand.Rand) Rules {
	m := Rules{Slots: rng.IntN(4) - 1, ShortLat: rng.IntN(2) == 0, ShortInit: rng.IntN(4) == 0, Draining: rng.IntN(2) == 0}
	m.Pooled = m.Slots > 0 && rng.IntN(2) == 0
	m.OwnOrder = rng.IntN(4) > 0
	m.FIFO = m.OwnOrder && rng.IntN(2) == 0
	return m
}
