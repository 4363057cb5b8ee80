package static

import (
	"fmt"

	"github.com/warpbound/warpbound/l1d/cache"
)

// Class is what is known of one access in every run.
type Class uint8

const (
	Unclassified Class = iota
	AlwaysHit
	AlwaysMiss
	Persistent // at most one miss among all that bring the sector in
)

// String is the class as it is written in reports.
func (c Class) String() string {
	switch c {
	case Unclassified:
		return "unclassified"
	case AlwaysHit:
		return "always-hit"
	case AlwaysMiss:
		return "always-miss"
	case Persistent:
		return "persistent"
	}
	return fmt.Sprintf("Class(%d)", uint8(c))
}

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

// Totals counts the accesses of all warps.
type Totals struct {
	Loads, Stores Tally
	// PersistentSectors counts the sectors that persistent accesses share: their
	// misses together are at most as many.
	PersistentSectors int64
}

// Misses is the least and the largest number of misses in a run of all accesses.
func (t *Totals) Misses() (least, most int64) {
	least = t.Loads.AlwaysMiss + t.Stores.AlwaysMiss
	return least, least + t.Loads.Unclassified + t.Stores.Unclassified + t.PersistentSectors
}

// Totals walks all warps.
func (a *Analysis) Totals() (Totals, error) {
	var t Totals
	seen := make([]uint32, len(a.lines)) // by line: the sectors that are counted
	for w := range a.sys.Warps {
		err := a.walk(w, func(line int32, sector int, k cache.Kind, c Class) {
			if k == cache.Store {
				t.Stores.add(c)
			} else {
				t.Loads.add(c)
			}
			if c == Persistent && seen[line]>>sector&1 == 0 {
				seen[line] |= 1 << sector
				t.PersistentSectors++
			}
		})
		if err != nil {
			return Totals{}, err
		}
	}
	return t, nil
}
