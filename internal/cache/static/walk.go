package static

import (
	"fmt"
	"math"

	"github.com/warpbound/warpbound/internal/cache"
)

// Walk goes along the accesses of a warp, in program order, and gives each a Class.
// Walks of one Analysis may go along different warps in turn. A Walk needs memory
// for the sets that its warp touches, not for its accesses or lines; it can be used
// for one warp after the other.
type Walk struct {
	a     *Analysis
	warp  int32
	epoch int64 // of the warp; sets of an earlier one count as untouched
	// clock counts accesses. It stops at its end, where no line is dropped any more.
	clock uint32
	pages [][]setState // nil: none of its sets is touched
	used  int          // pages
}

const (
	pageSets = 64
	// mostPages are kept from one warp to the next: those of caches of usual sizes.
	mostPages = 64
)

type setState struct {
	epoch      int64
	others     int32 // lines that other warps may use
	bounded    bool  // lines may be replaced
	persistent bool
	dropping   bool         // enough lines to drop others
	recent     []recentLine // lines by the warp's last use, newest first, while they stay
	must       []uint32     // by place, where lines are not replaced: sectors that are here in every run
	steady     []use        // lines that nothing removes, by their last certain use
}

type recentLine struct {
	id     int32
	shared bool   // by other warps
	must   uint32 // sectors that are here in every run
}

type use struct {
	line int32
	time uint32
}

// NewWalk is a walk along no warp.
func (a *Analysis) NewWalk() *Walk {
	return &Walk{a: a, pages: make([][]setState, (a.cache.Sets+pageSets-1)/pageSets)}
}

// Begin starts a walk along a warp. Every warp can be walked along once.
func (w *Walk) Begin(warp int64) error {
	a := w.a
	if warp < 0 || warp >= math.MaxInt32 {
		return fmt.Errorf("%w: warp %d", ErrSystem, warp)
	}
	noted := warp < int64(a.lines.warps)
	if noted {
		if a.walked.has(int(warp)) {
			return fmt.Errorf("%w: warp %d a second time", ErrSystem, warp)
		}
		a.walked.set(int(warp))
	}
	if w.used > mostPages {
		clear(w.pages)
		w.used = 0
	}
	w.warp, w.clock = int32(warp), 0
	w.epoch++
	if !noted {
		return nil
	}
	s := a.lines
	for _, id := range s.own[s.ownAt[warp]:s.ownAt[warp+1]] {
		if s.present(id, a.start) {
			w.set(a.set(id)).others--
		}
	}
	return nil
}

// set is the state of a set.
func (w *Walk) set(set int) *setState {
	p := w.pages[set/pageSets]
	if p == nil {
		p = make([]setState, min(pageSets, w.a.cache.Sets))
		w.pages[set/pageSets] = p
		w.used++
	}
	st := &p[set%pageSets]
	if st.epoch != w.epoch {
		w.fresh(st, int(w.a.inSet[set]))
	}
	return st
}

// fresh is a set, that n lines can be in, before the first access of the warp.
func (w *Walk) fresh(st *setState, n int) {
	a := w.a
	st.epoch = w.epoch
	st.others = int32(n)
	st.persistent = holds(a.cache, a.start, n)
	st.bounded = a.start != Cold || !st.persistent
	st.dropping = n >= a.drops
	st.recent, st.steady, st.must = st.recent[:0], st.steady[:0], st.must[:0]
	if !st.bounded {
		if cap(st.must) < n {
			st.must = make([]uint32, n)
		}
		st.must = st.must[:n]
		clear(st.must)
	}
}

// Step classifies the next access of the warp and goes past it.
func (w *Walk) Step(at At, k cache.Kind) Class {
	a := w.a
	if w.clock < math.MaxUint32 {
		w.clock++
	}
	class := Unclassified
	switch {
	case at.id == absent:
		// Nothing is known of a line that was left out.
	case a.start == Cold && !a.lines.filled(at.id):
		// Nobody brings any of the line in, so nothing changes.
		class = AlwaysMiss
	case a.lines.order == NoOrder:
		class = w.alone(at, k)
	default:
		class = w.step(at, k)
	}
	a.totals.add(k, class)
	if at.id != absent {
		a.note(a.sector(at), class)
	}
	return class
}

// note counts the sectors of an access.
func (a *Analysis) note(sector int, class Class) {
	if a.touched != nil {
		if !a.touched.has(sector) {
			a.touched.set(sector)
			a.totals.FirstMisses++
		}
		if class == AlwaysMiss && !a.missed.has(sector) {
			a.missed.set(sector)
			a.totals.FirstMisses--
		}
	}
	if class == Persistent && !a.counted.has(sector) {
		a.counted.set(sector)
		a.totals.PersistentSectors++
	}
}

// sector is the number of a sector of the system.
func (a *Analysis) sector(at At) int { return int(at.id)*a.lines.perLine + int(at.sector) }

func (w *Walk) step(at At, k cache.Kind) Class {
	a, id, bit := w.a, at.id, uint32(1)<<at.sector
	l := &a.lines.lines[id]
	set := w.set(a.cache.Set(l.number))
	if set.dropping && !other(l.uses, w.warp) &&
		len(set.steady) == a.drops && set.steady[a.drops-1].time > a.used[id] {
		w.gone(id)
	}
	sector := a.sector(at)
	must, i := set.find(id, a.place)
	hit := must&bit != 0
	class := Unclassified
	fills := k == cache.Load || a.cache.WriteAllocate
	switch {
	case hit:
		class = AlwaysHit
	case a.start == Cold && a.lines.sectors[sector] == nobody,
		w.mine(l, a.lines.sectors[sector]) && a.absent.has(sector):
		class = AlwaysMiss
	case fills && set.persistent && l.removes == nobody:
		class = Persistent
	}
	switch {
	case fills:
		must |= bit
		if other(l.removes, w.warp) {
			must = 0
		}
		w.touch(set, l, id, i, must)
		a.absent.clear(sector)
		if l.removes == nobody {
			w.steady(set, id)
		}
		w.use(l, id)
	case a.cache.WriteEvict:
		set.forget(i)
		w.gone(id)
	case a.lines.present(id, a.start):
		// The store makes the line younger only where it hits.
		if !hit && set.bounded {
			must = 0
		}
		w.touch(set, l, id, i, must)
		w.use(l, id)
	}
	return class
}

// alone classifies an access that may come before or after any other one, of its warp
// too: every access is a warp of its own.
func (w *Walk) alone(at At, k cache.Kind) Class {
	a := w.a
	l, who := &a.lines.lines[at.id], a.lines.sectors[a.sector(at)]
	fills := k == cache.Load || a.cache.WriteAllocate
	switch {
	case a.start == Cold && (who == nobody || who == one && fills):
		return AlwaysMiss
	case fills && w.set(a.cache.Set(l.number)).persistent && l.removes == nobody:
		return Persistent
	}
	return Unclassified
}

// mine says whether no warp but this one accesses a sector that who brings in, other
// than to remove or to pass by. Only then the sector's bit in absent is this warp's.
func (w *Walk) mine(l *line, who int32) bool {
	switch {
	case who != nobody:
		return who == w.warp
	case l.removes != nobody:
		return l.removes == w.warp
	}
	return l.uses == w.warp
}

// gone notes that the line is not here but for sectors that others bring in.
func (w *Walk) gone(id int32) {
	s := w.a.lines
	for i := int(id) * s.perLine; i < (int(id)+1)*s.perLine; i++ {
		if w.mine(&s.lines[id], s.sectors[i]) {
			w.a.absent.set(i)
		}
	}
}

// use notes a possible use of a line.
func (w *Walk) use(l *line, id int32) {
	if w.a.used != nil && l.uses == w.warp {
		w.a.used[id] = w.clock
	}
}

// find is what is known to be here of a line, and where it stands in recent or, where
// lines are not replaced, in must; -1: nowhere.
func (s *setState) find(id int32, place []uint8) (must uint32, at int) {
	if !s.bounded {
		return s.must[place[id]], int(place[id])
	}
	for i := range s.recent {
		if s.recent[i].id == id {
			return s.recent[i].must, i
		}
	}
	return 0, -1
}

// forget takes out a line that is no longer here.
func (s *setState) forget(at int) {
	switch {
	case !s.bounded:
		s.must[at] = 0
	case at >= 0:
		s.recent = append(s.recent[:at], s.recent[at+1:]...)
	}
}

// touch makes a line of a set the warp's newest one, and lets those go that may now
// have been replaced: a line stays while the others' lines and the warp's own ones
// used after it, itself left out, are fewer than keeps. What goes is a tail of
// recent: the line after one that goes has at least as many before it, and one more
// if the one that goes is no line of the others.
func (w *Walk) touch(set *setState, l *line, id int32, at int, must uint32) {
	if !set.bounded {
		set.must[at] = must
		return
	}
	keeps := int32(w.a.keeps)
	if set.others > keeps {
		return // not even a line of the others can stay
	}
	if at < 0 {
		at = len(set.recent)
		set.recent = append(set.recent, recentLine{})
	}
	copy(set.recent[1:at+1], set.recent[:at])
	set.recent[0] = recentLine{id, other(l.uses, w.warp), must}
	newer := set.others
	for i := range set.recent {
		n := newer
		if set.recent[i].shared {
			n-- // it is one of the others' lines
		} else {
			newer++
		}
		if n >= keeps {
			set.recent = set.recent[:i]
			return
		}
	}
}

// steady enters a certain use of a line that nothing removes. Sets that cannot fill
// up by such lines need no list.
func (w *Walk) steady(set *setState, id int32) {
	if !set.dropping {
		return
	}
	drops := w.a.drops
	list := set.steady
	i := 0
	for i < len(list) && list[i].line != id {
		i++
	}
	if i == len(list) {
		if len(list) < drops {
			list = append(list, use{})
		} else {
			i--
		}
	}
	copy(list[1:i+1], list[:i])
	list[0] = use{id, w.clock}
	set.steady = list
}
