// Package potential bounds the worst-case makespan of W identical warps
// (Berezovskyi2012, Section 3) for any W by a certificate, and finds the exact
// value by the search that the certificate guides.
//
// A Certificate is a potential over the states of the machine: a weight per
// waiting warp, which depends on where it waits and on the first instruction that
// any warp waits for, and an offset per abstract state, in which counts above a
// cap are not told apart. If every cycle lowers the potential by at least Scale,
// no schedule has more cycles than the potential of the start over Scale
// (docs/soundness/makespan.md, theorem 15 (potential bound)). Derive looks for a good
// one; nothing it does has to be trusted, because Check proves the property afresh in
// integers.
//
//	Derive         states (abstraction.go), cuts (relax.go), weights (simplex.go)
//	Certificate    Cycles: the bound for W warps; Check: the proof
//	DeriveCourses  a potential for each order in which units can idle: slower,
//	Courses        tighter; for short strings (stage.go, courses.go)
//	Exact          a dive that keeps the potential high; then a best-first search
//	               that discards what cannot beat it (search.go, dive.go)
//	Law            a proof that a bound is the exact makespan of every number of
//	               warps: schedules that reach it and can be stretched (law.go)
//
// The package is not a general solver: strings whose abstract states exceed the
// budget are refused, and the closed form of makespan.Instance.Safe remains.
package potential
