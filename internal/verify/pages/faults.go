package pages

import (
	"slices"
	"strings"

	"github.com/warpbound/warpbound/internal/verify/fault"
)

// Planted lists the names of all planted faults.
func Planted() []string {
	var names []string
	for _, list := range [][]fault.Description{
		fault.All(), fault.Road(), fault.Classes(), fault.Static(), fault.AnyOrder(),
		fault.Replay(), fault.Budget(), fault.Taint(),
	} {
		for _, d := range list {
			names = append(names, d.Name)
		}
	}
	return names
}

// Survivors are the planted faults that no test notices, each with the place on
// the page of evidence that says why.
var Survivors = map[string]string{
	"offer-ref-without-order": "no violation is known, and the bound is refused",
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
