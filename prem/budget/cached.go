package budget

import (
	"context"
	"math/bits"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/bound/multiphase"
	"github.com/warpbound/warpbound/bound/serial"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/isa"
	"github.com/warpbound/warpbound/l1d"
	"github.com/warpbound/warpbound/l1d/cache"
	"github.com/warpbound/warpbound/sim"
)

// cached bounds memory phases on a machine with caches (docs/soundness.md, theorems
// 34 and 35).
type cached struct {
	b      *budgeter
	d      *gpu.Description
	access *sections // what an SM does if no cycle is lost to the memory
	tags   cache.Config
	places gpu.MemoryMap

	unit    uint64 // bytes that a request looks up and fetches together
	holds1  int    // lines of an L1D set that stay
	holds2  int    // and of an L2 set
	span    int64  // lines that come between a request and the loss of its line
	readWay int64  // fixed ways of a load

	sms    []smTraffic // of the phase at hand
	shared sharedTraffic
}

func log2(n int) uint { return uint(bits.TrailingZeros64(uint64(n))) }

// holds is how many distinct lines of a set can be used without any of them being
// lost, whatever the cache held before.
func holds(replacement string, ways int, sectored bool) int {
	switch {
	case replacement == "plru":
		return int(log2(ways)) + 1
	case replacement == "fifo" && sectored:
		// A line that came in before may go right after a sector of it was fetched.
		return 0
	}
	return ways
}

func newCached(b *budgeter, slots int64) (*cached, error) {
	d := b.rep.Machine.Desc
	l1, l2 := d.L1D, d.L2
	c := &cached{
		b: b, d: d, tags: sim.TagConfig(l1), places: d.MemoryMap(),
		unit:   uint64(max(l1.SectorBytes, l2.SectorBytes)),
		holds1: holds(l1.Replacement, l1.Ways, l1.SectorBytes < l1.LineBytes),
		holds2: holds(l2.Replacement, l2.Ways, l2.SectorBytes < l2.LineBytes),
	}
	c.span = int64(max(1, c.holds1))
	// Two rows of a slice's latency: the last of several sectors is served later.
	slice := l2.RequestLatencyCycles + c.sectors()*l2.AccessCycles + l2.LatencyCycles + l2.ResponseLatencyCycles
	// A transfer ends in the middle of a cycle.
	c.readWay = slice + 1 + d.DRAM.LatencyCycles
	fill := max(1, d.Issue.DependencyDepthCycles)
	latency := map[isa.Kind]int64{
		isa.Store:  max(l1.WriteLatencyCycles+slice+1, 1),
		isa.Atomic: l1.WriteLatencyCycles + c.readWay + fill,
	}
	load := max(c.readWay+fill, l1.HitLatencyCycles+d.Issue.DependencyDepthCycles, 1)

	ops := make([]multiphase.Op, len(b.rep.Path.Symbols))
	plain := b.rep.Ops()
	code := b.rec.code
	for i, s := range b.rep.Path.Symbols {
		ops[i] = plain[i]
		in := &code[s.PC]
		if !l1d.MayAccessGlobal(in) {
			continue
		}
		took, ok := latency[in.Kind]
		if !ok {
			took = load
		}
		// The cycles in which an access keeps its unit are lost cycles, but for one
		// that an op has at least. Where it can also be none, it takes what its
		// timing says.
		if b.rec.plain[s.PC] {
			took = max(took, ops[i].LatencyCycles)
		} else {
			ops[i].InitCycles = 1
		}
		ops[i].LatencyCycles = took
	}
	methods := []string{}
	for _, m := range []string{multiphase.SUM, multiphase.FUA, serial.Method} {
		if b.opt.Methods == nil || contains(b.opt.Methods, m) {
			methods = append(methods, m)
		}
	}
	var err error
	c.access, err = newSections(b.rep, slots, ops, methods)
	return c, err
}

func contains(list []string, x string) bool {
	for _, y := range list {
		if x == y {
			return true
		}
	}
	return false
}

// sectors is how many L2 sectors a request looks up.
func (c *cached) sectors() int64 { return int64(c.unit) / int64(c.d.L2.SectorBytes) }

// time bounds a memory phase of an SM: what the SM takes if no cycle is lost, and
// the cycles that it can lose.
func (c *cached) time(ctx context.Context, sm int, spans []span) (*timed, error) {
	base, err := c.access.time(ctx, spans)
	if err != nil {
		return nil, err
	}
	own := &c.sms[sm]
	t := &timed{method: base.method, theorem: base.theorem + "; docs/soundness.md, theorems 34 and 35"}
	t.parts = append(t.parts, base.parts...)
	sum := total{cycles: base.cycles}
	part := func(name string, cycles int64) {
		if sum.add(cycles); cycles > 0 {
			t.parts = append(t.parts, bound.Component{Name: name, Cycles: cycles})
		}
	}
	part("tags and ways out", own.requests+own.writeBacks)
	part("MSHRs taken", sum.mul(own.fetches, c.readWay)/int64(c.d.L1D.MSHRs))
	part("full merge lists", sum.mul(own.mergeWaits, c.readWay))
	part("victims on their way", sum.mul(own.victimWaits, c.readWay))
	if own.requests+own.writeBacks > 0 {
		c.shared.parts(c, own, &sum, part)
	}
	if sum.over {
		return nil, errOverflow
	}
	if own.requests+own.writeBacks > 0 {
		more, err := c.refreshes(sum.cycles)
		if err != nil {
			return nil, err
		}
		part("refreshes", more)
	}
	t.cycles = sum.cycles
	return t, nil
}
