package bound

// Result is what an analysis of one scope gives.
type Result struct {
	Scope Scope `json:"scope"`
	// Bounds are the offered methods in the order of Methods.
	Bounds []Bound `json:"bounds"`
	// Refused says why the others are not.
	Refused []Refusal `json:"refused,omitempty"`
	// Best is the index in Bounds of the smallest safe one, -1 if there is none.
	Best int `json:"best"`
	// Warps has one profile per class of warps (one block's, if blocks are equal).
	Warps []WarpProfile `json:"warps"`
	// Sections gives each method's value per section; empty where blocks share an
	// SM.
	Sections map[string][]SectionBound `json:"sections,omitempty"`
}

// BestBound is the smallest safe bound, nil if there is none.
func (r *Result) BestBound() *Bound {
	if r.Best < 0 {
		return nil
	}
	return &r.Bounds[r.Best]
}

// Add adds a bound, and makes it Best if it is the smallest safe one. Of equal
// bounds the one added first stays Best, except that a published bound yields to
// one whose proof asks nothing of the warps.
func (r *Result) Add(b Bound) {
	r.Bounds = append(r.Bounds, b)
	if !b.Safe {
		return
	}
	if best := r.BestBound(); best == nil || b.Cycles < best.Cycles || b.Cycles == best.Cycles && best.Published && !b.Published {
		r.Best = len(r.Bounds) - 1
	}
}

// NewResult is the result for a scope before anything is added.
func NewResult(scope Scope) *Result { return &Result{Scope: scope, Best: -1} }

// Bound returns the bound by a method, nil if it is not offered.
func (r *Result) Bound(method string) *Bound {
	for i := range r.Bounds {
		if r.Bounds[i].Method == method {
			return &r.Bounds[i]
		}
	}
	return nil
}

// WarpProfile describes one class of warps alone on an SM, with the isolated time
// that the hardware's theorems use. Slices per unit have Hardware.NumUnits
// entries.
type WarpProfile struct {
	Class            int              `json:"class"`
	Warps            int64            `json:"warps"`
	Instructions     int64            `json:"instructions"`
	IsoCycles        int64            `json:"iso_cycles"`
	ExecCycles       int64            `json:"exec_cycles"`
	IdleCycles       int64            `json:"idle_cycles"`
	UnitInitCycles   []int64          `json:"unit_init_cycles"`
	UnitInstructions []int64          `json:"unit_instructions"`
	Sections         []SectionProfile `json:"sections"`
}

// SectionProfile is a section of a warp's profile; equal sections are listed
// once.
type SectionProfile struct {
	First      int64   `json:"first"`
	Count      int64   `json:"count"`
	IsoCycles  int64   `json:"iso_cycles"`
	ExecCycles int64   `json:"exec_cycles"`
	Phases     []Phase `json:"phases"`
}

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

// SectionBound is the bound of one method for a section of a block.
type SectionBound struct {
	First int64 `json:"first"` // index of the section
	Count int64 `json:"count"` // how often the block executes an equal one
	// Class is the class of the warp that may finish last.
	Class        int   `json:"class"`
	OwnCycles    int64 `json:"own_cycles"`    // its isolated time, or path
	OthersCycles int64 `json:"others_cycles"` // what other warps add
	OrderCycles  int64 `json:"order_cycles"`  // the term of theorem 7 (reordered warps)
}

// Cycles is the bound of the section.
func (s *SectionBound) Cycles() int64 { return s.OwnCycles + s.OthersCycles + s.OrderCycles }
