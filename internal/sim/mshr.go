package sim

// mshr is a sector on its way and who waits for it.
type mshr struct {
	sector uint64
	first  int32 // waiter; the next free MSHR
	n      int32
}

type waiter struct{ access, next int32 }

// onItsWay tells whether a sector of a line has an MSHR.
func (m *ldst) onItsWay(line uint64) bool {
	if m.mshrsInUse == 0 {
		return false
	}
	first := line >> m.sectorShift
	for i := range m.lineSectors {
		if m.pending.Find(first+i) >= 0 {
			return true
		}
	}
	return false
}

// merge lets access a wait for what MSHR w brings, if there is room.
func (m *ldst) merge(a, w int32, t int64) bool {
	h := &m.mshr[w]
	if int(h.n) == m.l1d.MSHRMerges {
		return m.wait(forMerge, t)
	}
	if h.n > 0 {
		m.use.Merged++
	}
	n := m.freeWaiter
	if n < 0 {
		m.waiters = append(m.waiters, waiter{})
		n = int32(len(m.waiters) - 1)
	} else {
		m.freeWaiter = m.waiters[n].next
	}
	m.waiters[n] = waiter{a, h.first}
	h.first = n
	h.n++
	m.access[a].open++
	return true
}

func (m *ldst) newMSHR(sector uint64) int32 {
	w := m.freeMSHR
	if w < 0 {
		m.mshr = append(m.mshr, mshr{})
		w = int32(len(m.mshr) - 1)
	} else {
		m.freeMSHR = m.mshr[w].first
	}
	m.mshr[w] = mshr{sector: sector, first: -1}
	m.pending.Set(sector, w)
	m.mshrsInUse++
	m.use.MSHRsMost = max(m.use.MSHRsMost, int64(m.mshrsInUse))
	return w
}

// mshrsChanged tells observers how many MSHRs are in use from cycle t on.
func (m *ldst) mshrsChanged(t int64) {
	for _, o := range m.sm.paths {
		o.MSHRs(MSHREvent{SM: m.sm.sm, Cycle: t, InUse: m.mshrsInUse})
	}
}
