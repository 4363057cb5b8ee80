package multiphase

// PhaseKind is the nature of a phase.
type PhaseKind int

// The kinds of phases.
const (
	// Exec: in every cycle some unit initiates an instruction of the warp.
	Exec PhaseKind = iota
	// Idle: no unit does; the warp waits for a result.
	Idle
	// Folded stands for phases not listed one by one: repetitions of the ones
	// before it, or what came after the limit of listed phases.
	Folded
)

var phaseNames = [...]string{"exec", "idle", "folded"}

// String is exec, idle or folded.
func (k PhaseKind) String() string { return phaseNames[k] }

// MarshalText gives the kind its name in JSON.
func (k PhaseKind) MarshalText() ([]byte, error) { return []byte(phaseNames[k]), nil }

// Phase is a part of a warp's time alone, from StartCycles for LengthCycles. Of
// these, ExecCycles are execution; the rest is idle. The phases of a profile
// follow one another without gap.
type Phase struct {
	Kind         PhaseKind `json:"kind"`
	StartCycles  int64     `json:"start_cycles"`
	LengthCycles int64     `json:"length_cycles"`
	ExecCycles   int64     `json:"exec_cycles"`
}

// recorder lists phases up to a limit.
type recorder struct {
	limit   int
	phases  []Phase
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
		Phase{Exec, start, busy - start, busy - start},
		Phase{Idle, busy, resume - busy, 0})
	r.until = resume
	r.idleSum += resume - busy
}

// crowded tells whether two more phases would exceed the limit; from then on
// nothing is listed.
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
	r.phases = append(r.phases, Phase{Folded, r.until, length, length - (idleSum - r.idleSum)})
	r.until, r.idleSum = until, idleSum
}

// close ends the list: the execution phase since open ended at busy, after
// idleSum idle cycles in all, and the last completion is at end.
func (r *recorder) close(open, busy, idleSum, end int64) []Phase {
	r.folded(open, idleSum)
	if busy > open {
		r.phases = append(r.phases, Phase{Exec, open, busy - open, busy - open})
	}
	if end > busy {
		r.phases = append(r.phases, Phase{Idle, busy, end - busy, 0})
	}
	return r.phases
}
