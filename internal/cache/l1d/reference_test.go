package l1d

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/examples"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

// The reference makes a list of all accesses of a batch, with their points found
// lane by lane, and picks from the list again and again.

// listed is an access of the list.
type listed struct {
	Access
	key     []int64
	section int // barriers of its warp before it
}

// laneWalk is the way of one lane through a function without calls.
type laneWalk struct {
	block int32
	iters []int64 // by loop
}

// reference holds the graph of a program of one function.
type reference struct {
	points *points
	cfg    *isa.CFG
	loops  []isa.Loop
}

func newReference(t testing.TB, s *points) *reference {
	t.Helper()
	c, err := isa.BuildCFG(s.program, 0)
	if err != nil {
		t.Fatal(err)
	}
	return &reference{s, c, isa.Loops(c)}
}

// enter moves a lane to the block that starts at pc.
func (r *reference) enter(w *laneWalk, pc int32) {
	b := r.cfg.BlockOf(pc)
	for i := range r.loops {
		l := &r.loops[i]
		if !l.Contains(b) {
			continue
		}
		switch {
		case w.block < 0 || !l.Contains(w.block):
			w.iters[i] = 0
		case l.Header == b && r.innermost(b) == i:
			w.iters[i]++
		}
	}
	w.block = b
}

func (r *reference) innermost(b int32) int {
	in := -1
	for i := range r.loops {
		if r.loops[i].Contains(b) && (in < 0 || r.loops[i].Depth > r.loops[in].Depth) {
			in = i
		}
	}
	return in
}

// key is the point of an access of a lane: loops from the outermost in.
func (r *reference) key(w *laneWalk, pc int32) []int64 {
	var key []int64
	for depth := 1; ; depth++ {
		at := slices.IndexFunc(r.loops, func(l isa.Loop) bool { return l.Depth == depth && l.Contains(w.block) })
		if at < 0 {
			return append(key, r.points.number[pc])
		}
		first := int64(1 << 62) // the place of the loop: its first instruction in the order
		for _, b := range r.loops[at].Blocks {
			first = min(first, r.points.number[r.cfg.Blocks[b].First])
		}
		key = append(key, first, w.iters[at])
	}
}

// list executes blocks and returns their accesses, warp by warp.
func (r *reference) list(t testing.TB, k simt.Kernel, segmentBytes uint64, blocks []int64) [][]*listed {
	t.Helper()
	var out [][]*listed
	for _, index := range blocks {
		b, err := k.NewBlock(index)
		if err != nil {
			t.Fatal(err)
		}
		warps := make([][]*listed, len(b.Warps()))
		lanes := make([][]laneWalk, len(warps))
		section := make([]int, len(warps))
		for i := range lanes {
			for range simt.MaxLanes {
				lanes[i] = append(lanes[i], laneWalk{-1, make([]int64, len(r.loops))})
			}
		}
		observe := func(warp int, s *simt.Step) {
			if s.Barrier >= 0 {
				section[warp]++
			}
			in := &r.points.program.Instructions[s.PC]
			global := s.Exec != 0 && s.Space == isa.Global && (in.Kind == isa.Load || in.Kind == isa.Store || in.Kind == isa.Atomic || in.Kind == isa.AsyncCopy)
			first := s.PC == r.cfg.Blocks[r.cfg.BlockOf(s.PC)].First
			if !global && !first {
				return
			}
			var key []int64
			var latest *laneWalk
			for m := s.Active; m != 0; m &= m - 1 {
				w := &lanes[warp][bits.TrailingZeros32(uint32(m))]
				if first {
					r.enter(w, s.PC)
				}
				if k := r.key(w, s.PC); key == nil || slices.Compare(k, key) > 0 {
					key, latest = k, w
				}
			}
			// Lanes that have met are all in the latest iteration of one of them.
			for m := s.Active; m != 0; m &= m - 1 {
				copy(lanes[warp][bits.TrailingZeros32(uint32(m))].iters, latest.iters)
			}
			if !global {
				return
			}
			a := &listed{Access: Access{Block: index, Warp: warp, Index: int64(len(warps[warp])), PC: s.PC, Kind: kindOf(in), Lanes: bits.OnesCount32(uint32(s.Exec))}, key: key, section: section[warp]}
			for m := s.Exec; m != 0; m &= m - 1 {
				first := s.Addresses[bits.TrailingZeros32(uint32(m))]
				for byte := range uint64(s.WidthBytes) {
					line := (first + byte) / segmentBytes * segmentBytes
					if !slices.Contains(a.Lines, line) {
						a.Lines = append(a.Lines, line)
					}
				}
			}
			warps[warp] = append(warps[warp], a)
		}
		var executed int64
		if err := simt.RunBlock(context.Background(), b, simt.Limits{}, &executed, observe); err != nil {
			t.Fatal(err)
		}
		b.Release()
		out = append(out, warps...)
	}
	return out
}

func before(a, b *listed) int {
	return cmp.Or(slices.Compare(a.key, b.key), cmp.Compare(a.Block, b.Block), cmp.Compare(a.Warp, b.Warp), cmp.Compare(a.Index, b.Index))
}

// order picks the least of the accesses that may go first, where all barriers
// are of the whole block.
func (r *reference) order(warps [][]*listed) []Access {
	var out []Access
	heads := make([]int, len(warps))
	for {
		section := map[int64]int{} // by block: the earliest with accesses left
		for i, w := range warps {
			if heads[i] == len(w) {
				continue
			}
			a := w[heads[i]]
			if s, ok := section[a.Block]; !ok || a.section < s {
				section[a.Block] = a.section
			}
		}
		best := -1
		for i, w := range warps {
			if heads[i] == len(w) || w[heads[i]].section > section[w[heads[i]].Block] {
				continue
			}
			if best < 0 || before(w[heads[i]], warps[best][heads[best]]) < 0 {
				best = i
			}
		}
		if best < 0 {
			return out
		}
		out = append(out, warps[best][heads[best]].Access)
		heads[best]++
	}
}

// sorted is the plain order by points, blocks and warps.
func sorted(warps [][]*listed) []Access {
	all := slices.Concat(warps...)
	slices.SortFunc(all, before)
	out := make([]Access, len(all))
	for i := range all {
		out[i] = all[i].Access
	}
	return out
}

func same(a, b []Access) string {
	for i := range min(len(a), len(b)) {
		x, y := a[i], b[i]
		if x.Block != y.Block || x.Warp != y.Warp || x.Index != y.Index || x.PC != y.PC || x.Kind != y.Kind || x.Lanes != y.Lanes || !slices.Equal(x.Lines, y.Lines) {
			return fmt.Sprintf("access %d is %+v, want %+v", i, x, y)
		}
	}
	if len(a) != len(b) {
		return fmt.Sprintf("%d accesses, want %d", len(a), len(b))
	}
	return ""
}

// partOfBlock are the examples with barriers of some warps of a block, which the
// reference does not know.
var partOfBlock = []string{"basic/barrier/counting.toml", "basic/barrier/producer_consumer.toml"}

func TestOrderIsTheReferencesOnExamples(t *testing.T) {
	regular := 0
	for _, e := range examples.All() {
		l := openExample(t, e.Launch)
		if len(l.Program().Functions) > 1 || slices.Contains(partOfBlock, e.Launch) || testing.Short() && e.Suite != "basic" {
			continue
		}
		k := fresh(t, l)
		a, err := Analyse(context.Background(), tainted(t, l), AnalyseOptions{})
		if err != nil {
			continue
		}
		r := newReference(t, a.points)
		blocks := blocksOf(k)
		if len(blocks) > 3 {
			blocks = []int64{0, int64(len(blocks) / 2), int64(len(blocks) - 1)}
		}
		o := newOrder(t, a, k, Options{SegmentBytes: 32})
		got := sequence(t, o, blocks...)
		list := r.list(t, fresh(t, l), 32, blocks)
		if diff := same(got, r.order(list)); diff != "" {
			t.Errorf("%s: %s", e.Launch, diff)
		}
		n, _ := o.Irregular()
		if n == 0 {
			regular++
			if diff := same(got, sorted(list)); diff != "" {
				t.Errorf("%s: regular, but not sorted by points: %s", e.Launch, diff)
			}
		}
	}
	if regular < 60 && !testing.Short() {
		t.Errorf("only %d launches are regular", regular)
	}
}

// drawKernel writes a random kernel whose accesses depend on nothing unknown.
// With loose, branches need not nest.
func drawKernel(rng *rand.Rand, loose bool) source {
	g := &kernelGenerator{rng: rng, loose: loose, left: 6 + rng.IntN(14)}
	g.statements(0, true)
	return source{grid: 1 + rng.IntN(3), block: []int{8, 32, 50, 96}[rng.IntN(4)], warpSize: []int{4, 8, 32}[rng.IntN(3)], text: g.text.String() + "ret;\n"}
}

type kernelGenerator struct {
	rng    *rand.Rand
	text   strings.Builder
	loose  bool
	left   int
	labels int
	depth  int // of loops: counters are %r10 and on
}

func (g *kernelGenerator) line(format string, args ...any) {
	fmt.Fprintf(&g.text, format+"\n", args...)
}

func (g *kernelGenerator) label() string {
	g.labels++
	return fmt.Sprintf("L%d", g.labels)
}

// number puts something that depends on thread, block and loops into a register.
func (g *kernelGenerator) number(reg string) {
	g.line("shr.u32 %s, %%tid, %d;", reg, g.rng.IntN(6))
	g.line("mad.lo.u32 %s, %%cta, %d, %s;", reg, g.rng.IntN(3), reg)
	for i := range g.depth {
		g.line("mad.lo.u32 %s, %%r%d, %d, %s;", reg, 10+i, g.rng.IntN(3), reg)
	}
}

func (g *kernelGenerator) condition(p string) {
	g.number("%r0")
	g.line("and.b32 %%r0, %%r0, %d;", 1+g.rng.IntN(3))
	g.line("setp.%s.u32 %s, %%r0, %d;", []string{"eq", "ne", "lt"}[g.rng.IntN(3)], p, g.rng.IntN(3))
}

func (g *kernelGenerator) access() {
	guard := ""
	if g.rng.IntN(4) == 0 {
		g.condition("%p5")
		guard = "@%p5 "
	}
	g.number("%r1")
	g.line("mad.lo.u32 %%r1, %%r1, %d, %%tid; and.b32 %%r1, %%r1, 1023; mul.wide.u32 %%rd1, %%r1, %d; add.u64 %%rd1, %%rd1, %%base;", 1+g.rng.IntN(40), []int{4, 8, 16}[g.rng.IntN(3)])
	g.line("%s%s", guard, []string{"ld.global.u32 %r2, [%rd1];", "st.global.u32 [%rd1], %tid;", "red.global.add.u32 [%rd1], 1;"}[g.rng.IntN(3)])
}

func (g *kernelGenerator) statements(nest int, uniform bool) {
	for n := 1 + g.rng.IntN(4); n > 0 && g.left > 0; n-- {
		g.left--
		switch k := g.rng.IntN(10); {
		case k < 4 || nest >= 3:
			g.access()
		case k == 4 && uniform:
			g.line("bar.sync 0;")
		case k == 5 && nest == 0:
			g.condition("%p4")
			g.line("@%%p4 exit;")
		case k < 8:
			g.conditional(nest)
		case g.loose && g.rng.IntN(3) == 0:
			g.tangle()
		default:
			g.loop(nest)
		}
	}
	g.access()
}

// tangle is a loop in a loop where lanes meet again in different iterations:
// those that go round the inner one and those that go round the outer one come
// to the same block.
func (g *kernelGenerator) tangle() {
	head, mid, end := g.label(), g.label(), g.label()
	counter := fmt.Sprintf("%%r%d", 10+g.depth)
	g.line("mov.u32 %s, 0;", counter)
	g.line("%s:", head)
	g.line("add.u32 %s, %s, 1;", counter, counter)
	g.depth++
	g.line("%s:", mid)
	g.access()
	g.line("add.u32 %s, %s, 1;", counter, counter)
	g.line("setp.ge.u32 %%p3, %s, %d; @%%p3 bra %s;", counter, 4+g.rng.IntN(6), end)
	g.condition("%p2")
	again := mid
	if g.rng.IntN(2) == 0 {
		again = g.label()
	}
	g.line("@%%p2 bra %s;", again)
	g.line("bra %s;", head)
	if again != mid {
		g.line("%s:", again)
		g.access()
		g.line("bra %s;", mid)
	}
	g.depth--
	g.line("%s:", end)
}

func (g *kernelGenerator) conditional(nest int) {
	other, end := g.label(), g.label()
	g.condition("%p1")
	g.line("@%%p1 bra %s;", other)
	if g.loose && g.rng.IntN(2) == 0 {
		// The other side is entered from two places.
		g.condition("%p2")
		g.line("@%%p2 bra %s;", other)
	}
	g.statements(nest+1, false)
	if g.rng.IntN(3) > 0 {
		g.line("bra %s;", end)
	}
	g.line("%s:", other)
	g.statements(nest+1, false)
	g.line("%s:", end)
}

func (g *kernelGenerator) loop(nest int) {
	head, out, end := g.label(), g.label(), g.label()
	counter, limit := fmt.Sprintf("%%r%d", 10+g.depth), fmt.Sprintf("%%r%d", 20+g.depth)
	g.number(limit)
	g.line("and.b32 %s, %s, 3; mov.u32 %s, 0;", limit, limit, counter)
	g.line("%s:", head)
	atHead := g.rng.IntN(2) == 0
	if atHead {
		g.line("setp.ge.u32 %%p3, %s, %s; @%%p3 bra %s;", counter, limit, end)
	}
	g.depth++
	g.statements(nest+1, false)
	if g.loose && g.rng.IntN(2) == 0 {
		g.condition("%p2")
		g.line("@%%p2 bra %s;", out)
		g.statements(nest+1, false)
	}
	g.depth--
	g.line("add.u32 %s, %s, 1;", counter, counter)
	if atHead {
		g.line("bra %s;", head)
	} else {
		g.line("setp.lt.u32 %%p3, %s, %s; @%%p3 bra %s;", counter, limit, head)
	}
	g.line("bra %s;", end)
	g.line("%s:", out)
	g.access() // runs while lanes that stay in the loop wait, or the other way round
	g.line("%s:", end)
}

func TestOrderIsTheReferencesOnRandomKernels(t *testing.T) {
	irregular, accesses, seeds := 0, 0, uint64(300)
	if testing.Short() {
		seeds = 60
	}
	for seed := range seeds {
		loose := seed%2 == 1
		s := drawKernel(rand.New(rand.NewPCG(seed, 1)), loose)
		o := s.order(t, Options{})
		r := newReference(t, o.points)
		k := s.kernel(t, false)
		got := sequence(t, o, blocksOf(k)...)
		list := r.list(t, k, 128, blocksOf(k))
		accesses += len(got)
		if diff := same(got, r.order(list)); diff != "" {
			t.Fatalf("seed %d: %s\n%s", seed, diff, s.text)
		}
		n, first := o.Irregular()
		switch {
		case n == 0:
			if diff := same(got, sorted(list)); diff != "" {
				t.Fatalf("seed %d: regular, but not sorted by points: %s\n%s", seed, diff, s.text)
			}
		case !loose:
			t.Fatalf("seed %d: branches nest, but %v\n%s", seed, first, s.text)
		case first.Reason != Divergence:
			t.Fatalf("seed %d: barriers are of the whole block, but %v", seed, first)
		default:
			irregular++
		}
	}
	if uint64(irregular) < seeds/30 || uint64(accesses) < 60*seeds {
		t.Errorf("%d irregular kernels and %d accesses: the kernels are too tame", irregular, accesses)
	}
}
