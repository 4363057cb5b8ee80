package cache

import "slices"

// reference is a cache straight from the definitions: one list of lines a set, the
// newest first, and a map of sectors a line. It shares no code with Cache but the
// Config; the set of a line is worked out bit by bit.
type reference struct {
	cfg  Config
	sets map[uint64]*refSet
}

type refSet struct {
	queue []uint64 // newest first: last use (LRU) or arrival (FIFO)
	lines map[uint64]*refLine
	ways  []uint64 // PLRU: the line in each way, noLine if none
	tree  map[string]int
}

type refLine struct{ valid, dirty map[uint64]bool }

func newReference(c Config) *reference {
	return &reference{cfg: c, sets: map[uint64]*refSet{}}
}

func (m *reference) setOf(addr uint64) uint64 {
	bit := func(n uint) uint64 { return addr >> n & 1 }
	if m.cfg.Index == Linear {
		return addr / uint64(m.cfg.LineBytes) % uint64(m.cfg.Sets)
	}
	set := bit(7) ^ bit(13) + 2*(bit(8)^bit(14)) + 4*(bit(9)^bit(15)) + 8*(bit(10)^bit(17)) + 16*(bit(11)^bit(19))
	if m.cfg.Sets == 64 {
		set += 32 * bit(12)
	}
	return set
}

func (m *reference) set(addr uint64) *refSet {
	i := m.setOf(addr)
	s := m.sets[i]
	if s == nil {
		s = &refSet{lines: map[uint64]*refLine{}, tree: map[string]int{}}
		for range m.cfg.Ways {
			s.ways = append(s.ways, noLine)
		}
		m.sets[i] = s
	}
	return s
}

// use makes the line the newest one.
func (s *refSet) use(line uint64) {
	s.queue = slices.DeleteFunc(s.queue, func(l uint64) bool { return l == line })
	s.queue = slices.Insert(s.queue, 0, line)
}

// point turns every bit on the path to a way of [lo,hi) away from it; a node is
// named by the turns that lead to it.
func (s *refSet) point(way, lo, hi int, name string) {
	if hi-lo == 1 {
		return
	}
	if mid := (lo + hi) / 2; way < mid {
		s.tree[name] = 1
		s.point(way, lo, mid, name+"l")
	} else {
		s.tree[name] = 0
		s.point(way, mid, hi, name+"r")
	}
}

func (s *refSet) follow(lo, hi int, name string) int {
	if hi-lo == 1 {
		return lo
	}
	if mid := (lo + hi) / 2; s.tree[name] == 0 {
		return s.follow(lo, mid, name+"l")
	} else {
		return s.follow(mid, hi, name+"r")
	}
}

func (m *reference) access(addr uint64, k Kind) Result {
	s := m.set(addr)
	line := addr / uint64(m.cfg.LineBytes)
	sector := addr / uint64(m.cfg.SectorBytes)
	l := s.lines[line]
	var r Result
	if l != nil {
		r.Hit = l.valid[sector]
		r.SectorMiss = !r.Hit
	}
	switch {
	case l != nil && k == Store && m.cfg.WriteEvict:
		delete(s.lines, line)
		s.queue = slices.DeleteFunc(s.queue, func(x uint64) bool { return x == line })
		if i := slices.Index(s.ways, line); i >= 0 {
			s.ways[i] = noLine
		}
		return r
	case !r.Hit && k == Store && !m.cfg.WriteAllocate:
		return r
	}
	if l == nil {
		if len(s.lines) == m.cfg.Ways {
			victim := s.queue[len(s.queue)-1]
			if m.cfg.Replacement == PLRU {
				victim = s.ways[s.follow(0, m.cfg.Ways, "")]
			}
			r.Evicted, r.Victim = true, victim*uint64(m.cfg.LineBytes)
			r.WroteBack = len(s.lines[victim].dirty) > 0
			delete(s.lines, victim)
			s.queue = slices.DeleteFunc(s.queue, func(x uint64) bool { return x == victim })
			s.ways[slices.Index(s.ways, victim)] = noLine
		}
		l = &refLine{valid: map[uint64]bool{}, dirty: map[uint64]bool{}}
		s.lines[line] = l
		s.queue = slices.Insert(s.queue, 0, line)
		s.ways[slices.Index(s.ways, noLine)] = line
	}
	l.valid[sector] = true
	if k == Store && m.cfg.WriteBack {
		l.dirty[sector] = true
	}
	if m.cfg.Replacement == LRU {
		s.use(line)
	}
	s.point(slices.Index(s.ways, line), 0, m.cfg.Ways, "")
	return r
}

func (m *reference) lookup(addr uint64) bool {
	l := m.set(addr).lines[addr/uint64(m.cfg.LineBytes)]
	return l != nil && l.valid[addr/uint64(m.cfg.SectorBytes)]
}
