package static

import (
	"fmt"
	"math"

	"github.com/warpbound/warpbound/internal/cache"
)

// Start is the state of the cache before the first access.
type Start uint8

const (
	Cold     Start = iota // empty
	AnyStart              // anything, lines of the system included
)

// Analysis classifies the accesses of the warps of a system in one cache. It serves
// one caller at a time.
type Analysis struct {
	lines *Lines
	cache cache.Config
	start Start

	keeps, drops int
	inSet        []int32 // by set: lines that can be in it, apart from those of an unknown start

	// place numbers the lines that can be in a set from 0, by line, where none of them
	// is ever replaced; nil where no set is like that.
	place []uint8
	// absent and used belong, sector by sector and line by line, to the one warp that
	// may bring the sector in or use the line: whether the sector is known to be
	// absent as far as that warp is concerned, and the clock of its last possible use.
	// used is nil where no line is ever known to be dropped.
	absent bitset
	used   []uint32

	walked  bitset // warps
	counted bitset // sectors of persistent accesses
	touched bitset // sectors; nil where the start is not cold
	missed  bitset // sectors of accesses that always miss; likewise
	totals  Totals
}

// crowded is a number of lines in a set that is beyond all that it can hold.
const crowded = math.MaxInt32 / 2

// Analyse ends the noting and prepares the walks along the warps in a cache. An
// error wraps cache.ErrConfig or ErrSystem.
func (s *Lines) Analyse(c cache.Config, start Start) (*Analysis, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	switch {
	case start > AnyStart:
		return nil, fmt.Errorf("%w: unknown start %d", ErrSystem, start)
	case !s.Serves(c):
		return nil, fmt.Errorf("%w: lines, sectors or stores of another cache", ErrSystem)
	}
	s.seal()
	sectors := len(s.sectors)
	a := &Analysis{lines: s, cache: c, start: start, keeps: keeps(c), drops: drops(c),
		absent: newBitset(sectors), walked: newBitset(s.warps), counted: newBitset(sectors)}
	a.count()
	if start == Cold {
		a.absent.setAll()
	}
	if start == Cold {
		a.touched, a.missed = newBitset(sectors), newBitset(sectors)
	}
	return a, nil
}

// count fills inSet and place, and makes used.
func (a *Analysis) count() {
	s := a.lines
	a.inSet = make([]int32, a.cache.Sets)
	if s.beyond {
		// The lines left out may be in any set.
		for i := range a.inSet {
			a.inSet[i] = crowded
		}
	}
	for i := range s.lines {
		if s.present(int32(i), a.start) {
			a.inSet[a.set(int32(i))]++
		}
	}
	dropping, fitting := false, false
	for _, n := range a.inSet {
		dropping = dropping || int(n) >= a.drops
		fitting = fitting || a.start == Cold && n > 0 && holds(a.cache, a.start, int(n))
	}
	if dropping {
		a.used = make([]uint32, len(s.lines))
	}
	if !fitting {
		return
	}
	a.place = make([]uint8, len(s.lines))
	next := make([]int32, a.cache.Sets)
	for i := range s.lines {
		if set := a.set(int32(i)); s.present(int32(i), a.start) {
			a.place[i] = uint8(next[set])
			next[set]++
		}
	}
}

// set is the set of a line.
func (a *Analysis) set(id int32) int { return a.cache.Set(a.lines.lines[id].number) }

// Totals counts the accesses walked along so far.
func (a *Analysis) Totals() Totals { return a.totals }

// bitset is a set of small integers.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) has(i int) bool { return b[i>>6]>>(i&63)&1 != 0 }
func (b bitset) set(i int)      { b[i>>6] |= 1 << (i & 63) }
func (b bitset) clear(i int)    { b[i>>6] &^= 1 << (i & 63) }

func (b bitset) setAll() {
	for i := range b {
		b[i] = math.MaxUint64
	}
}
