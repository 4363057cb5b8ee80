package pages

import (
	"maps"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/internal/verify/fault"
)

// Faults are the planted faults by the part of the page of evidence that lists them.
func Faults() map[string][]fault.Description {
	return map[string][]fault.Description{
		"bounds":    fault.Bounds(),
		"road":      fault.Road(),
		"paths":     fault.Classes(),
		"caches":    slices.Concat(fault.Static(), fault.AnyOrder()),
		"frontends": fault.Replay(),
		"phases":    fault.Budget(),
		"taint":     fault.Taint(),
		"riscv":     fault.RISCV(),
		"covering":  slices.Concat(fault.Covers(), fault.RISCVCovers()),
		"closed":    fault.Closed(),
		"formulas":  fault.Forms(),
		"inputs":    fault.Ways(),
		"facts":     fault.Facts(),
		"certify":   fault.Certify(),
		"costs":     fault.Costs(),
	}
}

// Planted lists the names of all planted faults.
func Planted() []string {
	var names []string
	lists := Faults()
	for _, part := range slices.Sorted(maps.Keys(lists)) {
		for _, d := range lists[part] {
			names = append(names, d.Name)
		}
	}
	return names
}

// Survivors are the planted faults that no test notices, each with the place on
// the page of evidence that says why.
var Survivors = map[string]string{
	"offer-ref-without-order": "no violation is known, and the bound is refused",
	"closed-count-beside":     "lanes that go around a test come back in a group of their own, and such loops are not closed",
	"closed-loops-awaited":    "lanes that wait inside and go on come back in a group of their own, and such loops are not closed",
	"road-barriers-drain":     "the search does not reach it; the same edit where bounds are offered is caught",
}

// PlantedBy lists the planted faults that patterns name: names, and prefixes that
// end in a dash.
func PlantedBy(patterns []string) []string {
	var names []string
	for _, name := range Planted() {
		if slices.ContainsFunc(patterns, func(p string) bool {
			return p == name || strings.HasSuffix(p, "-") && strings.HasPrefix(name, p)
		}) {
			names = append(names, name)
		}
	}
	return names
}
