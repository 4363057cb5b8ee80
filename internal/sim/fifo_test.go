package sim

import "testing"

// A queue that is never empty does not grow.
func TestFIFO(t *testing.T) {
	var q fifo[int]
	for i := range 3 {
		q.push(i)
	}
	for i := range 10_000 {
		if q.empty() || q.len() != 3 || *q.first() != i {
			t.Fatalf("%d items, the first is %d, want 3 and %d", q.len(), *q.first(), i)
		}
		q.pop()
		q.push(i + 3)
	}
	if cap(q.items) > 16 {
		t.Errorf("%d places for 3 items", cap(q.items))
	}
	for range 3 {
		q.pop()
	}
	if !q.empty() {
		t.Errorf("%d items left", q.len())
	}
}
