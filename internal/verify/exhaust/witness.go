package exhaust

import (
	"fmt"
	"strings"
)

// Witness describes one worst schedule of the system Worst was last called for:
// a line per issue and per dispatch with its cycle.
func (e *Explorer) Witness() string {
	var b strings.Builder
	s, t := state{}, 0
	for want := e.value(s); want > 0; {
		next, step, ok := e.follow(&b, s, t, want)
		if !ok {
			break
		}
		s, t, want = next, t+step, want-step
	}
	return b.String()
}

// follow finds choices in one cycle that leave want cycles to completion, writes
// them down, and returns the state after them.
func (e *Explorer) follow(b *strings.Builder, s state, t, want int) (state, int, bool) {
	ready := false
	for w := range e.warps {
		if !e.ready(&s, w) {
			continue
		}
		ready = true
		line := fmt.Sprintf("cycle %d: w%d.i%d issues\n", t, w, s.next[w])
		if next, step, text, ok := e.followUnit(e.issue(s, w), 0, t, want, true); ok {
			b.WriteString(line + text)
			return next, step, true
		}
	}
	if ready {
		return s, 0, false
	}
	next, step, text, ok := e.followUnit(s, 0, t, want, false)
	b.WriteString(text)
	return next, step, ok
}

// followUnit does the same for the dispatches of units f and up.
func (e *Explorer) followUnit(s state, f, t, want int, acted bool) (state, int, string, bool) {
	for f < e.units && (s.busy[f] != 0 || !e.waits(&s, f)) {
		f++
	}
	if f == e.units {
		next, step := tick(s, acted)
		return next, step, "", step > 0 && step+e.value(next) == want
	}
	for at, q := range s.queue {
		if q == 0 {
			break
		}
		i := int(q) - 1
		if e.flat[i].Unit != f || (e.m.OwnOrder && !e.m.FIFO && e.earlierWaits(&s, i)) {
			continue
		}
		c := s
		copy(c.queue[at:], c.queue[at+1:])
		c.queue[maxInstrs-1] = 0
		inits, lats := e.shortest(i)
		for init := inits; init <= e.flat[i].Init; init++ {
			for lat := lats; lat <= e.flat[i].Lat; lat++ {
				c.busy[f], c.stage[i] = uint8(init), uint8(init+lat+1)
				if next, step, text, ok := e.followUnit(c, f+1, t, want, true); ok {
					w, k := e.owner(i)
					line := fmt.Sprintf("cycle %d: w%d.i%d starts on F%d for %d+%d\n", t, w, k, f, init, lat)
					return next, step, line + text, true
				}
			}
		}
		if e.m.FIFO {
			break
		}
	}
	return s, 0, "", false
}

// shortest is the smallest initiation and latency the adversary may give i.
func (e *Explorer) shortest(i int) (init, lat int) {
	init, lat = e.flat[i].Init, e.flat[i].Lat
	if e.m.ShortInit {
		init = 1
	}
	if e.m.ShortLat {
		lat = 0
	}
	return init, lat
}

// owner is the warp of instruction i and its index there.
func (e *Explorer) owner(i int) (warp, index int) {
	w := e.warps - 1
	for e.base[w] > i {
		w--
	}
	return w, i - e.base[w]
}
