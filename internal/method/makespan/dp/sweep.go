package dp

import (
	"context"
	"sync"
	"sync/atomic"
)

// cell holds the longest time from a state to the end, in cycles. Two bytes are
// enough below 2^16 cycles and halve what a sweep has to move.
type cell interface{ ~uint16 | ~uint32 }

// sweep computes a value per state of a space, from the last state back to the
// first: a state's value is 1 more than the largest of its successors', and 0 where
// every warp has ended.
type sweep[C cell] struct {
	*space
	*layout
	height  [][]int
	cells   []C
	stop    atomic.Bool
	workers []*worker[C]
	share   int64
	// upto[w] is the longest makespan of w warps, filled from 0 up.
	upto []int64
}

// shareStates is how many states a diagonal of a slice has, on average, for several
// workers to share it: some hundred microseconds' work, since waking them takes ten.
const shareStates = 1 << 15

// newSweep shares a diagonal among workers if it has at least share states.
func newSweep[C cell](s *space, l *layout, cells []C, workers int, share int64) *sweep[C] {
	sw := &sweep[C]{space: s, layout: l, height: s.heights(l.base), cells: cells, share: share}
	if len(s.code) < 5 || !sw.shared(s.warps) {
		workers = 1
	}
	for range workers {
		sw.workers = append(sw.workers, newWorker(sw))
	}
	return sw
}

// shared says whether a slice, which has up to 2n+1 diagonals, is large enough.
func (s *sweep[C]) shared(n int) bool { return s.size[n] > s.share*int64(2*n) }

// at is the cell of a state.
func (s *sweep[C]) at(n []int) int {
	at := 0
	for i, v := range n {
		at += s.height[i][v]
	}
	return at
}

// run sweeps all slices. It reports the number of states done now and then, and
// ends early with the context's error.
func (s *sweep[C]) run(ctx context.Context, progress func(done int64)) error {
	defer context.AfterFunc(ctx, func() { s.stop.Store(true) })()
	pool := newPool(s.workers)
	defer pool.close()
	var done int64
	same := make([]int, len(s.code))
	for n := s.warps; n >= s.low[0]; n-- {
		if len(s.workers) > 1 && s.shared(n) {
			s.diagonals(n, pool, func(part int64) { progress(done + part) })
		} else {
			w := s.workers[0]
			w.open(n)
			w.descend(1, n, s.height[0][n])
			w.pop(0)
		}
		if s.stop.Load() {
			return context.Cause(ctx)
		}
		done += s.size[n]
		progress(done)
		for i := range same {
			same[i] = n
		}
		s.upto = append(s.upto, int64(s.cells[s.at(same)]))
	}
	return nil
}

// diagonals computes a slice by the sums of n[1] and n[2], the largest first. A
// cycle that changes either leads to a larger sum, and one that changes neither
// stays within the states of one pair: the pairs of a sum are independent.
func (s *sweep[C]) diagonals(n int, pool *pool[C], progress func(part int64)) {
	low := s.least(1, n)
	var part int64
	for sum := 2 * n; sum >= low+s.least(2, low); sum-- {
		from, to := max(low, (sum+1)/2), min(n, sum-s.low[2])
		if from > to {
			continue
		}
		pool.each(from, to, func(w *worker[C], m int) {
			if p := sum - m; p >= s.least(2, m) {
				w.block(n, m, p)
			}
		})
		if s.stop.Load() {
			return
		}
		for m := from; m <= to; m++ {
			if p := sum - m; p >= s.least(2, m) {
				part += s.first[3][p+1] - s.first[3][s.least(3, p)]
			}
		}
		progress(part)
	}
}

// pool keeps a goroutine per worker beyond the first.
type pool[C cell] struct {
	workers []*worker[C]
	jobs    []chan func(*worker[C])
	wait    sync.WaitGroup
}

func newPool[C cell](workers []*worker[C]) *pool[C] {
	p := &pool[C]{workers: workers}
	for _, w := range workers[1:] {
		jobs := make(chan func(*worker[C]))
		p.jobs = append(p.jobs, jobs)
		go func() {
			for job := range jobs {
				job(w)
				p.wait.Done()
			}
		}()
	}
	return p
}

func (p *pool[C]) close() {
	for _, jobs := range p.jobs {
		close(jobs)
	}
}

// each calls do once for every number of the range from..to, and returns when all
// calls have ended.
func (p *pool[C]) each(from, to int, do func(w *worker[C], m int)) {
	var next atomic.Int64
	next.Store(int64(from))
	job := func(w *worker[C]) {
		for {
			m := int(next.Add(1)) - 1
			if m > to {
				return
			}
			do(w, m)
		}
	}
	helpers := min(len(p.jobs), to-from)
	p.wait.Add(helpers)
	for _, jobs := range p.jobs[:helpers] {
		jobs <- job
	}
	job(p.workers[0])
	p.wait.Wait()
}
