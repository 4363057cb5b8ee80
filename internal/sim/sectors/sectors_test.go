package sectors

import (
	"testing"

	"pgregory.net/rapid"
)

func TestTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := New(1)
		want := map[uint64]int32{}
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			key := rapid.Uint64Range(0, 40).Draw(t, "key") * rapid.SampledFrom([]uint64{1, 1 << 20, 1 << 40}).Draw(t, "spread")
			switch rapid.IntRange(0, 2).Draw(t, "operation") {
			case 0:
				table.Remove(key)
				delete(want, key)
			default:
				val := rapid.Int32Range(0, 9).Draw(t, "value")
				table.Set(key, val)
				want[key] = val
			}
			for k, v := range want {
				if got := table.Find(k); got != v {
					t.Fatalf("key %d: %d, want %d", k, got, v)
				}
			}
			if _, in := want[key]; !in && table.Find(key) != -1 || table.Len() != len(want) {
				t.Fatalf("key %d: %d of %d entries", key, table.Len(), len(want))
			}
		}
	})
}
