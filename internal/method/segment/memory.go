package segment

import (
	"fmt"

	"github.com/warpbound/warpbound/internal/method/ordered"
)

const (
	maxCycles = int64(1) << 32
	maxLines  = int64(1) << 10
	maxTime   = int64(1) << 60
)

// Memory holds the terms of eq. 3 and 4 of Huangfu2017.
type Memory struct {
	// CoalMax is COAL, the most coalesced requests of one warp instruction; each
	// takes a cycle to be sent.
	CoalMax int64
	// HitCycles is the latency of a hit, BaseCycles L_base, that of an access of
	// the global memory which nothing delays.
	HitCycles, BaseCycles int64
	// ConflictCycles is N_conflictSM: how much other SMs can delay one request.
	// Resource.Interference of package ordered derives it.
	ConflictCycles int64
	// Misses of Accesses is the miss rate; both 0 if it is not known.
	Misses, Accesses int64
}

// Check says what is wrong with m.
func (m *Memory) Check() error {
	for _, f := range []struct {
		name  string
		value int64
		most  int64
	}{
		{"COAL", m.CoalMax, maxLines}, {"hit latency", m.HitCycles, maxCycles}, {"base latency", m.BaseCycles, maxCycles},
		{"N_conflictSM", m.ConflictCycles, maxCycles}, {"misses", m.Misses, m.Accesses}, {"accesses", m.Accesses, maxTime},
	} {
		if f.value < 0 || f.value > f.most {
			return fmt.Errorf("%s: %d, expected 0 to %d", f.name, f.value, f.most)
		}
	}
	return nil
}

// UnknownCycles is eq. 3: the latency of an access of which nothing is known.
func (m *Memory) UnknownCycles() int64 {
	return m.CoalMax + m.BaseCycles + m.CoalMax*m.ConflictCycles
}

// EstimateCycles is eq. 4, rounded up: the mean of what is missed, weighted by
// the miss rate. An access that misses takes longer.
func (m *Memory) EstimateCycles() int64 {
	if m.Accesses == 0 {
		return m.UnknownCycles()
	}
	all := m.BaseCycles + m.CoalMax*m.ConflictCycles
	// ⌈Misses·all / Accesses⌉ without leaving 63 bits: all is below 2^43.
	var q, r int64
	for bit := int64(1) << 43; bit > 0; bit >>= 1 {
		q, r = 2*q, 2*r
		if all&bit != 0 {
			r += m.Misses
		}
		for r >= m.Accesses {
			q++
			r -= m.Accesses
		}
	}
	if r > 0 {
		q++
	}
	return m.CoalMax + q
}

// ClassCycles is our latency of an access whose hits and misses are known: that
// of a hit, or of the global memory with a delay for each request of its own.
func (m *Memory) ClassCycles(a *ordered.Access) int64 {
	lines := int64(a.Hits + a.Requests)
	if a.Requests == 0 {
		return lines + m.HitCycles
	}
	return lines + max(m.HitCycles, m.BaseCycles+int64(a.Requests)*m.ConflictCycles)
}
