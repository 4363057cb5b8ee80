package reference

// control executes the SIMT instructions and ECALL.
func (s *step) control() *Fault {
	w, in := s.warp, s.in
	all := uint32(1)<<len(w.Threads) - 1
	last := w.Threads[w.last()]
	a, b := last.X[in.Rs1], last.X[in.Rs2]
	switch in.Name {
	case "ecall":
		w.Mask = 0
	case "vx_tmc":
		w.Mask = a & all
	case "vx_wspawn":
		return s.spawn(a, b)
	case "vx_split":
		return s.split()
	case "vx_join":
		return s.join(a)
	case "vx_bar":
		return s.barrier(a, b)
	case "vx_pred":
		holds, _ := s.predicate()
		if holds == 0 {
			holds = b & all
		}
		w.Mask = holds
	}
	return nil
}

// predicate parts the active threads by bit 0 of rs1.
func (s *step) predicate() (holds, holdsNot uint32) {
	for _, t := range s.warp.active() {
		one := s.warp.Threads[t].X[s.in.Rs1]&1 == 1
		if one != s.in.PredicateInverted {
			holds |= 1 << t
		} else {
			holdsNot |= 1 << t
		}
	}
	return holds, holdsNot
}

func (s *step) split() *Fault {
	w := s.warp
	depth := len(w.splits)
	holds, holdsNot := s.predicate()
	divergent := holds != 0 && holdsNot != 0
	if divergent && depth == len(w.Threads)-1 {
		return s.fault(BadSplit, -1)
	}
	if s.in.Rd != 0 {
		for _, t := range w.active() {
			w.Threads[t].X[s.in.Rd] = uint32(depth)
		}
	}
	if divergent {
		first, other := holds, holdsNot
		if len(threads(holdsNot)) > len(threads(holds)) {
			first, other = holdsNot, holds
		}
		w.splits = append(w.splits, split{all: w.Mask, other: other, pc: s.pc + 4})
		w.Mask = first
	}
	return nil
}

func (s *step) join(depth uint32) *Fault {
	w := s.warp
	open := len(w.splits)
	if int64(depth) == int64(open) {
		return nil
	}
	if int64(depth) != int64(open)-1 {
		return s.fault(BadJoin, -1)
	}
	top := &w.splits[open-1]
	if !top.second {
		top.second = true
		w.Mask, s.next = top.other, top.pc
		return nil
	}
	w.Mask = top.all
	w.splits = w.splits[:open-1]
	return nil
}

func (s *step) spawn(count, pc uint32) *Fault {
	if s.id[1] != 0 {
		return s.fault(BadSpawn, -1)
	}
	request := spawn{count: min(count, uint32(s.m.Warps)), pc: pc}
	if request.count > 1 {
		if pc%4 != 0 {
			return s.fault(Misaligned, -1)
		}
		if _, ok := s.m.Code[pc]; !ok {
			return s.fault(Outside, -1)
		}
	}
	if s.core.activeWarps() != 1 {
		if !s.m.Feb2024 {
			s.core.spawn = &request
			s.warp.Waiting = true
			return nil
		}
		for i := 1; i < int(request.count); i++ {
			if s.core.Warps[i].Mask != 0 {
				return s.fault(BadSpawn, -1)
			}
		}
	}
	s.core.activate(request)
	s.event.Opened = request.count > 1
	return nil
}

func (c *Core) activate(r spawn) {
	for i := 1; i < int(r.count); i++ {
		c.Warps[i].Mask, c.Warps[i].PC = 1, r.pc
	}
}

func (s *step) barrier(id, count uint32) *Fault {
	const global = 1 << 31
	barriers := uint32(max(1, s.m.Warps/2))
	if s.m.Feb2024 {
		barriers = 4
	}
	switch {
	case id&global != 0 && (s.m.Cores > 1 || count != 1):
		return s.fault(CoreBarrier, -1)
	case count == 1:
		return nil
	case id >= barriers, count == 0, count > uint32(s.m.Warps):
		return s.fault(BadBarrier, -1)
	}
	bar := s.core.barriers[id]
	if bar == nil {
		bar = &barrier{count: count}
		s.core.barriers[id] = bar
	}
	if bar.count != count {
		return s.fault(BadBarrier, -1)
	}
	s.event.Arrived, s.event.Barrier, s.event.Full = true, id, int(count) == s.m.Warps
	bar.warps = append(bar.warps, s.id[1])
	s.warp.Waiting = true
	if len(bar.warps) == int(count) {
		s.event.Opened = true
		delete(s.core.barriers, id)
		for _, i := range bar.warps {
			s.core.Warps[i].Waiting = false
		}
	}
	return nil
}
