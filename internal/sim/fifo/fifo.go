// Package fifo is a queue for the simulator: first in, first out.
package fifo

// Queue is a queue whose memory follows how much it holds, not how much has
// passed through it.
type Queue[T any] struct {
	items []T
	head  int
}

// Empty tells whether it holds nothing.
func (q *Queue[T]) Empty() bool { return q.head == len(q.items) }

// Len is how much it holds.
func (q *Queue[T]) Len() int { return len(q.items) - q.head }

// First is the oldest item of a queue that is not empty.
func (q *Queue[T]) First() *T { return &q.items[q.head] }

// At is item number i, from the oldest.
func (q *Queue[T]) At(i int) *T { return &q.items[q.head+i] }

// Push adds the youngest item.
func (q *Queue[T]) Push(x T) {
	if q.head > 0 && len(q.items) == cap(q.items) {
		q.items = q.items[:copy(q.items, q.items[q.head:])]
		q.head = 0
	}
	q.items = append(q.items, x)
}

// Pop takes out the oldest item of a queue that is not empty.
func (q *Queue[T]) Pop() {
	if q.head++; q.head == len(q.items) {
		q.items, q.head = q.items[:0], 0
	}
}
