package exhaust

import "math/rand/v2"

// LRR is loose round robin: the ready warp that follows the last issued one.
type LRR struct {
	exact
	last Ref
	any  bool
}

// Issue implements Chooser.
func (p *LRR) Issue(_ int, ready []Ref) int {
	best := 0
	for i, r := range ready {
		if p.any && after(r, p.last) && (!after(ready[best], p.last) || after(ready[best], r)) {
			best = i
		}
	}
	p.last, p.any = ready[best], true
	return best
}

func after(a, b Ref) bool {
	return a.Block > b.Block || (a.Block == b.Block && a.Warp > b.Warp)
}

// GTO is greedy then oldest: the last issued warp while it is ready, else the
// first one.
type GTO struct {
	exact
	last Ref
	any  bool
}

// Issue implements Chooser.
func (p *GTO) Issue(_ int, ready []Ref) int {
	for i, r := range ready {
		if p.any && r.Block == p.last.Block && r.Warp == p.last.Warp {
			p.last = r
			return i
		}
	}
	p.last, p.any = ready[0], true
	return 0
}

// exact serves in issue order, starts on the first SM, and shortens nothing.
type exact struct{}

func (exact) Dispatch(int, []Ref) int      { return 0 }
func (exact) Slot(int, []int) int          { return 0 }
func (exact) Shorten(in *Instr) (int, int) { return in.Init, in.Lat }

// Random is a seeded adversary. At its creation it draws habits: which warps to
// starve, whether to serve late comers first, how often to shorten.
type Random struct {
	rng       *rand.Rand
	m         Rules
	rank      map[Ref]int // warp (Instr 0) -> priority
	noise     int         // one choice in noise is random; 0 all
	lifo      bool
	pack      bool // blocks on as few SMs as possible
	shortenIn int  // one execution in this many is shortened
}

// NewRandom makes an adversary for a machine.
func NewRandom(rng *rand.Rand, m Rules) *Random {
	return &Random{
		rng: rng, m: m, rank: map[Ref]int{},
		noise: rng.IntN(6), lifo: rng.IntN(2) == 0, pack: rng.IntN(2) == 0, shortenIn: 1 + rng.IntN(8),
	}
}

// Issue implements Chooser.
func (p *Random) Issue(_ int, ready []Ref) int { return p.pick(ready, false) }

// Dispatch implements Chooser.
func (p *Random) Dispatch(_ int, waiting []Ref) int { return p.pick(waiting, p.lifo) }

func (p *Random) pick(refs []Ref, last bool) int {
	if p.noise == 0 || p.rng.IntN(p.noise) == 0 {
		return p.rng.IntN(len(refs))
	}
	if last {
		return len(refs) - 1
	}
	best := 0
	for i, r := range refs {
		if p.priority(r) > p.priority(refs[best]) {
			best = i
		}
	}
	return best
}

func (p *Random) priority(r Ref) int {
	r.Instr = 0
	if _, ok := p.rank[r]; !ok {
		p.rank[r] = p.rng.IntN(1 << 20)
	}
	return p.rank[r]
}

// Slot implements Chooser.
func (p *Random) Slot(_ int, sms []int) int {
	if p.pack {
		return 0
	}
	return p.rng.IntN(len(sms))
}

// Shorten implements Chooser.
func (p *Random) Shorten(in *Instr) (int, int) {
	init, lat := in.Init, in.Lat
	if p.m.ShortInit && p.rng.IntN(p.shortenIn) == 0 {
		init = 1 + p.rng.IntN(in.Init)
	}
	if p.m.ShortLat && p.rng.IntN(p.shortenIn) == 0 {
		lat = p.rng.IntN(in.Lat + 1)
	}
	return init, lat
}
