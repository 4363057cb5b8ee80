//go:build warpbound_faults

package fault

import "sync/atomic"

// Enabled tells whether faults can be planted in this build.
const Enabled = true

var active atomic.Int64

// On tells whether the fault is active.
func On(id ID) bool { return ID(active.Load()) == id }

// Set makes id the one active fault, None for no fault. Analyses running at
// the time see either.
func Set(id ID) { active.Store(int64(id)) }
