package l1d

// walker lists the symbols of a folded sequence.
type walker struct {
	store  *foldStore
	frames []walkerFrame
}

// walkerFrame is a repetition of items that is being walked through.
type walkerFrame struct {
	items []foldItem
	at    int
	done  int64 // of the repetitions of items[at], where that is a symbol
	left  int64 // walks through items, with this one
}

// walk goes to the start of a sequence.
func (w *walker) walk(items []foldItem) {
	w.frames = append(w.frames[:0], walkerFrame{items: items, left: 1})
}

// step is the next symbol, -1 behind the last one.
func (w *walker) step() int32 {
	for n := len(w.frames); n > 0; n = len(w.frames) {
		f := &w.frames[n-1]
		if f.at == len(f.items) {
			if f.left--; f.left > 0 {
				f.at = 0
			} else {
				w.frames = w.frames[:n-1]
			}
			continue
		}
		it := &f.items[f.at]
		if it.code < 0 {
			f.at++
			w.frames = append(w.frames, walkerFrame{items: w.store.bodies[^it.code], left: it.count})
			continue
		}
		if f.done < it.count {
			f.done++
			return it.code
		}
		f.done = 0
		f.at++
	}
	return -1
}

// folder appends to a folded sequence. Where that ends in a repetition it expects
// the same once more, and counts symbols that come so without folding them.
type folder struct {
	sequence folded
	expect   walker // through the body of the last repetition
	next     int32  // the symbol expected, -1 where none is
	met      int64  // symbols that came as expected, and are not in the sequence yet
}

func (f *folder) start(store *foldStore) {
	f.sequence, f.expect.store, f.next, f.met = nil, store, -1, 0
}

func (f *folder) push(symbol int32) {
	if symbol == f.next {
		f.met++
		if f.next = f.expect.step(); f.next < 0 {
			f.sequence[len(f.sequence)-1].count++
			f.again()
		}
		return
	}
	f.flush()
	f.expect.store.push(&f.sequence, symbol)
	f.again()
}

// again expects the body of the last repetition from its start.
func (f *folder) again() {
	f.next, f.met = -1, 0
	if it := f.sequence[len(f.sequence)-1]; it.code < 0 {
		f.expect.walk(f.expect.store.bodies[^it.code])
		f.next = f.expect.step()
	}
}

// flush puts into the sequence what came as expected.
func (f *folder) flush() {
	if f.met == 0 {
		return
	}
	met := f.met
	f.next, f.met = -1, 0
	f.expect.walk(f.expect.store.bodies[^f.sequence[len(f.sequence)-1].code])
	for range met {
		f.expect.store.push(&f.sequence, f.expect.step())
	}
}
