package static

import (
	"fmt"
	"math"

	"github.com/warpbound/warpbound/l1d/cache"
)

// walker is the state of one walk along a warp's accesses. What belongs to an
// earlier walk has an older epoch and counts as absent.
type walker struct {
	epoch int32
	clock int64 // accesses of the warp so far
	lines []lineState
	sets  []setState
}

type lineState struct {
	epoch int32
	must  uint32 // sectors that are here in every run
	may   uint32 // sectors that may be here as far as the warp itself is concerned
	used  int64  // clock of the last possible use by the warp, -1: none
}

type setState struct {
	others     int  // lines that other warps may use
	bounded    bool // lines may be replaced
	persistent bool
	recent     []int32 // lines by the warp's last use, newest first, while they stay
	steady     []use   // lines that nothing removes, by their last certain use
}

type use struct {
	line int32
	time int64
}

func newWalker(lines, sets int) walker {
	return walker{lines: make([]lineState, lines), sets: make([]setState, sets)}
}

// Walk gives the class of every access of a warp, in program order.
func (a *Analysis) Walk(warp int, visit func(c Class)) error {
	if warp < 0 || warp >= a.sys.Warps {
		return fmt.Errorf("%w: no warp %d of %d", ErrSystem, warp, a.sys.Warps)
	}
	return a.walk(warp, func(_ int32, _ int, _ cache.Kind, c Class) { visit(c) })
}

func (a *Analysis) walk(warp int, visit func(line int32, sector int, k cache.Kind, c Class)) error {
	a.begin(int32(warp))
	c := &a.sys.Cache
	for addr, k := range a.sys.Accesses(warp) {
		id := a.index.find(c.Line(addr))
		if id == absent {
			return fmt.Errorf("%w: warp %d: access %d at %#x was not there when the system was read", ErrSystem, warp, a.w.clock, addr)
		}
		sector := a.sector(addr)
		visit(id, sector, k, a.step(int32(warp), id, sector, k))
	}
	return nil
}

// begin starts a walk.
func (a *Analysis) begin(w int32) {
	if a.w.epoch == math.MaxInt32 {
		a.w = newWalker(len(a.lines), a.sys.Cache.Sets)
	}
	a.w.epoch++
	a.w.clock = 0
	for s := range a.w.sets {
		n := int(a.inSet[s])
		set := &a.w.sets[s]
		set.others = n
		set.persistent = holds(a.sys.Cache, a.sys.Start, n)
		set.bounded = a.sys.Start != Cold || !set.persistent
		set.recent, set.steady = set.recent[:0], set.steady[:0]
	}
	for _, id := range a.own[a.ownAt[w]:a.ownAt[w+1]] {
		a.w.sets[a.lines[id].set].others--
	}
	if planted(othersForgotten) {
		for s := range a.w.sets {
			a.w.sets[s].others = 0
		}
	}
}

// step classifies one access and goes past it.
func (a *Analysis) step(w, id int32, index int, k cache.Kind) Class {
	sector := uint32(1) << index
	l, st := &a.lines[id], &a.w.lines[id]
	set := &a.w.sets[l.set]
	if st.epoch != a.w.epoch {
		*st = lineState{epoch: a.w.epoch, used: -1}
		if a.sys.Start != Cold && !planted(anyStartEmpty) {
			st.may = math.MaxUint32
		}
	}
	if (!other(l.uses, w) || planted(usesByOthersForgotten)) && len(set.steady) == a.drops && set.steady[a.drops-1].time > st.used {
		st.may = 0
	}
	hit := st.must&sector != 0
	class := Unclassified
	fills := k == cache.Load || a.sys.Cache.WriteAllocate
	switch {
	case hit:
		class = AlwaysHit
	case st.may&sector == 0 && (!other(a.sectors[int(id)*a.perLine+index], w) || planted(fillsByOthersForgotten)):
		class = AlwaysMiss
	case fills && set.persistent && (l.removes == nobody || planted(persistentDespiteRemoval)):
		class = Persistent
	}
	switch {
	case fills:
		a.touch(w, set, id)
		st.must |= sector
		if planted(sectorsForgotten) {
			st.must = math.MaxUint32
		}
		if other(l.removes, w) && !planted(removalByOthersForgotten) || set.bounded && (len(set.recent) == 0 || set.recent[0] != id) {
			st.must = 0
		}
		st.may |= sector
		st.used = a.w.clock
		if l.removes == nobody || planted(removedLinesSteady) {
			a.steady(set, id, int(a.inSet[l.set]))
		}
	case a.sys.Cache.WriteEvict:
		if !planted(ownRemovalForgotten) {
			set.recent = forget(set.recent, id)
			st.must = 0
		}
		st.may = 0
	case a.present(l):
		// The store makes the line younger only where it hits.
		a.touch(w, set, id)
		if planted(passingStoresBringIn) {
			st.must |= sector
		} else if !hit && set.bounded {
			st.must = 0
		}
		st.used = a.w.clock
	}
	a.w.clock++
	return class
}

// touch makes a line of a set the warp's newest one, and lets those go that may now
// have been replaced: a line stays while the others' lines and the warp's own ones
// used after it, itself left out, are fewer than keeps. What goes is a tail of
// recent: the line after one that goes has at least as many before it, and one more
// if the one that goes is no line of the others.
func (a *Analysis) touch(w int32, set *setState, id int32) {
	if !set.bounded {
		return
	}
	if set.others > a.keeps {
		return // not even a line of the others can stay
	}
	set.recent = front(set.recent, id)
	newer := set.others
	for i, r := range set.recent {
		n := newer
		if other(a.lines[r].uses, w) {
			n-- // it is one of the others' lines
		} else if !planted(ownLinesForgotten) {
			newer++
		}
		if planted(everyLineShared) {
			n--
		}
		if n >= a.keeps && !planted(replacedLinesStay) {
			for _, gone := range set.recent[i:] {
				a.w.lines[gone].must = 0
			}
			set.recent = set.recent[:i]
			return
		}
	}
}

// steady enters a certain use of a line that nothing removes. Sets that cannot fill
// up by such lines need no list.
func (a *Analysis) steady(set *setState, id int32, inSet int) {
	if inSet < a.drops {
		return
	}
	list := set.steady
	i := 0
	for i < len(list) && list[i].line != id {
		i++
	}
	if i == len(list) {
		if len(list) < a.drops {
			list = append(list, use{})
		} else {
			i--
		}
	}
	copy(list[1:i+1], list[:i])
	list[0] = use{id, a.w.clock}
	set.steady = list
}

// front moves a line to the front of a list, or puts it there.
func front(list []int32, id int32) []int32 {
	i := 0
	for i < len(list) && list[i] != id {
		i++
	}
	if i == len(list) {
		list = append(list, id)
	}
	copy(list[1:i+1], list[:i])
	list[0] = id
	return list
}

// forget takes a line out of a list.
func forget(list []int32, id int32) []int32 {
	for i, l := range list {
		if l == id {
			return append(list[:i], list[i+1:]...)
		}
	}
	return list
}
