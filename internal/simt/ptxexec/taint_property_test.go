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

// randomDataflow writes a kernel of arithmetic, memory accesses, exchanges and
// branches, in which one register of each kind is loaded from the buffer "in".
func randomDataflow(r *rand.Rand, all []func(*rand.Rand) string) string {
	var b strings.Builder
	b.WriteString(header + `
.func (.param .b32 res) mix (.param .b32 x, .param .b32 y) { .reg .b32 p, q; ld.param.b32 p, [x]; ld.param.b32 q, [y]; mad.lo.u32 p, p, 3, q; st.param.b32 [res], p; ret; }
.visible .entry k(.param .u64 out, .param .u64 in) {
	.reg .b16 %h<6>; .reg .b32 %r<6>, %z; .reg .b64 %d<6>, %y; .reg .pred %p<6>; .reg .b64 %o, %i; .reg .b32 %t, %lane;
	.shared .align 8 .b8 s[512]; .local .align 8 .b8 l[64];
	mov.u32 %t, %tid.x; mov.u32 %lane, %laneid;
	ld.param.u64 %i, [in]; ld.param.u64 %o, [out]; mul.wide.u32 %y, %t, 8; add.u64 %i, %i, %y; add.u64 %o, %o, %y;
	mov.u32 %z, s; shl.b32 %lane, %t, 2; add.u32 %lane, %lane, %z;
	st.shared.u32 [%lane], %t; st.shared.u32 [%lane+256], %t; st.local.u64 [l], %y; st.local.u64 [l+8], 7; bar.sync 0;
`)
	for i := range 6 {
		fmt.Fprintf(&b, "add.u32 %%r%d, %%t, %d; cvt.s64.s32 %%d%d, %%r%d; cvt.u16.u32 %%h%d, %%r%d; setp.gt.u32 %%p%d, %%t, %d;\n", i, r.IntN(40), i, i, i, i, i, r.IntN(64))
	}
	b.WriteString("ld.global.u32 %r5, [%i]; ld.global.u64 %d5, [%i]; cvt.u16.u32 %h5, %r5;\n")
	reg := func() string { return fmt.Sprintf("%%r%d", r.IntN(6)) }
	statement := func() string {
		switch r.IntN(11) {
		case 0:
			return fmt.Sprintf("st.shared.u32 [%%lane+%d], %s", r.IntN(2)*256, reg())
		case 1:
			return fmt.Sprintf("ld.shared.u32 %s, [%%lane+%d]", reg(), r.IntN(2)*256)
		case 2:
			return fmt.Sprintf("st.local.b16 [l+%d], %%h%d", 2*r.IntN(8), r.IntN(6))
		case 3:
			return fmt.Sprintf("ld.local.u32 %s, [l+%d]", reg(), 4*r.IntN(4))
		case 4:
			return fmt.Sprintf("shfl.sync.bfly.b32 %s, %s, %d, 31, -1", reg(), reg(), r.IntN(32))
		case 5:
			return fmt.Sprintf("vote.sync.ballot.b32 %s, %%p%d, -1", reg(), r.IntN(6))
		case 6: // an address that depends on a register
			a := reg()
			return fmt.Sprintf("and.b32 %%z, %s, 0x1fc; mov.u32 %s, s; add.u32 %%z, %%z, %s; st.shared.u32 [%%z], %s", a, a, a, reg())
		case 7:
			return fmt.Sprintf("{ .param .b32 a; .param .b32 b; .param .b32 c; st.param.b32 [a], %s; st.param.b32 [b], %s; call (c), mix, (a, b); ld.param.b32 %s, [c]; }", reg(), reg(), reg())
		}
		return all[r.IntN(len(all))](r)
	}
	for n := range 14 {
		switch r.IntN(6) {
		case 0:
			// Statements between the branch and its label hold no exchange: not
			// all lanes come there.
			fmt.Fprintf(&b, "@%%p%d bra L%d;\n%s;\n%s;\nL%d:\n", r.IntN(6), n, all[r.IntN(len(all))](r), all[r.IntN(len(all))](r), n)
		case 1:
			fmt.Fprintf(&b, "@!%%p%d %s;\n", r.IntN(6), all[r.IntN(len(all))](r))
		default:
			b.WriteString(statement() + ";\n")
		}
	}
	b.WriteString("st.global.u32 [%o], %r0; ret; }\n")
	return b.String()
}

// Where no branch is recorded, the instructions and active masks are the same
// for all contents of the buffer that is not known; where no address is, either,
// so are the addresses of the lanes that access memory.
func TestUntaintedPathsHoldForAllInputs(t *testing.T) {
	all := laneForms()
	clean, tainted, differ := 0, 0, 0
	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 77))
		p := lower(t, randomDataflow(r, all), "k")
		trace := func(taint bool) (path, addresses string, taints []simt.Taint) {
			in := make([]byte, 64*8)
			for i := range in {
				in[i] = byte(r.Uint32())
			}
			k := launch(t, p, LaunchConfig{Grid: [3]int{1, 1, 1}, Block: [3]int{64, 1, 1}, Options: Options{Taint: taint}, Args: []Arg{
				{Name: "out", Buffer: buffer(make([]byte, 64*8))}, {Name: "in", Buffer: buffer(in)},
			}})
			b, err := k.NewBlock(0)
			if err != nil {
				t.Fatal(err)
			}
			var pcs, addrs strings.Builder
			var n int64
			err = simt.RunBlock(context.Background(), b, simt.Limits{MaxInstructions: 10000}, &n, func(warp int, s *simt.Step) {
				fmt.Fprintf(&pcs, "%d %d %x\n", warp, s.PC, s.Active)
				if s.Space != isa.NoSpace {
					for i, a := range s.Addresses {
						if s.Exec>>i&1 != 0 {
							fmt.Fprintf(&addrs, " %d:%x", i, a)
						}
					}
				}
			})
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			return pcs.String(), addrs.String(), k.Taints()
		}
		path, addresses, taints := trace(true)
		control := false // a branch is recorded
		for _, x := range taints {
			control = control || x.Kind != simt.TaintAddress
		}
		same := true
		for range 4 {
			p, a, _ := trace(false)
			if p != path && !control || a != addresses && len(taints) == 0 {
				t.Fatalf("seed %d: the path depends on the input, recorded are %v\n%s", seed, taints, randomDataflow(rand.New(rand.NewPCG(seed, 77)), all))
			}
			same = same && p == path && a == addresses
		}
		if len(taints) == 0 {
			clean++
		} else {
			tainted++
		}
		if !same {
			differ++
		}
	}
	t.Logf("%d clean, %d tainted, of these %d seen to differ", clean, tainted, differ)
	if clean < 100 || differ < 100 {
		t.Errorf("%d clean and %d differing programs: the test says little", clean, differ)
	}
}
