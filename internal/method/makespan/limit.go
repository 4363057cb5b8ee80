package makespan

import "fmt"

// LimitError is an exact method that ended before it had the exact value.
type LimitError struct {
	// What ran out: "memory", "time", or "states" where the problem has more than
	// the method can number.
	What string
	// Detail says how much was available and how much was needed, "" where that is
	// not known.
	Detail string
	// Cycles is a safe bound that the method had proved when it ended, 0 for none.
	Cycles int64
	// Cause is the context's error where one ended it, or that of a solver whose
	// memory did not suffice.
	Cause error
}

func (e *LimitError) Error() string {
	if e.Detail == "" {
		return "out of " + e.What
	}
	return fmt.Sprintf("out of %s: %s", e.What, e.Detail)
}

// Unwrap gives the cause.
func (e *LimitError) Unwrap() error { return e.Cause }
