package l1d

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/examples"
	"github.com/warpbound/warpbound/internal/cache"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/ptxexec"
)

// accessesOf executes blocks one after the other and lists what each warp
// accesses, by block and warp.
func accessesOf(t *testing.T, k simt.Kernel) map[[2]int64][]int32 {
	t.Helper()
	out := map[[2]int64][]int32{}
	var executed int64
	for _, i := range blocksOf(k) {
		b, err := k.NewBlock(i)
		if err != nil {
			t.Fatal(err)
		}
		err = simt.RunBlock(context.Background(), b, simt.Limits{}, &executed, func(warp int, s *simt.Step) {
			if IsGlobalAccess(&k.Program().Instructions[s.PC], s) {
				out[[2]int64{i, int64(warp)}] = append(out[[2]int64{i, int64(warp)}], s.PC)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		b.Release()
	}
	return out
}

// Every example launch whose accesses are known: the order holds every access of
// every warp once, in program order, in batches of two blocks; and twice the same.
func TestOrderExtendsProgramOrderOnExamples(t *testing.T) {
	refused := map[string]bool{}
	for i, e := range examples.All() {
		if testing.Short() && i%8 != 0 {
			continue
		}
		l := openExample(t, e.Launch)
		analysis, err := Analyse(context.Background(), tainted(t, l), AnalyseOptions{})
		if err != nil {
			if !errors.Is(err, ErrNotAnalysable) && !errors.Is(err, ErrUnplaced) {
				t.Errorf("%s: %v", e.Launch, err)
			}
			refused[e.Name] = true
			continue
		}
		want := accessesOf(t, fresh(t, l))
		run := func() []Access {
			k := fresh(t, l)
			o := newOrder(t, analysis, k, Options{})
			var all []Access
			for blocks := range slices.Chunk(blocksOf(k), 2) {
				all = append(all, sequence(t, o, blocks...)...)
			}
			return all
		}
		all := run()
		got := map[[2]int64][]int32{}
		for i, a := range all {
			key := [2]int64{a.Block, int64(a.Warp)}
			if int64(len(got[key])) != a.Index {
				t.Fatalf("%s: access %d of the order is number %d of block %d, warp %d, want %d", e.Launch, i, a.Index, a.Block, a.Warp, len(got[key]))
			}
			if i > 0 && a.Block/2 < all[i-1].Block/2 {
				t.Fatalf("%s: access %d goes back to an earlier batch", e.Launch, i)
			}
			got[key] = append(got[key], a.PC)
		}
		for key, pcs := range want {
			if !slices.Equal(got[key], pcs) {
				t.Errorf("%s: block %d, warp %d accesses at %v, want %v", e.Launch, key[0], key[1], got[key], pcs)
			}
		}
		if len(got) > len(want) {
			t.Errorf("%s: accesses of %d warps, want %d", e.Launch, len(got), len(want))
		}
		if diff := same(run(), all); diff != "" {
			t.Errorf("%s: the second time %s", e.Launch, diff)
		}
	}
	if want := map[string]bool{"atomics": true, "streamcluster": true, "texture": true}; !testing.Short() && !maps.Equal(refused, want) {
		t.Errorf("refused: %v, want %v", refused, want)
	}
}

// The order of the published example: the load of block 0 before the store of
// block 1, whatever the batches.
func TestOrderOfThePublishedExample(t *testing.T) {
	l := openExample(t, "huangfu/listing/listing.toml")
	got := sequence(t, newOrder(t, analyse(t, tainted(t, l)), fresh(t, l), Options{}), 0, 1)
	want := [][3]int64{{0, 0, 8}, {0, 1, 8}, {1, 0, 10}, {1, 1, 10}}
	if len(got) != len(want) {
		t.Fatalf("%d accesses, want %d", len(got), len(want))
	}
	for i, w := range want {
		if a := got[i]; a.Block != w[0] || int64(a.Warp) != w[1] || int64(a.PC) != w[2] || len(a.Lines) != 4 || a.Lanes != 32 {
			t.Errorf("access %d is %+v, want block %d, warp %d, pc %d, 4 lines", i, a, w[0], w[1], w[2])
		}
	}
}

// points of the accesses by lane-dependent trip counts: warps of 4 lanes, of
// which warp w goes round w+1 times.
func TestOrderOfALoopWithUnequalTripCounts(t *testing.T) {
	s := source{grid: 1, block: 12, warpSize: 4, text: `
	shr.u32 %r5, %tid, 2;
	mov.u32 %r0, 0;
L:	ld.global.u32 %r1, [%base];
	st.global.u32 [%base+128], %r0;
	add.u32 %r0, %r0, 1;
	setp.le.u32 %p0, %r0, %r5;
	@%p0 bra L;
	ld.global.u32 %r1, [%base+256];
	ret;`}
	type who struct {
		warp int
		pc   int32
	}
	var got []who
	for _, a := range sequence(t, s.order(t, Options{Strict: true}), 0) {
		got = append(got, who{a.Warp, a.PC - 5})
	}
	want := []who{
		{0, 0}, {1, 0}, {2, 0}, {0, 1}, {1, 1}, {2, 1}, // iteration 0: the body, instruction by instruction
		{1, 0}, {2, 0}, {1, 1}, {2, 1},
		{2, 0}, {2, 1},
		{0, 5}, {1, 5}, {2, 5}, // behind the loop only when all have left it
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

// The taken side goes first, also where the file has it second.
func TestTakenSideGoesFirst(t *testing.T) {
	s := source{grid: 1, block: 8, warpSize: 4, text: `
	setp.lt.u32 %p0, %tid, 6;
	@%p0 bra TAKEN;
	st.global.u32 [%base], %tid;
	bra END;
TAKEN: st.global.u32 [%base+128], %tid;
END: ret;`}
	var got [][2]int
	for _, a := range sequence(t, s.order(t, Options{Strict: true}), 0) {
		got = append(got, [2]int{a.Warp, a.Lanes})
	}
	if want := [][2]int{{0, 4}, {1, 2}, {1, 2}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// An access in a function has the point of its call before its own: calls from
// two places are two points, and calls in a loop one for each iteration.
func TestOrderOfCalls(t *testing.T) {
	s := source{grid: 1, block: 8, warpSize: 4, functions: `.func touch(.param .u64 where, .param .u32 deeper) {
	.reg .b64 %a; .reg .b32 %r<3>; .reg .pred %p;
	ld.param.u64 %a, [where];
	ld.global.u32 %r0, [%a];
	ld.param.u32 %r1, [deeper];
	setp.eq.u32 %p, %r1, 0;
	@%p bra UP;
	sub.u32 %r1, %r1, 1;
	add.u64 %a, %a, 128;
	{ .param .u64 x; .param .u32 y; st.param.u64 [x], %a; st.param.u32 [y], %r1; call touch, (x, y); }
	st.global.u32 [%a+1024], %r1;
UP:	ret;
}
`, text: `
	shr.u32 %r5, %tid, 2;
	and.b32 %r6, %tid, 1;
	mov.u32 %r0, 0;
L:	{ .param .u64 x; .param .u32 y; st.param.u64 [x], %base; st.param.u32 [y], %r6; call touch, (x, y); }
	add.u32 %r0, %r0, 1;
	setp.le.u32 %p0, %r0, %r5;
	@%p0 bra L;
	setp.eq.u32 %p1, %tid, 5;
	{ .param .u64 x; .param .u32 y; st.param.u64 [x], %base; st.param.u32 [y], %r5; @!%p1 call touch, (x, y); }
	st.global.u32 [%base+2048], %r0;
	ret;`}
	var got []string
	for _, a := range sequence(t, s.order(t, Options{Strict: true}), 0) {
		got = append(got, fmt.Sprintf("%d:%v%d/%d", a.Warp, a.Kind, a.Lines[0]>>7&63, a.Lanes))
	}
	// The lanes with odd numbers go one call deeper. Line 0 is touched by the outer
	// call, line 1 by the inner one, line 9 is stored to behind it.
	want := "0:L0/4 1:L0/4 0:L1/2 1:L1/2 0:S9/2 1:S9/2 " + // iteration 0
		"1:L0/4 1:L1/2 1:S9/2 " + // iteration 1
		"0:L0/4 1:L0/3 1:L1/3 1:S9/3 0:S16/4 1:S16/4"
	if g := strings.Join(got, " "); g != want {
		t.Errorf("got  %s\nwant %s", g, want)
	}
}

// A warp waits at a barrier that stands before the access of another one: the
// plain order by points would wait for ever.
func TestBarrierAgainstThePoints(t *testing.T) {
	s := source{grid: 1, block: 64, text: `
	setp.lt.u32 %p0, %tid, 32;
	@%p0 bra FIRST;
	bar.sync 1, 64;
	ld.global.u32 %r0, [%base];
	bra END;
FIRST: ld.global.u32 %r0, [%base+512];
	st.global.u32 [%base], %r0;
	bar.arrive 1, 64;
END: ret;`}
	o := s.order(t, Options{})
	var got []int32
	for _, a := range sequence(t, o, 0) {
		got = append(got, a.PC)
	}
	if want := []int32{8, 9, 6}; !slices.Equal(got, want) {
		t.Errorf("accesses at %v, want %v", got, want)
	}
	n, first := o.Irregular()
	if n != 1 || first.Reason != Synchronisation || first.Warp != 1 || first.BehindWarp != 0 || first.PC != 6 || first.BehindPC != 9 {
		t.Errorf("%d irregular accesses, the first %+v", n, first)
	}
	strict := s.order(t, Options{Strict: true})
	err := strict.Admit(0, 0)
	for i := 0; err == nil && i < 10; i++ {
		err = strict.Sent(0)
	}
	var irregular *Irregular
	if !errors.Is(err, ErrIrregular) || !errors.As(err, &irregular) || !strings.Contains(err.Error(), "the channel of block 0, warp 1 would wait for access 0 (ld.global.u32 at pc 6), which was behind a barrier when the access of warp 0 at pc 9") {
		t.Errorf("strict: %v", err)
	}
	if _, _, _, _, err := strict.Next(0); !errors.Is(err, ErrIrregular) {
		t.Errorf("afterwards: %v", err)
	}
}

// Lanes of a warp come to one access from two places, one after the other.
func TestDivergenceThatDoesNotNest(t *testing.T) {
	s := source{grid: 1, block: 32, text: `
	setp.lt.u32 %p0, %tid, 8;
	@%p0 bra BOTH;
	ld.global.u32 %r0, [%base];
	setp.lt.u32 %p1, %tid, 16;
	@%p1 bra BOTH;
	ld.global.u32 %r0, [%base+128];
	bra END;
BOTH: ld.global.u32 %r0, [%base+256];
END: ret;`}
	o := s.order(t, Options{})
	if got := sequence(t, o, 0); len(got) != 4 {
		t.Errorf("%d accesses, want 4", len(got))
	}
	n, first := o.Irregular()
	if n != 1 || first.Reason != Divergence || first.PC != 5 || first.BehindPC != 10 || !strings.Contains(first.Error(), "the warp itself makes first") {
		t.Errorf("%d irregular accesses, the first %v", n, first)
	}
}

func TestOrderRefusesMisuse(t *testing.T) {
	s := source{grid: 2, block: 64, text: "st.global.u32 [%base], %tid; ret;"}
	a, k := s.pair(t)
	if _, err := a.NewOrder(k, Options{SegmentBytes: 100}); !errors.Is(err, ErrOrder) {
		t.Errorf("segments of 100 bytes: %v", err)
	}
	if _, err := a.NewOrder(s.kernel(t, false), Options{}); !errors.Is(err, ErrOrder) || !strings.Contains(err.Error(), "not of the program analysed") {
		t.Errorf("a kernel of another program: %v", err)
	}
	o := s.order(t, Options{})
	want := func(what string, err error, part string) {
		t.Helper()
		if !errors.Is(err, ErrOrder) || !strings.Contains(err.Error(), part) {
			t.Errorf("%s: %v, want %q", what, err, part)
		}
	}
	want("sent on an unknown SM", o.Sent(3), "nothing was admitted to SM 3")
	_, _, _, _, err := o.Next(-1)
	want("next on SM -1", err, "nothing was admitted to SM -1")
	want("admitted to SM -1", o.Admit(-1, 0), "SM -1")
	if err := o.Admit(1, 0); err != nil {
		t.Fatal(err)
	}
	want("admitted twice", o.Admit(1, 0), "resident on SM 1 already")
	if err := o.Admit(1, 2); err == nil || !strings.Contains(err.Error(), "no block 2") {
		t.Errorf("a block outside the grid: %v", err)
	}
	want("retired too early", o.Retire(1, 0), "block 0 is to retire, but access 0 of its warp 0 (st.global.u32 at test.ptx:13:1, pc 3) has not been sent")
	want("retired elsewhere", o.Retire(0, 0), "not resident on SM 0")
	for range 2 {
		if err := o.Sent(1); err != nil {
			t.Fatal(err)
		}
	}
	want("sent once too often", o.Sent(1), "no warp has one left")
	if _, _, _, ok, err := o.Next(1); ok || err != nil {
		t.Errorf("next at the end: %v, %v", ok, err)
	}
	if err := o.Retire(1, 0); err != nil {
		t.Error(err)
	}
}

// What a kernel does wrong in a launch that was analysed with other buffers.
func TestOrderReportsWhatTheKernelDoesWrong(t *testing.T) {
	for _, c := range []struct {
		what, text string
		want       error
	}{
		{"a barrier not all reach", "setp.lt.u32 %p0, %tid, %r0; @%p0 bra END; bar.sync 1, 64; END: ret;", simt.ErrDeadlock},
		{"an access outside", "mul.wide.u32 %rd1, %r0, 1048576; add.u64 %rd1, %rd1, %base; st.global.u32 [%rd1+512], %tid; ret;", simt.ErrOutOfBounds},
		{"no end", "setp.ne.u32 %p0, %r0, 0; L: @%p0 bra L; ret;", simt.ErrInstructionLimit},
	} {
		s := source{grid: 1, block: 64, known: true, text: "ld.global.u32 %r0, [%base];" + c.text}
		a, _ := s.again(t)
		l := s.launch()
		binary.LittleEndian.PutUint32(l.Args[0].Buffer.Contents, 32)
		p := s.program(t)
		a.points.program = p.ISA()
		k, err := ptxexec.NewKernel(p, l)
		if err != nil {
			t.Fatal(err)
		}
		o := newOrder(t, a, k, Options{Limits: simt.Limits{MaxInstructions: 10000}})
		err = o.Admit(0, 0)
		for i := 0; err == nil && i < 10; i++ {
			err = o.Sent(0)
		}
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.what, err, c.want)
		}
	}
	stop := errors.New("stop")
	o := longLoop(13).order(t, Options{Interrupt: func() error { return stop }})
	err := o.Admit(0, 0)
	for i := 0; err == nil && i < 1<<16; i++ {
		err = o.Sent(0)
	}
	if !errors.Is(err, stop) {
		t.Errorf("interrupted: %v", err)
	}
}

// Several SMs at once give what each gives alone.
func TestOrderOfSeveralSMs(t *testing.T) {
	l := openExample(t, "rodinia/srad/srad1.toml")
	a := analyse(t, tainted(t, l))
	alone := sequence(t, newOrder(t, a, fresh(t, l), Options{}), 1, 3, 5)
	o := newOrder(t, a, fresh(t, l), Options{})
	for b := range int64(6) {
		if err := o.Admit(int(b%2), b); err != nil {
			t.Fatal(err)
		}
	}
	var got []Access
	for more := true; more; {
		more = false
		for sm := range 2 {
			next, err := o.NextAccess(sm)
			if err != nil {
				t.Fatal(err)
			}
			if next == nil {
				continue
			}
			more = true
			if sm == 1 {
				c := *next
				c.Lines = slices.Clone(c.Lines)
				got = append(got, c)
			}
			if err := o.Sent(sm); err != nil {
				t.Fatal(err)
			}
		}
	}
	if diff := same(got, alone); diff != "" {
		t.Error(diff)
	}
}

// A block that becomes resident late is before others that are under way.
func TestLateBlock(t *testing.T) {
	s := source{grid: 2, block: 32, text: "ld.global.u32 %r0, [%base]; st.global.u32 [%base], %tid; ret;"}
	o := s.order(t, Options{Strict: true})
	next := func() [2]int64 {
		t.Helper()
		b, _, i, ok, err := o.Next(0)
		if !ok || err != nil {
			t.Fatal(ok, err)
		}
		if err := o.Sent(0); err != nil {
			t.Fatal(err)
		}
		return [2]int64{b, i}
	}
	if err := o.Admit(0, 0); err != nil {
		t.Fatal(err)
	}
	got := [][2]int64{next()}
	if err := o.Admit(0, 1); err != nil {
		t.Fatal(err)
	}
	got = append(got, next(), next(), next())
	if want := [][2]int64{{0, 0}, {1, 0}, {0, 1}, {1, 1}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// longLoop makes 2 blocks of 2 warps that access memory 6 times in each of 2^n
// iterations.
func longLoop(n int) source {
	return source{grid: 2, block: 64, words: 1 << 15, text: `
	mov.u32 %r0, 0;
	mul.wide.u32 %rd1, %tid, 4; add.u64 %rd1, %rd1, %base;
L:	and.b32 %r1, %r0, 255; mul.wide.u32 %rd2, %r1, 256; add.u64 %rd2, %rd2, %rd1;
	ld.global.u32 %r2, [%rd2];
	ld.global.u32 %r3, [%rd2+512];
	ld.global.u32 %r4, [%rd2+1024];
	add.u32 %r2, %r2, %r3; add.u32 %r2, %r2, %r4;
	st.global.u32 [%rd2], %r2;
	st.global.u32 [%rd2+512], %r2;
	st.global.u32 [%rd2+1024], %r2;
	add.u32 %r0, %r0, 1;
	setp.lt.u32 %p0, %r0, ` + fmt.Sprint(1<<n) + `;
	@%p0 bra L;
	ret;`}
}

// More than a million accesses take no more memory than a few.
func TestMemoryIsThatOfTheResidentWarps(t *testing.T) {
	allocated := func(n int) uint64 {
		a, newKernel := longLoop(n).again(t)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		e, err := a.Estimate(context.Background(), newKernel, Residency{Blocks: 2, SMs: 1, BlocksPerSM: 2}, []cache.Config{smallCache()}, EstimateOptions{Classes: true})
		if err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if both := e.Caches[0].Total.Both(); both.Accesses != 4*6<<n {
			t.Errorf("%d accesses, want %d", both.Accesses, 4*6<<n)
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	n := 16
	if testing.Short() {
		n = 12
	}
	few, many := allocated(4), allocated(n)
	if many > few+256<<10 {
		t.Errorf("%d bytes allocated for 384 accesses, %d for %d", few, many, 4*6<<n)
	}
}

func TestResidency(t *testing.T) {
	r := Residency{Blocks: 17, SMs: 3, BlocksPerSM: 2}
	var got [][]int64
	for k := range r.Rounds() {
		for sm := range r.SMs {
			got = append(got, r.Batch(nil, sm, k))
		}
	}
	want := [][]int64{{0, 3}, {1, 4}, {2, 5}, {6, 9}, {7, 10}, {8, 11}, {12, 15}, {13, 16}, {14}}
	if !slices.EqualFunc(got, want, func(a, b []int64) bool { return slices.Equal(a, b) }) {
		t.Errorf("got %v, want %v", got, want)
	}
	if b := r.Batch(nil, 0, 3); len(b) != 0 {
		t.Errorf("a batch after the last: %v", b)
	}
	for _, bad := range []Residency{{0, 1, 1}, {1, 0, 1}, {1, 1, 0}, {-1, 1, 1}} {
		if bad.Check() == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
	for blocks := int64(1); blocks < 40; blocks++ {
		for sms := 1; sms < 5; sms++ {
			for per := 1; per < 4; per++ {
				r := Residency{blocks, sms, per}
				var all []int64
				for k := range r.Rounds() {
					for sm := range sms {
						all = r.Batch(all, sm, k)
					}
				}
				slices.SortFunc(all, cmp.Compare)
				for i := range blocks {
					if int64(len(all)) != blocks || all[i] != i {
						t.Fatalf("%+v has blocks %v", r, all)
					}
				}
			}
		}
	}
}
