//go:build !warpbound_faults

package static

func planted(fault) bool { return false }
