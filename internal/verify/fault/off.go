//go:build !warpbound_faults

package fault

// Enabled tells whether faults can be planted in this build.
const Enabled = false

// On tells whether the fault is active: never, in this build.
func On(ID) bool { return false }
