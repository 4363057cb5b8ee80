package study

import (
	"fmt"
	"time"

	"github.com/warpbound/warpbound/internal/method/makespan"
)

// The names of the methods.
const (
	Paper     = "paper"      // Berezovskyi2012, eq. 5-7
	Safe      = "safe"       // docs/soundness/makespan.md, theorem 14 (volume)
	Potential = "potential"  // docs/soundness/makespan.md, theorem 15 (potential bound)
	Courses   = "courses"    // docs/soundness/makespan.md, theorem 18 (courses)
	Law       = "law"        // exact, docs/soundness/makespan.md, theorem 17 (repetition)
	Search    = "search"     // exact, docs/soundness/makespan.md, theorem 16 (search)
	DP        = "dp"         // exact, by dynamic programming
	ILPShort  = "ilp-short"  // exact, Berezovskyi2012, Section 5, eq. 34 and 37
	ILPLong   = "ilp-long"   // exact, Berezovskyi2012, Section 5, eq. 33 and 36
	ILPCounts = "ilp-counts" // exact, the same problem without names of warps
	Estimate  = "estimate"   // Berezovskyi2012, eq. 42-43
)

// All asks for every method.
const All = "all"

// Methods are the names of all methods, in the order of a Study's rows.
func Methods() []string {
	return []string{Paper, Safe, Potential, Courses, Law, Search, DP, ILPShort, ILPLong, ILPCounts, Estimate}
}

// ExactMethods are the methods that give the exact makespan where they end.
func ExactMethods() []string { return []string{Law, Search, DP, ILPShort, ILPLong, ILPCounts} }

// Kind says what the figure of a row is.
type Kind string

// The kinds of figures.
const (
	Exact           Kind = "exact"
	SafeBound       Kind = "safe bound"
	PublishedSafe   Kind = "published, safe here"
	PublishedUnsafe Kind = "published, not safe here"
	NotABound       Kind = "estimate (published, not a bound)"
	NoAnswer        Kind = "no answer"
)

// safe says whether no schedule takes longer than a figure of the kind.
func (k Kind) safe() bool { return k == Exact || k == SafeBound || k == PublishedSafe }

// Row is what one method says.
type Row struct {
	Method string
	Kind   Kind
	Cycles int64 // 0 where there is no answer
	// Theorem is where the proof or the formula is.
	Theorem string
	// Work is the size of what was done in units of WorkUnit, such as "state"; ""
	// where there is nothing to tell.
	Work     int64
	WorkUnit string
	// Note is what to know before using the figure.
	Note string
	// Unfinished says what ran out before the method ended, "" where it ended.
	Unfinished string
	Elapsed    time.Duration
}

// Answer is a figure with the method that gives it.
type Answer struct {
	Method string
	Cycles int64
	// Schedule is a schedule of that length, nil where none was asked for or the
	// answer is not exact.
	Schedule *makespan.Schedule
}

// Point is the estimate from the exact makespans of up to X warps.
type Point struct{ X, Cycles int64 }

// Study is what the methods say of an instance.
type Study struct {
	Instance *makespan.Instance
	Rows     []Row
	// Best is the smallest safe figure, the exact one where there is one.
	Best *Answer
	// Exact is nil where no exact method ended.
	Exact *Answer
	// Estimated is the published estimate, nil where it was not asked for or no
	// exact makespan is known to start from.
	Estimated *Point
	// Complete is false where a method ended before its time and none found the exact
	// makespan.
	Complete bool
}

// Row is the row of a method, nil where it was not run.
func (s *Study) Row(method string) *Row {
	for i := range s.Rows {
		if s.Rows[i].Method == method {
			return &s.Rows[i]
		}
	}
	return nil
}

// ContradictionError is a fault of a method: its answer contradicts another
// answer, or its own witness.
type ContradictionError struct {
	Instance *makespan.Instance
	Reason   string
}

func (e *ContradictionError) Error() string {
	return fmt.Sprintf("INTERNAL ERROR, trust no figure: %s (%s, capacities %v, %d warps); please report it",
		e.Reason, e.Instance.Source, e.Instance.Capacities(), e.Instance.Warps)
}
