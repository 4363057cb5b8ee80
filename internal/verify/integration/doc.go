// Package integration holds tests that run the whole road on every example
// launch: that the functional machine computes what the host references say,
// that no safe bound is below the simulator in the model of the bounds
// (docs/soundness/model.md, section 1), that what a kernel computes does not depend on
// the order in which a simulated SM issues its warps, and that with a reordering unit
// its accesses hit and miss as estimated.
//
// It has no code of its own. The tests of each package stand beside it; these
// are for what shows only when all of them work together.
package integration
