package replay

import (
	"testing"

	"github.com/warpbound/warpbound/internal/seq"
)

// Iterations that wait in the same way stay folded, and no others.
func TestEqualIterationsStayFolded(t *testing.T) {
	const n = 100_000
	body := seq.Must(seq.Run(0, 1, 2))
	var syncs []*warpSync
	for i := range int64(n) {
		x := &warpSync{index: 3*i + 1, sync: Await, count: 4}
		if i == n/2 {
			x.count = 3
		}
		syncs = append(syncs, x)
	}
	ops := &syncOps{in: &Input{Ops: make([]Op, 3)}, of: map[string]int32{}}
	items, err := ops.mark([]seq.Item{seq.Repeat(n+7, body)}, 0, syncs)
	if err != nil {
		t.Fatal(err)
	}
	var counts []int64
	var length int64
	for _, it := range items {
		counts = append(counts, it.Count)
		length += it.Count * it.Body.Len()
	}
	if len(items) != 4 || counts[0] != n/2 || counts[1] != 1 || counts[2] != n-n/2-1 || counts[3] != 7 || length != 3*(n+7) {
		t.Errorf("repetitions %v of %d instructions, expected %v of %d", counts, length, []int64{n / 2, 1, n - n/2 - 1, 7}, 3*(n+7))
	}
	if len(ops.in.Ops) != 5 {
		t.Errorf("%d ops, expected the 3 and one for each way of waiting", len(ops.in.Ops))
	}
}
