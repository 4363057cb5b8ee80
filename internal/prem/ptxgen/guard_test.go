package ptxgen

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/warpbound/warpbound/guard"
	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/ptxexec"
	"github.com/warpbound/warpbound/ptx"
	"pgregory.net/rapid"
)

// The model of the teams' side of the protocol: every team is at one of these
// places, and takes one step, with at most one access to the shared words, at a time.
const (
	arriving = iota // before the atomic add of a Sync
	counting        // last to arrive: before the count is taken back
	asking          // before the request is written
	waiting         // for the grant
	leaving         // before the atomic subtraction
	settling        // left, with all others waiting: before the count is taken back
	pleading        // before their request is written
	joining         // left as the last one: before join is written
	gone
)

type modelTeam struct{ place, phase, total int }

type model struct {
	teams                [3]modelTeam
	n                    int
	word, request, grant uint32
	asked                int // requests so far
	mistake              mistake
}

// mistake is planted in a model.
type mistake int

const (
	noMistake       mistake = iota
	keepsCount              // the last team does not take the count back
	asksFirst               // it asks before it takes the count back
	leavesSilently          // a team that leaves does not look whether the others wait
	leavesAsJoin            // it asks for join in their name
	asksAlone               // every team asks when it arrives
	forgetsToLeave          // a team ends without leaving
	keepsCountAtEnd         // the team that leaves does not take the count back
	mistakes
)

func kindOf(phase int) uint32 {
	if phase%2 == 1 {
		return kindMemory
	}
	return kindCompute
}

// step is team i's next step; false where it has none. A broken rule is an error.
func (m *model) step(i int) (bool, error) {
	t := &m.teams[i]
	next := t.phase + 1
	want := uint32(next)<<3 | kindOf(next)
	switch t.place {
	case arriving:
		old := m.word
		m.word++
		t.place = waiting
		switch {
		case m.mistake == asksAlone:
			t.place = asking
		case old&0xffff+1 != old>>16:
		case m.mistake == asksFirst || m.mistake == keepsCount:
			t.place = asking
		default:
			t.place = counting
		}
	case counting:
		m.word -= m.word >> 16 // arrived is live
		t.place = asking
		if m.mistake == asksFirst {
			t.place = waiting
		}
	case asking:
		t.place = waiting
		if m.mistake == asksFirst {
			t.place = counting
		}
		return true, m.ask(want, next)
	case waiting:
		if m.grant != want {
			return false, nil
		}
		t.phase, t.place = next, arriving
		if next == t.total {
			t.place = leaving
		}
	case leaving:
		if t.place = gone; m.mistake == forgetsToLeave && i > 0 {
			return true, nil
		}
		old := m.word
		m.word -= 1 << 16
		switch live := old>>16 - 1; {
		case m.mistake == leavesSilently && live > 0:
		case live == 0:
			t.place = joining
		case live == old&0xffff:
			if t.place = settling; m.mistake == keepsCountAtEnd {
				t.place = pleading
			}
		}
	case settling:
		m.word -= m.word & 0xffff
		t.place = pleading
	case pleading:
		if t.place = gone; m.mistake == leavesAsJoin {
			want = uint32(next)<<3 | kindJoin
		}
		return true, m.ask(want, next)
	case joining:
		t.place = gone
		return true, m.ask(uint32(next)<<3|kindJoin, next)
	case gone:
		return false, nil
	}
	return true, nil
}

// ask writes a request and checks that it is the next one, and not early.
func (m *model) ask(word uint32, phase int) error {
	m.asked++
	m.request = word
	if m.asked != phase {
		return fmt.Errorf("request %d is for phase %d", m.asked, phase)
	}
	waits := false
	for i, t := range m.teams[:m.n] {
		waits = waits || t.place == waiting
		switch {
		case t.place >= settling:
		case t.phase != phase-1 || t.place != waiting:
			return fmt.Errorf("request for phase %d while team %d is in phase %d", phase, i, t.phase)
		}
	}
	if waits == (word&7 == kindJoin) {
		return fmt.Errorf("request %#x while teams wait: %v", word, waits)
	}
	return nil
}

// explore takes a model through every interleaving and gives the number of its
// states, or what goes wrong.
func explore(start model) (int, error) {
	longest := 0
	for _, t := range start.teams[:start.n] {
		longest = max(longest, t.total)
	}
	seen := map[model]bool{start: true}
	for work := []model{start}; len(work) > 0; {
		m := work[len(work)-1]
		work = work[:len(work)-1]
		moved := false
		push := func(s model) {
			moved = true
			if !seen[s] {
				seen[s] = true
				work = append(work, s)
			}
		}
		for i := range m.n {
			s := m
			ok, err := s.step(i)
			if err != nil {
				return 0, err
			}
			if ok {
				push(s)
			}
		}
		if m.grant != m.request && m.request&7 != kindJoin {
			s := m
			s.grant = m.request
			push(s)
		}
		if !moved && (m.request != uint32(longest+1)<<3|kindJoin || m.word != 0) {
			return 0, fmt.Errorf("it stops with request %#x, word %#x", m.request, m.word)
		}
	}
	return len(seen), nil
}

// starts are up to three teams with up to four phases each.
func starts() []model {
	var out []model
	for n := 1; n <= 3; n++ {
		for c := range 1 << (2 * n) {
			m := model{n: n, word: uint32(n) << 16}
			for i := range n {
				m.teams[i].total = c>>(2*i)%4 + 1
			}
			out = append(out, m)
		}
	}
	return out
}

// In every interleaving each request is written once, when all teams that are left
// have ended the phase, and everything ends with join.
func TestGuardModel(t *testing.T) {
	states := 0
	for _, m := range starts() {
		n, err := explore(m)
		if err != nil {
			t.Fatalf("teams of %v phases: %v", m.teams[:m.n], err)
		}
		states += n
	}
	t.Logf("%d states", states)
}

// The model finds what it is there to find.
func TestGuardModelFindsMistakes(t *testing.T) {
	for k := noMistake + 1; k < mistakes; k++ {
		found := false
		for _, m := range starts() {
			m.mistake = k
			if _, err := explore(m); err != nil {
				found = true
				break
			}
		}
		if !found {
			t.Errorf("mistake %d goes unnoticed", k)
		}
	}
}

func TestGuardConstants(t *testing.T) {
	for _, c := range []struct {
		got  int
		want guard.Kind
	}{{kindMemory, guard.Memory}, {kindCompute, guard.Compute}, {kindJoin, guard.Join}, {kindAbort, guard.Abort}} {
		if c.got != int(c.want) {
			t.Errorf("kind %d, the guard has %d", c.got, c.want)
		}
	}
}

// uneven is a kernel whose team n executes counts[n] pairs of phases.
func uneven(counts []int64) *device.Entry {
	m := &maker{}
	total := m.array("total", loop.Int, num(int64(len(counts))))
	out := m.array("out", loop.Int, num(int64(len(counts))))
	k := m.kernel(int64(len(counts)), 2, []loop.Param{{Array: total}, {Array: out}})
	i, n := m.variable("i", loop.Int, loop.Induction), loop.Expr(num(0))
	for team, c := range counts {
		n = &loop.Cond{At: here, If: bin(loop.Eq, get(k.TeamIdx), num(int64(team))), Then: num(c), Else: n}
	}
	out0 := elem(out, get(k.TeamIdx))
	k.Body = []device.Stmt{
		m.sync(device.Memory),
		m.up(i, num(0), n, 1,
			m.when(bin(loop.Eq, get(k.ThreadIdx), num(0)), []device.Stmt{m.set(out0, plus(out0, num(1)))}, nil),
			m.sync(device.Compute), m.sync(device.Memory)),
	}
	return m.seal(k)
}

// The generated protocol keeps the rules of the model under random interleavings
// of the teams' instructions and of the host.
func TestGuardedKernels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		counts := rapid.SliceOfN(rapid.Int64Range(0, 3), 1, 4).Draw(t, "phases")
		k := uneven(counts)
		text, err := Generate([]*device.Entry{k}, Options{Guard: true})
		if err != nil {
			t.Fatal(err)
		}
		first := rapid.Uint32Range(0, 5).Draw(t, "first")
		token := make([]byte, 4096)
		binary.LittleEndian.PutUint32(token[GrantBytes:], first<<3|1)
		binary.LittleEndian.PutUint32(token[ArrivalBytes:], uint32(len(counts))<<16)
		ints := make([]byte, 4*len(counts))
		launch := ptxexec.LaunchConfig{Grid: [3]int{len(counts), 1, 1}, Block: [3]int{2, 1, 1}, Args: []ptxexec.Arg{
			{Name: "total", Buffer: &ptxexec.Buffer{Contents: ints}}, {Name: "out", Buffer: &ptxexec.Buffer{Contents: ints}},
			{Name: "token", Buffer: &ptxexec.Buffer{Contents: token}}}}
		run, err := ptxexec.NewKernel(lowered(t, text, k.Name), launch)
		if err != nil {
			t.Fatal(err)
		}
		token = run.Buffer("token")
		h := &interleaving{t: t, token: token, last: first, syncs: make([]int, len(counts)), left: make([]bool, len(counts))}
		h.all(run, len(counts))
		longest := int64(0)
		out := run.Buffer("out")
		for i, c := range counts {
			longest = max(longest, c)
			if got := binary.LittleEndian.Uint32(out[4*i:]); int64(got) != c {
				t.Fatalf("team %d has run %d times, want %d", i, got, c)
			}
		}
		if want := (first+uint32(2*longest+2))<<3 | kindJoin; h.request() != want {
			t.Fatalf("the last request is %#x, want %#x\n%s", h.request(), want, text)
		}
	})
}

// interleaving executes blocks and the host in a random order and checks what is
// requested.
type interleaving struct {
	t     *rapid.T
	token []byte
	last  uint32 // number of the last request
	syncs []int  // barriers 1 and 2 that each team has reached
	left  []bool
}

func (h *interleaving) request() uint32 { return binary.LittleEndian.Uint32(h.token[RequestBytes:]) }

func (h *interleaving) all(k simt.Kernel, n int) {
	var warps []simt.Warp
	for i := range n {
		b, err := k.NewBlock(int64(i))
		if err != nil {
			h.t.Fatal(err)
		}
		warps = append(warps, b.Warps()...)
	}
	begun := h.last
	var step simt.Step
	word := h.request()
	for budget := 20000; ; budget-- {
		if budget == 0 {
			h.t.Fatal("the teams do not end")
		}
		var ready []int
		for i, w := range warps {
			if w.Status() == simt.Ready {
				ready = append(ready, i)
			}
		}
		if len(ready) == 0 {
			return
		}
		// A burst of one team's instructions, or the host.
		i := rapid.IntRange(-1, len(ready)-1).Draw(h.t, "who")
		if i < 0 {
			if word&7 != kindJoin && word != 0 {
				binary.LittleEndian.PutUint32(h.token[GrantBytes:], word)
			}
			continue
		}
		w := ready[i]
		for range rapid.IntRange(1, 12).Draw(h.t, "burst") {
			if warps[w].Status() != simt.Ready {
				break
			}
			if err := warps[w].Step(&step); err != nil {
				h.t.Fatal(err)
			}
			switch step.Barrier {
			case BarrierMemory, BarrierCompute:
				h.syncs[w]++
			case BarrierPlain:
				h.left[w] = true
			}
			if h.request() == word {
				continue
			}
			word = h.request()
			if h.last++; word>>3 != h.last {
				h.t.Fatalf("request %#x follows number %d", word, h.last-1)
			}
			if want := kindOf(int(h.last - begun)); word&7 != want && word&7 != kindJoin {
				h.t.Fatalf("request %#x, want kind %d", word, want)
			}
			// Two barriers a Sync: the first one of this phase has been reached.
			for team, n := range h.syncs {
				if !h.left[team] && n < 2*int(h.last-begun)-1 {
					h.t.Fatalf("request %#x while team %d has reached %d barriers", word, team, n)
				}
			}
		}
	}
}

func TestAbortStopsAKernel(t *testing.T) {
	text, err := Generate([]*device.Entry{uneven([]int64{1})}, Options{Guard: true})
	if err != nil {
		t.Fatal(err)
	}
	if f, err := ptx.Parse("k.ptx", []byte(text)); err != nil || ptx.Check(f) != nil {
		t.Fatal(err)
	}
	token := make([]byte, 4096)
	binary.LittleEndian.PutUint32(token[ArrivalBytes:], 1<<16)
	run, err := ptxexec.NewKernel(lowered(t, text, "k"), ptxexec.LaunchConfig{Grid: [3]int{1, 1, 1}, Block: [3]int{2, 1, 1}, Args: []ptxexec.Arg{
		{Name: "total", Buffer: &ptxexec.Buffer{Contents: token[:4]}}, {Name: "out", Buffer: &ptxexec.Buffer{Contents: token[:4]}},
		{Name: "token", Buffer: &ptxexec.Buffer{Contents: token}}}})
	if err != nil {
		t.Fatal(err)
	}
	b, err := run.NewBlock(0)
	if err != nil {
		t.Fatal(err)
	}
	w := b.Warps()[0]
	var s simt.Step
	for i := range 1000 {
		if i == 500 {
			binary.LittleEndian.PutUint32(run.Buffer("token")[GrantBytes:], kindAbort)
		}
		if err := w.Step(&s); err != nil {
			if i < 500 {
				t.Fatal(err)
			}
			return
		}
	}
	t.Error("the kernel spins on after an abort")
}
