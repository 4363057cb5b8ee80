package enforced

import (
	"fmt"
	"iter"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/cache"
	"github.com/warpbound/warpbound/internal/cache/l1d"
	"github.com/warpbound/warpbound/internal/method/ordered"
)

// orderedSM is an SM's accesses in the enforced order and what they meet in its
// L1D, batch after batch.
type orderedSM struct {
	l1    *gpu.L1D
	order *l1d.Order
	tags  *cache.Cache
	unit  uint64 // bytes
	sent  traffic
	// Where requests go in the memory, if its places serve SMs in turn.
	inTurn bool
	memory gpu.MemoryMap
	places []int32 // of the access

	// Of the batch: sectors that it loaded, the number of the access, and how the
	// accesses of every warp sum up.
	place   int64
	loaded  map[uint64]loadedSector
	sums    []uint64
	counted []int64
}

// loadedSector is a sector loaded in a batch.
type loadedSector struct {
	loads  int64
	missed int64 // place of the last access that missed it, -1 none
}

func newOrderedSM(d *gpu.Description, order *l1d.Order, unitBytes uint64) (*orderedSM, error) {
	tags, err := cache.New(cache.OfL1D(d.L1D))
	if err != nil {
		return nil, err
	}
	return &orderedSM{l1: d.L1D, order: order, tags: tags, unit: unitBytes, sent: traffic{}, inTurn: d.L2.RoundRobin(), memory: d.MemoryMap()}, nil
}

// batch yields the accesses of blocks that are resident together. warps is how
// many a block has.
func (s *orderedSM) batch(blocks []int64, warps int) iter.Seq2[ordered.Access, error] {
	return func(yield func(ordered.Access, error) bool) {
		// Nothing is in flight when a batch begins: its blocks start when all
		// accesses of the previous one have completed.
		s.place, s.loaded = 0, map[uint64]loadedSector{}
		s.sums, s.counted = make([]uint64, len(blocks)*warps), make([]int64, len(blocks)*warps)
		slot := map[int64]int{}
		for i, b := range blocks {
			slot[b] = i * warps
			if err := s.order.Admit(0, b); err != nil {
				yield(ordered.Access{}, err)
				return
			}
		}
		for {
			a, err := s.order.NextAccess(0)
			if err != nil {
				yield(ordered.Access{}, err)
				return
			}
			if a == nil {
				return
			}
			w := slot[a.Block] + a.Warp
			s.sums[w] = accessSum(s.sums[w], a.PC, len(a.Lines))
			s.counted[w]++
			x, err := s.classify(a)
			x.Warp = w
			if !yield(x, err) || err != nil {
				return
			}
			s.place++
			if err := s.order.Sent(0); err != nil {
				yield(ordered.Access{}, err)
				return
			}
		}
	}
}

// retire ends a batch whose accesses have all been yielded, and checks them
// against the streams of its warps.
func (s *orderedSM) retire(blocks []int64, recorded []*warpStream) error {
	for i, w := range recorded {
		if s.sums[i] != w.sum || s.counted[i] != w.accesses {
			return &bound.Refusal{Reason: fmt.Sprintf("the accesses of warp %d of block %d depend on the order in which blocks are executed", i%(len(recorded)/len(blocks)), blocks[i/(len(recorded)/len(blocks))]), Assumption: bound.AccessClassesExact}
		}
	}
	for _, b := range blocks {
		if err := s.order.Retire(0, b); err != nil {
			return err
		}
	}
	return nil
}

// classify brings an access to the tags. What it may wait for is what it waits
// for in the simulator: a line to be replaced that has a sector in flight, and a
// sector in flight that can be joined by no more accesses.
func (s *orderedSM) classify(a *l1d.Access) (ordered.Access, error) {
	x := ordered.Access{Entries: 1, TagCycles: s.tagCycles(a.Lines), FilledBy: ordered.NoEarlier, WaitsFor: ordered.NoEarlier}
	s.places = s.places[:0]
	if a.Kind == l1d.Atomic || a.Kind == l1d.Store {
		x.HeldCycles = s.l1.WriteLatencyCycles
	}
	for _, line := range a.Lines {
		switch a.Kind {
		case l1d.Atomic:
			s.request(&x, line, requests{atomics: 1})
		case l1d.Store:
			s.victim(&x, s.tags.Access(line, cache.Store))
			s.request(&x, line, requests{writes: 1})
		default:
			r := s.tags.Access(line, cache.Load)
			s.victim(&x, r)
			s.load(&x, line, r.Hit)
		}
	}
	x.Places = s.places
	if x.Fills > s.l1.MSHRs {
		return x, &bound.Refusal{Reason: fmt.Sprintf("an access misses %d sectors, with %d MSHRs", x.Fills, s.l1.MSHRs), Assumption: bound.MemoryResponse}
	}
	return x, nil
}

// load is a sector that an access loads.
func (s *orderedSM) load(x *ordered.Access, line uint64, hit bool) {
	old, known := s.loaded[line]
	if !known {
		old.missed = -1
	}
	if old.missed >= 0 && old.loads >= int64(s.l1.MSHRMerges) {
		x.WaitsFor = max(x.WaitsFor, old.missed+1)
	}
	if hit {
		x.Hits++
		if old.missed >= 0 {
			x.FilledBy = max(x.FilledBy, old.missed+1)
		}
	} else {
		x.Fills++
		s.request(x, line, requests{reads: 1})
		old.missed = s.place
	}
	old.loads++
	s.loaded[line] = old
}

// request is a sector that an access asks the memory for: a store ends at its
// slice.
func (s *orderedSM) request(x *ordered.Access, line uint64, kind requests) {
	x.Requests++
	s.sent.add(line/s.unit, kind)
	if !s.inTurn {
		return
	}
	slice, _ := s.memory.Slice(line)
	channel := ordered.Elsewhere
	if kind.writes == 0 {
		channel = int32(s.memory.Channel(slice))
	}
	s.places = append(s.places, int32(slice), channel)
}

// victim is a line that an access has replaced: it waits until all its sectors
// are there.
func (s *orderedSM) victim(x *ordered.Access, r cache.Result) {
	if !r.Evicted {
		return
	}
	own := false
	for at := r.Victim; at < r.Victim+uint64(s.l1.LineBytes); at += uint64(s.l1.SectorBytes) {
		switch v, ok := s.loaded[at]; {
		case !ok || v.missed < 0:
		case v.missed == s.place:
			own = true
		default:
			x.WaitsFor = max(x.WaitsFor, v.missed+1)
		}
	}
	if own {
		x.SelfWaits++
	}
}

// tagCycles is how long the requests of an access take at the tags: in order, at
// most one a bank and cycle. Where they have to wait on the way, they take no more
// cycles besides.
func (s *orderedSM) tagCycles(lines []uint64) int64 {
	n, busy := int64(0), uint64(0)
	for i, line := range lines {
		bank := uint64(1) << (line / uint64(s.l1.SectorBytes) & uint64(s.l1.Banks-1))
		if i == 0 || busy&bank != 0 {
			n++
			busy = 0
		}
		busy |= bank
	}
	return n
}
