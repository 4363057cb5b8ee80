package ptxexec

import (
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/simt"
)

// indirectModule calls the function that an element of table names, by the
// word of in, with the index of the thread.
func indirectModule(targets, call string) string {
	return header + `
.func (.param .b32 r) plus(.param .b32 a);
.func (.param .b32 r) times(.param .b32 a);
.func (.param .b32 r) chain(.param .b32 a);
.global .u64 table[3] = {plus, times, chain};
.func (.param .b32 r) plus(.param .b32 a) { .reg .b32 %x; ld.param.u32 %x, [a]; add.u32 %x, %x, 100; st.param.u32 [r], %x; ret; }
.func (.param .b32 r) times(.param .b32 a) {
	.reg .b32 %x; .reg .pred %odd;
	ld.param.u32 %x, [a]; and.b32 %x, %x, 1; setp.eq.u32 %odd, %x, 1; ld.param.u32 %x, [a];
	@%odd bra O; mul.lo.u32 %x, %x, 3; st.param.u32 [r], %x; ret;
O:	mul.lo.u32 %x, %x, 5; st.param.u32 [r], %x; ret;
}
.func (.param .b32 r) chain(.param .b32 a) {
	.reg .b32 %x; .reg .b64 %f;
	.param .b32 p; .param .b32 q;
	F: .callprototype (.param .b32 _) _ (.param .b32 _);
	ld.param.u32 %x, [a]; add.u32 %x, %x, 1000; st.param.b32 [p], %x;
	ld.global.u64 %f, [table];
	call (q), %f, (p), F;
	ld.param.u32 %x, [q]; st.param.u32 [r], %x; ret;
}
.func (.param .b32 r) never(.param .b32 a) { st.param.u32 [r], 7; ret; }
.visible .entry k(.param .u64 in, .param .u64 out) {
	.reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .pred %p<2>;
	` + targets + `
	ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd3, %r1, 4; add.u64 %rd1, %rd1, %rd3; add.u64 %rd2, %rd2, %rd3;
	ld.global.u32 %r2, [%rd1]; mov.u64 %rd4, table; mad.wide.u32 %rd4, %r2, 8, %rd4;
	setp.lt.u32 %p1, %r2, 3; mov.u32 %r4, 9; mov.u64 %rd5, never;
	@%p1 ld.global.u64 %rd5, [%rd4];
	{
	.param .b32 arg; .param .b32 res;
	st.param.b32 [arg], %r1; st.param.b32 [res], 9;
	` + call + `
	ld.param.u32 %r4, [res];
	}
	st.global.u32 [%rd2], %r4;
	ret;
}`
}

func indirectLaunch(t *testing.T, module string, choice []uint32, o Options, known bool) *Kernel {
	t.Helper()
	return launch(t, lower(t, module, "k"), LaunchConfig{Grid: [3]int{1, 1, 1}, Block: [3]int{len(choice), 1, 1}, Options: o, Args: []Arg{
		{Name: "in", Buffer: &Buffer{Contents: u32bytes(choice...), Known: known}}, {Name: "out", Buffer: &Buffer{Contents: make([]byte, 4*len(choice))}}}})
}

func TestIndirectCalls(t *testing.T) {
	for name, module := range map[string]string{
		"prototype": indirectModule("P: .callprototype (.param .b32 _) _ (.param .b32 _);", "@%p1 call (res), %rd5, (arg), P;"),
		"targets":   indirectModule("P: .calltargets plus, times, chain;", "@%p1 call (res), %rd5, (arg), P;"),
		"table":     indirectModule("", "@%p1 call (res), %rd5, (arg), table;"),
	} {
		for _, same := range []bool{false, true} {
			choice := make([]uint32, 60)
			for i := range choice {
				choice[i] = uint32(i*7) % 4 // 3 calls nothing
				if same {
					choice[i] = 1
				}
			}
			k := indirectLaunch(t, module, choice, Options{}, false)
			run(t, k)
			for i, got := range words(k.Buffer("out"), 60) {
				x := uint32(i)
				times := 3 * x
				if x%2 == 1 {
					times = 5 * x
				}
				if want := [4]uint32{x + 100, times, x + 1100, 9}[choice[i]]; got != want {
					t.Fatalf("%s: thread %d, function %d: %d, want %d", name, i, choice[i], got, want)
				}
			}
		}
	}
}

// A call enters one function after the other, each with the lanes that name it.
func TestIndirectCallSteps(t *testing.T) {
	k := indirectLaunch(t, indirectModule("P: .calltargets plus, times, chain;", "@%p1 call (res), %rd5, (arg), P;"), []uint32{1, 0, 1, 3, 0}, Options{}, false)
	b, err := k.NewBlock(0)
	if err != nil {
		t.Fatal(err)
	}
	var masks []simt.Mask
	var n int64
	if err := simt.RunBlock(t.Context(), b, simt.Limits{}, &n, func(_ int, s *simt.Step) {
		if k.Program().Instructions[s.PC].Opcode == "call" {
			masks = append(masks, s.Exec)
		}
	}); err != nil {
		t.Fatal(err)
	}
	if len(masks) != 2 || masks[0] != 0b101 || masks[1] != 0b10010 {
		t.Errorf("calls by lanes %b, want 101 and 10010", masks)
	}
}

func TestIndirectCallTaint(t *testing.T) {
	module := indirectModule("P: .calltargets plus, times, chain;", "@%p1 call (res), %rd5, (arg), P;")
	module = strings.Replace(module, "@%p1 call", "call", 1) // no guard, which would be tainted too
	for _, known := range []bool{true, false} {
		k := indirectLaunch(t, module, []uint32{0, 1, 0, 2}, Options{Taint: true}, known)
		run(t, k)
		calls := 0
		for _, x := range k.Taints() {
			if x.Kind == simt.TaintBranch && k.Program().Instructions[x.PC].Opcode == "call" {
				calls++
			}
		}
		if known && len(k.Taints()) != 0 || !known && calls != 1 {
			t.Errorf("known %v: taints %v", known, k.Taints())
		}
	}
}

func TestWrongIndirectCalls(t *testing.T) {
	call := "call (res), %rd5, (arg), P;"
	for _, c := range []struct{ module, want string }{
		{indirectModule("P: .calltargets plus, times, chain;", call), "which is no function that this call may enter"}, // never is not listed
		{indirectModule("P: .calltargets plus;", "mov.u64 %rd5, 12345; "+call), "call of address 0x3039"},
	} {
		k := indirectLaunch(t, c.module, []uint32{3}, Options{}, false)
		b, _ := k.NewBlock(0)
		var n int64
		if err := simt.RunBlock(t.Context(), b, simt.Limits{}, &n, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	for _, c := range []struct{ module, want string }{
		{indirectModule("P: .callprototype (.param .b64 _) _ (.param .b32 _);", call), "the indirect call has no targets"},
		{indirectModule("P: .calltargets plus, nobody;", call), "nobody is not a declared function"},
	} {
		if _, err := Lower(parse(t, c.module), "k"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}
