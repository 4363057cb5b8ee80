package soundness

import "github.com/warpbound/warpbound/internal/verify/exhaust"

// Shrink makes a system smaller while bad holds of it: without warps and
// instructions that are not needed, with fewer sources, shorter times and fewer
// barriers. The result is one from which no single step leads to a smaller bad
// system.
func Shrink(s exhaust.System, bad func(*exhaust.System) bool) exhaust.System {
	for {
		next, ok := shrinkOnce(s, bad)
		if !ok {
			return s
		}
		s = next
	}
}

func shrinkOnce(s exhaust.System, bad func(*exhaust.System) bool) (exhaust.System, bool) {
	try := func(change func(*exhaust.System) bool) (exhaust.System, bool) {
		c := s.Clone()
		if change(&c) && c.Validate() == nil && bad(&c) {
			return c, true
		}
		return s, false
	}
	for w := range s.Warps {
		if c, ok := try(func(c *exhaust.System) bool { return dropWarp(c, w) }); ok {
			return c, true
		}
		for j := range s.Warps[w] {
			for _, step := range []func(*exhaust.System) bool{
				func(c *exhaust.System) bool { return dropInstr(c, w, j) },
				func(c *exhaust.System) bool { return lower(&c.Warps[w][j].Lat, 0) },
				func(c *exhaust.System) bool { return lower(&c.Warps[w][j].Init, 1) },
				func(c *exhaust.System) bool { return mergeSections(c, w, j) },
			} {
				if c, ok := try(step); ok {
					return c, true
				}
			}
			for k := range s.Warps[w][j].Src {
				if c, ok := try(func(c *exhaust.System) bool {
					in := &c.Warps[w][j]
					in.Src = append(in.Src[:k:k], in.Src[k+1:]...)
					return true
				}); ok {
					return c, true
				}
			}
		}
	}
	return s, false
}

func dropWarp(s *exhaust.System, w int) bool {
	if len(s.Warps) == 1 {
		return false
	}
	s.Warps = append(s.Warps[:w:w], s.Warps[w+1:]...)
	return true
}

// dropInstr removes an instruction, also from the sources of later ones.
func dropInstr(s *exhaust.System, w, j int) bool {
	p := s.Warps[w]
	if len(p) == 1 {
		return false
	}
	p = append(p[:j:j], p[j+1:]...)
	for i := j; i < len(p); i++ {
		var src []int
		for _, b := range p[i].Src {
			switch {
			case b > j:
				src = append(src, b-1)
			case b < j:
				src = append(src, b)
			}
		}
		p[i].Src = src
	}
	s.Warps[w] = p
	return true
}

func lower(v *int, least int) bool {
	if *v == least {
		return false
	}
	*v--
	return true
}

// mergeSections removes the barrier before instruction j of warp w, for all warps.
func mergeSections(s *exhaust.System, w, j int) bool {
	k := s.Warps[w][j].Section
	if k == 0 {
		return false
	}
	for _, p := range s.Warps {
		for i := range p {
			if p[i].Section >= k {
				p[i].Section--
			}
		}
	}
	return true
}
