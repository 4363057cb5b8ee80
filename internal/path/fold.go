package path

import "github.com/warpbound/warpbound/internal/seq"

// maxHeaderScan is how far back, in items, a backward jump looks for the first
// execution of its target. It bounds the cost of streams that do not repeat.
const maxHeaderScan = 1 << 14

// entryItems is what an entry or a repetition takes, in items, with what the
// analyses make of it.
const entryItems = 15

// longBody is the length, in items, from which a body that is executed once is
// stored by reference when its loop ends, as a repeated one is: what does not
// repeat in any loop of a nest is then kept once, and not once for each loop around
// it.
const longBody = 32

// maxTandem is the longest group of unequal iterations that is folded when the
// group repeats (double-buffered loops alternate between two bodies).
const maxTandem = 4

// store holds every distinct body once. A body is a list of items: an item
// that is not negative is a symbol, ^item numbers a repetition.
type store struct {
	bodies  [][]int32
	byHash  map[uint64][]int32 // body numbers
	repeats []repeat
	byRep   map[repeat]int32
	seqs    []*seq.Seq // of each body, built on demand
	size    int64      // of everything kept, in items of four bytes
}

type repeat struct {
	body  int32
	count int64
}

func newStore() *store {
	return &store{byHash: map[uint64][]int32{}, byRep: map[repeat]int32{}}
}

func (st *store) intern(items []int32) int32 {
	h := uint64(14695981039346656037)
	for _, x := range items {
		h = (h ^ uint64(uint32(x))) * 1099511628211
	}
	for _, id := range st.byHash[h] {
		if equal(st.bodies[id], items) {
			return id
		}
	}
	st.size += int64(len(items))
	id := int32(len(st.bodies))
	st.bodies = append(st.bodies, append([]int32(nil), items...))
	st.seqs = append(st.seqs, nil)
	st.byHash[h] = append(st.byHash[h], id)
	return id
}

func (st *store) repetition(body int32, count int64) int32 {
	r := repeat{body, count}
	id, ok := st.byRep[r]
	if !ok {
		id = int32(len(st.repeats))
		st.repeats = append(st.repeats, r)
		st.byRep[r] = id
		st.size += entryItems
	}
	return ^id
}

// sequence converts a body to the form the analyses read. Equal bodies give the
// same pointer.
func (st *store) sequence(id int32) (*seq.Seq, error) {
	if st.seqs[id] != nil {
		return st.seqs[id], nil
	}
	var parts []seq.Item
	items := st.bodies[id]
	for i := 0; i < len(items); {
		if items[i] < 0 {
			r := st.repeats[^items[i]]
			body, err := st.sequence(r.body)
			if err != nil {
				return nil, err
			}
			parts = append(parts, seq.Repeat(r.count, body))
			i++
			continue
		}
		j := i
		for j < len(items) && items[j] >= 0 {
			j++
		}
		parts = append(parts, seq.Run(items[i:j]...))
		i = j
	}
	s, err := seq.New(parts...)
	if err != nil {
		return nil, err
	}
	st.seqs[id] = s
	return s, nil
}

// concatenate makes a body of bodies one after another, equal runs and groups
// folded.
func (st *store) concatenate(ids []int32) int32 {
	if len(ids) == 1 {
		return ids[0]
	}
	var es []entry
	for _, id := range ids {
		if n := len(es); n > 0 && es[n-1].parts == nil && es[n-1].body == id {
			es[n-1].count++
			continue
		}
		es = append(foldTandem(es), entry{body: id, count: 1})
	}
	return st.intern(st.nest(nil, es))
}

// nest writes entries as repetitions, so that the bodies are shared and not
// copied.
func (st *store) nest(items []int32, es []entry) []int32 {
	for _, e := range es {
		body := e.body
		if e.parts != nil {
			body = st.intern(st.nest(nil, e.parts))
		}
		items = append(items, st.repetition(body, e.count))
	}
	return items
}

func equal(a, b []int32) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// folder folds one warp's stream of one section.
//
// Invariant: the stream so far is the concatenation, over frames from the
// bottom, of the frame's finished iterations followed by its current items.
type folder struct {
	st     *store
	pcOf   func(symbol int32) int32
	frames []frame // frames[0] has no loop: header -1
	free   [][]int32
	heads  map[int32]int // of the loops in frames
}

type frame struct {
	header  int32
	entries []entry
	cur     []int32
}

// entry is count executions of the group of bodies in parts, or of body alone
// where there are no parts.
type entry struct {
	body  int32
	count int64
	parts []entry
}

func newFolder(st *store, pcOf func(int32) int32) *folder {
	return &folder{st: st, pcOf: pcOf, frames: []frame{{header: -1}}, heads: map[int32]int{}}
}

// add appends an executed symbol; next is the PC that the warp executes
// afterwards. A jump that does not go forward may close a loop iteration.
func (f *folder) add(symbol, pc, next int32) {
	top := &f.frames[len(f.frames)-1]
	top.cur = append(top.cur, symbol)
	if next > pc || next < 0 {
		return
	}
	if level, ok := f.heads[next]; ok {
		for len(f.frames)-1 > level {
			f.pop()
		}
		f.closeIteration(&f.frames[level])
		return
	}
	// First time around: the iteration began where next was executed.
	budget := maxHeaderScan
	for level := len(f.frames) - 1; level >= 0; level-- {
		i := f.find(f.frames[level].cur, next, &budget)
		if i < 0 {
			continue
		}
		for len(f.frames)-1 > level {
			f.pop()
		}
		cur := &f.frames[level].cur
		body := append(f.buffer(), (*cur)[i:]...)
		*cur = (*cur)[:i]
		f.heads[next] = len(f.frames)
		f.frames = append(f.frames, frame{header: next, cur: body})
		f.closeIteration(&f.frames[len(f.frames)-1])
		return
	}
}

// find returns the last place in items that executed pc, -1 where there is none
// within the budget.
func (f *folder) find(items []int32, pc int32, budget *int) int {
	for i := len(items) - 1; i >= 0 && *budget > 0; i-- {
		*budget--
		if items[i] >= 0 && f.pcOf(items[i]) == pc {
			return i
		}
	}
	return -1
}

func (f *folder) closeIteration(fr *frame) {
	id := f.st.intern(fr.cur)
	fr.cur = fr.cur[:0]
	if n := len(fr.entries); n > 0 && fr.entries[n-1].parts == nil && fr.entries[n-1].body == id {
		fr.entries[n-1].count++
		return
	}
	fr.entries = append(foldTandem(fr.entries), entry{body: id, count: 1})
	f.st.size += entryItems
}

// again repeats the iteration that was closed last, of the loop with that head, if
// nothing has come since.
func (f *folder) again(head int32, times int64) bool {
	fr := &f.frames[len(f.frames)-1]
	if fr.header != head || len(fr.cur) != 0 || len(fr.entries) == 0 {
		return false
	}
	fr.entries[len(fr.entries)-1].count += times
	return true
}

// foldTandem merges the last p entries with an equal group just before them.
func foldTandem(es []entry) []entry {
	n := len(es)
	for p := 2; p <= maxTandem; p++ {
		if n > p && len(es[n-p-1].parts) == p && equalEntries(es[n-p-1].parts, es[n-p:]) {
			es[n-p-1].count++
			return es[:n-p]
		}
		if n >= 2*p && equalEntries(es[n-2*p:n-p], es[n-p:]) {
			parts := append([]entry(nil), es[n-p:]...)
			es[n-2*p] = entry{count: 2, parts: parts}
			return es[:n-2*p+1]
		}
	}
	return es
}

func equalEntries(a, b []entry) bool {
	for i := range a {
		if a[i].parts != nil || b[i].parts != nil || a[i].body != b[i].body || a[i].count != b[i].count {
			return false
		}
	}
	return true
}

// pop ends the innermost loop: its content becomes items of the frame below.
func (f *folder) pop() {
	last := len(f.frames) - 1
	fr := f.frames[last]
	f.frames = f.frames[:last]
	delete(f.heads, fr.header)
	below := &f.frames[last-1]
	below.cur = f.flatten(below.cur, fr.entries)
	below.cur = append(below.cur, fr.cur...)
	f.free = append(f.free, fr.cur[:0])
}

func (f *folder) flatten(items []int32, es []entry) []int32 {
	for _, e := range es {
		body := e.body
		if e.parts != nil {
			body = f.st.intern(f.flatten(nil, e.parts))
		}
		if e.count == 1 && len(f.st.bodies[body]) < longBody {
			items = append(items, f.st.bodies[body]...)
		} else {
			items = append(items, f.st.repetition(body, e.count))
		}
	}
	return items
}

func (f *folder) buffer() []int32 {
	if n := len(f.free); n > 0 {
		b := f.free[n-1]
		f.free = f.free[:n-1]
		return b
	}
	return nil
}

// finish ends the section and returns its body.
func (f *folder) finish() int32 {
	for len(f.frames) > 1 {
		f.pop()
	}
	root := &f.frames[0]
	id := f.st.intern(root.cur)
	root.cur = root.cur[:0]
	return id
}
