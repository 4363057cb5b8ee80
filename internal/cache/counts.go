package cache

// Tally counts accesses of one kind.
type Tally struct {
	Accesses     int64
	Hits         int64
	SectorMisses int64 // misses that found the line, but not the sector
}

// Misses counts line and sector misses.
func (t Tally) Misses() int64 { return t.Accesses - t.Hits }

// Plus is the sum of two tallies.
func (t Tally) Plus(u Tally) Tally {
	return Tally{t.Accesses + u.Accesses, t.Hits + u.Hits, t.SectorMisses + u.SectorMisses}
}

// Add counts one access. It has no branch, since hits cannot be predicted here.
func (t *Tally) Add(r Result) {
	t.Accesses++
	t.Hits += one(r.Hit)
	t.SectorMisses += one(r.SectorMiss)
}

func one(b bool) int64 {
	var n int64
	if b {
		n = 1
	}
	return n
}

// Counts holds the tallies of loads and of stores.
type Counts struct {
	Loads, Stores Tally
}

// Add counts one access.
func (n *Counts) Add(k Kind, r Result) {
	t := &n.Loads
	if k == Store {
		t = &n.Stores
	}
	t.Add(r)
}

// Both is the tally of loads and stores together.
func (n *Counts) Both() Tally { return n.Loads.Plus(n.Stores) }
