package multiphase

import "github.com/warpbound/warpbound/bound"

// recorder lists phases up to a limit.
type recorder struct {
	limit   int
	phases  []bound.Phase
	until   int64 // the end of the last listed phase
	idleSum int64 // idle cycles before until
	full    bool
}

// idle records that the execution phase since start ended at busy and was
// followed by an idle phase until resume.
func (r *recorder) idle(start, busy, resume int64) {
	if r.crowded() {
		return
	}
	r.phases = append(r.phases,
		bound.Phase{Kind: bound.Exec, StartCycles: start, LengthCycles: busy - start, ExecCycles: busy - start},
		bound.Phase{Kind: bound.Idle, StartCycles: busy, LengthCycles: resume - busy, ExecCycles: 0})
	r.until = resume
	r.idleSum += resume - busy
}

// crowded tells whether two more phases would exceed the limit; from then on
// phases are not listed.
func (r *recorder) crowded() bool {
	r.full = r.full || len(r.phases)+2 > r.limit
	return r.full
}

// jump records that repetitions were skipped: the phase in progress now starts at
// open, and idle cycles before it are idleSum in all.
func (r *recorder) jump(open, idleSum int64) {
	if !r.crowded() {
		r.folded(open, idleSum)
	}
}

func (r *recorder) folded(until, idleSum int64) {
	if until == r.until {
		return
	}
	length := until - r.until
	r.phases = append(r.phases, bound.Phase{Kind: bound.Folded, StartCycles: r.until, LengthCycles: length, ExecCycles: length - (idleSum - r.idleSum)})
	r.until, r.idleSum = until, idleSum
}

// close ends the list: the execution phase since open ended at busy, after
// idleSum idle cycles in all, and the last completion is at end.
func (r *recorder) close(open, busy, idleSum, end int64) []bound.Phase {
	r.folded(open, idleSum)
	if busy > open {
		r.phases = append(r.phases, bound.Phase{Kind: bound.Exec, StartCycles: open, LengthCycles: busy - open, ExecCycles: busy - open})
	}
	if end > busy {
		r.phases = append(r.phases, bound.Phase{Kind: bound.Idle, StartCycles: busy, LengthCycles: end - busy, ExecCycles: 0})
	}
	return r.phases
}
