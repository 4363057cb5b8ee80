package static

import (
	"github.com/warpbound/warpbound/internal/cache"
)

// Class is what is known of one access in every run.
type Class uint8

const (
	Unclassified Class = iota
	AlwaysHit
	AlwaysMiss
	Persistent // at most one miss among all that bring the sector in
)

// Tally counts accesses by class.
type Tally struct {
	Accesses, AlwaysHit, AlwaysMiss, Persistent, Unclassified int64
}

func (t *Tally) add(c Class) {
	t.Accesses++
	switch c {
	case AlwaysHit:
		t.AlwaysHit++
	case AlwaysMiss:
		t.AlwaysMiss++
	case Persistent:
		t.Persistent++
	default:
		t.Unclassified++
	}
}

// Totals counts the accesses of warps.
type Totals struct {
	Loads, Stores Tally
	// PersistentSectors counts the sectors that persistent accesses share: their
	// misses together are at most as many.
	PersistentSectors int64
	// FirstMisses counts the sectors that are accessed, but by no access that always
	// misses: with a cold start whichever of their accesses comes first misses.
	FirstMisses int64
}

func (t *Totals) add(k cache.Kind, c Class) {
	if k == cache.Store {
		t.Stores.add(c)
	} else {
		t.Loads.add(c)
	}
}

// Misses is the least and the largest number of misses in a run of all accesses.
func (t *Totals) Misses() (least, most int64) {
	always := t.Loads.AlwaysMiss + t.Stores.AlwaysMiss
	return always + t.FirstMisses, always + t.Loads.Unclassified + t.Stores.Unclassified + t.PersistentSectors
}
