package reference

import "github.com/warpbound/warpbound/internal/method/makespan"

// Enumerate is the longest makespan of a work-conserving schedule, in cycles,
// straight from the definition (Berezovskyi2012, Section 3): the warps are told
// apart, and in every cycle each kind executes every choice of as many warps as
// its capacity and the warps that wait for it allow. Results are kept by the
// positions of all warps, since nothing else bears on what follows. It is meant
// for 3 warps.
func Enumerate(in *makespan.Instance) int64 {
	e := &enumeration{in: in, known: map[string]int64{}}
	return e.from(make([]byte, in.Warps))
}

type enumeration struct {
	in    *makespan.Instance
	known map[string]int64
}

// from is the longest time to the end if warp w has executed at[w] instructions.
func (e *enumeration) from(at []byte) int64 {
	if t, ok := e.known[string(at)]; ok {
		return t
	}
	var best int64
	for _, next := range e.choices(at, 0) {
		best = max(best, 1+e.from(next))
	}
	e.known[string(at)] = best
	return best
}

// choices are the positions after a cycle in which the kinds from k on execute;
// none where no warp waits for any kind.
func (e *enumeration) choices(at []byte, k int) [][]byte {
	if k == len(e.in.Kinds) {
		return nil
	}
	var waiting []int
	for w, i := range at {
		if int(i) < len(e.in.Code) && int(e.in.Code[i]) == k {
			waiting = append(waiting, w)
		}
	}
	later := e.choices(at, k+1)
	if len(waiting) == 0 {
		return later
	}
	if later == nil {
		later = [][]byte{at}
	}
	var all [][]byte
	size := min(len(waiting), int(min(e.in.Kinds[k].Capacity, 64)))
	for mask := range 1 << len(waiting) {
		var chosen []int
		for b, w := range waiting {
			if mask>>b&1 == 1 {
				chosen = append(chosen, w)
			}
		}
		if len(chosen) != size {
			continue
		}
		for _, l := range later {
			next := append([]byte(nil), l...)
			for _, w := range chosen {
				next[w]++
			}
			all = append(all, next)
		}
	}
	return all
}

// Longest is the same figure from a longest path over histograms: how many warps
// wait for each instruction. It takes a few thousand states per millisecond.
func Longest(in *makespan.Instance) int64 {
	l := &longest{in: in, known: map[string]int64{}}
	start := make([]byte, len(in.Code)+1)
	start[0] = byte(in.Warps)
	return l.from(start)
}

type longest struct {
	in    *makespan.Instance
	known map[string]int64
}

// from is the longest path from a histogram; its last entry counts who has ended.
func (l *longest) from(h []byte) int64 {
	if t, ok := l.known[string(h)]; ok {
		return t
	}
	left := make([]int64, len(l.in.Kinds))
	for i, k := range l.in.Code {
		left[k] += int64(h[i])
	}
	busy := false
	for k := range left {
		left[k] = min(left[k], l.in.Kinds[k].Capacity)
		busy = busy || left[k] > 0
	}
	var best int64
	if busy {
		best = 1 + l.step(h, append([]byte(nil), h...), 0, left)
	}
	l.known[string(h)] = best
	return best
}

// step goes through the ways in which the instructions from i on execute what is
// left of each kind, and is the longest path from where they lead.
func (l *longest) step(h, next []byte, i int, left []int64) int64 {
	if i == len(l.in.Code) {
		for _, n := range left {
			if n > 0 {
				return -1 // less than the kind could have executed
			}
		}
		return l.from(next)
	}
	best := int64(-1)
	k := l.in.Code[i]
	most := byte(min(int64(h[i]), left[k]))
	for x := byte(0); x <= most; x++ {
		next[i] -= x
		next[i+1] += x
		left[k] -= int64(x)
		best = max(best, l.step(h, next, i+1, left))
		next[i] += x
		next[i+1] -= x
		left[k] += int64(x)
	}
	return best
}
