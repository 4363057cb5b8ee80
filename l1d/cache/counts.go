package cache

// Tally counts accesses of one kind. Accesses = Hits + Misses.
type Tally struct {
	Accesses     int64
	Hits         int64
	Misses       int64 // line and sector misses
	SectorMisses int64 // those of Misses that found the line, but not the sector
}

// Plus is the sum of two tallies.
func (t Tally) Plus(u Tally) Tally {
	return Tally{t.Accesses + u.Accesses, t.Hits + u.Hits, t.Misses + u.Misses, t.SectorMisses + u.SectorMisses}
}

// Add counts one access.
func (t *Tally) Add(r Result) {
	t.Accesses++
	switch {
	case r.Hit:
		t.Hits++
	case r.SectorMiss:
		t.SectorMisses++
		t.Misses++
	default:
		t.Misses++
	}
}

// Counts holds the tallies of loads and of stores.
type Counts struct {
	Loads, Stores Tally
}

// Add counts one access.
func (n *Counts) Add(k Kind, r Result) {
	if k == Store {
		n.Stores.Add(r)
	} else {
		n.Loads.Add(r)
	}
}

// Both is the tally of loads and stores together.
func (n *Counts) Both() Tally { return n.Loads.Plus(n.Stores) }
