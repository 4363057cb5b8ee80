package cache

import (
	"testing"

	"pgregory.net/rapid"
)

// The table against a map, always nearly half full, with lines that collide.
func TestTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const capacity = 8
		tab := newTable(capacity)
		tab.reset()
		want := map[uint64]int{}
		for i, line := range rapid.SliceOfN(rapid.Uint64Range(0, 23), 1, 200).Draw(t, "lines") {
			if _, ok := want[line]; ok {
				tab.remove(line)
				delete(want, line)
			} else if len(want) < capacity {
				tab.add(line, i)
				want[line] = i
			}
			for l := range uint64(24) {
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
