// Package soundness looks for violated bounds: systems on which a bound that
// calls itself safe is exceeded by some schedule.
//
// It has four ways. Run draws random instruction programs, machines, loops and
// grids and compares every safe bound with exact worst cases or adversarial
// schedules, and folded loops with unrolled ones. Scope.Run tries every program
// of a small scope. Attack climbs towards a violation of one named bound; it
// finds that the published bound is unsafe, which random search does not. Shrink
// makes what was found small. A Violation prints as a reproducer in the notation
// fu/init/lat(sources).
//
// Everything is determined by a seed and does not depend on the number of
// processors. The evidence gathered with it is in docs/soundness.md; it is
// evidence, not proof. The schedules come from internal/verify/exhaust, which shares no
// code with the bounds. Structured kernels against the cycle-level simulator are
// not tried here.
package soundness
