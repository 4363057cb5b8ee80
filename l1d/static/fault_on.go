//go:build warpbound_faults

package static

var active fault

func planted(f fault) bool { return f == active }
