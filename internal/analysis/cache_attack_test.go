package analysis

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/cache"
	"github.com/warpbound/warpbound/internal/cache/l1d"
	"github.com/warpbound/warpbound/internal/cache/static"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/enforced"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/sim/policy"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/testkit/gpus"
	"github.com/warpbound/warpbound/internal/testkit/settings"
	"github.com/warpbound/warpbound/isa"
)

const attackWords = 1 << 12 // of the buffer

// attacker draws kernels that load and store words of one buffer, in loops, behind
// branches and between barriers.
type attacker struct {
	r      *rand.Rand
	b      strings.Builder
	labels int
	loops  int
	hot    int // bytes that most accesses fall into, a power of two
}

func (a *attacker) line(format string, args ...any) { fmt.Fprintf(&a.b, "\t"+format+"\n", args...) }

func (a *attacker) label() string {
	a.labels++
	return fmt.Sprintf("L%d", a.labels)
}

// access is a load or a store at a random mix of the lane, warp, block and loop
// counters.
func (a *attacker) access() {
	mask := a.hot/4 - 1
	if a.r.IntN(6) == 0 {
		mask = attackWords - 1
	}
	a.line("mov.u32 %%r7, %d;", a.r.IntN(attackWords))
	for _, v := range []struct {
		reg     string
		factors []int
	}{{"%r0", []int{0, 0, 1, 1, 1, 2, 8, 33}}, {"%r1", []int{0, 0, 16, 32, 64}}, {"%r2", []int{0, 0, 32, 128, 1024}}, {"%r4", []int{0, 1, 32, 256}}, {"%r5", []int{0, 8, 64}}} {
		if f := v.factors[a.r.IntN(len(v.factors))]; f > 0 {
			a.line("mad.lo.u32 %%r7, %s, %d, %%r7;", v.reg, f)
		}
	}
	a.line("and.b32 %%r7, %%r7, %d;", mask)
	a.line("mul.wide.u32 %%rd1, %%r7, 4;")
	a.line("add.u64 %%rd1, %%rd0, %%rd1;")
	if a.r.IntN(3) == 0 {
		a.line("st.global.u32 [%%rd1], %%r0;")
	} else {
		a.line("ld.global.u32 %%r8, [%%rd1];")
	}
}

func (a *attacker) statements(depth int, uniform bool) {
	for range 1 + a.r.IntN(4) {
		switch k := a.r.IntN(10); {
		case k == 0 && uniform:
			a.line("bar.sync 0;")
		case k <= 2 && depth > 0:
			end := a.label()
			a.line("and.b32 %%r7, %s, %d;", []string{"%r0", "%r1", "%r2", "%r4"}[a.r.IntN(4)], 1<<a.r.IntN(3))
			a.line("setp.eq.u32 %%p0, %%r7, 0;")
			a.line("@%%p0 bra %s;", end)
			a.statements(depth-1, false)
			fmt.Fprintf(&a.b, "%s:\n", end)
		case k <= 4 && depth > 0 && a.loops < 2:
			a.loops++
			count, head := fmt.Sprintf("%%r%d", 3+a.loops), a.label()
			a.line("mov.u32 %s, 0;", count)
			fmt.Fprintf(&a.b, "%s:\n", head)
			a.statements(depth-1, uniform)
			a.line("add.u32 %s, %s, 1;", count, count)
			a.line("setp.lt.u32 %%p0, %s, %d;", count, 2+a.r.IntN(3))
			a.line("@%%p0 bra %s;", head)
			a.loops--
		default:
			a.access()
		}
	}
}

// launch draws a launch.
func (a *attacker) launch(t *testing.T, dir string) *load.Opened {
	a.b.Reset()
	a.statements(3, true)
	a.access()
	text := ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n\t.reg .b64 %rd<4>;\n\t.reg .b32 %r<12>;\n\t.reg .pred %p<4>;\n" +
		"\tld.param.u64 %rd0, [p];\n\tmov.u32 %r0, %tid.x;\n\tshr.u32 %r1, %r0, 5;\n\tmov.u32 %r2, %ctaid.x;\n\tmov.u32 %r4, 0;\n\tmov.u32 %r5, 0;\n" + a.b.String() + "\tret;\n}\n"
	file := fmt.Sprintf("kernel = \"k.ptx\"\ngrid = [%d]\nblock = [%d]\n[[args]]\nname = \"p\"\ntype = \"u32\"\ncount = %d\n", 1+a.r.IntN(7), 16<<a.r.IntN(4), attackWords)
	for name, s := range map[string]string{"k.ptx": text, "k.toml": file} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(s), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return open(t, filepath.Join(dir, "k.toml"))
}

// cache draws a cache, and what its GPU must be told so that stores do the same.
func (a *attacker) cache() (cache.Config, []string) {
	pick := func(of ...int) int { return of[a.r.IntN(len(of))] }
	c := cache.Config{
		Sets: pick(1, 1, 2, 4, 16, 32, 64), Ways: pick(1, 1, 2, 3, 4, 6, 8, 16, 256), LineBytes: pick(32, 64, 128, 128, 256),
		Replacement: cache.Replacement(a.r.IntN(3)),
	}
	c.SectorBytes = min(c.LineBytes, 128) // the L2's line
	if a.r.IntN(3) == 0 {
		c.SectorBytes = max(c.LineBytes/pick(2, 4), 16)
	}
	if c.Replacement == cache.PLRU && c.Ways&(c.Ways-1) != 0 {
		c.Ways = 4
	}
	if a.r.IntN(3) == 0 {
		c.Sets, c.LineBytes, c.Index = pick(32, 64), 128, cache.FermiHash
		c.SectorBytes = pick(32, 128)
	}
	write := []string{"l1d.write=through", "l1d.write=evict", "l1d.write=back"}[a.r.IntN(3)]
	allocate := a.r.IntN(2) == 0 && write != "l1d.write=evict"
	c.WriteEvict, c.WriteBack, c.WriteAllocate = write == "l1d.write=evict", write == "l1d.write=back", allocate
	return c, []string{write, fmt.Sprintf("l1d.write_allocate=%v", allocate), fmt.Sprintf("l1d.mshrs=%d", pick(1, 2, 64)), fmt.Sprintf("l1d.mshr_merges=%d", pick(1, 8)),
		fmt.Sprintf("sm.count=%d", pick(1, 1, 2, 3)), "block_dispatch.placement=" + []string{"any", "breadth-first"}[a.r.IntN(2)]}
}

// claimed holds what is claimed of one group of warps against what a simulation
// does on an SM.
type claimed struct {
	sim.AccessesOnly
	t          *testing.T
	c          cache.Config
	group      func(sm int) int
	classes    []map[[4]int64]static.Class // by group: block, warp, access and request
	persistent []map[uint64]bool           // by group: sectors
	missed     map[[2]uint64]int           // by SM and sector
	wrong      string
}

// Access implements sim.AccessObserver.
func (o *claimed) Access(e sim.AccessEvent) {
	if e.Kind == isa.Atomic {
		return
	}
	g, hit := o.group(e.SM), e.Class.Hits()
	class, known := o.classes[g][[4]int64{e.Block, int64(e.Warp), e.Index, int64(e.Request)}]
	sector := e.Address / uint64(o.c.SectorBytes)
	if !hit && (e.Kind != isa.Store || o.c.WriteAllocate) {
		o.missed[[2]uint64{uint64(e.SM), sector}]++
	}
	if !known || class == static.AlwaysHit && !hit || class == static.AlwaysMiss && hit || o.persistent[g][sector] && o.missed[[2]uint64{uint64(e.SM), sector}] > 1 {
		o.wrong = fmt.Sprintf("%+v is %v (known %v), hit %v", e, class, known, hit)
	}
}

// claims classifies every request of a launch, in as many groups as there are.
func claims(t *testing.T, a *l1d.Analysis, launch method.Source, c cache.Config, at l1d.Residency, perBlock, groups int, inWarps static.Order) *claimed {
	o := &claimed{t: t, c: c, missed: map[[2]uint64]int{}, group: func(sm int) int { return sm % groups }}
	for g := range groups {
		lines, err := static.NewLines(c, inWarps, 0)
		if err != nil {
			t.Fatal(err)
		}
		var kept []l1d.Access
		order, err := enforced.NewAccessOrder(context.Background(), a, launch, c.SectorBytes, simt.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		for b := int64(g); b < at.Blocks; b += int64(groups) {
			if err := order.Admit(0, b); err != nil {
				t.Fatal(err)
			}
			for {
				x, err := order.NextAccess(0)
				if err != nil {
					t.Fatal(err)
				}
				if x == nil {
					break
				}
				for _, addr := range x.Lines {
					if err := lines.Note(x.Block*int64(perBlock)+int64(x.Warp), addr, tagKind(x.Kind)); err != nil {
						t.Fatal(err)
					}
				}
				y := *x
				y.Lines = append([]uint64(nil), x.Lines...)
				kept = append(kept, y)
				if err := order.Sent(0); err != nil {
					t.Fatal(err)
				}
			}
			if err := order.Retire(0, b); err != nil {
				t.Fatal(err)
			}
		}
		s, err := lines.Analyse(c, static.Cold)
		if err != nil {
			t.Fatal(err)
		}
		walks := map[int64]*static.Walk{}
		classes, persistent := map[[4]int64]static.Class{}, map[uint64]bool{}
		for _, x := range kept {
			warp := x.Block*int64(perBlock) + int64(x.Warp)
			if walks[warp] == nil {
				walks[warp] = s.NewWalk()
				if err := walks[warp].Begin(warp); err != nil {
					t.Fatal(err)
				}
			}
			for n, addr := range x.Lines {
				place, err := lines.Find(addr)
				if err != nil {
					t.Fatal(err)
				}
				class := walks[warp].Step(place, tagKind(x.Kind))
				classes[[4]int64{x.Block, int64(x.Warp), x.Index, int64(n)}] = class
				if class == static.Persistent {
					persistent[addr/uint64(c.SectorBytes)] = true
				}
			}
		}
		o.classes, o.persistent = append(o.classes, classes), append(o.persistent, persistent)
	}
	return o
}

// attack draws a launch, a cache, a GPU and a scheduler, and says what simulations
// contradict of what is claimed of a request in any order, or of all of them. apart
// gives stores a unit of their own.
func attack(t *testing.T, dir string, seed uint64, apart bool) (found AnyOrder, wrong string) {
	t.Helper()
	ctx := context.Background()
	r := rand.New(rand.NewPCG(seed, 25))
	a := &attacker{r: r, hot: 128 << r.IntN(7)}
	launch := cacheLaunch(a.launch(t, dir))
	c, set := a.cache()
	name := []string{"gtx480", "gtx480", "rtx3070"}[r.IntN(3)]
	m := gpus.Preset(t, name, set...)
	if r.IntN(2) == 0 {
		m = inOrder(t, m)
	}
	if apart {
		m = storesApart(t, m)
	}
	policies := []string{"lrr", "gto", "oldest", "two-level:2", "random:1", "random:2", "starve:0", "starve:1"}
	policy, err := policy.Parse(policies[r.IntN(len(policies))])
	if err != nil {
		t.Fatal(err)
	}
	opt := CacheOptions{Configs: []cache.Config{c}, Simulate: true, Policy: policy, BlocksPerSM: 1 + r.IntN(3), Batches: r.IntN(2) == 0, Limits: simt.Limits{MaxInstructions: 1 << 20}}
	about := fmt.Sprintf("seed %d, %s, %+v, %v, %s\n%s", seed, name, c, set, policy, a.b.String())
	got, err := RunCaches(ctx, launch, m, opt)
	if err != nil {
		t.Fatalf("%v: %s", err, about)
	}
	one := &got.Caches[0]
	if got.Wrong() {
		return one.AnyOrder, fmt.Sprintf("%+v, simulated %+v and %+v: %s", one.AnyOrder, one.Reordered, one.Dynamic, about)
	}
	groups := 1
	if got.Exact() {
		groups = got.Estimate.Residency.SMs
	}
	with, err := WithL1D(m, c)
	if err != nil {
		t.Fatal(err)
	}
	k, err := launch.Fresh()
	if err != nil {
		t.Fatal(err)
	}
	follow, err := launch.Tainted()
	if err != nil {
		t.Fatal(err)
	}
	analysed, err := l1d.Analyse(ctx, follow, l1d.AnalyseOptions{})
	if err != nil {
		t.Fatal(err)
	}
	base, err := method.Prepare(k, with, method.Question{})
	if err != nil {
		t.Fatal(err)
	}
	o := claims(t, analysed, launch, c, got.Estimate.Residency, simt.NumWarps(k.BlockDim(), k.WarpSize()), groups, orderInWarps(m, base.Program, base.Timing))
	cfg := sim.Config{Machine: with, Model: sim.OwnModel{Policy: policy}, BlocksPerSM: opt.BlocksPerSM, Placement: sim.Batched(got.Exact()), Memory: sim.Caches{}, Checks: true, Observers: []sim.Observer{o}}
	if _, err := sim.Run(ctx, cfg, k, base.Timing); err != nil {
		t.Fatalf("%v: %s", err, about)
	}
	if o.wrong != "" {
		return one.AnyOrder, o.wrong + ": " + about
	}
	return one.AnyOrder, ""
}

// Whatever the kernel, the cache, the scheduler and the dispatch: no simulation
// contradicts what is claimed.
func TestAnyOrderUnderAttack(t *testing.T) {
	dir := t.TempDir()
	var sum static.Tally
	for seed := range uint64(settings.Cases(t, 120)) {
		found, wrong := attack(t, dir, seed, false)
		if wrong == "" && seed%2 == 0 {
			_, wrong = attack(t, dir, seed, true)
		}
		if wrong != "" {
			t.Fatal(wrong)
		}
		addTally(&sum, found.Loads)
		addTally(&sum, found.Stores)
	}
	t.Logf("%+v", sum)
	if sum.AlwaysHit == 0 || sum.AlwaysMiss == 0 || sum.Persistent == 0 || sum.Unclassified == 0 {
		t.Errorf("some class is never met: %+v", sum)
	}
}

// storesApart is a machine of the abstract model whose units keep the order of a warp,
// but of which one has the stores and another the loads.
func storesApart(t *testing.T, m *gpu.Machine) *gpu.Machine {
	t.Helper()
	d := *inOrder(t, m).Desc
	var rule gpu.Rule
	d.Timing = append([]gpu.Rule(nil), d.Timing...)
	for i := range d.Timing {
		if at := slices.Index(d.Timing[i].Classes, "store"); at >= 0 {
			rule = d.Timing[i]
			d.Timing[i].Classes = slices.Delete(slices.Clone(rule.Classes), at, at+1)
		}
	}
	rule.Name, rule.Classes, rule.Unit = "stores", []string{"store"}, "STORES"
	d.Timing = append(d.Timing, rule)
	d.Units = append(slices.Clone(d.Units), gpu.Unit{Name: rule.Unit, Count: 1, Shared: true})
	out, err := d.Machine()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A store waits for its unit, which is busy with one of four sectors, while the load behind
// it goes on to its own and hits what the store is about to evict.
func TestAnyOrderOfTwoUnits(t *testing.T) {
	l := kernel(t, `	ld.param.u64 %rd0, [p];
	mov.u32 %r0, %tid.x;
	mul.wide.u32 %rd1, %r0, 4;
	add.u64 %rd1, %rd0, %rd1;
	and.b32 %r1, %r0, 7;
	mul.wide.u32 %rd2, %r1, 4;
	add.u64 %rd2, %rd0, %rd2;
	ld.global.u32 %r2, [%rd2];
	add.u32 %r3, %r2, 1;
	st.global.u32 [%rd1+128], %r3;
	st.global.u32 [%rd2], %r3;
	ld.global.u32 %r4, [%rd2];
`, "1", "32")
	m := storesApart(t, gpus.Preset(t, "gtx480", "l1d.sector_bytes=32"))
	r, err := RunCaches(context.Background(), cacheLaunch(l), m, CacheOptions{Simulate: true})
	if err != nil {
		t.Fatal(err)
	}
	c := r.Caches[0]
	if r.Wrong() {
		t.Errorf("%+v, simulated %+v and %+v", c.AnyOrder, c.Reordered, c.Dynamic)
	}
	if in := c.Reordered.Counts.Both(); c.Dynamic.Counts.Both() == in {
		t.Errorf("no access overtakes another: %+v", in)
	}
	// With one unit for both nothing does, and the last load is known to miss.
	if r, err = RunCaches(context.Background(), cacheLaunch(l), inOrder(t, gpus.Preset(t, "gtx480", "l1d.sector_bytes=32")), CacheOptions{Simulate: true}); err != nil {
		t.Fatal(err)
	}
	if one := r.Caches[0]; r.Wrong() || one.AnyOrder.LeastMisses <= c.AnyOrder.LeastMisses || one.Dynamic.Counts != one.Reordered.Counts {
		t.Errorf("%+v, simulated %+v and %+v", one.AnyOrder, one.Reordered, one.Dynamic)
	}
}
