package premtest

import "math/rand/v2"

// Choices is where a generator takes its decisions from: a random source whose
// numbers are recorded, so that a case can be replayed and made smaller.
type Choices struct {
	taken  []int
	replay []int // used up first; what is missing counts as 0
	random *rand.Rand
}

// Seeded gives the choices of a seed.
func Seeded(seed uint64) *Choices {
	return &Choices{random: rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15))}
}

// pick gives a number from 0 to n-1; 0 is the simplest choice.
func (c *Choices) pick(n int) int {
	v := 0
	switch i := len(c.taken); {
	case c.random != nil:
		v = c.random.IntN(n)
	case i < len(c.replay):
		v = c.replay[i] % n
	}
	c.taken = append(c.taken, v)
	return v
}

// in gives a number from lo to hi.
func (c *Choices) in(lo, hi int) int { return lo + c.pick(hi-lo+1) }

// chance is true in percent of 100 cases.
func (c *Choices) chance(percent int) bool { return c.pick(100) >= 100-percent }

// Shrink looks for a smaller list of choices for which fails still holds: it
// leaves out spans and lowers numbers as long as that succeeds, trying at most
// attempts lists.
func Shrink(c *Choices, attempts int, fails func(*Choices) bool) *Choices {
	best := append([]int(nil), c.taken...)
	try := func(list []int) bool {
		if attempts--; attempts < 0 {
			return false
		}
		n := &Choices{replay: list}
		if !fails(n) {
			return false
		}
		best = append([]int(nil), n.taken...)
		return true
	}
	for again := true; again && attempts > 0; {
		again = false
		for span := 16; span > 0; span /= 2 {
			for i := 0; i+span <= len(best); i++ {
				shorter := append(append([]int(nil), best[:i]...), best[i+span:]...)
				if len(shorter) < len(best) && try(shorter) {
					again = true
					i--
				}
			}
		}
		for i := 0; i < len(best); i++ {
			for _, v := range []int{0, best[i] / 2, best[i] - 1} {
				if i >= len(best) || v < 0 || v >= best[i] {
					continue
				}
				lower := append([]int(nil), best...)
				lower[i] = v
				if before := len(best); try(lower) && len(best) <= before {
					again = true
				}
			}
		}
	}
	return &Choices{replay: best}
}
