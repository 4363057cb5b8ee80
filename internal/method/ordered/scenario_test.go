package ordered

import (
	"math/rand/v2"

	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/seq"
)

type randomChooser struct {
	r *rand.Rand
	// mode biases the answers: 0 uniform, 1 mostly the last one (declared times,
	// the last warp), 2 the last one or the first one.
	mode int
}

func (c *randomChooser) pick(n int) int {
	switch {
	case c.mode == 1 && c.r.IntN(8) > 0:
		return n - 1
	case c.mode == 2:
		return c.r.IntN(2) * (n - 1)
	}
	return c.r.IntN(n)
}

// odometer enumerates all sequences of answers.
type odometer struct {
	digits, bases []int
	at            int
}

func (o *odometer) pick(n int) int {
	if o.at == len(o.digits) {
		o.digits = append(o.digits, 0)
		o.bases = append(o.bases, n)
	}
	d := o.digits[o.at]
	o.at++
	return d
}

// next goes on to the next sequence; false after the last one.
func (o *odometer) next() bool {
	for i := o.at - 1; i >= 0; i-- {
		if o.digits[i]++; o.digits[i] < o.bases[i] {
			o.digits, o.bases, o.at = o.digits[:i+1], o.bases[:i+1], 0
			return true
		}
	}
	return false
}

// size says how large the scenarios of a generator are.
type size struct {
	warps, sections, length int
	times                   int64 // largest initiation; latencies up to four times that
	tiny                    bool
}

func upTo(r *rand.Rand, n int64) int64 { return r.Int64N(n + 1) }

func randomMachine(r *rand.Rand, z size) (m CachedSM, anyOrder bool, scheds int) {
	m = CachedSM{
		KeepsWarpOrder: true, Channels: 8, ChannelEntries: 1 + r.IntN(4), Channel: ChannelKind(r.IntN(2)),
		MSHRs: 1 + r.IntN(4), HitCycles: upTo(r, z.times), MissCycles: upTo(r, 4*z.times),
		ServiceCycles: upTo(r, 2), DrainingBarriers: r.IntN(2) == 0,
	}
	if m.Channel == NeverFull {
		m.ChannelEntries += 2
	}
	scheds = 1
	if z.tiny {
		return m, false, 1
	}
	m.Queue = []method.QueueKind{method.Unbounded, method.Unbounded, method.Slots, method.NoQueue, method.Pooled}[r.IntN(5)]
	anyOrder = r.IntN(2) == 0
	m.KeepsWarpOrder = !anyOrder || r.IntN(2) == 0
	if r.IntN(3) == 0 {
		scheds = 2
	}
	m.ArriveCycles, m.FillCycles = upTo(r, 2), upTo(r, 2)
	m.BarrierDelayCycles, m.StartDelayCycles = upTo(r, 3), upTo(r, 3)
	if r.IntN(2) == 0 {
		m.QueueCycles = upTo(r, 8)
	}
	if r.IntN(3) == 0 {
		m.ServiceCycles, m.QueueCycles = 0, 0
		for range 1 + r.IntN(2) {
			m.Stages = append(m.Stages, Stage{Places: 1 + r.IntN(3), ReachCycles: upTo(r, z.times), ServiceCycles: upTo(r, 6)})
		}
	}
	return m, anyOrder, scheds
}

// randomScenario makes a machine, programs and an order that is a linear
// extension of the programs and barriers. Of the ops, the even symbols are
// accesses.
func randomScenario(r *rand.Rand, z size) *scenario {
	s := &scenario{tagPerLine: 1 + upTo(r, 1), ldst: 2}
	s.m, s.anyOrder, s.scheds = randomMachine(r, z)
	const symbols = 8
	for i := range symbols {
		op := method.Op{Unit: r.IntN(2), InitCycles: 1 + upTo(r, z.times-1), LatencyCycles: upTo(r, 4*z.times)}
		access := i%2 == 0
		if access {
			op.Unit = s.ldst
			op.LatencyCycles = 0
		}
		if !access || r.IntN(4) > 0 {
			op.Writes = []int32{int32(10 * r.IntN(3))}
		}
		if r.IntN(2) == 0 {
			op.Reads = []int32{int32(10 * r.IntN(3))}
		}
		s.in.Ops = append(s.in.Ops, method.WithWAW(op))
		s.in.Accesses = append(s.in.Accesses, access)
	}
	warps := 1 + r.IntN(z.warps)
	blocks := 1 + r.IntN(2)
	sections := 1 + r.IntN(z.sections)
	repeats := !z.tiny && r.IntN(2) == 0
	for w := range warps {
		var prog [][]int32
		n := sections
		if r.IntN(4) == 0 {
			n = r.IntN(sections + 1)
		}
		for range n {
			var sec []int32
			for range r.IntN(z.length + 1) {
				x, times := int32(r.IntN(symbols)), 1
				if repeats && r.IntN(3) == 0 {
					times += r.IntN(5)
				}
				for range times {
					sec = append(sec, x)
				}
			}
			prog = append(prog, sec)
		}
		s.progs = append(s.progs, prog)
		s.block = append(s.block, w*blocks/warps)
		warp := Warp{Block: s.block[w]}
		for _, sec := range prog {
			warp.Sections = append(warp.Sections, seq.Must(seq.Run(sec...)))
		}
		s.in.Warps = append(s.in.Warps, warp)
	}
	s.orderAccesses(r)
	s.in.Order = func(yield func(Access, error) bool) {
		for i := range s.order {
			if !yield(s.order[i].told, nil) {
				return
			}
		}
	}
	return s
}

// orderAccesses draws an order by executing the programs in any order.
func (s *scenario) orderAccesses(r *rand.Rand) {
	sec, pos := make([]int, len(s.progs)), make([]int, len(s.progs))
	for {
		var at []int
		for w := range s.progs {
			for s.step(w, sec, pos) {
			}
			if sec[w] < len(s.progs[w]) && pos[w] < len(s.progs[w][sec[w]]) {
				at = append(at, w)
			}
		}
		if len(at) == 0 {
			ended := true
			for w := range s.progs {
				ended = ended && sec[w] >= len(s.progs[w])
			}
			if ended {
				return
			}
			continue
		}
		w := at[r.IntN(len(at))]
		pos[w]++
		s.addAccess(r, w)
	}
}

// step goes over an instruction that is no access, or over a barrier.
func (s *scenario) step(w int, sec, pos []int) bool {
	if sec[w] >= len(s.progs[w]) {
		return false
	}
	if pos[w] < len(s.progs[w][sec[w]]) {
		if s.in.Accesses[s.progs[w][sec[w]][pos[w]]] {
			return false
		}
		pos[w]++
		return true
	}
	for u := range s.progs {
		if s.block[u] != s.block[w] || sec[u] > sec[w] || sec[u] >= len(s.progs[u]) {
			continue
		}
		if sec[u] < sec[w] || pos[u] < len(s.progs[u][sec[u]]) {
			return false
		}
	}
	// All are at the border: they cross it together, or those end that end here.
	border := sec[w]
	for u := range s.progs {
		if s.block[u] == s.block[w] && sec[u] == border {
			sec[u]++
			pos[u] = 0
		}
	}
	return true
}

// addAccess appends the next access of warp w with random classes.
func (s *scenario) addAccess(r *rand.Rand, w int) {
	place := len(s.order)
	a := testAccess{warp: w, waitFor: -1}
	t := Access{Warp: w, Entries: 1, FilledBy: NoEarlier, WaitsFor: NoEarlier}
	lines := 1 + r.IntN(3)
	if s.m.ChannelEntries >= 3 && r.IntN(2) == 0 {
		t.Entries = lines
	}
	t.TagCycles = int64(lines) * s.tagPerLine
	for range lines {
		l := line{pending: -1}
		switch r.IntN(3) {
		case 0:
			if t.Fills < s.m.MSHRs {
				l.alloc = true
				t.Fills++
				t.Requests++
				break
			}
			fallthrough
		case 1:
			l.request = true
			t.Requests++
		case 2:
			t.Hits++
			if place > 0 && r.IntN(2) == 0 {
				l.pending = r.IntN(place)
				if t.FilledBy != AnyEarlier {
					t.FilledBy = max(t.FilledBy, int64(l.pending)+1)
				}
				if r.IntN(8) == 0 {
					t.FilledBy = AnyEarlier
				}
			}
		}
		if t.Fills > 0 && r.IntN(6) == 0 {
			l.selfWait = true
			t.SelfWaits++
		}
		a.lines = append(a.lines, l)
	}
	if place > 0 && r.IntN(6) == 0 {
		a.waitFor = r.IntN(place)
		t.WaitsFor = int64(a.waitFor) + 1
		if r.IntN(8) == 0 {
			t.WaitsFor = AnyEarlier
		}
	}
	if len(s.m.Stages) > 0 {
		t.HeldCycles = upTo(r, 3)
		for range t.Requests {
			for _, stage := range s.m.Stages {
				t.Places = append(t.Places, int32(r.IntN(stage.Places+1))-1)
			}
		}
	}
	a.told = t
	s.order = append(s.order, a)
}
