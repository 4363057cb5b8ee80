package ptxexec

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/simt"
)

// taints runs a kernel with buffers in (known or not) and out and returns what
// is recorded as "line:kind:register".
func taints(t *testing.T, body string, known bool) string {
	t.Helper()
	src := header + `.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n) {
	.reg .b32 %t, %r<30>; .reg .b64 %i, %o, %w, %rd<20>; .reg .pred %p<20>;
	ld.param.u64 %i, [in]; ld.param.u64 %o, [out]; mov.u32 %t, %tid.x; mul.wide.u32 %w, %t, 4; add.u64 %i, %i, %w; add.u64 %o, %o, %w;
` + body + "\n}\n"
	values := make([]uint32, 128)
	for i := range values {
		values[i] = uint32(i % 5)
	}
	k := launch(t, lower(t, src, "k"), LaunchConfig{Grid: [3]int{2, 1, 1}, Block: [3]int{64, 1, 1}, Options: Options{Taint: true}, Args: []Arg{
		{Name: "in", Buffer: &Buffer{Contents: u32bytes(values...), Known: known}},
		{Name: "out", Buffer: buffer(make([]byte, 1024))}, {Bytes: u32bytes(3)},
	}})
	if _, err := simt.Run(context.Background(), k, simt.Limits{MaxInstructions: 1 << 20}); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, x := range k.Taints() {
		out = append(out, fmt.Sprintf("%d:%s:%s", x.Pos.Line-6, x.Kind, x.Register))
	}
	return strings.Join(out, " ")
}

func TestTaints(t *testing.T) {
	for _, c := range []struct {
		name, body     string
		unknown, known string // what is recorded where the input is not known, and where it is
	}{
		{"loaded branch", "ld.global.u32 %r1, [%i];\nsetp.gt.u32 %p1, %r1, 2;\n@%p1 bra L;\nL: ret;", "3:branch:%p1", ""},
		{"scalar branch", "ld.param.u32 %r1, [n];\nsetp.gt.u32 %p1, %t, %r1;\n@%p1 bra L;\nL: ret;", "", ""},
		{"loaded address", "ld.global.u32 %r1, [%i];\nmul.wide.u32 %rd1, %r1, 4;\nadd.u64 %rd1, %o, %rd1;\nst.global.u32 [%rd1], %t; ret;", "4:address:%rd1", ""},
		{"data only", "ld.global.u32 %r1, [%i];\nadd.u32 %r1, %r1, 1;\nst.global.u32 [%o], %r1;\nret;", "", ""},
		{"predicated write", "ld.global.u32 %r1, [%i];\nsetp.gt.u32 %p1, %r1, 2;\nmov.u32 %r2, 0;\n@%p1 mov.u32 %r2, 1;\nsetp.ne.u32 %p2, %r2, 0;\n@%p2 bra L;\nL: ret;", "6:branch:%p2", ""},
		{"predicated load", "ld.global.u32 %r1, [%i];\nsetp.gt.u32 %p1, %r1, 2;\n@%p1 ld.global.u32 %r2, [%i];\nret;", "3:address:%p1", ""},
		{"selection", "ld.global.u32 %r1, [%i];\nsetp.gt.u32 %p1, %r1, 2;\nselp.b32 %r2, 1, 2, %p1;\nsetp.eq.u32 %p2, %r2, 1;\n@%p2 exit;\nret;", "5:branch:%p2", ""},
		{"overwritten", "ld.global.u32 %r1, [%i];\nmov.u32 %r1, 4;\nsetp.gt.u32 %p1, %r1, 2;\n@%p1 bra L;\nL: ret;", "", ""},
		{"guarded barrier", "ld.global.u32 %r1, [%i];\nsetp.lt.u32 %p1, %r1, 9;\n@%p1 bar.sync 0;\nret;", "3:barrier:%p1", ""},
		{"barrier number", "ld.global.u32 %r1, [%i];\nand.b32 %r1, %r1, 0;\nbar.sync %r1;\nret;", "3:barrier:%r1", ""},
		{"through shared memory", ".shared .u32 s[64]; mov.u32 %r9, s; cvt.u32.u64 %r8, %w; add.u32 %r9, %r9, %r8;\nld.global.u32 %r1, [%i];\nst.shared.u32 [%r9], %r1; bar.sync 0;\nld.shared.u32 %r2, [%r9]; setp.gt.u32 %p1, %r2, 1;\n@%p1 bra L;\nL: ret;", "5:branch:%p1", ""},
		{"shared memory never written", ".shared .u32 s;\nld.shared.u32 %r2, [s]; setp.gt.u32 %p1, %r2, 1;\n@%p1 bra L;\nL: ret;", "3:branch:%p1", "3:branch:%p1"},
		{"clean shared memory", ".shared .u32 s[64]; mov.u32 %r9, s; cvt.u32.u64 %r8, %w; add.u32 %r9, %r9, %r8;\nst.shared.u32 [%r9], %t; bar.sync 0;\nld.shared.u32 %r2, [%r9]; setp.gt.u32 %p1, %r2, 1;\n@%p1 bra L;\nL: ret;", "", ""},
		{"through local memory", ".local .u32 l;\nld.global.u32 %r1, [%i]; st.local.u32 [l], %r1;\nld.local.u32 %r2, [l]; setp.gt.u32 %p1, %r2, 1;\n@%p1 bra L;\nL: ret;", "4:branch:%p1", ""},
		{"store to a tainted address", ".shared .u32 s[64]; st.shared.u32 [s+8], %t;\nld.global.u32 %r1, [%i]; mov.u32 %r9, s; and.b32 %r1, %r1, 4; add.u32 %r9, %r9, %r1;\nst.shared.u32 [%r9], %t;\nld.shared.u32 %r2, [s+8]; setp.gt.u32 %p1, %r2, 1;\n@%p1 bra L;\nL: ret;", "3:address:%r9 5:branch:%p1", "5:branch:%p1"}, // lanes store different values at s+8
		{"store to a tainted generic address", ".shared .u32 s[64]; st.shared.u32 [s+8], %t;\nld.global.u32 %r1, [%i]; and.b32 %r1, %r1, 4; cvt.u64.u32 %rd1, %r1; add.u64 %rd1, %o, %rd1;\nst.u32 [%rd1], %t;\nld.shared.u32 %r2, [s+8]; setp.gt.u32 %p1, %r2, 1;\n@%p1 bra L;\nL: ret;", "3:address:%rd1 5:branch:%p1", "5:branch:%p1"},
		{"clock", "mov.u32 %r1, %clock;\nsetp.gt.u32 %p1, %r1, 1;\n@%p1 bra L;\nL: ret;", "3:branch:%p1", "3:branch:%p1"},
		{"processor number", "mov.u32 %r1, %smid;\nsetp.gt.u32 %p1, %r1, 1;\n@%p1 bra L;\nL: ret;", "3:branch:%p1", "3:branch:%p1"},
		{"atomic", ".shared .u32 s; st.shared.u32 [s], 0; bar.sync 0;\natom.shared.add.u32 %r1, [s], 1;\nsetp.gt.u32 %p1, %r1, 1;\n@%p1 bra L;\nL: ret;", "4:branch:%p1", "4:branch:%p1"},
		{"never written register", "setp.gt.u32 %p1, %r20, 1;\n@%p1 bra L;\nL: ret;", "2:branch:%p1", "2:branch:%p1"},
		{"ballot", "ld.global.u32 %r1, [%i];\nsetp.gt.u32 %p1, %r1, 9;\nvote.ballot.b32 %r2, %p1; setp.ne.u32 %p2, %r2, 0;\n@%p2 bra L;\nL: ret;", "4:branch:%p2", ""},
		{"shuffle of clean lanes", "shfl.sync.down.b32 %r1, %t, 1, 31, -1;\nsetp.ne.u32 %p2, %r1, 0;\n@%p2 bra L;\nL: ret;", "", ""},
		{"shuffle from tainted lane", "mov.u32 %r2, %t; setp.eq.u32 %p1, %t, 3; @%p1 ld.global.u32 %r2, [%i];\nshfl.sync.up.b32 %r1, %r2, 1, 0, -1; setp.eq.u32 %p3, %t, 4;\n@!%p3 mov.u32 %r1, 0; setp.ne.u32 %p2, %r1, 77;\n@%p2 bra L;\nL: ret;", "4:branch:%p2", ""},
		{"branch table", "T: .branchtargets A, B; ld.global.u32 %r1, [%i];\nand.b32 %r1, %r1, 1;\nbrx.idx %r1, T;\nA: mov.u32 %r3, 1;\nB: ret;", "3:branch:%r1", ""},
		{"carry", "ld.global.u32 %r1, [%i];\nadd.cc.u32 %r2, %r1, 5; addc.u32 %r3, 0, 0; setp.ne.u32 %p1, %r3, 0;\n@%p1 bra L;\nL: ret;", "3:branch:%p1", ""},
		{"known buffer written by its own block", "st.global.u32 [%i], 1;\nld.global.u32 %r1, [%i]; setp.ne.u32 %p1, %r1, 0;\n@%p1 bra L;\nL: ret;", "3:branch:%p1", "1:order:in 3:branch:%p1"},
		{"async copy", ".shared .align 16 .b8 s[256]; mov.u32 %r9, s; cvt.u32.u64 %r8, %w; add.u32 %r9, %r9, %r8;\ncp.async.ca.shared.global [%r9], [%i], 4; cp.async.wait_all;\nld.shared.u32 %r2, [%r9]; setp.gt.u32 %p1, %r2, 1;\n@%p1 bra L;\nL: ret;", "4:branch:%p1", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := taints(t, c.body, false); got != c.unknown {
				t.Errorf("unknown input: %q, want %q", got, c.unknown)
			}
			if got := taints(t, c.body, true); got != c.known {
				t.Errorf("known input: %q, want %q", got, c.known)
			}
		})
	}
}

// Warps of a block that meet in memory between two barriers do so in an order
// that nothing here may rely on. Warp 0 has threads 0 to 31.
func TestRacesOfWarps(t *testing.T) {
	const (
		first  = "setp.lt.u32 %p9, %t, 32;\n"
		branch = "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra L;\nL: ret;"
	)
	for _, c := range []struct{ name, body, want string }{
		{"read behind another warp's write", ".shared .u32 s; st.shared.u32 [s], 0; bar.sync 0;\n" + first + "@!%p9 bra R; st.shared.u32 [s], 1; ret;\nR: ld.shared.u32 %r1, [s];\n" + branch,
			"6:branch:%p1"},
		{"write behind another warp's read", ".shared .u32 s; " + first + "@%p9 bra W; st.shared.u32 [s], 0;\nbar.sync 0; ld.shared.u32 %r1, [s]; bra E;\nW: bar.sync 0; st.shared.u32 [s], 1; mov.u32 %r1, 1;\nE: " + branch,
			"4:order:shared memory"},
		{"the same with a barrier between", ".shared .u32 s; " + first + "@!%p9 bra W; st.shared.u32 [s], 0;\nbar.sync 0; ld.shared.u32 %r1, [s]; bar.sync 0; bra E;\nW: bar.sync 0; bar.sync 0; st.shared.u32 [s], 1; mov.u32 %r1, 1;\nE: " + branch,
			""},
		{"two writers, read behind a barrier", ".shared .u32 s; st.shared.u32 [s], %t; bar.sync 0;\nld.shared.u32 %r1, [s];\n" + branch,
			"4:branch:%p1"},
		{"two writers, overwritten by one", ".shared .u32 s; st.shared.u32 [s], %t; bar.sync 0;\n" + first + "@!%p9 bra R; st.shared.u32 [s], 0;\nR: bar.sync 0; ld.shared.u32 %r1, [s];\n" + branch,
			""},
		{"neighbouring words", ".shared .u32 s[2]; " + first + "mov.u32 %r9, s; @%p9 bra A;\nadd.u32 %r9, %r9, 4;\nA: st.shared.u32 [%r9], 5; ld.shared.u32 %r1, [%r9];\n" + branch,
			""},
		{"a store to an unknown address behind another block's read", "mov.u32 %r5, %ctaid.x; setp.eq.u32 %p5, %r5, 1; @%p5 bra W;\nld.global.u32 %r1, [%i]; mov.u32 %r1, 1; bra E;\nW: ld.param.u64 %rd2, [out]; ld.global.u32 %r2, [%rd2]; mul.wide.u32 %rd3, %r2, 4; add.u64 %rd3, %o, %rd3; st.global.u32 [%rd3], 1; mov.u32 %r1, 1;\nE: " + branch,
			"3:address:%rd3 3:order:in"},
		{"a known buffer, one block's warps", "mov.u32 %r5, %ctaid.x; setp.ne.u32 %p8, %r5, 0; @%p8 exit; ld.param.u64 %i, [in];\n" + first + "@!%p9 bra R; st.global.u32 [%i], 0; ret;\nR: ld.global.u32 %r1, [%i];\n" + branch,
			"6:branch:%p1"},
	} {
		if got := taints(t, c.body, true); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// Block 1 writes what block 0 has read: no order of blocks may be relied on.
func TestBlocksThatExchangeDataAreRecorded(t *testing.T) {
	body := `mov.u32 %r5, %ctaid.x; setp.eq.u32 %p5, %r5, 1; @%p5 bra W;
ld.global.u32 %r1, [%i]; ret;
W: st.global.u32 [%i], 7; ret;`
	if got := taints(t, body, true); got != "3:order:in" {
		t.Errorf("got %q", got)
	}
	body = `mov.u32 %r5, %ctaid.x; setp.eq.u32 %p5, %r5, 0; @%p5 bra W;
ld.global.u32 %r1, [%i]; setp.eq.u32 %p1, %r1, 7;
@%p1 bra L;
L: ret;
W: st.global.u32 [%i], 7; ret;`
	if got := taints(t, body, true); got != "3:branch:%p1" {
		t.Errorf("got %q", got)
	}
}

func TestTaintThroughCalls(t *testing.T) {
	src := header + `
.func (.param .b32 r) id (.param .b32 x) { .reg .b32 a; ld.param.b32 a, [x]; st.param.b32 [r], a; ret; }
.func (.reg .b32 r) idr (.reg .b32 x) { mov.b32 r, x; ret; }
.visible .entry k(.param .u64 in) {
	.reg .b32 %r<9>; .reg .b64 %i; .reg .pred %p<9>;
	ld.param.u64 %i, [in]; ld.global.u32 %r1, [%i];
	{ .param .b32 a; .param .b32 b; st.param.b32 [a], 5; call (b), id, (a); ld.param.b32 %r2, [b]; }
	setp.eq.u32 %p1, %r2, 5; @%p1 bra A;
A:	{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call (b), id, (a); ld.param.b32 %r2, [b]; }
	setp.eq.u32 %p2, %r2, 5; @%p2 bra B;
B:	call (%r3), idr, (%r1); setp.eq.u32 %p3, %r3, 5; @%p3 bra C;
C:	call (%r3), idr, (9); setp.eq.u32 %p4, %r3, 5; @%p4 bra D;
D:	ret;
}`
	k := launch(t, lower(t, src, "k"), LaunchConfig{Grid: [3]int{1, 1, 1}, Block: [3]int{32, 1, 1}, Options: Options{Taint: true}, Args: []Arg{{Name: "in", Buffer: buffer(make([]byte, 4))}}})
	run(t, k)
	var got []string
	for _, x := range k.Taints() {
		got = append(got, x.Register)
	}
	if fmt.Sprint(got) != "[%p2 %p3]" {
		t.Errorf("tainted branches on %v, want %%p2 and %%p3", got)
	}
}

// Taint mode changes nothing of what a kernel computes.
func TestTaintModeComputesTheSame(t *testing.T) {
	plain, _, _ := sgemm(t, 32)
	run(t, plain)
	tainted, _, _ := sgemm(t, 32)
	tainted = launch(t, tainted.prog, LaunchConfig{Grid: tainted.grid, Block: tainted.block, Options: Options{Taint: true}, Args: []Arg{
		{Name: "a", Buffer: buffer(tainted.Buffer("a"))}, {Name: "b", Buffer: buffer(tainted.Buffer("b"))}, {Name: "c", Buffer: buffer(tainted.Buffer("c"))}, {Bytes: u32bytes(32)},
	}})
	run(t, tainted)
	if string(plain.Buffer("c")) != string(tainted.Buffer("c")) {
		t.Error("results differ")
	}
	if got := tainted.Taints(); len(got) != 0 {
		t.Errorf("sgemm depends on its data: %v", got)
	}
}
