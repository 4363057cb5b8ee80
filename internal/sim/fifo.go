package sim

// fifo is a queue whose memory follows how much it holds, not how much has
// passed through it.
type fifo[T any] struct {
	items []T
	head  int
}

func (q *fifo[T]) empty() bool { return q.head == len(q.items) }

func (q *fifo[T]) len() int { return len(q.items) - q.head }

// first is the oldest item of a queue that is not empty.
func (q *fifo[T]) first() *T { return &q.items[q.head] }

// at is item number i, from the oldest.
func (q *fifo[T]) at(i int) *T { return &q.items[q.head+i] }

func (q *fifo[T]) push(x T) {
	if q.head > 0 && len(q.items) == cap(q.items) {
		q.items = q.items[:copy(q.items, q.items[q.head:])]
		q.head = 0
	}
	q.items = append(q.items, x)
}

func (q *fifo[T]) pop() {
	if q.head++; q.head == len(q.items) {
		q.items, q.head = q.items[:0], 0
	}
}
