package ptxexec

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

// observed runs three blocks of 32 threads with a known buffer a, an unknown
// buffer u and a scalar n, and returns what is recorded as "kind:register", the
// same for what depends on open results, and the opcodes of these.
func observed(t *testing.T, functions, body string) (taints, open, results string) {
	t.Helper()
	src := header + functions + `
.visible .entry k(.param .u64 pa, .param .u64 pu, .param .u32 n) {
	.reg .b32 %t, %b, %r<30>; .reg .b64 %a, %u, %rd<20>; .reg .pred %p<20>; .reg .f32 %f<9>; .reg .b64 %w; .reg .b16 %h<4>;
	.shared .align 16 .b8 s[512]; .local .align 16 .b8 l[64];
	ld.param.u64 %a, [pa]; ld.param.u64 %u, [pu]; mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; mul.wide.u32 %w, %t, 4;
	setp.eq.u32 %p10, %b, 0; setp.eq.u32 %p11, %b, 1; setp.eq.u32 %p12, %b, 2; setp.eq.u32 %p13, %t, 0;
` + body + "\nL: ret;\n}\n"
	k := launch(t, lower(t, src, "k"), LaunchConfig{Grid: [3]int{3, 1, 1}, Block: [3]int{32, 1, 1}, Options: Options{Taint: true}, Args: []Arg{
		{Name: "a", Buffer: &Buffer{Contents: u32bytes(make([]uint32, 64)...), Known: true}},
		{Name: "u", Buffer: buffer(make([]byte, 256))}, {Bytes: u32bytes(3)},
	}})
	if _, err := simt.Run(context.Background(), k, simt.Limits{MaxInstructions: 1 << 20}); err != nil {
		t.Fatal(err)
	}
	list := func(taints []simt.Taint) string {
		var out []string
		for _, x := range taints {
			out = append(out, fmt.Sprintf("%s:%s", x.Kind, x.Register))
		}
		return strings.Join(out, " ")
	}
	depend, from := k.Open()
	var ops []string
	for _, x := range from {
		ops = append(ops, k.prog.isa.Instructions[x.PC].Opcode)
	}
	return list(k.Taints()), list(depend), strings.Join(ops, " ")
}

// What a claim that holds for all inputs once missed, and the cases beside it in
// which it may be made.
func TestFindings(t *testing.T) {
	const (
		branch = "setp.ne.u32 %p1, %r1, 0; @%p1 bra L;"
		keep   = `.func (.param .b32 q) keep (.param .b32 x) { .reg .b32 y, z; .reg .pred p; ld.param.b32 z, [x]; setp.gt.u32 p, z, 3; @p mov.u32 y, 5; st.param.b32 [q], y; ret; }
.func (.param .b32 q) keepp (.param .b32 x) { .reg .b32 y, z; .reg .pred p, c; ld.param.b32 z, [x]; setp.gt.u32 p, z, 3; @p setp.eq.u32 c, z, z; selp.u32 y, 1, 2, c; st.param.b32 [q], y; ret; }
.func (.param .b32 q) field (.param .align 4 .b8 x[16], .param .b32 i) { .reg .b32 y, z; .reg .b64 d, e; mov.b64 d, x; ld.param.b32 z, [i]; mul.wide.u32 e, z, 4; add.u64 d, d, e; st.param.b32 [d], 7; ld.param.b32 y, [x]; st.param.b32 [q], y; ret; }
`
		call  = "{ .param .b32 x; .param .b32 q; st.param.b32 [x], %r5; call (q), keep, (x); ld.param.b32 %r1, [q]; }\n"
		callp = "{ .param .b32 x; .param .b32 q; st.param.b32 [x], %r5; call (q), keepp, (x); ld.param.b32 %r1, [q]; }\n"
		store = "{ .param .align 4 .b8 x[16]; .param .b32 i; .param .b32 q; st.param.b32 [x], 1; st.param.b32 [x+4], 1; st.param.b32 [x+8], 1; st.param.b32 [x+12], 1; st.param.b32 [i], %r5; call (q), field, (x, i); ld.param.b32 %r1, [q]; }\n"
	)
	for _, c := range []struct{ name, body, taints, open, results string }{
		// V1
		{"a block that relied on what it overwrites with unknown data",
			"@%p10 ld.global.u32 %r1, [%a]; @%p10 ld.global.u32 %r2, [%u]; @%p10 st.global.u32 [%a], %r2; @%p11 st.global.u32 [%a], 100;", "order:a", "", ""},
		{"a block that relied on what it overwrites, another's unused load, a third's store",
			"@%p10 ld.global.u32 %r1, [%a]; @%p10 st.global.u32 [%a], 5; @%p11 ld.global.u32 %r2, [%a]; @%p12 st.global.u32 [%a], 100;", "order:a", "", ""},
		{"the same through an unknown address",
			"@%p10 ld.global.u32 %r1, [%a]; @%p10 st.global.u32 [%a], 5; ld.global.u32 %r3, [%u]; and.b32 %r3, %r3, 28; cvt.u64.u32 %rd1, %r3; add.u64 %rd1, %a, %rd1; @%p11 st.global.u32 [%rd1], 3;", "address:%rd1 order:a", "", ""},
		{"blocks that only read", "ld.global.u32 %r1, [%a]; " + branch, "", "", ""},
		{"a block that reads its own store", "@%p10 st.global.u32 [%a], 5; @%p10 ld.global.u32 %r1, [%a]; @!%p10 mov.u32 %r1, 0; " + branch, "", "", ""},
		{"unknown data overwritten by the same block", "ld.global.u32 %r2, [%u]; @%p10 st.global.u32 [%a], %r2; @%p10 st.global.u32 [%a], 5; @%p10 ld.global.u32 %r1, [%a]; @!%p10 mov.u32 %r1, 0; " + branch, "", "", ""},
		// V2
		{"a parameter written through an unknown address", "ld.global.u32 %r5, [%u]; and.b32 %r5, %r5, 3;\n" + store + branch, "branch:%p1 address:d", "", ""},
		{"a parameter written through a known address", "mov.u32 %r5, 1;\n" + store + branch, "", "", ""},
		// V3
		{"a copy not waited for", "add.u64 %rd1, %a, %w; cvt.u32.u64 %r9, %w; mov.u32 %r8, s; add.u32 %r9, %r9, %r8; st.shared.u32 [%r9], 0; cp.async.ca.shared.global [%r9], [%rd1], 4; ld.shared.u32 %r1, [%r9]; " + branch, "branch:%p1", "", ""},
		{"a copy waited for", "add.u64 %rd1, %a, %w; cvt.u32.u64 %r9, %w; mov.u32 %r8, s; add.u32 %r9, %r9, %r8; cp.async.ca.shared.global [%r9], [%rd1], 4; cp.async.wait_all; ld.shared.u32 %r1, [%r9]; " + branch, "", "", ""},
		{"the older of two groups", "add.u64 %rd1, %a, %w; cvt.u32.u64 %r9, %w; mov.u32 %r8, s; add.u32 %r9, %r9, %r8; cp.async.ca.shared.global [%r9], [%rd1], 4; cp.async.commit_group; cp.async.ca.shared.global [%r9+128], [%rd1], 4; cp.async.commit_group; cp.async.wait_group 1; ld.shared.u32 %r1, [%r9]; " + branch, "", "", ""},
		{"the younger of two groups", "add.u64 %rd1, %a, %w; cvt.u32.u64 %r9, %w; mov.u32 %r8, s; add.u32 %r9, %r9, %r8; cp.async.ca.shared.global [%r9], [%rd1], 4; cp.async.commit_group; cp.async.ca.shared.global [%r9+128], [%rd1], 4; cp.async.commit_group; cp.async.wait_group 1; ld.shared.u32 %r1, [%r9+128]; " + branch, "branch:%p1", "", ""},
		{"a copy in no group", "add.u64 %rd1, %a, %w; cvt.u32.u64 %r9, %w; mov.u32 %r8, s; add.u32 %r9, %r9, %r8; cp.async.ca.shared.global [%r9], [%rd1], 4; cp.async.wait_group 0; ld.shared.u32 %r1, [%r9]; " + branch, "branch:%p1", "", ""},
		{"a destination written in between", "add.u64 %rd1, %a, %w; cvt.u32.u64 %r9, %w; mov.u32 %r8, s; add.u32 %r9, %r9, %r8; cp.async.ca.shared.global [%r9], [%rd1], 4; st.shared.u32 [%r9], 3; cp.async.wait_all; ld.shared.u32 %r1, [%r9]; " + branch, "branch:%p1", "", ""},
		{"a source written in between", "@!%p10 bra L; add.u64 %rd1, %a, %w; cvt.u32.u64 %r9, %w; mov.u32 %r8, s; add.u32 %r9, %r9, %r8; cp.async.ca.shared.global [%r9], [%rd1], 4; st.global.u32 [%rd1], 3; cp.async.wait_all; ld.shared.u32 %r1, [%r9]; " + branch, "order:a", "", ""},
		// U1
		{"a register that the second call does not write", "mov.u32 %r5, 9;\n" + call + "mov.u32 %r5, 1;\n" + call + branch, "branch:%p1", "", ""},
		{"a register that the second call writes", "mov.u32 %r5, 1;\n" + call + "mov.u32 %r5, 9;\n" + call + branch, "", "", ""},
		{"a predicate that the second call does not write", "mov.u32 %r5, 9;\n" + callp + "mov.u32 %r5, 1;\n" + callp + branch, "branch:%p1", "", ""},
		// U2
		{"lanes that store different values at one address", "st.shared.u32 [s], %t; ld.shared.u32 %r1, [s]; " + branch, "branch:%p1", "", ""},
		{"lanes that store the same value at one address", "mov.u32 %r2, 3; st.shared.u32 [s], %r2; ld.shared.u32 %r1, [s]; " + branch, "", "", ""},
		{"lanes that store different high bits of one byte", "shl.b32 %r2, %t, 8; st.shared.u32 [s], 0; st.shared.u8 [s], %r2; ld.shared.u32 %r1, [s]; " + branch, "", "", ""},
		{"a lane that stores an unknown value before others", "mov.u32 %r2, 0; @%p13 ld.global.u32 %r2, [%u]; st.shared.u32 [s], %r2; ld.shared.u32 %r1, [s]; " + branch, "branch:%p1", "", ""},
		{"pairs of lanes with one address each", "shr.u32 %r2, %t, 1; shl.b32 %r3, %r2, 2; mov.u32 %r4, s; add.u32 %r4, %r4, %r3; st.shared.u32 [%r4], %r2; ld.shared.u32 %r1, [%r4]; " + branch, "", "", ""},
		{"each lane its own local memory", "st.local.u32 [l], %t; ld.local.u32 %r1, [l]; " + branch, "", "", ""},
		// U3, U4
		{"the number of the warp", "mov.u32 %r1, %warpid; " + branch, "branch:%p1", "", ""},
		{"the size of shared memory", "mov.u32 %r1, %total_smem_size; " + branch, "branch:%p1", "", ""},
		{"the size of dynamic shared memory", "mov.u32 %r1, %dynamic_smem_size; " + branch, "", "", ""},
		// U5
		{"an approximate function", "cvt.rn.f32.u32 %f1, %t; lg2.approx.f32 %f1, %f1; cvt.rzi.s32.f32 %r1, %f1; " + branch, "", "branch:%p1", "lg2.approx.f32"},
		{"an approximate function that decides nothing", "cvt.rn.f32.u32 %f1, %t; lg2.approx.f32 %f1, %f1; st.global.f32 [%u], %f1; mov.u32 %r1, 0; " + branch, "", "", "lg2.approx.f32"},
		{"a correctly rounded division", "cvt.rn.f32.u32 %f1, %t; div.rn.f32 %f1, %f1, 0f40400000; cvt.rzi.s32.f32 %r1, %f1; " + branch, "", "", ""},
		{"a division by zero", "div.u32 %r1, 7, %t; " + branch, "", "branch:%p1", "div.u32"},
		{"a division by what is not zero", "add.u32 %r2, %t, 1; div.u32 %r1, 7, %r2; " + branch, "", "", ""},
		{"the least number divided by minus one", "mov.u32 %r2, 0x80000000; sub.u32 %r3, 0, 1; rem.s32 %r1, %r2, %r3; " + branch, "", "branch:%p1", "rem.s32"},
		{"the leader that elect chooses", "elect.sync %r1|%p1, -1; @%p1 bra L;", "", "branch:%p1", "elect.sync"},
		{"open and unknown at once", "ld.global.u32 %r2, [%u]; div.u32 %r1, %r2, %t; " + branch, "branch:%p1", "", "div.u32"},
		// M3
		{"a prefetch of an unknown address", "ld.global.u32 %r3, [%u]; and.b32 %r3, %r3, 28; cvt.u64.u32 %rd1, %r3; add.u64 %rd1, %a, %rd1; prefetch.global.L1 [%rd1];", "address:%rd1", "", ""},
		// Found on the way: lanes that may not take part.
		{"a shuffle among lanes under an unknown guard", "ld.global.u32 %r2, [%u]; add.u32 %r2, %r2, %t; setp.ne.u32 %p5, %r2, 77; mov.u32 %r1, 0; @%p5 shfl.sync.bfly.b32 %r1, %t, 0, 31, -1; @%p13 mov.u32 %r1, 0; " + branch, "branch:%p1", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			taints, open, results := observed(t, keep, c.body)
			if taints != c.taints || open != c.open || results != c.results {
				t.Errorf("recorded %q, open %q from %q; want %q, %q from %q", taints, open, results, c.taints, c.open, c.results)
			}
		})
	}
}

// Each thread has local memory of its own, interleaved by lane with those of the
// others; accesses to different memories are different ones (M1, M2); a prefetch
// is as many as a load (M3).
func TestTransactionsOfAccesses(t *testing.T) {
	for _, c := range []struct {
		name, body string
		space      isa.Space
		want       int // segments of 32 bytes
	}{
		{"local words at one address", "ld.local.u32 %r1, [l];", isa.Local, 4},
		{"local bytes at one address", "ld.local.u8 %r1, [l+5];", isa.Local, 4},
		{"local pairs at one address", "ld.local.v2.u32 {%r1, %r2}, [l];", isa.Local, 8},
		{"local doubles at one address", "ld.local.u64 %rd1, [l+8];", isa.Local, 8},
		{"local words of half the lanes", "setp.lt.u32 %p1, %t, 16; @%p1 ld.local.u32 %r1, [l];", isa.Local, 2},
		{"local words at different addresses", "and.b32 %r2, %t, 3; shl.b32 %r2, %r2, 2; mov.u32 %r3, l; add.u32 %r3, %r3, %r2; ld.local.u32 %r1, [%r3];", isa.Local, 16},
		{"generic access to local memory", "cvta.local.u64 %rd1, %rd5; ld.u32 %r1, [%rd1];", isa.Local, 4},
		{"generic access to shared and local memory", "selp.b64 %rd1, %rd6, %rd7, %p1; ld.u32 %r1, [%rd1];", isa.Generic, 1 + 2},
		{"generic store to shared and local memory", "selp.b64 %rd1, %rd6, %rd7, %p1; st.u32 [%rd1], %t;", isa.Generic, 1 + 2},
		{"generic atomic on shared and global memory", "selp.b64 %rd1, %rd6, %a, %p1; atom.add.u32 %r1, [%rd1], 1;", isa.Generic, 2},
		{"generic access to shared memory by some, none by others", "@%p1 ld.u32 %r1, [%rd6];", isa.Shared, 1},
		{"a prefetch", "mul.wide.u32 %rd1, %t, 32; add.u64 %rd1, %rd1, %a; prefetch.global.L2 [%rd1];", isa.Global, 32},
		{"a prefetch of neighbours", "mul.wide.u32 %rd1, %t, 4; add.u64 %rd1, %rd1, %a; prefetch.global.L2 [%rd1];", isa.Global, 4},
	} {
		src := header + `.visible .entry k(.param .u64 pa) {
	.reg .b32 %t, %r<9>; .reg .b64 %a, %rd<9>; .reg .pred %p<9>; .shared .align 16 .b8 s[64]; .local .align 16 .b8 l[64];
	ld.param.u64 %a, [pa]; mov.u32 %t, %tid.x; setp.lt.u32 %p1, %t, 16; mov.u64 %rd5, l; cvta.local.u64 %rd7, %rd5; mov.u64 %rd5, s; cvta.shared.u64 %rd6, %rd5; mov.u64 %rd5, l;
	add.u64 %rd8, %rd6, 0; ` + c.body + "\nret;\n}\n"
		k := launch(t, lower(t, src, "k"), LaunchConfig{Grid: [3]int{1, 1, 1}, Block: [3]int{32, 1, 1}, Args: []Arg{{Name: "a", Buffer: buffer(make([]byte, 1024))}}})
		b, err := k.NewBlock(0)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		var n int64
		err = simt.RunBlock(context.Background(), b, simt.Limits{}, &n, func(_ int, s *simt.Step) {
			if s.WidthBytes > 0 && s.Space != isa.Param {
				got = append(got, fmt.Sprint(s.Space, " ", s.Segments(32)))
			}
		})
		if want := fmt.Sprint(c.space, " ", c.want); err != nil || len(got) != 1 || got[0] != want {
			t.Errorf("%s: %v, %v, want %s", c.name, got, err, want)
		}
	}
}

// What varies stays within what PTX leaves open: a kernel that depends on none of
// it computes the same.
func TestVariationsComputeTheSame(t *testing.T) {
	plain, _, _ := sgemm(t, 32)
	run(t, plain)
	for seed := range uint64(5) {
		varied, _, _ := sgemm(t, 32)
		varied = launch(t, varied.prog, LaunchConfig{Grid: varied.grid, Block: varied.block, Options: Options{Vary: random(seed)}, Args: []Arg{
			{Name: "a", Buffer: buffer(varied.Buffer("a"))}, {Name: "b", Buffer: buffer(varied.Buffer("b"))}, {Name: "c", Buffer: buffer(varied.Buffer("c"))}, {Bytes: u32bytes(32)},
		}})
		run(t, varied)
		if string(plain.Buffer("c")) != string(varied.Buffer("c")) {
			t.Error("results differ")
		}
	}
}

func random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }
