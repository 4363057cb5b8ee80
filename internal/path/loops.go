package path

import (
	"context"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/simt"
)

// mostLoopSymbols bounds the symbols that are made of a loop whose transactions
// change from iteration to iteration.
const mostLoopSymbols = 1 << 16

// skipLoop records the iterations of a loop without executing them. It returns
// false where they should be executed: where the number of instructions is
// limited, and where transactions repeat only after too many iterations.
func (r *recorder) skipLoop(ctx context.Context, limits simt.Limits, l *simt.Loop) (done bool, err error) {
	n := int64(len(l.Steps))
	if limit := limits.MaxInstructions; limit > 0 && l.Times >= (limit-r.executed)/n {
		return false, nil
	}
	period := r.period(l)
	if period*n > mostLoopSymbols {
		return false, nil
	}
	w := &r.warps[l.Warp]
	issued := int64(0)
	for i := range l.Steps {
		if !r.timing[l.Steps[i].PC].NotIssued {
			issued++
		}
	}
	w.instructions += issued * l.Times
	r.executed += n * l.Times
	r.skipped += n * l.Times
	r.watch.Repeat(l)
	if period == 1 && !r.timing[l.Steps[n-1].PC].NotIssued && w.fold.again(l.Head, l.Times) {
		return true, nil
	}
	symbols := r.loopSymbols(l, period)
	for j := range l.Times {
		if j&0xfff == 0 && ctx.Err() != nil {
			return false, &simt.Interrupted{At: simt.At{Instructions: r.executed, Cycle: simt.NoTime, Warp: l.Warp, PC: l.Head}, Err: ctx.Err()}
		}
		row := symbols[(j+1)%period*n:]
		for i := range l.Steps {
			if s := &l.Steps[i]; row[i] >= 0 {
				w.fold.add(row[i], s.PC, s.NextPC)
			}
		}
		r.tooLarge()
	}
	return true, nil
}

// period is the number of iterations after which the accesses of a loop make the
// same transactions again.
func (r *recorder) period(l *simt.Loop) int64 {
	period := int64(1)
	for i := range l.Steps {
		if s := &l.Steps[i]; s.Access != nil {
			unit := r.unit(&r.timing[s.PC])
			period = max(period, unit/gcd(unit, s.Stride))
		}
	}
	return period
}

// unit is the distance between addresses that does not change the number of
// transactions: a segment, or a word of a bank.
func (r *recorder) unit(t *gpu.Timing) int64 {
	switch {
	case t.NotIssued:
	case t.Transactions == gpu.Segments:
		return r.mem.SegmentBytes
	case t.Transactions == gpu.Banks:
		return r.mem.BankWordBytes
	}
	return 1
}

// loopSymbols are the symbols of period iterations from the one executed on, -1
// for what is not issued.
func (r *recorder) loopSymbols(l *simt.Loop, period int64) []int32 {
	out := make([]int32, 0, period*int64(len(l.Steps)))
	var moved simt.Step
	for j := range min(period, l.Times+1) {
		for i := range l.Steps {
			s := &l.Steps[i]
			t := &r.timing[s.PC]
			switch {
			case t.NotIssued:
				out = append(out, -1)
				continue
			case s.Access == nil:
				moved = simt.Step{PC: s.PC}
			default:
				moved = *s.Access
				for lane := range moved.Addresses {
					moved.Addresses[lane] += uint64(j * s.Stride)
				}
			}
			out = append(out, r.symbol(&moved, t))
		}
	}
	return out
}
