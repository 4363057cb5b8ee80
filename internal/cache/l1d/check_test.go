package l1d

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/simt"
)

func TestAnalyseRefusesWhatDependsOnUnknownData(t *testing.T) {
	const load = "mul.wide.u32 %rd1, %tid, 4; add.u64 %rd1, %rd1, %base; ld.global.u32 %r1, [%rd1+4096];\n"
	for _, c := range []struct {
		what, text string
		want       string // part of the error, "" where it is accepted
		always     bool   // refused with known contents too
	}{
		{what: "an address", text: load + "and.b32 %r1, %r1, 255; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd2, %base; ld.global.u32 %r2, [%rd2]; ret;",
			want: "test.ptx:14:78: ld.global.u32 at pc 9: the address, or whether there is an access, depends on unknown data, through %rd2, loaded at line 13"},
		{what: "a guard", text: load + "setp.ne.u32 %p1, %r1, 0; @%p1 st.global.u32 [%rd1], %tid; ret;",
			want: "st.global.u32 at pc 7: the address, or whether there is an access, depends on unknown data, through %p1, loaded at line 13"},
		{what: "a branch to an access", text: load + "setp.ne.u32 %p1, %r1, 0; @%p1 bra END; st.global.u32 [%rd1], %tid; END: ret;",
			want: "bra at pc 7: the branch depends on unknown data and decides whether the access at line 14 is made, through %p1, loaded at line 13"},
		{what: "a branch to a barrier", text: load + "setp.ne.u32 %p1, %r1, 0; @%p1 bra END; bar.sync 0; END: ret;",
			want: "decides who comes to the barrier at line 14"},
		{what: "a branch that decides an address", text: load + "mov.u32 %r3, 0; setp.ne.u32 %p1, %r1, 0; @%p1 bra END; mov.u32 %r3, 4; END: mul.wide.u32 %rd2, %r3, 4; add.u64 %rd2, %rd2, %base; st.global.u32 [%rd2], %tid; ret;",
			want: "decides the value of %r3, which accesses depend on, at line 14"},
		{what: "a branch that decides a stored value", text: load + "mov.u32 %r3, 0; setp.ne.u32 %p1, %r1, 0; @%p1 bra END; mov.u32 %r3, 4; END: st.global.u32 [%rd1], %r3; ret;"},
		{what: "an exit", text: load + "setp.ne.u32 %p1, %r1, 0; @%p1 exit; st.global.u32 [%rd1], %tid; ret;",
			want: "exit at pc 7: the branch depends on unknown data and decides whether the access"},
		{what: "an exit behind the last access", text: load + "setp.ne.u32 %p1, %r1, 0; @%p1 exit; mov.u32 %r2, 0; ret;"},
		{what: "a loop without accesses", text: load + "and.b32 %r1, %r1, 15; L: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 16; @%p1 bra L; st.global.u32 [%rd1], %r1; ret;"},
		{what: "an address in shared memory", text: load + "and.b32 %r1, %r1, 255; shl.b32 %r1, %r1, 2; mov.u32 %r2, tile; add.u32 %r1, %r1, %r2; st.shared.u32 [%r1], %tid; st.global.u32 [%rd1], %tid; ret;"},
		{what: "an address from such shared memory", text: load + "and.b32 %r1, %r1, 255; shl.b32 %r1, %r1, 2; mov.u32 %r2, tile; st.shared.u32 [%r2], 0; add.u32 %r1, %r1, %r2; st.shared.u32 [%r1], %tid; ld.shared.u32 %r3, [%r2]; mul.wide.u32 %rd2, %r3, 4; add.u64 %rd2, %rd2, %base; st.global.u32 [%rd2], %tid; ret;",
			want: "through %rd2, loaded at line 14", always: true},
		{what: "a branch that decides what shared memory holds, and accesses depend on loads",
			text: "st.shared.u32 [tile], 0; bar.sync 0;" + load + "setp.ne.u32 %p1, %r1, 0; @%p1 bra END; st.shared.u32 [tile+4], 1; END: bar.sync 0; ld.shared.u32 %r3, [tile]; mul.wide.u32 %rd2, %r3, 4; add.u64 %rd2, %rd2, %base; st.global.u32 [%rd2], %tid; ret;",
			want: "decides what line 14 stores, and accesses depend on loads", always: true},
		{what: "a branch that decides what is stored behind it, and loaded for an address",
			text: load + "mov.u32 %r3, 0; setp.ne.u32 %p1, %r1, 0; @%p1 bra END; mov.u32 %r3, 4; END: st.shared.u32 [tile], %r3; bar.sync 0; ld.shared.u32 %r4, [tile]; mul.wide.u32 %rd2, %r4, 4; add.u64 %rd2, %rd2, %base; st.global.u32 [%rd2], %tid; ret;",
			want: "decides the value of %r3, which accesses depend on, at line 14", always: true},
		{what: "the result of an atomic", text: "atom.global.add.u32 %r1, [%base], 1; and.b32 %r1, %r1, 255; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd2, %base; st.global.u32 [%rd2], %tid; ret;",
			want: "st.global.u32 at pc 7: the address", always: true},
		{what: "no unknown data", text: load + "st.global.u32 [%rd1+8192], %r1; ret;"},
	} {
		s := source{grid: 1, block: 64, text: c.text}
		_, err := Analyse(context.Background(), s.kernel(t, true), AnalyseOptions{})
		var refused *NotAnalysable
		switch {
		case c.want == "":
			if err != nil {
				t.Errorf("%s: %v", c.what, err)
			}
			continue
		case !errors.Is(err, ErrNotAnalysable) || !errors.As(err, &refused) || !strings.Contains(err.Error(), c.want):
			t.Errorf("%s: %v, want %q", c.what, err, c.want)
			continue
		}
		if refused.Kernel != "k" || len(refused.Reasons) == 0 {
			t.Errorf("%s: %+v", c.what, refused)
		}
		s.known = true
		if _, err := Analyse(context.Background(), s.kernel(t, true), AnalyseOptions{}); (err != nil) != c.always {
			t.Errorf("%s: with known contents: %v", c.what, err)
		}
	}
}

// A race matters only where accesses depend on what is loaded.
func TestAnalyseAndRaces(t *testing.T) {
	race := "mul.wide.u32 %rd1, %tid, 4; add.u64 %rd1, %rd1, %base; ld.global.u32 %r1, [%base]; st.global.u32 [%base], %tid; "
	for _, c := range []struct {
		text    string
		refused bool
	}{
		{race + "st.global.u32 [%rd1+512], %r1; ret;", false},
		{"mov.u32 %r9, 0; ld.global.u32 %r9, [%base+2048];" + race + "mul.wide.u32 %rd2, %r9, 4; add.u64 %rd2, %rd2, %base; st.global.u32 [%rd2+512], %r1; ret;", true},
		{race + "setp.lt.u32 %p1, %tid, 5; atom.global.add.u32 %r2, [%base+512], %r1; @%p1 red.global.add.u32 [%rd1+512], %r2; ret;", false},
		{race + "setp.ne.u32 %p1, %r1, 0; @%p1 red.global.add.u32 [%rd1+512], %tid; ret;", true},
	} {
		s := source{grid: 1, block: 64, known: true, text: c.text}
		_, err := Analyse(context.Background(), s.kernel(t, true), AnalyseOptions{})
		// Whether blocks are followed or executed makes no difference.
		_, executed := execute(context.Background(), s.kernel(t, true), AnalyseOptions{})
		for _, err := range []error{err, executed} {
			if c.refused != (err != nil) || c.refused && !strings.Contains(err.Error(), "depends on the order of the warps") {
				t.Errorf("%v, want refused %v: %s", err, c.refused, c.text)
			}
		}
	}
}

func TestAnalyseReportsRunTimeErrors(t *testing.T) {
	_, err := Analyse(context.Background(), source{grid: 1, block: 32, text: "st.global.u32 [%base+1073741824], %tid; ret;"}.kernel(t, true), AnalyseOptions{})
	if !errors.Is(err, simt.ErrOutOfBounds) {
		t.Errorf("an access outside: %v", err)
	}
	_, err = Analyse(context.Background(), source{grid: 1, block: 32, text: "L: bra L;"}.kernel(t, true), AnalyseOptions{Limits: simt.Limits{MaxInstructions: 100}})
	if !errors.Is(err, simt.ErrInstructionLimit) {
		t.Errorf("no end: %v", err)
	}
}

// A program whose data is not followed has no known accesses, whatever stands
// where that is said.
func TestRefuseWhatIsNotFollowed(t *testing.T) {
	p := fresh(t, openExample(t, "basic/saxpy/saxpy.toml")).Program()
	err := Refuse(p, []simt.Taint{{Kind: simt.TaintUnfollowed}})
	if !errors.Is(err, ErrNotAnalysable) || !strings.Contains(err.Error(), "ld.param.u32 at pc 0: which accesses depend on unknown data is not followed from here on") {
		t.Errorf("%v", err)
	}
}
