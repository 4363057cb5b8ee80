package ptxexec

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/ptx"
)

// laneForms are the forms of the opcode table whose result in a lane depends on
// that lane only.
func laneForms() []func(r *rand.Rand) string {
	var out []func(r *rand.Rand) string
	skip := map[string]bool{
		"call": true, "brx": true, "bra": true, "ret": true, "exit": true, "trap": true, "bar": true, "barrier": true,
		"shfl": true, "vote": true, "match": true, "redux": true, "activemask": true, "elect": true,
		"ld": true, "ldu": true, "st": true, "atom": true, "red": true, "cp": true, "prefetch": true, "prefetchu": true,
		"membar": true, "fence": true, "tex": true, "tld4": true, "ldmatrix": true, "mma": true, "wmma": true, "mbarrier": true,
	}
	forms(func(op string, v *ptx.Variant, mods []string) {
		if skip[op] {
			return
		}
		for _, places := range v.Operands {
			form, err := (&ptx.Inst{Op: op, Mods: mods, Operands: make([]ptx.Operand, len(places))}).Form()
			if err != nil || form.Variant.State != ptx.Executed {
				return
			}
			out = append(out, func(r *rand.Rand) string {
				inst := strings.Join(append([]string{op}, mods...), ".")
				for i, p := range places {
					sep := ","
					if i == 0 {
						sep = ""
					}
					inst += sep + " " + randomOperand(r, p, &form)
				}
				return inst
			})
		}
	})
	return out
}

func randomOperand(r *rand.Rand, p ptx.OperandSpec, f *ptx.Form) string {
	t := operandType(p, f)
	if p.Rule == ptx.RuleAddress {
		t = ptx.U64
	}
	n := r.IntN(6)
	switch {
	case p.Kind == ptx.OperandImm:
		return fmt.Sprint(r.IntN(256))
	case p.Kind == ptx.OperandPred || p.Kind == ptx.OperandSrc && t == ptx.Pred:
		return fmt.Sprintf("%%p%d", n)
	case p.Kind == ptx.OperandPredPair:
		return fmt.Sprintf("%%p%d|%%p%d", n, (n+1)%6)
	case p.Kind == ptx.OperandDstPair:
		return fmt.Sprintf("%%r%d|%%p%d", n, n)
	case t == ptx.Pred:
		return fmt.Sprintf("%%p%d", n)
	}
	name := map[int]string{64: "d", 32: "r"}[t.Bits()]
	if name == "" {
		name = "h"
	}
	if p.Kind == ptx.OperandSrc && !t.Float() && r.IntN(5) == 0 {
		return fmt.Sprint(r.IntN(100) - 50)
	}
	return fmt.Sprintf("%%%s%d", name, n)
}

// What a thread computes does not depend on who shares its warp: values kept
// once for a warp, whole-warp loops and masked ones agree with one thread by
// itself.
func TestWarpSizeDoesNotMatter(t *testing.T) {
	all := laneForms()
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 99))
		var b strings.Builder
		b.WriteString(header + `.visible .entry k(.param .u64 out, .param .u32 n) {
	.reg .b16 %h<6>; .reg .b32 %r<6>; .reg .b64 %d<6>; .reg .pred %p<6>, %odd; .reg .b64 %o, %w; .reg .b32 %t;
	ld.param.u64 %o, [out]; mov.u32 %t, %tid.x; mul.wide.u32 %w, %t, 128; add.u64 %o, %o, %w;
`)
		for i := range 6 {
			// Some registers start the same in all lanes, some do not.
			if i < 3 {
				fmt.Fprintf(&b, "mov.u32 %%r%d, %d; mov.u64 %%d%d, %d; mov.u16 %%h%d, %d; setp.ne.u32 %%p%d, %%r%d, 0;\n", i, r.Uint32()>>r.IntN(32), i, r.Int64()>>r.IntN(64), i, r.IntN(65536), i, i)
			} else {
				fmt.Fprintf(&b, "mul.lo.u32 %%r%d, %%t, %d; cvt.s64.s32 %%d%d, %%r%d; cvt.u16.u32 %%h%d, %%r%d; setp.gt.u32 %%p%d, %%t, %d;\n", i, r.Uint32(), i, i, i, i, i, r.IntN(64))
			}
		}
		depth := 0
		for n := range 60 {
			switch r.IntN(12) {
			case 0: // part the lanes for a while
				fmt.Fprintf(&b, "@%%p%d bra L%d_%d;\n", r.IntN(6), n, depth)
				fmt.Fprintf(&b, "%s;\n%s;\n", all[r.IntN(len(all))](r), all[r.IntN(len(all))](r))
				fmt.Fprintf(&b, "L%d_%d:\n", n, depth)
			case 1:
				fmt.Fprintf(&b, "@!%%p%d %s;\n", r.IntN(6), all[r.IntN(len(all))](r))
			default:
				fmt.Fprintf(&b, "%s;\n", all[r.IntN(len(all))](r))
			}
			if n == 40 {
				b.WriteString("setp.eq.u32 %odd, %t, 5; @%odd exit;\n")
			}
		}
		for i := range 6 {
			fmt.Fprintf(&b, "st.global.b32 [%%o+%d], %%r%d; st.global.b64 [%%o+%d], %%d%d; st.global.b16 [%%o+%d], %%h%d; selp.b32 %%r%d, 1, 0, %%p%d; st.global.b8 [%%o+%d], %%r%d;\n", 4*i, i, 32+8*i, i, 80+2*i, i, i, i, 96+i, i)
		}
		b.WriteString("ret;\n}\n")
		p := lower(t, b.String(), "k")
		var want []byte
		for _, size := range []int{1, 32, 7} {
			k := launch(t, p, LaunchConfig{Grid: [3]int{1, 1, 1}, Block: [3]int{70, 1, 1}, WarpSize: size, Args: []Arg{{Name: "out", Buffer: buffer(make([]byte, 70*128))}, {Bytes: u32bytes(0)}}})
			run(t, k)
			got := k.Buffer("out")
			if want == nil {
				want = got
				continue
			}
			if !bytes.Equal(got, want) {
				for i := range got {
					if got[i] != want[i] {
						t.Fatalf("seed %d: with warps of %d lanes thread %d differs at byte %d\n%s", seed, size, i/128, i%128, b.String())
					}
				}
			}
		}
	}
}
