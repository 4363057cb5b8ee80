package replay

import "github.com/warpbound/warpbound/internal/method"

// units are the functional units and their queues. They serve in issue order, so
// when an instruction starts is known when it is issued.
type units struct {
	kind  method.QueueKind
	slots int
	free  [][]int64 // by unit and server: when it is free of all that was issued
	wait  [][]int64 // by unit: when the instructions start that wait, in order
}

func newUnits(m *Core) units {
	u := units{kind: m.Queue, slots: m.QueueSlots, wait: make([][]int64, len(m.Servers))}
	for _, n := range m.Servers {
		u.free = append(u.free, make([]int64, n))
	}
	return u
}

// starts is when an instruction issued to a unit in cycle t would start, and on
// which server.
func (u *units) starts(unit int, t int64) (int64, int) {
	free, server := u.free[unit], 0
	for i := range free {
		if free[i] < free[server] {
			server = i
		}
	}
	return max(t, free[server]), server
}

// issue takes an instruction and returns when it starts.
func (u *units) issue(unit int, t, init int64) int64 {
	at, server := u.starts(unit, t)
	u.free[unit][server] = at + init
	if at > t && (u.kind == method.Slots || u.kind == method.Pooled) {
		u.wait[unit] = append(u.wait[unit], at)
	}
	return at
}

// settle forgets the instructions that no longer wait after cycle t.
func (u *units) settle(t int64) {
	for i, w := range u.wait {
		n := 0
		for n < len(w) && w[n] <= t {
			n++
		}
		if n > 0 {
			u.wait[i] = append(w[:0], w[n:]...)
		}
	}
}

// accepts is the first cycle, from t on, in which a unit takes an instruction if
// nothing else is issued before. settle(t) has been called.
func (u *units) accepts(unit int, t int64) int64 {
	switch u.kind {
	case method.NoQueue:
		at, _ := u.starts(unit, t)
		return at
	case method.Slots:
		if w := u.wait[unit]; len(w) >= u.slots {
			return w[len(w)-u.slots]
		}
	case method.Pooled:
		return u.pool(t)
	}
	return t
}

// pool is when fewer instructions wait than the pool has places.
func (u *units) pool(t int64) int64 {
	waiting := 0
	for _, w := range u.wait {
		waiting += len(w)
	}
	for waiting >= u.slots {
		at := never
		for _, w := range u.wait {
			for _, d := range w {
				if d > t {
					at = min(at, d)
					break
				}
			}
		}
		t, waiting = at, 0
		for _, w := range u.wait {
			for _, d := range w {
				if d > t {
					waiting++
				}
			}
		}
	}
	return t
}
