package budget

import (
	"context"
	"math/bits"
	"slices"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/cache"
	"github.com/warpbound/warpbound/internal/cache/l1d"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/multiphase"
	"github.com/warpbound/warpbound/internal/method/serial"
	"github.com/warpbound/warpbound/isa"
)

// cached bounds memory phases on a machine with caches (docs/soundness/phases.md,
// theorems 34 (lost cycles) and 35 (what a phase loses)).
type cached struct {
	b *budgeter
	d *gpu.Description
	// What an SM does if no cycle is lost to the memory, with the ways of loads as
	// latencies, and without.
	access, present *sections
	tags            cache.Config
	places          gpu.MemoryMap

	unit    uint64 // bytes that a request looks up and fetches together
	holds1  int    // lines of an L1D set that stay
	holds2  int    // and of an L2 set
	span    int64  // lines that come between a request and the loss of its line
	readWay int64  // fixed ways of a load

	waiting *waiting // nil where teams that have ended a phase do nothing

	sms    []smTraffic // of the phase at hand
	silent bool        // no SM sends a request in it
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
		b: b, d: d, tags: cache.OfL1D(l1), places: d.MemoryMap(),
		unit:   uint64(max(l1.SectorBytes, l2.SectorBytes)),
		holds1: holds(l1.Replacement, l1.Ways, l1.SectorBytes < l1.LineBytes),
		holds2: holds(l2.Replacement, l2.Ways, l2.SectorBytes < l2.LineBytes),
	}
	c.span = int64(max(1, c.holds1))
	// The last of a request's sectors is served behind the others.
	slice := l2.RequestLatencyCycles + c.sectors()*l2.AccessCycles + l2.LatencyCycles + l2.ResponseLatencyCycles
	// A transfer ends in the middle of a cycle.
	c.readWay = slice + 1 + d.DRAM.LatencyCycles
	fill := max(1, d.Issue.DependencyDepthCycles)
	hit := max(1, l1.HitLatencyCycles+d.Issue.DependencyDepthCycles)
	times := accessTimes{
		load: max(c.readWay+fill, hit), present: max(hit, fill),
		store: l1.WriteLatencyCycles + slice + 1, atomic: l1.WriteLatencyCycles + c.readWay + fill,
	}
	if b.opt.Guarded != nil {
		var err error
		if c.waiting, err = newWaiting(b.opt.Guarded, b.rep.Machine); err != nil {
			return nil, err
		}
	}
	methods := slices.DeleteFunc([]string{multiphase.SUM, multiphase.FUA, serial.Method}, func(m string) bool {
		return b.opt.Methods != nil && !slices.Contains(b.opt.Methods, m)
	})
	var err error
	if c.access, err = newSections(b.rep, slots, c.ops(times), methods); err != nil {
		return nil, err
	}
	times.load = times.present
	c.present, err = newSections(b.rep, slots, c.ops(times), methods)
	return c, err
}

// accessTimes is how long accesses take in cycles that are not lost, from the tags
// to their completion. present is for a load in cycles in which no load of the SM
// is on its way.
type accessTimes struct{ load, present, store, atomic int64 }

// ops are the instructions with accesses of those times.
func (c *cached) ops(times accessTimes) []method.Op {
	rep, rec := c.b.rep, c.b.rec
	ops := slices.Clone(rep.Ops())
	for i, s := range rep.Path.Symbols {
		in := &rec.code[s.PC]
		if !l1d.MayAccessGlobal(in) {
			continue
		}
		took := times.load
		switch {
		case in.Kind == isa.Store:
			took = times.store
		case in.Kind == isa.Atomic || in.Uncached:
			took = times.atomic
		}
		// The cycles in which an access keeps its unit are lost cycles, but for one
		// that an op has at least. Where it can also be none, it takes what its
		// timing says.
		if rec.plain[s.PC] {
			took = max(took, ops[i].LatencyCycles)
		} else {
			ops[i].InitCycles = 1
		}
		ops[i].LatencyCycles = took
	}
	return ops
}

// sectors is how many L2 sectors a request looks up.
func (c *cached) sectors() int64 { return int64(c.unit) / int64(c.d.L2.SectorBytes) }

// time bounds a phase of an SM: what the SM takes if no cycle is lost, and the cycles
// that it can lose, in the two ways of theorem 35. beside is the number of other
// teams on the SM, others that of teams elsewhere.
func (c *cached) time(ctx context.Context, kind Kind, sm int, spans []span, beside, others int64) (*timed, error) {
	var best *timed
	for _, overlapped := range [2]bool{true, false} {
		t, err := c.either(ctx, kind, sm, spans, beside, others, overlapped)
		if err != nil {
			return nil, err
		}
		if best == nil || t.cycles < best.cycles {
			best = t
		}
	}
	return best, nil
}

// either is one of the two ways. Overlapped, a load takes its way to the memory as a
// latency, and waits for MSHRs, merge lists and victims are counted; otherwise no
// load takes a latency beyond that of a hit, and the ways of all that leave the SM
// are counted one after the other, whatever waits meanwhile.
func (c *cached) either(ctx context.Context, kind Kind, sm int, spans []span, beside, others int64, overlapped bool) (*timed, error) {
	in := c.present
	if overlapped {
		in = c.access
	}
	base, err := in.time(ctx, spans)
	if err != nil {
		return nil, err
	}
	t := &timed{method: base.method, theorem: base.theorem + "; docs/soundness.md, theorems 34 and 35"}
	t.parts = append(t.parts, base.parts...)
	sum := total{cycles: base.cycles}
	part := func(id bound.PartID, cycles int64) {
		if sum.add(cycles); cycles > 0 {
			t.parts = append(t.parts, bound.Part(id, cycles))
		}
	}
	// Even where no SM sends anything, the memory may still be busy with the
	// hand-over.
	memory := kind == Memory && (c.sms[sm].requests > 0 || c.silent && c.waiting != nil)
	if memory {
		own := &c.sms[sm]
		part(bound.TagsAndWaysOut, own.requests+own.writeBacks)
		if overlapped {
			part(bound.MSHRsTaken, sum.mul(own.fetches, c.readWay)/int64(c.d.L1D.MSHRs))
			part(bound.FullMergeLists, sum.mul(own.mergeWaits, c.readWay))
			part(bound.Victims, sum.mul(own.victimWaits, c.readWay))
		} else {
			part(bound.WaysOfLoads, sum.mul(own.fetches, c.readWay))
		}
		c.shared.parts(c, own, &sum, part)
	}
	if sum.over {
		return nil, errOverflow
	}
	more, err := c.besides(sum.cycles, beside, others, memory)
	if err != nil {
		return nil, err
	}
	part(bound.TeamsThatWait, more.teams)
	part(bound.HandOver, more.handOver)
	part(bound.Refreshes, more.refreshes)
	if c.waiting != nil {
		t.theorem += ", 36"
	}
	t.cycles = sum.cycles
	return t, nil
}
