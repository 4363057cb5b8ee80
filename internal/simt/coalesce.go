package simt

import (
	"math/bits"
	"slices"
)

// MaxMore is the most places that a lane accesses beside the first.
const MaxMore = 7

// MaxTransactions is the most transactions one access can make: 32 lanes of 32
// bytes, or of 16 at each of four texels, in words or segments of 4.
const MaxTransactions = 16 * MaxLanes

// The local memories of the threads of a warp lie interleaved, word by word:
// words of 4 bytes with the same address are neighbours (CUDA C++ Programming
// Guide, "Local Memory": consecutive 32-bit words are accessed by consecutive
// thread IDs).
const (
	localWordBytes = 4
	localRowBytes  = localWordBytes * MaxLanes
)

// Segments counts the distinct aligned segments of segmentBytes (a power of
// two) that the executing lanes of a memory step touch: the number of
// transactions of a memory system that coalesces by segment, at least 4 bytes
// long. It returns 0 where no lane executes.
func (s *Step) Segments(segmentBytes int64) int {
	var seen [MaxTransactions]uint64
	return len(s.AppendSegments(seen[:0], segmentBytes))
}

// AppendSegments appends the addresses of the segments that Segments counts, in
// the order in which the lanes, from the lowest on, touch them first; those of
// local memory, as interleaved, follow the others.
func (s *Step) AppendSegments(list []uint64, segmentBytes int64) []uint64 {
	shift := uint(bits.TrailingZeros64(uint64(segmentBytes)))
	width := uint64(max(s.WidthBytes, 1))
	start := len(list)
	at := &s.Addresses
	for row := 0; ; row++ {
		for m := s.Exec &^ s.Local; m != 0; m &= m - 1 {
			a := at[bits.TrailingZeros32(uint32(m))&(MaxLanes-1)]
			for g := a >> shift; g <= (a+width-1)>>shift; g++ {
				list = addSegment(list, start, g<<shift)
			}
		}
		if row >= s.MoreCount {
			break
		}
		at = &s.More[row]
	}
	start = len(list)
	for m := s.Exec & s.Local; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(uint32(m)) & (MaxLanes - 1)
		a := s.Addresses[lane]
		for w := a / localWordBytes; w <= (a+width-1)/localWordBytes; w++ {
			list = addSegment(list, start, (w*localRowBytes+uint64(lane)*localWordBytes)>>shift<<shift)
		}
	}
	return list
}

// addSegment appends a segment that is not among those from start on.
func addSegment(list []uint64, start int, g uint64) []uint64 {
	if n := len(list); n > start && list[n-1] == g || slices.Contains(list[start:], g) {
		return list
	}
	return append(list, g)
}

// BankConflicts is the largest number of distinct words that the executing
// lanes address in one of banks banks of wordBytes each: the passes a banked
// memory needs. Lanes that read the same word share one pass. It returns 0
// where no lane executes. banks and wordBytes are powers of two.
func (s *Step) BankConflicts(banks int, wordBytes int64) int {
	wordShift := uint(bits.TrailingZeros64(uint64(wordBytes)))
	bankMask := uint64(banks - 1)
	var words [MaxTransactions]uint64
	n, worst := 0, 0
	width := uint64(max(s.WidthBytes, 1))
	at := &s.Addresses
	for row := 0; ; row++ {
		for m := s.Exec; m != 0; m &= m - 1 {
			a := at[bits.TrailingZeros32(uint32(m))&(MaxLanes-1)]
			for w := a >> wordShift; w <= (a+width-1)>>wordShift && n < len(words); w++ {
				inBank, repeated := 1, false
				for _, x := range words[:n] {
					if x == w {
						repeated = true
						break
					}
					if x&bankMask == w&bankMask {
						inBank++
					}
				}
				if repeated {
					continue
				}
				words[n] = w
				n++
				worst = max(worst, inBank)
			}
		}
		if row >= s.MoreCount {
			return worst
		}
		at = &s.More[row]
	}
}
