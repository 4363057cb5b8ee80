package dp

// worker computes the states of a part of a slice. It goes through n[1], n[2], ...
// from the largest value down, with the warps waiting before each instruction on a
// stack per kind, and fills the states that differ in the last n only as a row.
type worker[C cell] struct {
	*sweep[C]
	queue [][]queued // by kind
	ready []int      // by kind: the warps in its queue
	// Scratch of a row, reused: differences of cell numbers from a state to its
	// successors.
	others, moves, last []int
	// stale says that others does not belong to the present queues, idle that those
	// kinds have nothing to execute.
	stale, idle bool
	_           [128]byte // see newWorker
}

// queued is an instruction for which warps wait.
type queued struct {
	height []int // of the instruction, from n[i] on
	count  int
}

func newWorker[C cell](s *sweep[C]) *worker[C] {
	// Workers write all the time to what is allocated here; with room to spare, no
	// two of them share a cache line.
	const spare = 16
	w := &worker[C]{sweep: s}
	w.queue = make([][]queued, len(s.capacity), len(s.capacity)+spare)
	w.ready = make([]int, len(s.capacity), len(s.capacity)+spare)
	for k := range w.queue {
		w.queue[k] = make([]queued, 0, len(s.code)+spare)
	}
	w.others, w.moves, w.last = make([]int, 0, 4*spare), make([]int, 0, 4*spare), make([]int, 0, 4*spare)
	return w
}

// push sets n[i] to v behind n[i-1] = before. It reports whether that many warps
// can wait for the kind.
func (w *worker[C]) push(i, before, v int) bool {
	k := w.code[i]
	w.queue[k] = append(w.queue[k], queued{w.height[i][v:], before - v})
	w.ready[k] += before - v
	w.stale = true
	return w.ready[k] <= w.limit[k]
}

// pop takes back the push of i, the last one.
func (w *worker[C]) pop(i int) {
	k := w.code[i]
	q := w.queue[k]
	w.ready[k] -= q[len(q)-1].count
	w.queue[k] = q[:len(q)-1]
	w.stale = true
}

// open begins slice n.
func (w *worker[C]) open(n int) { w.push(0, w.warps, n) }

// block computes the states of slice n with n[1] = m, n[2] = p.
func (w *worker[C]) block(n, m, p int) {
	w.open(n)
	if w.push(1, n, m) {
		if w.push(2, m, p) {
			w.descend(3, p, w.height[0][n]+w.height[1][m]+w.height[2][p])
		}
		w.pop(2)
	}
	w.pop(1)
	w.pop(0)
}

// descend computes the states with the given n[0..i-1], of which before is the
// last and at the sum of their heights.
func (w *worker[C]) descend(i, before, at int) {
	if w.stop.Load() {
		return
	}
	if i == len(w.code)-1 {
		w.row(before, at)
		return
	}
	height := w.height[i]
	k := w.code[i]
	least := max(w.least(i, before), before-(w.limit[k]-w.ready[k]))
	// Nobody waits for i.
	w.descend(i+1, before, at+height[before])
	if least >= before {
		return
	}
	top := len(w.queue[k])
	w.queue[k] = append(w.queue[k], queued{})
	other := k != w.code[len(w.code)-1]
	for v := before - 1; v >= least; v-- {
		w.queue[k][top] = queued{height[v:], before - v}
		w.ready[k]++
		w.stale = w.stale || other
		w.descend(i+1, v, at+height[v])
	}
	w.ready[k] -= before - least
	w.queue[k] = w.queue[k][:top]
	w.stale = w.stale || other
}

// row computes the states that have all but the last n in common. at is the sum of
// the heights, before the last of these n.
func (w *worker[C]) row(before, at int) {
	i := len(w.code) - 1
	k := w.code[i]
	height := w.height[i]
	most := min(before-w.least(i, before), w.limit[k]-w.ready[k])
	if most < 0 {
		return
	}
	if w.stale {
		w.refresh(int(k))
	}
	if w.capacity[k] > 1 {
		w.rowByCount(before, at, most)
		return
	}
	// With capacity 1 there is one more choice if a warp waits for i: the next
	// cell.
	w.moves = w.moves[:0]
	p := at + height[before]
	switch {
	case w.ready[k] > 0:
		w.last = w.spread(w.last[:0], w.queue[k], w.ready[k], 1, 0)
		w.moves = combine(w.moves, w.others, w.last)
		fill(w.cells, p, 1, w.moves)
	case w.idle:
		w.cells[p] = 0
	default:
		fill(w.cells, p, 1, w.others)
	}
	if most == 0 {
		return
	}
	for _, m := range w.others {
		w.moves = append(w.moves, m+1)
	}
	if w.idle {
		fillInOrder(w.cells, p-1, most, w.moves)
	} else {
		fill(w.cells, p-1, most, w.moves)
	}
}

// refresh computes the choices of all kinds but the last instruction's.
func (w *worker[C]) refresh(last int) {
	w.others = append(w.others[:0], 0)
	w.idle = true
	w.stale = false
	for u, ready := range w.ready {
		if u != last && ready > 0 {
			w.idle = false
			w.last = w.spread(w.last[:0], w.queue[u], ready, min(w.capacity[u], ready), 0)
			w.others, w.moves = combine(w.moves[:0], w.others, w.last), w.others
		}
	}
}

// rowByCount is the rest of row where the last instruction's kind has any capacity.
func (w *worker[C]) rowByCount(before, at, most int) {
	i := len(w.code) - 1
	k := w.code[i]
	height := w.height[i]
	capacity := w.capacity[k]
	top := len(w.queue[k])
	w.queue[k] = append(w.queue[k], queued{})
	for count := 0; count <= most; count++ {
		ready := w.ready[k] + count
		p := at + height[before-count]
		if ready == 0 {
			if w.idle {
				w.cells[p] = 0
			} else {
				fill(w.cells, p, 1, w.others)
			}
			continue
		}
		w.queue[k][top] = queued{height[before-count:], count}
		w.last = w.spread(w.last[:0], w.queue[k], ready, min(capacity, ready), 0)
		w.moves = combine(w.moves[:0], w.others, w.last)
		if count < capacity {
			fill(w.cells, p, 1, w.moves)
			continue
		}
		// From here on the last n only moves the row along.
		if w.idle {
			fillInOrder(w.cells, p, most-count+1, w.moves)
		} else {
			fill(w.cells, p, most-count+1, w.moves)
		}
		break
	}
	w.queue[k] = w.queue[k][:top]
}

// spread appends the differences of all ways to execute amount instructions, for
// which ready ≥ amount warps wait in the queue.
func (w *worker[C]) spread(to []int, queue []queued, ready, amount, sum int) []int {
	if amount == 1 {
		for _, q := range queue {
			if q.count > 0 {
				to = append(to, sum+q.height[1]-q.height[0])
			}
		}
		return to
	}
	if amount == 0 {
		return append(to, sum)
	}
	q := queue[0]
	rest := ready - q.count
	for x := max(0, amount-rest); x <= min(amount, q.count); x++ {
		to = w.spread(to, queue[1:], rest, amount-x, sum+q.height[x]-q.height[0])
	}
	return to
}

// combine appends the sums of an entry of a and one of b.
func combine(to, a, b []int) []int {
	for _, x := range a {
		for _, y := range b {
			to = append(to, x+y)
		}
	}
	return to
}

// fill computes the n cells that end with p, none of which is another's successor.
func fill[C cell](cells []C, p, n int, moves []int) {
	from := p - n + 1
	for ; from+4 <= p+1; from += 4 {
		var a, b, c, d C
		for _, m := range moves {
			s := cells[from+m : from+m+4 : from+m+4]
			a, b, c, d = max(a, s[0]), max(b, s[1]), max(c, s[2]), max(d, s[3])
		}
		s := cells[from : from+4 : from+4]
		s[0], s[1], s[2], s[3] = a+1, b+1, c+1, d+1
	}
	for ; from <= p; from++ {
		var a C
		for _, m := range moves {
			a = max(a, cells[from+m])
		}
		cells[from] = a + 1
	}
}

// fillInOrder computes the n cells that end with p from the last to the first.
func fillInOrder[C cell](cells []C, p, n int, moves []int) {
	for ; n > 0; n-- {
		var a C
		for _, m := range moves {
			a = max(a, cells[p+m])
		}
		cells[p] = a + 1
		p--
	}
}
