package ptxexec

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

const header = ".version 8.0\n.target sm_90\n.address_size 64\n"

// kernel wraps a body in an entry with an output buffer of 32-bit words, one a
// thread: %o is its address, %t the thread's number in the grid.
func kernel(body string) string {
	return header + `.visible .entry k(.param .u64 out, .param .u32 n) {
	.reg .b32 %t, %r<30>; .reg .b64 %o, %rd<20>; .reg .pred %p<20>; .reg .f32 %f<10>;
	ld.param.u64 %o, [out];
	{ .reg .b32 a, b; .reg .b64 w; mov.u32 a, %ctaid.x; mov.u32 b, %ntid.x; mov.u32 %t, %tid.x; mad.lo.u32 %t, a, b, %t;
	  mul.wide.u32 w, %t, 4; add.u64 %o, %o, w; }
` + body + "\n}\n"
}

// runBody runs a body for n threads in blocks and returns what it stored.
func runBody(t testing.TB, body string, n, block int) []uint32 {
	t.Helper()
	k := bodyKernel(t, kernel(body), n, block)
	run(t, k)
	return u32s(k.Buffer("out"))
}

func bodyKernel(t testing.TB, src string, n, block int) *Kernel {
	t.Helper()
	p := lower(t, src, "k")
	return launch(t, p, LaunchConfig{Grid: [3]int{(n + block - 1) / block, 1, 1}, Block: [3]int{block, 1, 1}, Args: []Arg{
		{Name: "out", Buffer: buffer(make([]byte, 4*n))}, {Name: "n", Bytes: u32bytes(uint32(n))},
	}})
}

func expect(t *testing.T, got []uint32, want func(i uint32) uint32) {
	t.Helper()
	for i, x := range got {
		if w := want(uint32(i)); x != w {
			t.Fatalf("thread %d: %d, want %d", i, x, w)
		}
	}
}

func TestNestedDivergence(t *testing.T) {
	got := runBody(t, `
	and.b32 %r1, %t, 3;
	mov.u32 %r2, 100;
	setp.eq.u32 %p1, %r1, 0;
	@%p1 bra ZERO;
	setp.eq.u32 %p2, %r1, 1;
	@%p2 bra ONE;
	add.u32 %r2, %r2, 7;
	setp.eq.u32 %p3, %r1, 2;
	@!%p3 bra JOIN;
	add.u32 %r2, %r2, 50;
	bra JOIN;
ONE: add.u32 %r2, %r2, 1;
	bra JOIN;
ZERO: add.u32 %r2, %r2, 1000;
JOIN:
	activemask.b32 %r3;
	popc.b32 %r3, %r3;
	mad.lo.u32 %r2, %r2, 100, %r3;
	st.global.u32 [%o], %r2;
	ret;`, 64, 64)
	expect(t, got, func(i uint32) uint32 {
		base := [4]uint32{1100, 101, 157, 107}[i&3]
		return base*100 + 32 // all lanes have met again
	})
}

// Each lane leaves the loop at another time; inside, lanes part and meet.
func TestLoopsWithDivergentExits(t *testing.T) {
	got := runBody(t, `
	and.b32 %r1, %t, 7;
	mov.u32 %r2, 0; mov.u32 %r3, 0;
LOOP:
	setp.gt.u32 %p1, %r2, %r1;
	@%p1 bra DONE;
	and.b32 %r4, %r2, 1;
	setp.eq.u32 %p2, %r4, 0;
	@%p2 bra EVEN;
	add.u32 %r3, %r3, 10;
	bra NEXT;
EVEN: add.u32 %r3, %r3, 1;
	setp.eq.u32 %p3, %r2, 4;
	@%p3 bra DONE;
NEXT: add.u32 %r2, %r2, 1;
	bra LOOP;
DONE: st.global.u32 [%o], %r3;
	ret;`, 64, 32)
	expect(t, got, func(i uint32) (sum uint32) {
		for k := uint32(0); k <= i&7; k++ {
			if k&1 == 1 {
				sum += 10
				continue
			}
			sum++
			if k == 4 {
				break
			}
		}
		return sum
	})
}

func TestTakenSideRunsFirst(t *testing.T) {
	// Both sides append to a log; the taken one must come first.
	src := header + `.visible .entry k(.param .u64 out, .param .u32 n) {
	.reg .b32 %r<9>; .reg .b64 %o, %w; .reg .pred %p;
	.shared .u32 next;
	ld.param.u64 %o, [out];
	mov.u32 %r1, %tid.x; mov.u32 %r5, 0;
	st.shared.u32 [next], %r5;
	setp.ge.u32 %p, %r1, 3;
	@%p bra TAKEN;
	atom.shared.add.u32 %r2, [next], 1;
	bra JOIN;
TAKEN:	atom.shared.add.u32 %r2, [next], 1;
JOIN:	mul.wide.u32 %w, %r2, 4; add.u64 %o, %o, %w;
	st.global.u32 [%o], %r1;
	ret; }`
	k := bodyKernel(t, src, 6, 6)
	run(t, k)
	if got, want := fmt.Sprint(u32s(k.Buffer("out"))), "[3 4 5 0 1 2]"; got != want {
		t.Errorf("order %v, want %v", got, want)
	}
}

func TestBranchTable(t *testing.T) {
	got := runBody(t, `
	.reg .b32 %i;
	TABLE: .branchtargets A, B, C, B;
	and.b32 %i, %t, 3;
	mov.u32 %r1, 0;
	brx.idx %i, TABLE;
A:	add.u32 %r1, %r1, 1;
B:	add.u32 %r1, %r1, 10;
	bra END;
C:	add.u32 %r1, %r1, 100;
END:	activemask.b32 %r2; popc.b32 %r2, %r2; mad.lo.u32 %r1, %r2, 1000, %r1;
	st.global.u32 [%o], %r1;
	ret;`, 32, 32)
	expect(t, got, func(i uint32) uint32 { return 32000 + [4]uint32{11, 10, 100, 10}[i&3] })
}

func TestPredicatedExitAndReturn(t *testing.T) {
	got := runBody(t, `
	and.b32 %r1, %t, 3;
	setp.eq.u32 %p1, %r1, 0;
	mov.u32 %r2, 5;
	st.global.u32 [%o], %r2;
	@%p1 exit;
	setp.eq.u32 %p2, %r1, 1;
	mov.u32 %r2, 6;
	st.global.u32 [%o], %r2;
	@%p2 ret;
	activemask.b32 %r3;
	st.global.u32 [%o], %r3;`, 32, 32)
	expect(t, got, func(i uint32) uint32 { return [4]uint32{5, 6, 0xcccccccc, 0xcccccccc}[i&3] })
}

func TestStepReportsMasksAndEnd(t *testing.T) {
	k := bodyKernel(t, kernel(`
	setp.lt.u32 %p1, %t, 5;
	@%p1 st.global.u32 [%o], %t;
	@%p1 exit;
	exit;`), 40, 40)
	b, err := k.NewBlock(0)
	if err != nil {
		t.Fatal(err)
	}
	var s simt.Step
	w := b.Warps()[0]
	seen := 0
	for w.Status() == simt.Ready {
		if err := w.Step(&s); err != nil {
			t.Fatal(err)
		}
		in := k.Program().Instructions[s.PC]
		if in.Kind == isa.Store {
			seen++
			if s.Active != 0xffffffff || s.Exec != 0x1f || s.Space != isa.Global || s.WidthBytes != 4 {
				t.Errorf("store: %+v", s)
			}
			base, _ := k.BufferAddress("out")
			for i := range uint64(5) {
				if s.Addresses[i] != base+4*i {
					t.Errorf("lane %d at %#x", i, s.Addresses[i])
				}
			}
		}
	}
	if seen != 1 || s.NextPC != isa.NoPC || s.Active != 0xffffffe0 || w.PC() != isa.NoPC {
		t.Errorf("last step %+v", s)
	}
	if err := w.Step(&s); !errors.Is(err, simt.ErrInvalid) {
		t.Errorf("step of a warp that has ended: %v", err)
	}
	var last simt.Step
	w = b.Warps()[1]
	if err := w.Step(&last); err != nil || last.Active != 0xff {
		t.Errorf("the partial warp: %v %+v", err, last)
	}
}

// A tree of random nested ifs and loops, against the same program in Go.
func TestRandomStructuredPrograms(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 12))
		g := &generator{r: r}
		body := g.block(3)
		src := ".reg .b32 %a, %c, %d; mov.u32 %a, %t; mov.u32 %c, 1;\n" + g.text.String() + "st.global.u32 [%o], %a;\nret;\n"
		const n = 70
		got := runBody(t, src, n, 70)
		for i := range uint32(n) {
			a, c := i, uint32(1)
			for _, f := range body {
				f(&a, &c)
			}
			if got[i] != a {
				t.Fatalf("seed %d thread %d: %d, want %d\n%s", seed, i, got[i], a, src)
			}
		}
	}
}

// generator writes a program and builds the function that computes it.
type generator struct {
	r      *rand.Rand
	text   strings.Builder
	labels int
}

type statement func(a, c *uint32)

func (g *generator) block(depth int) []statement {
	var out []statement
	for range 1 + g.r.IntN(3) {
		out = append(out, g.stmt(depth))
	}
	return out
}

func (g *generator) label() int { g.labels++; return g.labels }

func (g *generator) stmt(depth int) statement {
	k := uint32(g.r.IntN(20) + 1)
	kind := g.r.IntN(4)
	if depth == 0 {
		kind = 0
	}
	bit := g.r.IntN(5)
	switch kind {
	case 1: // if (a >> bit & 1) { ... } else { ... }
		l := g.label()
		fmt.Fprintf(&g.text, "shr.u32 %%d, %%a, %d; and.b32 %%d, %%d, 1; setp.ne.u32 %%p1, %%d, 0;\n@!%%p1 bra ELSE%d;\n", bit, l)
		yes := g.block(depth - 1)
		fmt.Fprintf(&g.text, "bra END%d;\nELSE%d:\n", l, l)
		no := g.block(depth - 1)
		fmt.Fprintf(&g.text, "END%d:\n", l)
		return func(a, c *uint32) {
			side := no
			if *a>>bit&1 != 0 {
				side = yes
			}
			for _, f := range side {
				f(a, c)
			}
		}
	case 2: // a loop whose trip count differs between lanes
		l := g.label()
		fmt.Fprintf(&g.text, "{ .reg .b32 i, m; .reg .pred q; and.b32 m, %%a, 3; mov.u32 i, 0;\nLOOP%d: setp.ge.u32 q, i, m; @q bra OUT%d;\n", l, l)
		body := g.block(depth - 1)
		fmt.Fprintf(&g.text, "add.u32 i, i, 1; bra LOOP%d;\nOUT%d: }\n", l, l)
		return func(a, c *uint32) {
			m := *a & 3
			for range m {
				for _, f := range body {
					f(a, c)
				}
			}
		}
	case 3: // predicated arithmetic
		fmt.Fprintf(&g.text, "setp.gt.u32 %%p2, %%a, %d; @%%p2 xor.b32 %%a, %%a, %%c; @!%%p2 add.u32 %%c, %%c, %%a;\n", k)
		return func(a, c *uint32) {
			if *a > k {
				*a ^= *c
			} else {
				*c += *a
			}
		}
	}
	fmt.Fprintf(&g.text, "mad.lo.u32 %%a, %%a, %d, %%c;\n", k)
	return func(a, c *uint32) { *a = *a*k + *c }
}

func TestCalls(t *testing.T) {
	src := header + `
.func (.param .b32 res) scale (.param .b32 x, .param .align 4 .b8 s[8]) {
	.reg .b32 %r<5>;
	ld.param.u32 %r1, [x]; ld.param.u32 %r2, [s]; ld.param.u32 %r3, [s+4];
	mad.lo.u32 %r4, %r1, %r2, %r3;
	st.param.b32 [res], %r4;
	ret;
}
.func (.reg .u32 %res) plus (.reg .u32 %x, .reg .u32 %y) { add.u32 %res, %x, %y; ret; }
// sum of 1..x by recursion, with a local variable to keep x
.func (.param .b32 res) sum (.param .b32 x) {
	.local .align 4 .b8 keep[4];
	.reg .b32 %r<6>; .reg .pred %p;
	ld.param.u32 %r1, [x];
	st.local.u32 [keep], %r1;
	mov.u32 %r5, 0;
	setp.eq.u32 %p, %r1, 0;
	@%p bra OUT;
	sub.u32 %r2, %r1, 1;
	{ .param .b32 a; .param .b32 r;
	st.param.b32 [a], %r2;
	call.uni (r), sum, (a);
	ld.param.b32 %r3, [r]; }
	ld.local.u32 %r4, [keep];
	add.u32 %r5, %r3, %r4;
	setp.ne.u32 %p, %r4, %r1;
	@%p trap;
OUT:	st.param.b32 [res], %r5;
	ret;
}
.visible .entry k(.param .u64 out, .param .u32 n) {
	.reg .b32 %t, %r<9>; .reg .b64 %o, %w; .reg .pred %p;
	ld.param.u64 %o, [out]; mov.u32 %t, %tid.x; mul.wide.u32 %w, %t, 4; add.u64 %o, %o, %w;
	and.b32 %r1, %t, 7;
	{ .param .b32 a; .param .align 4 .b8 s[8]; .param .b32 r;
	  st.param.b32 [a], %t; st.param.b32 [s], 3; st.param.b32 [s+4], %r1;
	  call (r), scale, (a, s);
	  ld.param.b32 %r2, [r]; }
	setp.gt.u32 %p, %r1, 3;
	mov.u32 %r3, 0;
	@%p call (%r3), plus, (%r2, 1000);
	{ .param .b32 a; .param .b32 r; st.param.b32 [a], %r1; call (r), sum, (a); ld.param.b32 %r4, [r]; }
	add.u32 %r3, %r3, %r2;
	mad.lo.u32 %r3, %r4, 100000, %r3;
	st.global.u32 [%o], %r3;
	ret;
}`
	k := bodyKernel(t, src, 32, 32)
	run(t, k)
	expect(t, u32s(k.Buffer("out")), func(i uint32) uint32 {
		m := i & 7
		scaled := i*3 + m
		v := scaled
		if m > 3 {
			v += scaled + 1000
		}
		return m*(m+1)/2*100000 + v
	})
	if err := k.Program().Check(); err != nil {
		t.Error(err)
	}
	if n := len(k.Program().Functions); n != 4 {
		t.Errorf("%d functions, want 4", n)
	}
}

func TestCallDepthIsBounded(t *testing.T) {
	src := header + `
.func f () { call f, (); ret; }
.visible .entry k(.param .u64 out, .param .u32 n) { call f; ret; }`
	k := bodyKernel(t, src, 32, 32)
	_, err := simt.Run(context.Background(), k, simt.Limits{})
	if !errors.Is(err, simt.ErrCallDepth) || !strings.Contains(err.Error(), "64 nested calls") {
		t.Errorf("endless recursion: %v", err)
	}
}

func TestInstructionLimit(t *testing.T) {
	k := bodyKernel(t, kernel("L: bra L;"), 32, 32)
	_, err := simt.Run(context.Background(), k, simt.Limits{MaxInstructions: 1000})
	if !errors.Is(err, simt.ErrInstructionLimit) || !strings.Contains(err.Error(), "t.ptx:9:4: instruction limit reached: 1000 warp instructions") {
		t.Errorf("endless loop: %v", err)
	}
}

func TestSpecialRegisters(t *testing.T) {
	got := runBody(t, `
	mov.u32 %r1, %laneid; mov.u32 %r2, %warpid; mov.u32 %r3, %lanemask_lt; mov.u32 %r4, %lanemask_ge; mov.u32 %r5, %lanemask_eq;
	popc.b32 %r3, %r3; popc.b32 %r4, %r4;
	mad.lo.u32 %r1, %r2, 32, %r1;
	mad.lo.u32 %r1, %r3, 100, %r1; mad.lo.u32 %r1, %r4, 10000, %r1;
	mov.u32 %r6, %clock; mov.u32 %r7, %clock; sub.u32 %r6, %r7, %r6;
	mad.lo.u32 %r1, %r6, 1000000, %r1;
	mov.u32 %r8, WARP_SZ; mad.lo.u32 %r1, %r8, 10000000, %r1;
	st.global.u32 [%o], %r1; ret;`, 64, 64)
	expect(t, got, func(i uint32) uint32 { return 320000000 + 1000000 + (32-i%32)*10000 + i%32*100 + i })

	// Blocks and grids of three dimensions: every thread writes its number.
	src := header + `.visible .entry k(.param .u64 out) {
	.reg .b32 %r<20>; .reg .b64 %rd<4>;
	mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z; mov.u32 %r4, %ntid.x; mov.u32 %r5, %ntid.y;
	mad.lo.u32 %r6, %r3, %r5, %r2; mad.lo.u32 %r6, %r6, %r4, %r1;
	mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y; mov.u32 %r3, %ctaid.z; mov.u32 %r7, %nctaid.x; mov.u32 %r8, %nctaid.y;
	mad.lo.u32 %r9, %r3, %r8, %r2; mad.lo.u32 %r9, %r9, %r7, %r1;
	mov.u32 %r10, %ntid.z; mul.lo.u32 %r11, %r4, %r5; mul.lo.u32 %r11, %r11, %r10;
	mad.lo.u32 %r12, %r9, %r11, %r6;
	ld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %r12, 4; add.u64 %rd1, %rd1, %rd2;
	st.global.u32 [%rd1], %r12; ret; }`
	k := launch(t, lower(t, src, "k"), LaunchConfig{Grid: [3]int{2, 3, 2}, Block: [3]int{3, 5, 4}, Args: []Arg{{Name: "out", Buffer: buffer(make([]byte, 4*12*60))}}})
	run(t, k)
	expect(t, u32s(k.Buffer("out")), func(i uint32) uint32 { return i })
}

// The reconvergence stack does not grow with the turns of a loop, however its
// lanes leave it.
func TestReconvergenceStackIsBounded(t *testing.T) {
	k := bodyKernel(t, kernel(`
	.reg .b32 %i, %x;
	mov.u32 %i, 0; mul.lo.u32 %x, %t, 0x9E3779B9;
L:	mad.lo.u32 %x, %x, 1664525, 1013904223; shr.u32 %r1, %x, 29;
	setp.eq.u32 %p1, %r1, 0; @%p1 bra A;
	setp.eq.u32 %p2, %r1, 1; @%p2 bra B;
	add.u32 %r2, %r2, 1; bra C;
A:	add.u32 %r2, %r2, 2; setp.gt.u32 %p3, %i, 5000; @%p3 bra OUT;
B:	add.u32 %r2, %r2, 3;
C:	add.u32 %i, %i, 1; setp.lt.u32 %p4, %i, 6000; @%p4 bra L;
OUT:	st.global.u32 [%o], %r2; ret;`), 32, 32)
	b, err := k.NewBlock(0)
	if err != nil {
		t.Fatal(err)
	}
	w := b.Warps()[0].(*warp)
	deepest := 0
	var n int64
	if err := simt.RunBlock(context.Background(), b, simt.Limits{}, &n, func(int, *simt.Step) { deepest = max(deepest, len(w.stack)) }); err != nil {
		t.Fatal(err)
	}
	if n < 6000 || deepest == 0 || deepest > 16 {
		t.Errorf("%d instructions, %d groups on the stack", n, deepest)
	}
}
