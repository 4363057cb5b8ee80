package static

import (
	"fmt"
	"math/rand/v2"

	"github.com/warpbound/warpbound/internal/cache"
)

type access struct {
	addr uint64
	kind cache.Kind
}

// toy is a system with its accesses written out.
type toy struct {
	cache cache.Config
	start Start
	warps [][]access
	limit int // of lines
	order Order
}

// randomToy draws few lines for few sets, so that sets are sometimes held whole,
// sometimes replaced, and often shared by warps.
func randomToy(r *rand.Rand, warps, length int) *toy {
	pick := func(of ...int) int { return of[r.IntN(len(of))] }
	y := &toy{start: Start(r.IntN(2))}
	if r.IntN(8) == 0 {
		y.limit = 1 + r.IntN(6)
	}
	if r.IntN(4) == 0 {
		y.order = NoOrder
	}
	y.cache = cache.Config{
		Sets: pick(1, 1, 2, 4), Ways: pick(1, 2, 2, 3, 4, 4, 8), LineBytes: 128, SectorBytes: pick(128, 128, 64),
		Replacement: cache.Replacement(r.IntN(3)),
	}
	if y.cache.Replacement == cache.PLRU && y.cache.Ways == 3 {
		y.cache.Ways = 4
	}
	switch r.IntN(4) {
	case 0:
		y.cache.WriteEvict = true
	case 1:
		y.cache.WriteAllocate = true
	case 2:
		y.cache.WriteBack = true
	}
	held := y.cache.Sets * y.cache.Ways
	shared := r.IntN(held + 2)
	private := r.IntN(held+2) / pick(1, 1, warps)
	stores := pick(0, 1, 4)
	for w := range warps {
		var seq []access
		for range 1 + r.IntN(length) {
			n := r.IntN(shared + private + 1)
			if n > shared {
				n += w * private
			}
			a := access{addr: uint64(n)*128 + uint64(r.IntN(2))*64}
			if r.IntN(10) < stores {
				a.kind = cache.Store
			}
			seq = append(seq, a)
		}
		y.warps = append(y.warps, seq)
	}
	return y
}

// begin is a cache in a state that the system may start in.
func (y *toy) begin(r *rand.Rand) *cache.Cache {
	m, err := cache.New(y.cache)
	if err != nil {
		panic(err)
	}
	if y.start == Cold {
		return m
	}
	for range r.IntN(4 * y.cache.Sets * y.cache.Ways) {
		line := uint64(r.IntN(3 * y.cache.Sets * y.cache.Ways))
		if r.IntN(2) == 0 {
			line += 1 << 20 // a line that no system has
		}
		k := cache.Load
		if r.IntN(4) == 0 {
			k = cache.Store
		}
		m.Access(line*128+uint64(r.IntN(2))*64, k)
	}
	return m
}

// claims is what an analysis says of a toy.
type claims struct {
	classes    [][]Class
	persistent map[uint64]bool // sectors, by address
	totals     Totals
}

// lines notes the accesses, warp by warp from the last one on.
func (y *toy) lines() (*Lines, error) {
	l, err := NewLines(y.cache, y.order, y.limit)
	if err != nil {
		return nil, err
	}
	for w := len(y.warps) - 1; w >= 0; w-- {
		for _, a := range y.warps[w] {
			if err := l.Note(int64(w), a.addr, a.kind); err != nil {
				return nil, err
			}
		}
	}
	return l, nil
}

// analyse walks along two warps at a time, an access of each in turn.
func (y *toy) analyse() (*claims, error) {
	l, err := y.lines()
	if err != nil {
		return nil, err
	}
	a, err := l.Analyse(y.cache, y.start)
	if err != nil {
		return nil, err
	}
	c := &claims{classes: make([][]Class, len(y.warps)), persistent: map[uint64]bool{}}
	walks := [2]*Walk{a.NewWalk(), a.NewWalk()}
	for first := 0; first < len(y.warps); first += len(walks) {
		pair := y.warps[first:min(first+len(walks), len(y.warps))]
		for i := range pair {
			if err := walks[i].Begin(int64(first + i)); err != nil {
				return nil, err
			}
		}
		for step, more := 0, true; more; step++ {
			more = false
			for i, seq := range pair {
				if step >= len(seq) {
					continue
				}
				more = true
				at, err := l.Find(seq[step].addr)
				if err != nil {
					return nil, err
				}
				k := walks[i].Step(at, seq[step].kind)
				if k == Persistent {
					c.persistent[y.sector(seq[step].addr)] = true
				}
				c.classes[first+i] = append(c.classes[first+i], k)
			}
		}
	}
	c.totals = a.Totals()
	return c, nil
}

// loose is the toy and what is claimed of it with every access as a warp of its own,
// where warps keep no order.
func (y *toy) loose(c *claims) (*toy, *claims) {
	if y.order == ProgramOrder {
		return y, c
	}
	z := &toy{cache: y.cache, start: y.start, limit: y.limit, order: y.order}
	d := &claims{persistent: c.persistent, totals: c.totals}
	for w, seq := range y.warps {
		for i := range seq {
			z.warps, d.classes = append(z.warps, seq[i:i+1]), append(d.classes, c.classes[w][i:i+1])
		}
	}
	return z, d
}

func (y *toy) sector(addr uint64) uint64 { return addr / uint64(y.cache.SectorBytes) }

// check plays one interleaving, given as the warp of each access, on a cache and
// holds the claims against it.
func (y *toy) check(c *claims, m *cache.Cache, order []int) error {
	at := make([]int, len(y.warps))
	missed := map[uint64]int{}
	var misses int64
	for step, w := range order {
		a := y.warps[w][at[w]]
		r := m.Access(a.addr, a.kind)
		class := c.classes[w][at[w]]
		if class == AlwaysHit && !r.Hit || class == AlwaysMiss && r.Hit {
			return fmt.Errorf("%v order %v: step %d, access %d of warp %d is %v, hit = %v", y, order, step, at[w], w, class, r.Hit)
		}
		if !r.Hit {
			misses++
			if a.kind == cache.Load || y.cache.WriteAllocate {
				missed[y.sector(a.addr)]++
			}
		}
		at[w]++
	}
	for s, n := range missed {
		if n > 1 && c.persistent[s] {
			return fmt.Errorf("%v order %v: %d misses of the persistent sector %d", y, order, n, s)
		}
	}
	if least, most := c.totals.Misses(); misses < least || misses > most {
		return fmt.Errorf("%v order %v: %d misses, claimed %d to %d", y, order, misses, least, most)
	}
	return nil
}

// String lists the system as the tests print it: line, half of the line, L or S.
func (y *toy) String() string {
	s := fmt.Sprintf("%+v start %d, order %d, at most %d lines:", y.cache, y.start, y.order, y.limit)
	for w, seq := range y.warps {
		s += fmt.Sprintf(" w%d", w)
		for _, a := range seq {
			s += fmt.Sprintf(" %d.%d%v", a.addr/128, a.addr/64%2, a.kind)
		}
	}
	return s
}

// everyOrder calls f with every interleaving; f must not keep it.
func (y *toy) everyOrder(f func(order []int) error) error {
	left, total := make([]int, len(y.warps)), 0
	for w, seq := range y.warps {
		left[w] = len(seq)
		total += len(seq)
	}
	order := make([]int, 0, total)
	var rec func() error
	rec = func() error {
		if len(order) == total {
			return f(order)
		}
		for w := range left {
			if left[w] == 0 {
				continue
			}
			left[w]--
			order = append(order, w)
			if err := rec(); err != nil {
				return err
			}
			order = order[:len(order)-1]
			left[w]++
		}
		return nil
	}
	return rec()
}

// randomOrder mixes the warps in runs of random length.
func (y *toy) randomOrder(r *rand.Rand) []int {
	left, total := make([]int, len(y.warps)), 0
	for w, seq := range y.warps {
		left[w] = len(seq)
		total += len(seq)
	}
	mean := 1 + r.IntN(8)
	var order []int
	for len(order) < total {
		w := r.IntN(len(left))
		for n := 1 + r.IntN(2*mean); n > 0 && left[w] > 0; n-- {
			order = append(order, w)
			left[w]--
		}
	}
	return order
}

// tiny draws a system small enough for all its interleavings and tries them all,
// from three starts if the start is open.
func tiny(r *rand.Rand) error {
	y := randomToy(r, 2, 5)
	if r.IntN(3) == 0 {
		y = randomToy(r, 3, 3)
	}
	c, err := y.analyse()
	if err != nil {
		return err
	}
	if y, c = y.loose(c); y.order == NoOrder {
		for range 200 {
			if err := y.check(c, y.begin(r), y.randomOrder(r)); err != nil {
				return err
			}
		}
		return nil
	}
	starts := 1
	if y.start == AnyStart {
		starts = 3
	}
	seeds := [3]uint64{r.Uint64(), r.Uint64(), r.Uint64()}
	return y.everyOrder(func(order []int) error {
		for i := range starts {
			if err := y.check(c, y.begin(rand.New(rand.NewPCG(seeds[i], 1))), order); err != nil {
				return err
			}
		}
		return nil
	})
}

// large draws a system with many interleavings and tries some.
func large(r *rand.Rand) error {
	y := randomToy(r, 1+r.IntN(6), 40)
	c, err := y.analyse()
	if err != nil {
		return err
	}
	y, c = y.loose(c)
	for range 12 {
		if err := y.check(c, y.begin(r), y.randomOrder(r)); err != nil {
			return err
		}
	}
	return nil
}
