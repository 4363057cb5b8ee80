package static

import (
	"math"
	"math/bits"

	"github.com/warpbound/warpbound/internal/cache"
)

// never is a number of lines that no set reaches.
const never = math.MaxInt32

// keeps is a number n such that a line that is here stays, whatever the state of
// its set, while fewer than n other lines of the set are used after the line's own
// last use (docs/soundness/caches.md, lemma C1).
//
//   - LRU, W ways: n = W. The line is replaced when W-1 others that are here and
//     the new one have been used since.
//   - FIFO: n = 1. A hit does not make a line younger, so the next one that comes
//     in may replace it.
//   - PLRU: n = log2 W + 1. Each of the log2 W bits above the line must have been
//     turned by the use of another line, and the new line is one more (J. Reineke
//     et al., "Timing predictability of cache replacement policies", Real-Time
//     Systems 37, 2007, for caches without removals).
func keeps(c cache.Config) int {
	switch c.Replacement {
	case cache.LRU:
		return c.Ways
	case cache.PLRU:
		return bits.Len(uint(c.Ways)) // log2 + 1
	}
	return 1
}

// drops is a number n such that a line is gone after the use of n other lines of
// its set that nothing removes, if the line itself is not used
// (docs/soundness/caches.md, lemma C2).
//
//   - LRU: n = W: all of them would be here beside the line.
//   - FIFO: n = 2W-1: at most W-1 were here already, at most W-1 can follow.
//   - PLRU: never for W > 2, and as LRU for 1 and 2.
func drops(c cache.Config) int {
	switch {
	case c.Replacement == cache.LRU, c.Replacement == cache.PLRU && c.Ways <= 2:
		return c.Ways
	case c.Replacement == cache.FIFO:
		return 2*c.Ways - 1
	}
	return never
}

// holds says whether a set that n lines can ever be in, those of a start unknown to
// us aside, keeps each of them once it has come in or was used (lemma C3).
func holds(c cache.Config, start Start, n int) bool {
	switch {
	case start == Cold, c.Replacement == cache.LRU:
		return n <= c.Ways
	case c.Replacement == cache.FIFO:
		// A line of the start may be replaced; one that has come in may not. A miss
		// of a sector makes no line come in.
		return n <= c.Ways && c.SectorBytes == c.LineBytes
	}
	return n <= keeps(c)
}
