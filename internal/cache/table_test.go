package cache

import (
	"testing"

	"pgregory.net/rapid"
)

// The table against a map, three quarters full, so that runs of entries are long.
func TestTable(t *testing.T) {
	var numbers []uint64
	for n := range uint64(40) {
		numbers = append(numbers, n)
	}
	rapid.Check(t, func(t *rapid.T) {
		tab := newTable(8)
		const most = 24 // of 32 places
		tab.reset()
		want := map[uint64]int{}
		for i, line := range rapid.SliceOfN(rapid.SampledFrom(numbers), 60, 200).Draw(t, "lines") {
			if _, ok := want[line]; ok {
				tab.remove(line)
				delete(want, line)
			} else if len(want) < most {
				tab.add(line, i)
				want[line] = i
			}
			for _, l := range numbers {
				slot, ok := want[l]
				if !ok {
					slot = -1
				}
				if got := tab.find(l); got != slot {
					t.Fatalf("step %d: line %d at %d, want %d", i, l, got, slot)
				}
			}
		}
	})
}
