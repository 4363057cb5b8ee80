// Package slotset holds sets of warp slots as bits, 64 to a word: what an SM knows of
// its warps in the hot loops of package sim and of its policies.
package slotset

import "math/bits"

// First is the first member at or after from, wrapping around; -1 if there is none.
func First(set []uint64, from int) int {
	w := from >> 6
	if w < len(set) {
		if m := set[w] &^ (1<<(from&63) - 1); m != 0 {
			return w<<6 + bits.TrailingZeros64(m)
		}
		for i := w + 1; i < len(set); i++ {
			if set[i] != 0 {
				return i<<6 + bits.TrailingZeros64(set[i])
			}
		}
	}
	for i := 0; i <= w && i < len(set); i++ {
		if set[i] != 0 {
			return i<<6 + bits.TrailingZeros64(set[i])
		}
	}
	return -1
}

// Has tells whether slot i is a member.
func Has(set []uint64, i int) bool { return set[i>>6]&(1<<(i&63)) != 0 }

// Add makes slot i a member.
func Add(set []uint64, i int32) { set[i>>6] |= 1 << (i & 63) }

// Remove makes slot i none.
func Remove(set []uint64, i int32) { set[i>>6] &^= 1 << (i & 63) }

// Put makes slot i a member or none.
func Put(set []uint64, i int32, member bool) {
	if member {
		Add(set, i)
		return
	}
	Remove(set, i)
}

// Any tells whether there are members.
func Any(set []uint64) bool {
	for _, m := range set {
		if m != 0 {
			return true
		}
	}
	return false
}

// Count is the number of members.
func Count(set []uint64) int {
	n := 0
	for _, m := range set {
		n += bits.OnesCount64(m)
	}
	return n
}

// Least is the member of least key, the lowest one of equals; -1 if there is none.
func Least[K int32 | int64](set []uint64, key []K) int {
	best := -1
	for w, m := range set {
		for ; m != 0; m &= m - 1 {
			i := w<<6 + bits.TrailingZeros64(m)
			if best < 0 || key[i] < key[best] {
				best = i
			}
		}
	}
	return best
}
