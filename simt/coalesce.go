package simt

import "math/bits"

// MaxTransactions is the most transactions one access can make: 32 lanes of 32
// bytes in words or segments of 4.
const MaxTransactions = 8 * MaxLanes

// Segments counts the distinct aligned segments of segmentBytes (a power of
// two) that the executing lanes of a memory step touch: the number of
// transactions of a memory system that coalesces by segment, at least 4 bytes
// long. It returns 0 where no lane executes.
func (s *Step) Segments(segmentBytes int64) int {
	shift := uint(bits.TrailingZeros64(uint64(segmentBytes)))
	var seen [MaxTransactions]uint64
	n := 0
	width := uint64(s.WidthBytes)
	if width == 0 {
		width = 1
	}
	at := &s.Addresses
	for m, row := s.Exec, 0; m != 0 || row < s.MoreCount; m &= m - 1 {
		if m == 0 {
			at, m = &s.More[row], s.Exec
			row++
			if m == 0 {
				break
			}
		}
		a := at[bits.TrailingZeros32(uint32(m))]
		for g := a >> shift; g <= (a+width-1)>>shift; g++ {
			if n > 0 && seen[n-1] == g {
				continue
			}
			if !containsSegment(seen[:n], g) && n < len(seen) {
				seen[n] = g
				n++
			}
		}
	}
	return n
}

func containsSegment(seen []uint64, g uint64) bool {
	for _, x := range seen {
		if x == g {
			return true
		}
	}
	return false
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
	for m := s.Exec; m != 0; m &= m - 1 {
		a := s.Addresses[bits.TrailingZeros32(uint32(m))]
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
	return worst
}
