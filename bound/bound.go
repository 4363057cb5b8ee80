package bound

import "fmt"

// Scope says what a bound covers.
type Scope int

// The scopes, from the smallest to the largest.
const (
	Warp   Scope = iota // one warp alone on an SM
	Block               // one block alone on an SM
	SM                  // all blocks given to one SM, resident together as its slots allow
	Kernel              // the whole grid on all SMs
)

var scopeNames = [...]string{"warp", "block", "sm", "kernel"}

// String is the name used in reports: warp, block, sm or kernel.
func (s Scope) String() string {
	if s < 0 || int(s) >= len(scopeNames) {
		return fmt.Sprintf("Scope(%d)", int(s))
	}
	return scopeNames[s]
}

// MarshalText gives the scope its name in JSON.
func (s Scope) MarshalText() ([]byte, error) {
	if s < 0 || int(s) >= len(scopeNames) {
		return nil, fmt.Errorf("no such scope: %d", int(s))
	}
	return []byte(scopeNames[s]), nil
}

// UnmarshalText reads what MarshalText wrote.
func (s *Scope) UnmarshalText(text []byte) error {
	for i, name := range scopeNames {
		if name == string(text) {
			*s = Scope(i)
			return nil
		}
	}
	return fmt.Errorf("scope %q: expected warp, block, sm or kernel", text)
}

// Bound is an upper bound on the time of its scope, in cycles of the SM clock
// from the start of the scope's first block to the completion of its last
// instruction.
type Bound struct {
	Cycles int64  `json:"cycles"`
	Scope  Scope  `json:"scope"`
	Method string `json:"method"`
	// Safe is false for a published bound whose conditions do not hold here;
	// UnsafeReason then says which.
	Safe bool `json:"safe"`
	// Published says that the figure is a published formula, safe where a condition
	// on the warps holds.
	Published    bool         `json:"-"`
	UnsafeReason string       `json:"unsafe_reason,omitempty"`
	Breakdown    []Component  `json:"breakdown"` // summands of Cycles, in a fixed order
	Assumptions  []Assumption `json:"assumptions"`
	Theorem      string       `json:"theorem"` // where the proof is
}

// Refusal says why a method gives no bound for a piece of hardware.
type Refusal struct {
	Method string `json:"method"`
	Scope  Scope  `json:"scope"`
	Reason string `json:"reason"`
	// Assumption is the id of the assumption that fails.
	Assumption ID `json:"assumption"`
}

// Error makes a Refusal usable as an error.
func (r *Refusal) Error() string {
	return fmt.Sprintf("no %s bound for this %s: %s (%s)", r.Method, r.Scope, r.Reason, r.Assumption)
}
