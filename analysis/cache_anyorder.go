package analysis

import (
	"encoding/binary"
	"iter"

	"github.com/warpbound/warpbound/l1d"
	"github.com/warpbound/warpbound/l1d/cache"
	"github.com/warpbound/warpbound/l1d/static"
)

// maxAccessBytes is the memory that the accesses of all warps may take, as
// differences: each needs one to three bytes mostly.
const maxAccessBytes = 1 << 27

// warpSets are the accesses of the warps of a launch, warp by warp, in groups of
// those that share a cache.
//
// Where it is known which blocks an SM gets, a group is what runs on it. Otherwise
// all warps are one group: what l1d/static says of a group holds of every part of
// it, so of what an SM gets, whatever that is.
type warpSets struct {
	residency l1d.Residency
	perBlock  int // warps of a block
	dealt     bool
	warps     []warpAccesses // by block and warp
	bytes     int
	most      int // bytes
	full      bool
}

// warpAccesses are the segments that a warp touches, each as a varint: the
// difference to the one before, in segments, zigzag, and below it a bit for stores.
type warpAccesses struct {
	data []byte
	last int64
}

func newWarpSets(r l1d.Residency, perBlock int, dealt bool) *warpSets {
	return &warpSets{residency: r, perBlock: perBlock, most: maxAccessBytes, dealt: dealt, warps: make([]warpAccesses, r.Blocks*int64(perBlock))}
}

// segmentBytes is the unit of the differences. All segments are multiples of it.
const segmentBytes = 4

// add is the next access of its warp.
func (s *warpSets) add(a *l1d.Access) {
	if a.Kind == l1d.Atomic || s.full {
		return
	}
	w := &s.warps[a.Block*int64(s.perBlock)+int64(a.Warp)]
	before := len(w.data)
	for _, line := range a.Lines {
		at := int64(line / segmentBytes)
		by := uint64((at-w.last)<<1) ^ uint64((at-w.last)>>63)
		if w.last = at; a.Kind == l1d.Store {
			w.data = binary.AppendUvarint(w.data, by<<1|1)
		} else {
			w.data = binary.AppendUvarint(w.data, by<<1)
		}
	}
	if s.bytes += len(w.data) - before; s.bytes > s.most {
		s.full, s.warps = true, nil
	}
}

func (w *warpAccesses) all() iter.Seq2[uint64, cache.Kind] {
	return func(yield func(uint64, cache.Kind) bool) {
		at := int64(0)
		for data := w.data; len(data) > 0; {
			x, n := binary.Uvarint(data)
			data = data[n:]
			by := x >> 1
			at += int64(by>>1) ^ -int64(by&1)
			if !yield(uint64(at)*segmentBytes, cache.Kind(x&1)) {
				return
			}
		}
	}
}

// groups are the numbers of the warps that share a cache.
func (s *warpSets) groups() [][]int64 {
	n := 1
	if s.dealt {
		n = s.residency.SMs
	}
	out := make([][]int64, n)
	for b := range s.residency.Blocks {
		g := int(b % int64(n))
		for w := range int64(s.perBlock) {
			out[g] = append(out[g], b*int64(s.perBlock)+w)
		}
	}
	return out
}

// anyOrder bounds the misses of a configuration over all orders of accesses, nil
// where there are too many.
func (s *warpSets) anyOrder(c cache.Config) (*AnyOrder, error) {
	if s.full {
		return nil, nil
	}
	sum := new(AnyOrder)
	for _, group := range s.groups() {
		a, err := static.Analyse(static.System{
			Cache: c, Start: static.Cold, Warps: len(group),
			Accesses: func(w int) iter.Seq2[uint64, cache.Kind] { return s.warps[group[w]].all() },
		})
		if err != nil {
			return nil, err
		}
		t, err := a.Totals()
		if err != nil {
			return nil, err
		}
		addTally(&sum.Loads, t.Loads)
		addTally(&sum.Stores, t.Stores)
		sum.PersistentSectors += t.PersistentSectors
		least, most := t.Misses()
		if !s.dealt {
			// A persistent sector misses once on each SM.
			most += t.PersistentSectors * int64(s.residency.SMs-1)
			most = min(most, t.Loads.Accesses+t.Stores.Accesses-t.Loads.AlwaysHit-t.Stores.AlwaysHit)
		}
		sum.LeastMisses += least
		sum.MostMisses += most
	}
	return sum, nil
}

func addTally(to *static.Tally, x static.Tally) {
	to.Accesses += x.Accesses
	to.AlwaysHit += x.AlwaysHit
	to.AlwaysMiss += x.AlwaysMiss
	to.Persistent += x.Persistent
	to.Unclassified += x.Unclassified
}
