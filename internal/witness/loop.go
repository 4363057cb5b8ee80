package witness

import (
	"math"
	"slices"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/certificate"
)

// Limits of the evaluation of loops: how many iterations are followed in search of a
// period, and which periods are tried where vectors move.
const (
	maxFollowed = 1 << 12
	maxPeriod   = 24
)

// walk is a loop that is being evaluated: the states before each iteration since the
// last round that stands for several, and the uses between them.
type walk struct {
	m      *maker
	u      *certificate.Use
	body   int64
	fewer  bool // there may be fewer iterations
	states []state
	uses   []int64
	seen   map[int64]int // vector to the index in states
	left   int64
}

// loop evaluates n iterations, or up to n.
func (m *maker) loop(u *certificate.Use, n *certificate.Node, fewer bool) (state, error) {
	w := &walk{m: m, u: u, body: n.Body, fewer: fewer, left: n.Count}
	w.restart(state{0, u.Before})
	for w.left > 0 {
		use, to, err := w.iteration(w.now())
		if err != nil {
			return to, err
		}
		w.uses = append(w.uses, use)
		w.states = append(w.states, to)
		w.left--
		if w.left == 0 {
			break
		}
		jumped := false
		if i, ok := w.seen[to.vector]; ok {
			jumped, err = true, w.repeat(i)
		} else if w.seen[to.vector] = len(w.uses); w.left > 1 {
			if jumped, err = w.drift(); err == nil && !jumped && len(w.uses) >= w.m.followed {
				err = w.evenly()
			}
		}
		if err != nil {
			return to, err
		}
		if to := w.now(); to.at > maxTime || to.at < -maxTime {
			return to, bound.ErrOverflow
		}
	}
	w.flush(len(w.uses))
	return w.now(), nil
}

func (w *walk) now() state { return w.states[len(w.states)-1] }

// restart forgets the iterations so far, which are in rounds.
func (w *walk) restart(at state) {
	w.states, w.uses, w.seen = []state{at}, nil, map[int64]int{at.vector: 0}
}

// flush makes a round of the first iterations.
func (w *walk) flush(n int) {
	if n > 0 {
		w.u.Rounds = append(w.u.Rounds, certificate.Round{First: slices.Clone(w.uses[:n]), Groups: 1})
	}
}

// iteration evaluates one.
func (w *walk) iteration(from state) (int64, state, error) {
	use, err := w.m.use(w.body, from.vector, w.u.Prices)
	if err != nil {
		return 0, from, err
	}
	if w.fewer {
		to := w.m.join(state{0, from.vector}, w.m.behind(use, 0))
		if use, err = w.m.raise(use, to); err != nil {
			return 0, from, err
		}
	}
	return use, w.m.behind(use, from.at), nil
}

// repeat takes the iterations from i on, which ended in the vector that they began with,
// as often as they fit.
func (w *walk) repeat(i int) error {
	period := int64(len(w.uses) - i)
	groups := w.left / period
	if groups == 0 {
		return nil
	}
	now, d := w.now(), w.now().at-w.states[i].at
	if d != 0 && groups > maxTime/max(d, -d) {
		return bound.ErrOverflow
	}
	w.flush(i)
	w.u.Rounds = append(w.u.Rounds, certificate.Round{First: slices.Clone(w.uses[i:]), Groups: groups + 1})
	w.left -= groups * period
	w.restart(state{now.at + groups*d, now.vector})
	return nil
}

// drift looks for a period in which every component moved as in the one before, and
// takes it as often as that goes on.
func (w *walk) drift() (bool, error) {
	n := len(w.uses)
	for period := 1; period <= maxPeriod && 2*period <= n; period++ {
		if w.left < 2*int64(period) {
			break
		}
		a, b, c := w.m.times(w.states[n-2*period]), w.m.times(w.states[n-period]), w.m.times(w.states[n])
		even := true
		for i := range a {
			even = even && c[i]-b[i] == b[i]-a[i]
		}
		if !even {
			continue
		}
		if jumped, err := w.jump(n-period, b, c); jumped || err != nil {
			return jumped, err
		}
	}
	return false, nil
}

// jump takes the iterations from i on, which led from the times b to c, as often as they
// lead from the last group but one to the last one as well.
func (w *walk) jump(i int, b, c []int64) (bool, error) {
	period := len(w.uses) - i
	low, high := int64(1), w.left/int64(period)+1 // groups: known to be right, and the most
	var best *certificate.Round
	var behind state
	for groups := high; low < high; groups = low + (high-low+1)/2 {
		r, to, err := w.groups(i, groups, b, c)
		if err != nil {
			return false, err
		}
		if r == nil {
			high = groups - 1
			continue
		}
		low, best, behind = groups, r, to
	}
	if best == nil || best.Groups < 3 {
		return false, nil
	}
	w.flush(i)
	w.u.Rounds = append(w.u.Rounds, *best)
	w.left -= (best.Groups - 1) * int64(period)
	w.restart(behind)
	return true, nil
}

// groups is the round of so many groups, nil where the last one does not end in time.
func (w *walk) groups(i int, groups int64, b, c []int64) (*certificate.Round, state, error) {
	last, to := slices.Clone(b), slices.Clone(b)
	for j := range b {
		d := c[j] - b[j]
		if d > 0 && groups > maxTime/d || d < 0 && groups > maxTime/-d {
			return nil, state{}, nil
		}
		last[j] += (groups - 1) * d
		to[j] += groups * d
	}
	from := w.m.normal(slices.Clone(last))
	r := &certificate.Round{First: slices.Clone(w.uses[i:]), Groups: groups}
	for range r.First {
		use, s, err := w.iteration(from)
		if err != nil {
			return nil, from, err
		}
		r.Last = append(r.Last, use)
		from = s
	}
	for j, x := range w.m.times(from) {
		if x > to[j] {
			return nil, from, nil
		}
	}
	behind := w.m.normal(to)
	return r, behind, nil
}

// evenly gives up the search for a period: a last iteration is taken to move every
// component as far as the one that it moves farthest, and so are all that are left.
func (w *walk) evenly() error {
	from := w.now()
	use, to, err := w.iteration(from)
	if err != nil {
		return err
	}
	most := int64(math.MinInt64)
	before := w.m.times(from)
	for i, x := range w.m.times(to) {
		most = max(most, x-before[i])
	}
	if use, err = w.m.raise(use, state{most, from.vector}); err != nil {
		return err
	}
	if most != 0 && w.left > maxTime/max(most, -most) {
		return bound.ErrOverflow
	}
	w.flush(len(w.uses))
	w.u.Rounds = append(w.u.Rounds, certificate.Round{First: []int64{use}, Groups: w.left})
	w.restart(state{from.at + w.left*most, from.vector})
	w.left = 0
	return nil
}
