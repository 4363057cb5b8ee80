package ptxexec

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/ptx"
)

// coverText writes what a warp may execute: PCs, transactions of accesses behind a
// colon, and forks in brackets, with ! before a part that is certain.
type coverText struct {
	lines map[int]*strings.Builder
}

func (c *coverText) of(warp int) *strings.Builder {
	if c.lines[warp] == nil {
		c.lines[warp] = &strings.Builder{}
	}
	return c.lines[warp]
}

func (c *coverText) Step(warp int, s *simt.Step, spread *simt.Spread) {
	fmt.Fprintf(c.of(warp), " %d", s.PC)
	if s.Back {
		c.of(warp).WriteString("back")
	}
	if s.Alike {
		c.of(warp).WriteString("alike")
	}
	if s.WidthBytes > 0 {
		fmt.Fprintf(c.of(warp), ":%d", s.Segments(128))
		if spread != nil {
			fmt.Fprintf(c.of(warp), "<%d", spread.High/128-spread.Low/128+1)
		}
	}
}

func (c *coverText) Fork(warp int) { c.of(warp).WriteString(" [") }
func (c *coverText) Next(warp int) { c.of(warp).WriteString(" |") }
func (c *coverText) Join(warp int, how simt.Joined) {
	fmt.Fprintf(c.of(warp), " ]")
	for i, sure := range []bool{how.First, how.Second} {
		if sure {
			fmt.Fprintf(c.of(warp), "!%d", i+1)
		}
	}
	if how.Late {
		c.of(warp).WriteString("late")
	}
}

func (c *coverText) Loop(warp int)   { c.of(warp).WriteString(" (") }
func (c *coverText) Arrive(warp int) { c.of(warp).WriteString(" back") }
func (c *coverText) EndLoop(warp int, how *simt.LoopEnd) {
	if how == nil {
		c.of(warp).WriteString(" )not")
		return
	}
	fmt.Fprintf(c.of(warp), " )%d", how.Most)
}

func coverOf(t *testing.T, body string, block int, bounds map[string]int64) (map[int]*strings.Builder, error) {
	t.Helper()
	lines, _, err := coverWith(t, body, block, func(p *Code) Options {
		byPC := map[int32]int64{}
		for label, n := range bounds {
			byPC[p.isa.Labels[label]] = n
		}
		return Options{LoopBounds: byPC}
	})
	return lines, err
}

// lowered is the kernel k of a text.
func lowered(text string) (*Code, error) {
	file, err := ptx.Parse("k.ptx", []byte(text))
	if err == nil {
		err = ptx.Check(file)
	}
	if err != nil {
		return nil, err
	}
	return Lower(file, "k")
}

// coverWith covers a kernel with options that its program decides.
func coverWith(t *testing.T, body string, block int, options func(*Code) Options) (map[int]*strings.Builder, *coverer, error) {
	t.Helper()
	text := ".version 7.0\n.target sm_70\n.address_size 64\n" +
		".func (.param .b32 q) f (.param .b32 x) { st.param.b32 [q], 5; ret; } .func (.param .b32 q) g (.param .b32 x) { st.param.b32 [q], 6; ret; } .func (.reg .b32 q) i (.reg .b32 x) { mov.b32 q, x; ret; } .func (.reg .b32 q) h (.reg .b32 x) { .reg .b32 t; .reg .pred p; mov.b32 q, x; mov.u32 t, %tid.x; setp.lt.u32 p, t, 2; @p ret; add.u32 q, x, 1; ret; }\n" +
		".visible .entry k(.param .u64 pk, .param .u64 pu, .param .u32 n) {\n.reg .pred %p<8>; .reg .b32 %r<16>; .reg .b64 %d<16>; .shared .align 4 .b8 s[1024];\n" +
		"ld.param.u64 %d0, [pk]; ld.param.u64 %d1, [pu]; ld.param.u32 %r0, [n]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; add.u64 %d3, %d1, %d2;\n" + body + "\n}\n"
	p, err := lowered(text)
	if err != nil {
		t.Fatal(err)
	}
	opt := options(p)
	opt.Taint = true
	k, err := NewKernel(p, LaunchConfig{
		Grid: [3]int{1, 1, 1}, Block: [3]int{block, 1, 1}, Options: opt,
		Args: []Arg{
			{Name: "known", Buffer: &Buffer{Contents: make([]byte, 4096), ElementBytes: 4, Known: true}},
			{Name: "unknown", Buffer: &Buffer{Contents: make([]byte, 4096), ElementBytes: 4}},
			{Name: "n", Bytes: []byte{3, 0, 0, 0}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	made, err := k.Coverer(simt.CoverOptions{})
	if err != nil {
		return nil, nil, err
	}
	c := made.(*coverer)
	c.most = 1 << 15
	out := &coverText{lines: map[int]*strings.Builder{}}
	var executed int64
	err = c.Cover(context.Background(), 0, simt.Limits{MaxInstructions: 1 << 16}, &executed, out)
	if err == nil && len(c.Distrusted()) > 0 {
		err = fmt.Errorf("distrusted: %v", c.Distrusted())
	}
	return out.lines, c, err
}

// Every kind of control is covered as it should be.
func TestCover(t *testing.T) {
	const load = "ld.global.u32 %r2, [%d3]; setp.gt.u32 %p0, %r2, 5; " // pc 6 and 7
	for name, c := range map[string]struct {
		body, want, err string
		block           int
		bounds          map[string]int64
	}{
		"nothing unknown": {body: "setp.lt.u32 %p0, %r1, 16; @%p0 bra A; add.u32 %r3, %r1, 1; A: ret;", want: "6 7 8 9"},
		"both sides":      {body: load + "@%p0 bra A; add.u32 %r3, %r1, 1; bra B; A: sub.u32 %r3, %r1, 1; B: ret;", want: "6:1 7 8 [ 11 | 9 10 ] 12"},
		"one side":        {body: load + "@%p0 bra A; add.u32 %r3, %r1, 1; A: ret;", want: "6:1 7 8 [ | 9 ] 10"},
		"known lanes stay": {body: load + "setp.lt.u32 %p1, %r1, 4; or.pred %p2, %p0, %p1; selp.u32 %r4, 1, 0, %p1; @%p1 bra C; @%p0 bra A; add.u32 %r3, %r1, 1; A: C: ret;",
			want: "6:1 7 8 9 10 11 12 [ | 13 ] 14"},
		"what differs is unknown": {body: load + "mov.u32 %r3, 1; mov.u32 %r4, 1; @%p0 bra A; mov.u32 %r3, 2; mov.u32 %r4, 1; A: setp.eq.u32 %p1, %r3, 1; @%p1 bra B; setp.eq.u32 %p2, %r4, 2; @%p2 bra B; add.u32 %r5, %r1, 1; B: ret;",
			want: "6:1 7 8 9 10 [ | 11 12 ] 13 14 [ | 15 16 17 ] 18"},
		"early exit of a counted loop": {body: load + "mov.u32 %r3, 0; L: add.u32 %r4, %r2, %r3; setp.eq.u32 %p1, %r4, 9; @%p1 bra E; add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, 2; @%p2 bra L; E: ret;",
			want: "6:1 7 8 9 10 11 [ | 12 13 14 9 10 11 [ | 12 13 14 ] ] 15"},
		"a loop without a bound":                          {body: load + "L: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 100; @%p1 bra L; ret;", err: `k.ptx:8:103: bra: whether the loop at L (k.ptx:8:55) goes on depends on data, through %p1, which comes from ld.global.u32 at k.ptx:8:1 (by argument unknown): no bound is known, expected one under [loops], such as "L" = 100`},
		"a loop entered beside its head, without a bound": {body: load + "@%p0 bra B; A: add.u32 %r3, %r3, 1; B: add.u32 %r3, %r3, 2; setp.gt.u32 %p1, %r2, %r3; @%p1 bra A; ret;", err: `whether the loop at B (k.ptx:8:91), which is also entered at A, goes on depends on data`},
		"a loop with a bound":                             {body: load + "L: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 100; @%p1 bra L; add.u32 %r3, %r1, 1; ret;", bounds: map[string]int64{"L": 2}, want: "6:1 7 8 9 10 [ 8 9 10 [ 8 9 10 [ | ] | ] | ] 11 12"},
		"a bound that is exceeded":                        {body: "mov.u32 %r2, 0; L: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 3; @%p1 bra L; ret;", bounds: map[string]int64{"L": 1}, err: "bound on a loop exceeded"},
		"a bound that is reached":                         {body: "mov.u32 %r2, 0; L: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 3; @%p1 bra L; ret;", bounds: map[string]int64{"L": 2}, want: "6 7 8 9 7 8 9 7 8 9 10"},
		"a loop entered twice":                            {body: "mov.u32 %r3, 0; M: mov.u32 %r2, 0; L: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 2; @%p1 bra L; add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, 2; @%p2 bra M; ret;", bounds: map[string]int64{"L": 1}, want: "6 7 8 9 10 8 9 10 11 12 13 7 8 9 10 8 9 10 11 12 13 14"},
		"unknown addresses":                               {body: load + "and.b32 %r2, %r2, 255; mul.wide.u32 %d4, %r2, 4; add.u64 %d4, %d4, %d1; ld.global.u32 %r3, [%d4]; ret;", want: "6:1 7 8 9 10 11:32<8 12"},
		"a clamped index":                                 {body: load + "max.s32 %r2, %r2, 0; min.s32 %r2, %r2, 31; mad.wide.s32 %d4, %r2, 4, %d1; ld.global.u32 %r3, [%d4+-4]; ret;", want: "6:1 7 8 9 10 11:32<2 12"},
		"a counter with a limit":                          {body: load + "min.u32 %r2, %r2, 2; mov.u32 %r3, 0; L: add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, %r2; @%p1 bra L; ret;", want: "6:1 7 8 9 10 11 12 [ 10 11 12 | ] 13"},
		"a load to its address":                           {body: load + "add.u64 %d4, %d3, %d2; ld.global.u64 %d4, [%d4]; ret;", want: "6:1 7 8 9:2 10"},
		"a conjunction with what is false":                {body: load + "setp.gt.u32 %p1, %r1, 31; and.pred %p2, %p0, %p1; @%p2 bra A; add.u32 %r3, %r1, 1; A: ret;", want: "6:1 7 8 9 10 11 12"},
		"a disjunction with what is true":                 {body: load + "setp.lt.u32 %p1, %r1, 32; or.pred %p2, %p1, %p0; @%p2 bra A; add.u32 %r3, %r1, 1; A: ret;", want: "6:1 7 8 9 10 12"},
		"a conjunction with what is true":                 {body: load + "setp.lt.u32 %p1, %r1, 32; and.pred %p2, %p1, %p0; @%p2 bra A; add.u32 %r3, %r1, 1; A: ret;", want: "6:1 7 8 9 10 [ | 11 ] 12"},
		"a comparison and what is false":                  {body: load + "setp.gt.u32 %p1, %r1, 31; setp.gt.and.u32 %p2, %r2, 5, %p1; setp.gt.and.u32 %p3, %r2, 5, !%p1; @%p2 bra A; add.u32 %r3, %r1, 1; A: @%p3 bra B; add.u32 %r3, %r1, 1; B: ret;", want: "6:1 7 8 9 10 11 12 13 [ | 14 ] 15"},
		"what is chosen is known":                         {body: load + "setp.lt.u32 %p1, %r1, 32; selp.u32 %r3, %r1, %r2, %p1; selp.u32 %r4, %r1, %r2, !%p1; setp.lt.u32 %p2, %r3, 99; @%p2 bra A; add.u32 %r3, %r1, 1; A: setp.lt.u32 %p2, %r4, 99; @%p2 bra B; add.u32 %r3, %r1, 1; B: ret;", want: "6:1 7 8 9 10 11 12 14 15 [ | 16 ] 17"},
		"unknown guard":                                   {body: load + "@%p0 ld.global.u32 %r3, [%d3]; ret;", want: "6:1 7 8:1 9"},
		"a store to who knows where": {body: load + "ld.global.u32 %r5, [%d0]; mul.wide.u32 %d4, %r2, 4; add.u64 %d4, %d4, %d1; st.global.u32 [%d4], %r1; ld.global.u32 %r6, [%d0]; setp.eq.u32 %p1, %r6, 0; @%p1 bra A; add.u32 %r3, %r1, 1; A: ret;",
			want: "6:1 7 8:1 9 10 11:32<134217728 12:1 13 14 [ | 15 ] 16"},
		"a store that may not happen": {body: load + "st.shared.u32 [s], 1; @%p0 bra A; st.shared.u32 [s], 1; A: ld.shared.u32 %r3, [s]; setp.eq.u32 %p1, %r3, 1; @%p1 bra B; add.u32 %r5, %r1, 1; B: ret;",
			want: "6:1 7 8:1 9 [ | 10:1 ] 11:1 12 13 [ | 14 ] 15"},
		"an early return and a barrier":      {body: load + "@%p0 ret; bar.sync 0; ret;", block: 64, err: "whether the warp arrives"},
		"lanes that may have returned":       {body: load + "setp.gt.u32 %p1, %r1, 3; setp.ne.u32 %p2, %r1, %r1; @%p1 setp.gt.u32 %p2, %r2, 5; @%p2 ret; add.u32 %r3, %r1, 1; setp.lt.u32 %p3, %r1, 4; @%p3 bra A; add.u32 %r4, %r1, 1; A: ret;", want: "6:1 7 8 9 10 11 12 13 14 [ 15 | ] 16"},
		"a branch to the end":                {body: load + "@%p0 bra A; add.u32 %r3, %r1, 1; ret; A: add.u32 %r3, %r1, 2; ret;", want: "6:1 7 8 [ 11 12 | ] [ 9 10 | ]"},
		"an access that cannot be":           {body: load + "mov.u64 %d5, 0; @%p0 bra A; ld.global.u32 %r3, [%d5]; setp.eq.u32 %p1, %r3, 0; @%p1 bra A; add.u32 %r4, %r1, 1; A: ret;", want: "6:1 7 8 9 [ | 10:1 11 12 [ | 13 ] ] 14"},
		"an atomic":                          {body: load + "atom.global.add.u32 %r3, [%d1], 1; setp.eq.u32 %p1, %r3, 0; @%p1 bra A; add.u32 %r4, %r1, 1; A: ret;", want: "6:1 7 8:1 9 10 [ | 11 ] 12"},
		"a vote of lanes that may be there":  {body: load + "@%p0 bra A; vote.sync.ballot.b32 %r3, %p1, -1; setp.eq.u32 %p2, %r3, 0; @%p2 bra A; add.u32 %r4, %r1, 1; A: ret;", want: "6:1 7 8 [ | 9 10 11 [ | 12 ] ] 13"},
		"a late part beside others":          {body: load + "setp.lt.u32 %p3, %r1, 16; @%p3 bra X; add.u32 %r3, %r1, 2; ret; X: setp.lt.u32 %p4, %r1, 8; setp.eq.u32 %p2, %r1, %r1; @!%p4 setp.gt.u32 %p2, %r2, 5; @%p2 bra B; add.u32 %r3, %r1, 1; ret; B: bar.sync 0; ret;", err: "bra: a barrier behind one side of a branch that depends on data, while other lanes wait"},
		"a result in memory from both sides": {body: ".param .b32 q; .param .b32 x; st.param.b32 [x], 5; " + load + "@%p0 bra C; call (q), i, (6); bra A; C: call (q), i, (5); A: ld.param.b32 %r3, [q]; setp.eq.u32 %p1, %r3, 5; @%p1 bra B; add.u32 %r4, %r1, 1; B: ret;", want: "6:1 7:1 8 9 [ 12 18 19 | 10 18 19 11 ] 13:1 14 15 [ | 16 ] 17"},
		"a call of loose lanes":              {body: load + "setp.lt.u32 %p1, %r1, 4; @%p0 bra A; @%p1 call (%r3), h, (%r2); A: ret;", want: "6:1 7 8 9 [ | 10 [ 12 13 14 15 [ 16 17 | ] | ] ] 11"},
		"a function that loose lanes leave":  {body: load + "@%p0 bra A; call (%r3), h, (%r2); A: ret;", want: "6:1 7 8 [ | 9 11 12 13 14 [ 15 16 | ] ] 10"},
		"where others' registers lie": {body: load + "and.b32 %r3, %r2, 7; setp.lt.u32 %p1, %r1, 8; @%p1 bra X; mov.u32 %r3, 1; @%p0 bra Y; mov.u32 %r3, 2; Y: bra Z; X: add.u32 %r4, %r1, 1; Z: setp.lt.u32 %p2, %r3, 3; @%p2 bra W; add.u32 %r4, %r1, 1; W: ret;",
			want: "6:1 7 8 9 10 15 11 12 [ | 13 ] 14 16 17 [ | 18 ] 19"},
		"a head that is also reached from outside": {body: load + "mov.u32 %r3, 0; mov.u32 %r5, 0; H: add.u32 %r3, %r3, 1; L: add.u32 %r5, %r5, 1; setp.gt.u32 %p3, %r5, 3; @%p3 bra E; @%p0 bra H; bra L; E: ret;", bounds: map[string]int64{"L": 1},
			want: "6:1 7 8 9 10 11 12 13 14 [ 10 | 15 ] 11 12 13 14 [ 10 | 15 ] 11 12 13 14 [ 10 | 15 ] 11 12 13 16"},
		"a barrier in a fork":                              {body: load + "@%p0 bra A; bar.sync 0; A: ret;", err: "a barrier where control depends on data"},
		"a return before a barrier that may come after it": {body: load + "setp.gt.u32 %p1, %r1, 3; setp.ne.u32 %p2, %r1, %r1; @%p1 setp.gt.u32 %p2, %r2, 5; @!%p2 bra A; add.u32 %r3, %r1, 1; ret; A: bar.sync 0; ret;", want: "6:1 7 8 9 10 11 [ 12 13 | ]late 14 15"},
		"a store that may come after a barrier":            {body: load + "setp.gt.u32 %p1, %r1, 3; setp.ne.u32 %p2, %r1, %r1; @%p1 setp.gt.u32 %p2, %r2, 5; @!%p2 bra A; st.shared.u32 [s], 1; ret; A: bar.sync 0; ret;", err: "st.shared.u32: it comes after the end of lanes that leave by data"},
		"ways that multiply":                               {body: load + "mov.u32 %r3, 0; L: and.b32 %r4, %r2, 1; setp.eq.u32 %p1, %r4, 0; @%p1 bra A; setp.gt.u32 %p2, %r2, 9; @%p2 bra E; A: add.u32 %r2, %r2, %r3; add.u32 %r3, %r3, 1; setp.lt.u32 %p3, %r3, 40; @%p3 bra L; add.u32 %r5, %r1, 1; E: ret;", err: "more than 32768 instructions of a warp where control depends on data"},
	} {
		if c.block == 0 {
			c.block = 32
		}
		lines, err := coverOf(t, c.body, c.block, c.bounds)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v, expected %s", name, err, c.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := strings.TrimSpace(lines[0].String()); got != "0:0 1:0 2:0 3 4 5 "+c.want && !strings.HasSuffix(got, " 5 "+c.want) {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
	}
}
