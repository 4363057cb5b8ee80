package sim

// completionQueue hands completions to observers in order of their cycle, then
// of their dispatch. It is a binary heap, used only when somebody observes.
type completionQueue struct {
	heap []queuedCompletion
	seq  int64
}

type queuedCompletion struct {
	CompleteEvent
	seq int64
}

func (q *completionQueue) less(i, j int) bool {
	a, b := &q.heap[i], &q.heap[j]
	return a.Cycle < b.Cycle || a.Cycle == b.Cycle && a.seq < b.seq
}

func (q *completionQueue) add(e CompleteEvent) {
	q.heap = append(q.heap, queuedCompletion{e, q.seq})
	q.seq++
	for i := len(q.heap) - 1; i > 0; {
		up := (i - 1) / 2
		if !q.less(i, up) {
			break
		}
		q.heap[i], q.heap[up] = q.heap[up], q.heap[i]
		i = up
	}
}

// flush reports the completions up to cycle t.
func (q *completionQueue) flush(observers []Observer, t int64) {
	for len(q.heap) > 0 && q.heap[0].Cycle <= t {
		e := q.heap[0].CompleteEvent
		n := len(q.heap) - 1
		q.heap[0] = q.heap[n]
		q.heap = q.heap[:n]
		for i := 0; ; {
			down := 2*i + 1
			if down >= n {
				break
			}
			if down+1 < n && q.less(down+1, down) {
				down++
			}
			if !q.less(down, i) {
				break
			}
			q.heap[i], q.heap[down] = q.heap[down], q.heap[i]
			i = down
		}
		for _, o := range observers {
			o.Complete(e)
		}
	}
}
