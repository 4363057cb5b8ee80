package dp

import (
	"math"
	"math/bits"

	"github.com/warpbound/warpbound/internal/method/makespan"
)

// maxStates keeps sums of two numbers within int.
const maxStates = math.MaxInt / 4

// space is a set of states that no cycle leaves, and their numbering.
//
// A state is n, where n[i] of the warps have executed instruction i, so that
// warps ≥ n[0] ≥ n[1] ≥ ...; n[i-1] − n[i] warps wait for instruction i. A space
// holds the states with n[i] ≥ low[i], waiting[i] warps at most before
// instruction i. The states of one n[0] are a slice and are numbered in
// lexicographic order of n[1], n[2], ...
//
// The number of a state is a sum of terms that depend on one n[i] each. So the
// number of a successor is the state's plus one difference per instruction
// executed, and differences of different kinds add up.
type space struct {
	code     []uint8
	capacity []int // σ by kind, at most warps
	warps    int
	low      []int // by instruction, not increasing
	waiting  []int // by instruction
	// limit bounds how many warps wait for a kind; a state above it is numbered
	// but cannot be reached, and its value means nothing.
	limit []int
	// size[n] is the number of states of slice n, total the sum from low[0] on.
	size  []int64
	total int64
	// first[i][v], i ≥ 1, counts the continuations from n[i] on with n[i] < v.
	first [][]int64
}

// newSpace numbers the states that can follow from; nil where there are too many.
func newSpace(in *makespan.Instance, from []int) *space {
	length, warps := len(in.Code), int(in.Warps)
	s := &space{code: in.Code, warps: warps, low: from}
	for _, k := range in.Kinds {
		s.capacity = append(s.capacity, int(min(k.Capacity, in.Warps)))
	}
	s.limit = queueLimits(s.code, s.capacity, warps)
	s.waiting = make([]int, length)
	for i, k := range s.code {
		s.waiting[i] = warps
		switch {
		case s.limit[k] == warps:
		case s.code[i-1] == k:
			s.waiting[i] = s.waiting[i-1]
		default:
			s.waiting[i] = s.capacity[s.code[i-1]]
		}
	}
	s.first = make([][]int64, length)
	// after[v] counts the continuations behind n[i] = v.
	after := make([]int64, warps+1)
	for v := range after {
		after[v] = 1
	}
	for i := length - 1; i >= 1; i-- {
		first := make([]int64, warps+2)
		for v := 0; v <= warps; v++ {
			first[v+1] = first[v]
			if v >= s.low[i] {
				first[v+1] += after[v]
			}
			if first[v+1] > maxStates {
				return nil
			}
		}
		s.first[i] = first
		before := make([]int64, warps+1)
		for v := s.low[i-1]; v <= warps; v++ {
			before[v] = first[v+1] - first[s.least(i, v)]
		}
		after = before
	}
	s.size = after
	for v := s.low[0]; v <= warps; v++ {
		if s.total += after[v]; s.total > maxStates {
			return nil
		}
	}
	return s
}

// least is the smallest n[i] behind n[i-1] = v.
func (s *space) least(i, v int) int { return max(s.low[i], v-s.waiting[i]) }

// heights are the terms of a state's place in memory: cell Σ heights[i][n[i]],
// where slice v begins at base[v].
func (s *space) heights(base []int64) [][]int {
	h := make([][]int, len(s.code))
	for i := range h {
		h[i] = make([]int, s.warps+1)
		for v := s.low[i]; v <= s.warps; v++ {
			at := int64(0)
			if i == 0 {
				at = base[v]
			} else {
				at = s.first[i][v]
			}
			if i+1 < len(h) {
				at -= s.first[i+1][s.least(i+1, v)]
			}
			h[i][v] = int(at)
		}
	}
	return h
}

// ways bounds the number of ways in which a cycle can go from a state. To choose
// σ of r warps, up to p instructions being waited for, is to say how many execute
// each, or how many of r−σ do not. A float, since it can be beyond int64 and only
// decides whether lists of choices fit the memory.
func (s *space) ways() float64 {
	product := 1.0
	for k, capacity := range s.capacity {
		if s.limit[k] <= capacity {
			continue
		}
		places := 0
		for _, c := range s.code {
			if int(c) == k {
				places++
			}
		}
		chosen := min(capacity, s.warps-capacity)
		some := 1.0
		for i := 1; i <= min(chosen, places-1); i++ {
			some *= float64(chosen+places-i) / float64(i)
		}
		product *= some
	}
	return product
}

// queueLimits bounds the number of warps that can wait for each kind at a time;
// warps where no better bound is known. A kind that is served as fast as warps
// come to it has at most (arrivals a cycle)·(longest run) of them, which execute
// at once (docs/soundness/makespan.md, lemma W).
func queueLimits(code []uint8, capacity []int, warps int) []int {
	limit := make([]int, len(capacity))
	for u := range limit {
		limit[u] = warps
		if int(code[0]) == u {
			continue
		}
		arrivals, longest, run := 0, 0, 0
		counted := make([]bool, len(capacity))
		for i, k := range code {
			if int(k) != u {
				run = 0
				continue
			}
			if run++; run > longest {
				longest = run
			}
			if v := code[i-1]; int(v) != u && !counted[v] {
				counted[v] = true
				arrivals += capacity[v]
			}
		}
		// Both factors may be near 2^31 and more.
		if hi, lo := bits.Mul64(uint64(arrivals), uint64(longest)); hi == 0 && lo <= uint64(capacity[u]) {
			limit[u] = min(warps, int(lo))
		}
	}
	return limit
}
