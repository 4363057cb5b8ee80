package reference

import (
	"testing"

	"github.com/warpbound/warpbound/internal/method/makespan"
)

// Letters are the kinds that the capacities of Instance belong to, in order.
const Letters = "LCMABDEF"

// Instance is the problem of a string over the first letters of Letters, one
// capacity each, for warps of one thread.
func Instance(t testing.TB, text string, warps int64, capacities ...int64) *makespan.Instance {
	t.Helper()
	units := make([]makespan.Unit, len(capacities))
	for i, c := range capacities {
		units[i] = makespan.Unit{Letter: Letters[i], Count: c}
	}
	in, err := makespan.New(text, units, 1, warps)
	if err != nil {
		t.Fatalf("%s, %v, %d warps: %v", text, capacities, warps, err)
	}
	return in
}

// Strings are all strings of 1 to length letters of an alphabet, the shorter ones
// first and those of a length in the alphabet's order.
func Strings(alphabet string, length int) []string {
	var all []string
	last := []string{""}
	for range length {
		var next []string
		for _, s := range last {
			for _, c := range alphabet {
				next = append(next, s+string(c))
			}
		}
		all = append(all, next...)
		last = next
	}
	return all
}

// Tuples are all tuples of a width with entries from 1 to most, in lexicographic
// order: the capacities that a test goes through.
func Tuples(width int, most int64) [][]int64 {
	all := [][]int64{nil}
	for range width {
		var next [][]int64
		for _, t := range all {
			for v := int64(1); v <= most; v++ {
				next = append(next, append(t[:len(t):len(t)], v))
			}
		}
		all = next
	}
	return all
}
