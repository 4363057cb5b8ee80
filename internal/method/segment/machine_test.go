package segment

import (
	"math/rand/v2"

	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/ordered"
	"github.com/warpbound/warpbound/internal/seq"
)

// program is warps, sections, symbols of a table of ops.
type program struct {
	ops   []method.Op
	warps [][][]int32
}

func (p *program) input() *ordered.Input {
	in := &ordered.Input{Ops: p.ops, Accesses: make([]bool, len(p.ops))}
	for _, sections := range p.warps {
		var w ordered.Warp
		for _, s := range sections {
			w.Sections = append(w.Sections, seq.Must(seq.Run(s...)))
		}
		in.Warps = append(in.Warps, w)
	}
	return in
}

// chooser answers "which of n".
type chooser func(n int) int

func random(r *rand.Rand) chooser { return func(n int) int { return r.IntN(n) } }

func declared(n int) int { return n - 1 }

// odometer enumerates all sequences of answers.
type odometer struct {
	digits, bases []int
	at            int
}

func (o *odometer) pick(n int) int {
	if o.at == len(o.digits) {
		o.digits, o.bases = append(o.digits, 0), append(o.bases, n)
	}
	o.at++
	return o.digits[o.at-1]
}

func (o *odometer) next() bool {
	for i := o.at - 1; i >= 0; i-- {
		if o.digits[i]++; o.digits[i] < o.bases[i] {
			o.digits, o.bases, o.at = o.digits[:i+1], o.bases[:i+1], 0
			return true
		}
	}
	return false
}

// simulate executes one block on one scheduler under strict round robin. Each
// initiation is declared or 1, each latency declared or 0, as c says. Units
// serve in issue order, with unbounded queues or none.
func simulate(p *program, sched Scheduler, queue method.QueueKind, draining bool, c chooser) int64 {
	either := func(least, most int64) int64 {
		if least == most {
			return most
		}
		return [2]int64{least, most}[c(2)]
	}
	n := len(p.warps)
	sec, pos := make([]int, n), make([]int, n)
	regs := make([]map[int32]int64, n)
	done := make([]int64, n)
	left := 0
	for w := range n {
		regs[w] = map[int32]int64{}
		for _, s := range p.warps[w] {
			left += len(s)
		}
	}
	var free [8]int64
	rest := func(w int) []int32 {
		if sec[w] >= len(p.warps[w]) {
			return nil
		}
		return p.warps[w][sec[w]][pos[w]:]
	}
	holder := 0
	var written map[int32]bool // in the turn in progress
	give := func(w int) { holder, written = (w+1)%n, nil }
	var end int64
	for t := int64(0); left > 0; t++ {
		for meet(p, sec, pos, done, draining, t) {
		}
		ready := func(w int) bool {
			if len(rest(w)) == 0 {
				return false
			}
			op := &p.ops[rest(w)[0]]
			for _, r := range op.Reads {
				if regs[w][r] > t {
					return false
				}
			}
			return queue != method.NoQueue || free[op.Unit] <= t
		}
		if sched == GreedyTurns && written != nil && !ready(holder) {
			give(holder)
		}
		for range n {
			if len(rest(holder)) > 0 {
				break
			}
			give(holder)
		}
		w := holder
		if !ready(w) {
			continue
		}
		op := &p.ops[rest(w)[0]]
		pos[w]++
		left--
		start := max(t, free[op.Unit])
		free[op.Unit] = start + either(1, op.InitCycles)
		complete := free[op.Unit] + either(0, op.LatencyCycles)
		done[w] = max(done[w], complete)
		end = max(end, complete)
		if written == nil {
			written = map[int32]bool{}
		}
		for _, r := range op.Writes {
			regs[w][r] = complete
			written[r] = true
		}
		switch {
		case sched == InstructionTurns || len(rest(w)) == 0:
			give(w)
		case sched == SegmentTurns:
			for _, r := range p.ops[rest(w)[0]].Reads {
				if written[r] {
					give(w)
					break
				}
			}
		}
	}
	return end
}

// meet opens the block's barrier if all warps have arrived or ended, and tells
// whether it did.
func meet(p *program, sec, pos []int, done []int64, draining bool, t int64) bool {
	border, waiting := -1, false
	for w := range p.warps {
		last := len(p.warps[w]) - 1
		if sec[w] > last {
			if done[w] > t {
				return false
			}
			continue
		}
		atEnd := pos[w] == len(p.warps[w][sec[w]])
		if atEnd && sec[w] == last {
			if done[w] > t {
				return false
			}
			continue
		}
		if !atEnd || draining && done[w] > t {
			return false
		}
		border, waiting = max(border, sec[w]), true
	}
	if !waiting {
		return false
	}
	for w := range p.warps {
		if sec[w] <= border && sec[w] < len(p.warps[w]) {
			sec[w]++
			pos[w] = 0
		}
	}
	return true
}

// String names the scheduler in failures.
func (s Scheduler) String() string {
	return [...]string{"strict-segments", "greedy-then-strict", "strict-instructions", "loose", "several-strict"}[s]
}
