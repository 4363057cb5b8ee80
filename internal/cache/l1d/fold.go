package l1d

import (
	"slices"

	"github.com/warpbound/warpbound/internal/seq"
)

// maxPeriod is the longest body, in items, whose repetition is looked for.
const maxPeriod = 64

// folded is a sequence of symbols that is folded while it grows: whenever it
// ends in something twice, that becomes a repetition.
type folded []foldItem

// foldItem is count times a symbol, or a body of the store (as ^number).
type foldItem struct {
	code  int32
	count int64
}

// foldStore holds every repeated body once.
type foldStore struct {
	bodies [][]foldItem
	byHash map[uint64][]int32
	seqs   []*seq.Seq // of each body, made on demand
}

func newFoldStore() *foldStore { return &foldStore{byHash: map[uint64][]int32{}} }

// push appends a symbol to f.
func (st *foldStore) push(f *folded, symbol int32) {
	s := append(*f, foldItem{symbol, 1})
	for again := true; again; {
		s, again = st.shorten(s)
	}
	*f = s
}

// shorten folds the end of s once, where it repeats.
func (st *foldStore) shorten(s folded) (folded, bool) {
	n := len(s)
	if n >= 2 && s[n-2].code == s[n-1].code {
		s[n-2].count += s[n-1].count
		return s[:n-1], true
	}
	last := s[n-1]
	for p := 2; p <= maxPeriod && p < n; p++ {
		if r := &s[n-p-1]; r.code < 0 {
			if body := st.bodies[^r.code]; len(body) == p && body[p-1] == last && slices.Equal(body, s[n-p:]) {
				r.count++
				return s[:n-p], true
			}
		}
		if 2*p <= n && s[n-1-p] == last && slices.Equal(s[n-2*p:n-p], s[n-p:]) {
			s[n-2*p] = foldItem{^st.intern(s[n-p:]), 2}
			return s[:n-2*p+1], true
		}
	}
	return s, false
}

func (st *foldStore) intern(body []foldItem) int32 {
	h := uint64(14695981039346656037)
	for _, it := range body {
		h = (h ^ uint64(uint32(it.code))) * 1099511628211
		h = (h ^ uint64(it.count)) * 1099511628211
	}
	for _, id := range st.byHash[h] {
		if slices.Equal(st.bodies[id], body) {
			return id
		}
	}
	id := int32(len(st.bodies))
	st.bodies = append(st.bodies, slices.Clone(body))
	st.seqs = append(st.seqs, nil)
	st.byHash[h] = append(st.byHash[h], id)
	return id
}

// seq is the sequence that f stands for.
func (st *foldStore) seq(f []foldItem) *seq.Seq {
	var items []seq.Item
	var run []int32
	for _, it := range f {
		if it.code >= 0 && it.count == 1 {
			run = append(run, it.code)
			continue
		}
		items = append(items, seq.Run(run...))
		run = nil
		if it.code >= 0 {
			items = append(items, seq.Repeat(it.count, seq.Must(seq.Run(it.code))))
		} else {
			items = append(items, seq.Repeat(it.count, st.body(^it.code)))
		}
	}
	return seq.Must(append(items, seq.Run(run...))...)
}

func (st *foldStore) body(id int32) *seq.Seq {
	if st.seqs[id] == nil {
		st.seqs[id] = st.seq(st.bodies[id])
	}
	return st.seqs[id]
}
