package analysis

import (
	"math/bits"

	"github.com/warpbound/warpbound/internal/cache"
	"github.com/warpbound/warpbound/internal/cache/l1d"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/isa"
)

// sequence sums up which requests reached the tags of each SM, in which order and
// which of them hit, without keeping them: different sequences have the same sum
// with a probability of about 2^-64.
type sequence struct {
	sums []uint64 // by SM
}

func newSequence(sms int) *sequence { return &sequence{sums: make([]uint64, sms)} }

// add is request n of an access of a warp.
func (s *sequence) add(sm int, block int64, warp int, index int64, n int, address uint64, hit bool) {
	h := s.sums[sm]
	for _, x := range [...]uint64{uint64(block), uint64(warp), uint64(index), uint64(n)<<1 | b2u(hit), address} {
		// A round of multiplication by an odd constant, and the high half mixed in.
		high, low := bits.Mul64(h^x^0x9e3779b97f4a7c15, 0xd6e8feb86659fd93)
		h = bits.RotateLeft64(h, 23) + (high ^ low)
	}
	s.sums[sm] = h
}

func b2u(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func (s *sequence) equal(t *sequence) bool {
	for sm := range s.sums {
		if s.sums[sm] != t.sums[sm] {
			return false
		}
	}
	return len(s.sums) == len(t.sums)
}

// estimated adds an access of an estimate in one of its caches.
func (s *sequence) estimated(sm int, a *l1d.Access, results []cache.Result) {
	for i, r := range results {
		s.add(sm, a.Block, a.Warp, a.Index, i, a.Lines[i], r.Hit)
	}
}

// sequenceObserver sums up a simulation.
type sequenceObserver struct {
	sim.AccessesOnly
	*sequence
}

// Access implements sim.AccessObserver.
func (o sequenceObserver) Access(e sim.AccessEvent) {
	if e.Kind != isa.Atomic {
		o.add(e.SM, e.Block, e.Warp, e.Index, e.Request, e.Address, e.Class.Hits())
	}
}
