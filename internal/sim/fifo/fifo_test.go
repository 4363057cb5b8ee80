package fifo

import "testing"

// A queue that is never empty does not grow.
func TestFIFO(t *testing.T) {
	var q Queue[int]
	for i := range 3 {
		q.Push(i)
	}
	for i := range 10_000 {
		if q.Empty() || q.Len() != 3 || *q.First() != i {
			t.Fatalf("%d items, the first is %d, want 3 and %d", q.Len(), *q.First(), i)
		}
		q.Pop()
		q.Push(i + 3)
	}
	if cap(q.items) > 16 {
		t.Errorf("%d places for 3 items", cap(q.items))
	}
	for range 3 {
		q.Pop()
	}
	if !q.Empty() {
		t.Errorf("%d items left", q.Len())
	}
}
