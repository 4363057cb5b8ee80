package l1d

import (
	"slices"

	"github.com/warpbound/warpbound/internal/cache"
	"github.com/warpbound/warpbound/internal/seq"
)

// classRecorder keeps the classes of the accesses of one SM's warps.
type classRecorder struct {
	warps   int // of a block
	symbols map[Class]int32
	classes []Class
	store   *foldStore
	open    map[int64][]folded // of the resident blocks, by warp
	free    [][]folded
	blocks  []BlockClasses
	byHash  map[uint64][]*seq.Seq
}

func newClassRecorder(warps int) *classRecorder {
	return &classRecorder{warps: warps, symbols: map[Class]int32{}, store: newFoldStore(), open: map[int64][]folded{}, byHash: map[uint64][]*seq.Seq{}}
}

func (r *classRecorder) add(a *Access, results []cache.Result) {
	c := Class{PC: a.PC, Kind: a.Kind, Segments: int32(len(a.Lines))}
	for i := range results {
		if !results[i].Hit {
			c.Misses++
		}
	}
	s, ok := r.symbols[c]
	if !ok {
		s = int32(len(r.classes))
		r.symbols[c] = s
		r.classes = append(r.classes, c)
	}
	warps := r.open[a.Block]
	if warps == nil {
		warps = r.begin(a.Block)
	}
	r.store.push(&warps[a.Warp], s)
}

func (r *classRecorder) begin(block int64) []folded {
	var warps []folded
	if n := len(r.free); n > 0 {
		warps = r.free[n-1]
		r.free = r.free[:n-1]
	} else {
		warps = make([]folded, r.warps)
	}
	r.open[block] = warps
	return warps
}

// retire closes the sequences of a block.
func (r *classRecorder) retire(block int64) {
	warps := r.open[block]
	if warps == nil {
		warps = r.begin(block)
	}
	delete(r.open, block)
	b := BlockClasses{Block: block, Warps: make([]*seq.Seq, len(warps))}
	for i := range warps {
		b.Warps[i] = r.share(r.store.seq(warps[i]))
		warps[i] = warps[i][:0]
	}
	r.free = append(r.free, warps)
	r.blocks = append(r.blocks, b)
}

func (r *classRecorder) share(s *seq.Seq) *seq.Seq {
	for _, x := range r.byHash[s.Hash()] {
		if seq.Equal(x, s) {
			return x
		}
	}
	r.byHash[s.Hash()] = append(r.byHash[s.Hash()], s)
	return s
}

// classMerger puts the classes of several SMs under common numbers.
type classMerger struct {
	all *classRecorder
}

func newClassMerger() classMerger { return classMerger{newClassRecorder(0)} }

func (m *classMerger) add(r *classRecorder) {
	number := make([]int32, len(r.classes))
	for i, c := range r.classes {
		n, ok := m.all.symbols[c]
		if !ok {
			n = int32(len(m.all.classes))
			m.all.symbols[c] = n
			m.all.classes = append(m.all.classes, c)
		}
		number[i] = n
	}
	renamed := map[*seq.Seq]*seq.Seq{}
	for _, b := range r.blocks {
		x := BlockClasses{Block: b.Block, Warps: make([]*seq.Seq, len(b.Warps))}
		for i, s := range b.Warps {
			x.Warps[i] = m.all.share(rename(s, number, renamed))
		}
		m.all.blocks = append(m.all.blocks, x)
	}
}

// rename replaces every symbol by its number. Shared bodies stay shared.
func rename(s *seq.Seq, number []int32, done map[*seq.Seq]*seq.Seq) *seq.Seq {
	if t := done[s]; t != nil {
		return t
	}
	var items []seq.Item
	for _, it := range s.Items() {
		if it.Body != nil {
			items = append(items, seq.Repeat(it.Count, rename(it.Body, number, done)))
			continue
		}
		run := make([]int32, len(it.Symbols))
		for i, x := range it.Symbols {
			run[i] = number[x]
		}
		items = append(items, seq.Run(run...))
	}
	t := seq.Must(items...)
	done[s] = t
	return t
}

func (m *classMerger) result() ([]Class, []BlockClasses) {
	slices.SortFunc(m.all.blocks, func(a, b BlockClasses) int {
		if a.Block < b.Block {
			return -1
		}
		return 1
	})
	return m.all.classes, m.all.blocks
}
