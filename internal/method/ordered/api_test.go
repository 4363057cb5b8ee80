package ordered

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/seq"
)

// small has an access (symbol 0), a slow producer (1), an access that needs its
// result (2), and a slow consumer of the first access (3).
func small() (CachedSM, Input) {
	m := CachedSM{KeepsWarpOrder: true, Channels: 8, ChannelEntries: 4, MSHRs: 4}
	in := Input{
		Ops: []method.Op{
			{Unit: 1, InitCycles: 1, Writes: []int32{1}},
			{Unit: 0, InitCycles: 1, LatencyCycles: 9, Writes: []int32{2}},
			{Unit: 1, InitCycles: 1, Reads: []int32{2}},
			{Unit: 0, InitCycles: 1, LatencyCycles: 20, Reads: []int32{1}, Writes: []int32{3}},
		},
		Accesses: []bool{true, false, true, false},
		Warps:    []Warp{{Sections: []*seq.Seq{seq.Must(seq.Run(0, 3))}}, {Sections: []*seq.Seq{seq.Must(seq.Run(1, 2))}}},
	}
	return m, in
}

func hit(warp int) Access {
	return Access{Warp: warp, TagCycles: 1, Entries: 1, Hits: 1, FilledBy: NoEarlier, WaitsFor: NoEarlier}
}

func miss(warp int) Access {
	return Access{Warp: warp, TagCycles: 1, Entries: 1, Requests: 1, Fills: 1, WaitsFor: NoEarlier}
}

func inOrder(as ...Access) func(func(Access, error) bool) {
	return func(yield func(Access, error) bool) {
		for _, a := range as {
			if !yield(a, nil) {
				return
			}
		}
	}
}

// TestTheOrderLengthensARun is the instance of docs/soundness/order.md, section 17, that
// exceeds SUM over classified latencies: w0 alone ends at 23, w1 initiates for 2 cycles,
// and the run takes 35.
func TestTheOrderLengthensARun(t *testing.T) {
	m, in := small()
	in.Order = inOrder(hit(1), hit(0))
	res, err := computeOne(context.Background(), &m, &in, []bound.Assumption{bound.Assume(bound.PathCovers, bound.Proved, "tested")})
	if err != nil {
		t.Fatal(err)
	}
	if b := res.Ordered; b.Cycles != 35 || !b.Safe || b.Scope != bound.SM {
		t.Errorf("ordered: %+v, want 35 cycles", b)
	}
	if want := int64(1 + 1 + 10 + 1 + 1 + 21); res.Serial.Cycles != want {
		t.Errorf("serial: %d cycles, want %d", res.Serial.Cycles, want)
	}
	if res.Instructions != 4 || res.Accesses != 2 {
		t.Errorf("%d instructions and %d accesses, want 4 and 2", res.Instructions, res.Accesses)
	}
	for _, b := range []bound.Bound{res.Ordered, res.Serial} {
		var sum int64
		for _, c := range b.Breakdown {
			sum += c.Cycles
			if c.Cycles < 0 {
				t.Errorf("%s: %s is negative", b.Method, c.Name)
			}
		}
		if sum != b.Cycles {
			t.Errorf("%s: breakdown adds up to %d of %d", b.Method, sum, b.Cycles)
		}
		proved := false
		for _, a := range b.Assumptions {
			proved = proved || a.ID == bound.PathCovers && a.Status == bound.Proved
		}
		if !proved {
			t.Errorf("%s: the ledger's entry was not used", b.Method)
		}
	}

	// The other order keeps nobody waiting: SUM is exact.
	in.Order = inOrder(hit(0), hit(1))
	if res, err = computeOne(context.Background(), &m, &in, nil); err != nil || res.Ordered.Cycles != 25 {
		t.Errorf("%+v, %v, want 25 cycles", res, err)
	}
}

// TestHandCases changes one thing at a time. In all of them w1's access comes
// first and w0's consumer ends last.
func TestHandCases(t *testing.T) {
	for _, c := range []struct {
		name string
		edit func(*CachedSM, *Input)
		a, b Access
		want int64
	}{
		{"tags", func(*CachedSM, *Input) {}, with(hit(1), func(a *Access) { a.TagCycles = 5 }), hit(0), 35 + 4},
		{"hit", func(m *CachedSM, _ *Input) { m.HitCycles = 7 }, hit(1), hit(0), 35 + 7},
		{"arrival", func(m *CachedSM, _ *Input) { m.ArriveCycles = 7 }, hit(1), hit(0), 35 + 7},
		{"start", func(m *CachedSM, _ *Input) { m.StartDelayCycles = 7 }, hit(1), hit(0), 35 + 7},
		{"miss of the first is not waited for", func(m *CachedSM, _ *Input) { m.MissCycles = 7 }, miss(1), hit(0), 35},
		{"miss of the second", func(m *CachedSM, _ *Input) { m.MissCycles = 7 }, hit(1), miss(0), 35 + 7},
		{"service one after the other", func(m *CachedSM, _ *Input) { m.ServiceCycles = 7 }, miss(1), miss(0), 35 + 6 + 7},
		{"queue instead of service", func(m *CachedSM, _ *Input) { m.ServiceCycles, m.QueueCycles = 7, 8 }, miss(1), miss(0), 35 + 8},
		{"one MSHR", func(m *CachedSM, _ *Input) { m.MSHRs, m.MissCycles = 1, 7 }, miss(1), miss(0), 35 + 14},
		{"hit pending", func(m *CachedSM, _ *Input) { m.MissCycles = 7 }, miss(1), with(hit(0), func(a *Access) { a.FilledBy = 1 }), 35 + 7 - 1},
		{"hit pending, by whom is not known", func(m *CachedSM, _ *Input) { m.MissCycles = 7 }, miss(1), with(hit(0), func(a *Access) { a.FilledBy = AnyEarlier }), 35 + 7 - 1},
		{"victim pending", func(m *CachedSM, _ *Input) { m.MissCycles = 7 }, miss(1), with(hit(0), func(a *Access) { a.WaitsFor = 1 }), 35 + 7},
		{"own lines", func(m *CachedSM, _ *Input) { m.MissCycles = 7 }, hit(1), with(miss(0), func(a *Access) { a.Requests, a.Fills, a.SelfWaits = 2, 2, 1 }), 35 + 14},
		{"own lines behind others'", func(m *CachedSM, _ *Input) { m.ServiceCycles = 7 }, miss(1), with(miss(0), func(a *Access) { a.Requests, a.Fills, a.SelfWaits = 2, 2, 1 }), 35 + 7 + 2*14},
		{"MSHRs for all lines", func(m *CachedSM, _ *Input) { m.MSHRs, m.MissCycles = 2, 7 }, miss(1), with(miss(0), func(a *Access) { a.Requests, a.Fills = 2, 2 }), 35 + 14},
		{"one place", stages(Stage{2, 0, 7}), at(miss(1), 0), at(miss(0), 0), 35 + 6 + 7},
		{"places side by side", stages(Stage{2, 0, 7}), at(miss(1), 1), at(miss(0), 0), 35 + 7},
		{"a place to reach", stages(Stage{2, 3, 7}), at(miss(1), 1), at(miss(0), 0), 35 + 3 + 7},
		{"held", stages(Stage{2, 0, 7}), at(miss(1), 1), with(at(miss(0), 0), func(a *Access) { a.HeldCycles = 4 }), 35 + 4 + 7},
		{"two stages", stages(Stage{1, 0, 2}, Stage{2, 5, 7}), at(miss(1), 0, 0), at(miss(0), 0, 0), 35 + 20},
		{"two stages side by side", stages(Stage{1, 0, 2}, Stage{2, 5, 7}), at(miss(1), 0, 0), at(miss(0), 0, 1), 35 + 3 + 5 + 7},
		{"one stage of two", stages(Stage{1, 0, 2}, Stage{2, 5, 7}), at(miss(1), 0, 0), at(miss(0), 0, Elsewhere), 35 + 3},
		{"own lines in stages", stages(Stage{2, 3, 7}), hit(1), with(at(miss(0), 0, 1), func(a *Access) { a.Requests, a.Fills, a.SelfWaits = 2, 2, 1 }), 35 + (3 + 14) + 3 + 7},
		{"fills", func(m *CachedSM, _ *Input) { m.FillCycles = 3 }, miss(1), miss(0), 35 + 6},
	} {
		m, in := small()
		c.edit(&m, &in)
		in.Order = inOrder(c.a, c.b)
		res, err := computeOne(context.Background(), &m, &in, nil)
		if err != nil || res.Ordered.Cycles != c.want {
			t.Errorf("%s: %+v, %v, want %d", c.name, res, err, c.want)
		}
	}
}

// TestFillsThatOvertake has a line that is filled behind a later access's, through
// another place: to be told that the later access may be the one that fills it
// makes no bound smaller.
func TestFillsThatOvertake(t *testing.T) {
	var cycles []int64
	for _, filledBy := range []int64{1, 2, AnyEarlier} {
		m, in := small()
		m.Stages = []Stage{{2, 0, 7}}
		run := func(syms ...int32) Warp { return Warp{Sections: []*seq.Seq{seq.Must(seq.Run(syms...))}} }
		in.Warps = []Warp{run(0, 3), run(0), run(0)}
		slow := with(at(miss(1), 0, 0, 0), func(a *Access) { a.Requests, a.Fills = 3, 3 })
		in.Order = inOrder(slow, at(miss(2), 1), with(hit(0), func(a *Access) { a.FilledBy = filledBy }))
		res, err := computeOne(context.Background(), &m, &in, nil)
		if err != nil {
			t.Fatal(err)
		}
		cycles = append(cycles, res.Ordered.Cycles)
	}
	if cycles[1] < cycles[0] || cycles[2] < cycles[0] {
		t.Errorf("%v cycles if the line is filled by the first access, one of both, any", cycles)
	}
}

// TestWarpsThatReorderThemselves is instance H4 of docs/soundness.md: a unit that
// serves one warp's instructions in any order.
func TestWarpsThatReorderThemselves(t *testing.T) {
	m, in := small()
	in.Ops = []method.Op{{InitCycles: 1, LatencyCycles: 1}, {InitCycles: 2}}
	in.Accesses = []bool{false, false}
	for w := range in.Warps {
		in.Warps[w].Sections = []*seq.Seq{seq.Must(seq.Run(0, 1))}
	}
	in.Order = inOrder()
	for _, c := range []struct {
		keeps bool
		want  int64
	}{{true, 6}, {false, 7}} {
		m.KeepsWarpOrder = c.keeps
		if res, err := computeOne(context.Background(), &m, &in, nil); err != nil || res.Ordered.Cycles != c.want {
			t.Errorf("order kept: %v: %+v, %v, want %d", c.keeps, res, err, c.want)
		}
	}
}

// TestWorkIssuedWhileOthersWait has a warp that, late, hands much to a unit
// before it issues what the other warp waits for, an access or the last
// instruction before a barrier. The other warp's last instruction queues behind
// it: what is pending when a wait ends counts as well as the wait.
func TestWorkIssuedWhileOthersWait(t *testing.T) {
	late := []int32{1, 2, 2, 2, 2, 2, 2, 2, 2}
	for _, c := range []struct {
		name  string
		progs [][][]int32
		order []int
	}{
		{"access", [][][]int32{{append(append([]int32{}, late...), 0)}, {{0, 3}}}, []int{0, 1}},
		{"barrier", [][][]int32{{late, {}}, {{}, {4}}}, nil},
	} {
		s := &scenario{tagPerLine: 1, scheds: 1, ldst: 1, block: []int{0, 0}, progs: c.progs}
		s.m = CachedSM{KeepsWarpOrder: true, Channels: 8, ChannelEntries: 2, MSHRs: 4}
		s.in.Accesses = []bool{true, false, false, false, false}
		s.in.Ops = []method.Op{
			{Unit: 1, InitCycles: 1, Writes: []int32{1}},
			{Unit: 2, InitCycles: 1, LatencyCycles: 20, Writes: []int32{2}},
			{Unit: 0, InitCycles: 5, Reads: []int32{2}},
			{Unit: 0, InitCycles: 1, LatencyCycles: 60, Reads: []int32{1}},
			{Unit: 0, InitCycles: 1, LatencyCycles: 60},
		}
		for _, w := range c.order {
			s.order = append(s.order, testAccess{warp: w, lines: []line{{pending: -1}}, waitFor: -1, told: hit(w)})
		}
		for _, prog := range c.progs {
			var w Warp
			for _, sec := range prog {
				w.Sections = append(w.Sections, seq.Must(seq.Run(sec...)))
			}
			s.in.Warps = append(s.in.Warps, w)
		}
		s.in.Order = func(yield func(Access, error) bool) {
			for i := range s.order {
				if !yield(s.order[i].told, nil) {
					return
				}
			}
		}
		res, err := computeOne(context.Background(), &s.m, &s.in, nil)
		if err != nil {
			t.Fatal(err)
		}
		end, _, err := run(s, declared{}, 1000)
		if err != nil {
			t.Fatal(err)
		}
		if end < 20+8*5+60 || res.Ordered.Cycles < end {
			t.Errorf("%s: takes %d cycles, the bound is %d", c.name, end, res.Ordered.Cycles)
		}
	}
}

// declared takes every time as declared and prefers the last warp.
type declared struct{}

func (declared) pick(n int) int { return n - 1 }

func with(a Access, edit func(*Access)) Access {
	edit(&a)
	return a
}

func at(a Access, places ...int32) Access {
	a.Places = places
	return a
}

// missOn has a stage of two places and an access that misses, with an edit.
func missOn(edit func(*Access)) func(*CachedSM, *Input) {
	return func(m *CachedSM, in *Input) {
		m.Stages = []Stage{{2, 0, 1}}
		in.Order = inOrder(with(miss(0), edit), hit(1))
	}
}

func stages(s ...Stage) func(*CachedSM, *Input) {
	return func(m *CachedSM, _ *Input) { m.Stages = s }
}

func TestOrdersThatStopTheMachine(t *testing.T) {
	for _, c := range []struct {
		name, want string
		sections   [][]*seq.Seq
		order      []Access
	}{
		{"too many", "no access left", nil, []Access{hit(0), hit(1), hit(1)}},
		{"too few", "is not in the order", nil, []Access{hit(0)}},
		{"across a barrier", "barrier of section 0", [][]*seq.Seq{
			{seq.Must(), seq.Must(seq.Run(0))}, {seq.Must(seq.Run(0)), seq.Must()},
		}, []Access{hit(0), hit(1)}},
		{"before the end of a warp that a barrier waits for", "barrier of section 1", [][]*seq.Seq{
			{seq.Must(), seq.Must(), seq.Must(seq.Run(0))}, {seq.Must(), seq.Must(seq.Run(0))},
		}, []Access{hit(0), hit(1)}},
	} {
		m, in := small()
		for w, s := range c.sections {
			in.Warps[w].Sections = s
		}
		in.Order = inOrder(c.order...)
		_, err := computeOne(context.Background(), &m, &in, nil)
		var stop *OrderError
		if !errors.As(err, &stop) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an OrderError with %q", c.name, err, c.want)
		}
	}
}

// TestFullChannels shows why a channel that stops the LD/ST unit must not be
// full: warp 0 fills its channel, its third access stops the unit, and the
// access of warp 1, expected first, never comes to its channel.
func TestFullChannels(t *testing.T) {
	s := &scenario{tagPerLine: 1, scheds: 1, ldst: 1, blocking: true, block: []int{0, 0}}
	s.m = CachedSM{KeepsWarpOrder: true, Channels: 8, ChannelEntries: 2, MSHRs: 4}
	s.in.Ops = []method.Op{{Unit: 1, InitCycles: 1, Writes: []int32{1}}, {Unit: 0, InitCycles: 1, Reads: []int32{1}}}
	s.in.Accesses = []bool{true, false}
	s.progs = [][][]int32{{{0, 0, 0}}, {{0}}}
	for _, w := range []int{1, 0, 0, 0} {
		s.order = append(s.order, testAccess{warp: w, lines: []line{{pending: -1}}, waitFor: -1, told: hit(w)})
	}
	stuck, free := 0, 0
	for seed := range uint64(50) {
		if _, _, err := run(s, &randomChooser{r: rand.New(rand.NewPCG(seed, 7))}, 100); err != nil {
			stuck++
		} else {
			free++
		}
	}
	if stuck == 0 || free == 0 {
		t.Errorf("%d runs stopped, %d ended, want some of both", stuck, free)
	}
	compute := func() (*Result, error) {
		for w := range s.progs {
			s.in.Warps = append(s.in.Warps[:w], Warp{Sections: []*seq.Seq{seq.Must(seq.Run(s.progs[w][0]...))}})
		}
		s.in.Order = inOrder(hit(1), hit(0), hit(0), hit(0))
		return computeOne(context.Background(), &s.m, &s.in, nil)
	}
	var refusal *bound.Refusal
	if _, err := compute(); !errors.As(err, &refusal) || refusal.Assumption != bound.ChannelsDoNotBlock {
		t.Errorf("%v, want a refusal for the channel", err)
	}
	s.m.Channel = Credits
	if _, err := compute(); err != nil {
		t.Errorf("with credits: %v", err)
	}
	s.m.Channel = NeverFull
	s.progs[0][0] = []int32{0, 0, 1, 0} // the third access waits for the second
	if _, err := compute(); err != nil {
		t.Errorf("with a wait between: %v", err)
	}
	for seed := range uint64(50) {
		if _, _, err := run(s, &randomChooser{r: rand.New(rand.NewPCG(seed, 7))}, 100); err != nil {
			t.Errorf("with a wait between: %v", err)
		}
	}
}

func TestBadInput(t *testing.T) {
	for name, edit := range map[string]func(*CachedSM, *Input){
		"stages and a service":        func(m *CachedSM, _ *Input) { m.Stages, m.ServiceCycles = []Stage{{Places: 1}}, 1 },
		"too many stages":             func(m *CachedSM, _ *Input) { m.Stages = make([]Stage, 17) },
		"a stage without places":      stages(Stage{}),
		"a negative reach":            stages(Stage{1, -1, 0}),
		"a huge service":              stages(Stage{1, 0, 1 << 40}),
		"no places":                   missOn(func(a *Access) {}),
		"an unknown place":            missOn(func(a *Access) { a.Places = []int32{2} }),
		"a negative place":            missOn(func(a *Access) { a.Places = []int32{-2} }),
		"held for a negative time":    missOn(func(a *Access) { a.Places, a.HeldCycles = []int32{0}, -1 }),
		"no warps":                    func(_ *CachedSM, in *Input) { in.Warps = nil },
		"no order":                    func(_ *CachedSM, in *Input) { in.Order = nil },
		"accesses not marked":         func(_ *CachedSM, in *Input) { in.Accesses = nil },
		"more warps than channels":    func(m *CachedSM, _ *Input) { m.Channels = 1 },
		"no channels":                 func(m *CachedSM, _ *Input) { m.Channels = 0 },
		"no entries":                  func(m *CachedSM, _ *Input) { m.ChannelEntries = 0 },
		"no MSHRs":                    func(m *CachedSM, _ *Input) { m.MSHRs = 0 },
		"queue kind":                  func(m *CachedSM, _ *Input) { m.Queue = 9 },
		"channel kind":                func(m *CachedSM, _ *Input) { m.Channel = 9 },
		"negative hit":                func(m *CachedSM, _ *Input) { m.HitCycles = -1 },
		"huge miss":                   func(m *CachedSM, _ *Input) { m.MissCycles = 1 << 40 },
		"unit":                        func(_ *CachedSM, in *Input) { in.Ops[0].Unit = 64 },
		"initiation":                  func(_ *CachedSM, in *Input) { in.Ops[0].InitCycles = 0 },
		"latency":                     func(_ *CachedSM, in *Input) { in.Ops[0].LatencyCycles = -1 },
		"register":                    func(_ *CachedSM, in *Input) { in.Ops[0].Writes = []int32{-1} },
		"nil section":                 func(_ *CachedSM, in *Input) { in.Warps[0].Sections[0] = nil },
		"symbol":                      func(_ *CachedSM, in *Input) { in.Warps[0].Sections[0] = seq.Must(seq.Repeat(2, seq.Must(seq.Run(4)))) },
		"access of no warp":           func(_ *CachedSM, in *Input) { in.Order = inOrder(hit(2)) },
		"no tag cycles":               func(_ *CachedSM, in *Input) { in.Order = inOrder(with(hit(0), func(a *Access) { a.TagCycles = 0 })) },
		"no entries of an access":     func(_ *CachedSM, in *Input) { in.Order = inOrder(with(hit(0), func(a *Access) { a.Entries = 0 })) },
		"more entries than a channel": func(_ *CachedSM, in *Input) { in.Order = inOrder(with(hit(0), func(a *Access) { a.Entries = 5 })) },
		"negative hits":               func(_ *CachedSM, in *Input) { in.Order = inOrder(with(hit(0), func(a *Access) { a.Hits = -1 })) },
		"more fills than requests":    func(_ *CachedSM, in *Input) { in.Order = inOrder(with(hit(0), func(a *Access) { a.Fills = 1 })) },
		"more fills than MSHRs": func(_ *CachedSM, in *Input) {
			in.Order = inOrder(with(miss(0), func(a *Access) { a.Requests, a.Fills = 5, 5 }))
		},
		"later filler":        func(_ *CachedSM, in *Input) { in.Order = inOrder(with(hit(0), func(a *Access) { a.FilledBy = 1 })) },
		"own waits of nobody": func(_ *CachedSM, in *Input) { in.Order = inOrder(with(hit(0), func(a *Access) { a.SelfWaits = 2 })) },
		"error of the order": func(_ *CachedSM, in *Input) {
			in.Order = func(yield func(Access, error) bool) { yield(Access{}, errors.New("unreadable")) }
		},
	} {
		m, in := small()
		in.Order = inOrder(hit(0), hit(1))
		edit(&m, &in)
		if res, err := computeOne(context.Background(), &m, &in, nil); err == nil {
			t.Errorf("%s: accepted, %+v", name, res)
		}
	}
}

func walk(p *pass, in *Input) error {
	for a, err := range in.Order {
		if err == nil {
			err = p.next(&a)
		}
		if err != nil {
			return err
		}
	}
	return p.end()
}

func TestNoWrapping(t *testing.T) {
	m, in := small()
	in.Order = inOrder(hit(0), hit(1))
	for name, edit := range map[string]func(*pass){
		"sum of all":   func(p *pass) { p.serial = maxTime },
		"clock":        func(p *pass) { p.warps[0].next = maxTime },
		"tags":         func(p *pass) { p.tags = maxTime },
		"common clock": func(p *pass) { p.warps[0].before = maxTime },
	} {
		p := newPass(context.Background(), &m, &in)
		edit(p)
		if err := walk(p, &in); !errors.Is(err, bound.ErrOverflow) {
			t.Errorf("%s: %v, want ErrOverflow", name, err)
		}
	}
	p := newPass(context.Background(), &m, &in)
	m.FillCycles, p.filled = maxCycles, maxTime
	if err := p.ordered(&bound.Bound{}); !errors.Is(err, bound.ErrOverflow) {
		t.Errorf("fills: %v, want ErrOverflow", err)
	}
	in.Warps = in.Warps[1:]
	in.Order = inOrder()
	in.Warps[0].Sections[0] = seq.Must(seq.Repeat(1<<30, seq.Must(seq.Run(1))))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := computeOne(ctx, &m, &in, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want context.Canceled", err)
	}
}

// BenchmarkCompute has 48 warps in a loop of ten instructions, one of them an
// access; the figure is per access.
func BenchmarkCompute(b *testing.B) {
	m := CachedSM{KeepsWarpOrder: true, Channels: 48, ChannelEntries: 10, MSHRs: 64, HitCycles: 30, MissCycles: 300, ServiceCycles: 2}
	in := Input{Ops: []method.Op{{Unit: 1, InitCycles: 1, Writes: []int32{0}}}, Accesses: []bool{true}}
	body := []int32{0}
	for i := range int32(9) {
		in.Ops = append(in.Ops, method.Op{Unit: 0, InitCycles: 2, LatencyCycles: 4, Reads: []int32{i}, Writes: []int32{i + 1}})
		in.Accesses = append(in.Accesses, false)
		body = append(body, i+1)
	}
	rounds := b.N/48 + 1
	for range 48 {
		in.Warps = append(in.Warps, Warp{Sections: []*seq.Seq{seq.Must(seq.Repeat(int64(rounds), seq.Must(seq.Run(body...))))}})
	}
	in.Order = func(yield func(Access, error) bool) {
		for range rounds {
			for w := range 48 {
				if !yield(miss(w), nil) {
					return
				}
			}
		}
	}
	b.ReportAllocs()
	b.ResetTimer()
	if _, err := computeOne(context.Background(), &m, &in, nil); err != nil {
		b.Fatal(err)
	}
}

// TestPooledPlaces runs a warp alone where units share waiting places: then its
// initiations follow one another, whatever their units.
func TestPooledPlaces(t *testing.T) {
	m, in := small()
	in.Ops[1].InitCycles, in.Ops[1].LatencyCycles = 5, 0
	in.Ops[3] = method.Op{Unit: 2, InitCycles: 5}
	in.Warps = in.Warps[:1]
	in.Warps[0].Sections = []*seq.Seq{seq.Must(seq.Run(1, 3))}
	in.Order = inOrder()
	for queue, want := range map[method.QueueKind]int64{method.Unbounded: 6, method.NoQueue: 6, method.Pooled: 10} {
		m.Queue = queue
		if res, err := computeOne(context.Background(), &m, &in, nil); err != nil || res.Ordered.Cycles != want {
			t.Errorf("queue %s: %+v, %v, want %d", queue, res, err, want)
		}
		m.FIFO = true
		if b, err := Turns(context.Background(), &m, &in, OneSegment, nil); err != nil || b.Cycles != want {
			t.Errorf("queue %s, in turns: %+v, %v, want %d", queue, b, err, want)
		}
	}
}
