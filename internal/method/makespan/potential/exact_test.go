package potential_test

import (
	"github.com/warpbound/warpbound/internal/method/makespan"
)

// exactUpTo is T(W) for W = 1..most, by a longest path over histograms packed into
// 5 bits a count: an independent reference, fast enough for all short strings.
func exactUpTo(in *makespan.Instance, most int) []int64 {
	l := &longest{kind: in.Code, capacity: in.Capacities(), known: make(map[uint64]int64)}
	out := make([]int64, most+1)
	for w := 1; w <= most; w++ {
		out[w] = l.from(uint64(w))
	}
	return out
}

type longest struct {
	kind     []uint8
	capacity []int64
	known    map[uint64]int64
}

const countBits = 5

func (l *longest) from(state uint64) int64 {
	if state == 0 {
		return 0
	}
	if t, ok := l.known[state]; ok {
		return t
	}
	var left [4]int64
	for i, k := range l.kind {
		left[k] += int64(state >> (countBits * i) & (1<<countBits - 1))
	}
	behind := left
	for k, c := range l.capacity {
		left[k] = min(left[k], c)
	}
	t := 1 + l.step(state, state, 0, left, behind)
	l.known[state] = t
	return t
}

func (l *longest) step(state, next uint64, i int, left, behind [4]int64) int64 {
	if i == len(l.kind) {
		return l.from(next)
	}
	k := l.kind[i]
	count := int64(state >> (countBits * i) & (1<<countBits - 1))
	behind[k] -= count
	best := int64(-1)
	for e := max(0, left[k]-behind[k]); e <= min(left[k], count); e++ {
		moved := next - uint64(e)<<(countBits*i)
		if i+1 < len(l.kind) {
			moved += uint64(e) << (countBits * (i + 1))
		}
		rest := left
		rest[k] -= e
		best = max(best, l.step(state, moved, i+1, rest, behind))
	}
	return best
}
