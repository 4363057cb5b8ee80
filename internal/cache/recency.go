package cache

// recency keeps, for every set, its ways in the order of their last use (LRU) or
// of their filling (FIFO), the newest first and the empty ones last. It is a ring
// of links, so that each change is a few stores whatever the number of ways: to
// fill the last way is to turn the ring by one place.
type recency struct {
	ways  int
	head  []uint8 // by set: the newest way; the one before it is the oldest
	links []link  // by slot
}

type link struct{ next, prev uint8 }

func newRecency(sets, ways int) recency {
	return recency{ways: ways, head: make([]uint8, sets), links: make([]link, sets*ways)}
}

// reset orders the ways of every set so that way 0 is filled first.
func (o *recency) reset() {
	if o.ways == 0 {
		return
	}
	n := o.ways
	for i := range o.links {
		w := i % n
		o.links[i] = link{next: uint8((w + n - 1) % n), prev: uint8((w + 1) % n)}
	}
	for s := range o.head {
		o.head[s] = uint8(n - 1)
	}
}

// fill makes the last way the first one and returns it.
func (o *recency) fill(set int) int {
	h := o.links[set*o.ways+int(o.head[set])].prev
	o.head[set] = h
	return int(h)
}

// touch makes a way the first one.
func (o *recency) touch(set, way int) {
	h := o.head[set]
	if int(h) == way {
		return
	}
	o.behindLast(set, way)
	o.head[set] = uint8(way)
}

// free makes a way the last one.
func (o *recency) free(set, way int) {
	if h := o.head[set]; int(h) == way {
		o.head[set] = o.links[set*o.ways+way].next
		return
	}
	o.behindLast(set, way)
}

// behindLast moves a way that is not the head between the last way and the head.
func (o *recency) behindLast(set, way int) {
	l := o.links[set*o.ways : set*o.ways+o.ways]
	h := o.head[set]
	last := l[h].prev
	if int(last) == way {
		return
	}
	me := l[way]
	l[me.prev].next = me.next
	l[me.next].prev = me.prev
	l[way] = link{next: h, prev: last}
	l[last].next = uint8(way)
	l[h].prev = uint8(way)
}
