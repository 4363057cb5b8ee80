package ptxexec

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

// An instruction is tried in a kernel of its own. Its operands are registers
// named D (and the predicate Q) for the results, A, B, C, E for the sources;
// a source of type "pred" is true where its input is not zero.

// opTest is an instruction with an independent way to compute its result.
type opTest struct {
	inst string // may be several, separated by semicolons
	dst  string // type of D: b16, b32, b64, pred
	srcs string // types of A, B, C, E, separated by spaces
	q    bool   // Q is a result, too: bit 63 of what want returns
	want func(x []uint64) uint64
	// inputs generates operands; nil means interesting and random ones.
	inputs func(r *rand.Rand) []uint64
}

var typeBits = map[string]int{"b8": 8, "b16": 16, "b32": 32, "b64": 64, "pred": 1}

const qBit = 1 << 63

// opKernel writes the kernel. divergent kernels execute the instruction twice,
// for odd and even threads.
func opKernel(o *opTest, divergent bool) string {
	var b strings.Builder
	b.WriteString(".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry op(.param .u64 in, .param .u64 out, .param .u32 n)\n{\n")
	b.WriteString(".reg .pred out_of, odd, Q;\n.reg .b32 t, n0, k;\n.reg .b64 base, res, v, w;\n")
	regs := []string{"A", "B", "C", "E"}
	srcs := strings.Fields(o.srcs)
	for i, s := range srcs {
		fmt.Fprintf(&b, ".reg .%s %s;\n", s, regs[i])
	}
	fmt.Fprintf(&b, ".reg .%s D;\n", o.dst)
	b.WriteString("mov.u32 t, %ctaid.x; mov.u32 k, %ntid.x; mov.u32 n0, %tid.x; mad.lo.u32 t, t, k, n0;\n")
	b.WriteString("ld.param.u32 n0, [n]; setp.ge.u32 out_of, t, n0; @out_of exit;\n")
	fmt.Fprintf(&b, "ld.param.u64 base, [in]; mul.wide.u32 v, t, %d; add.u64 base, base, v;\n", 8*len(srcs))
	b.WriteString("ld.param.u64 res, [out]; mul.wide.u32 v, t, 16; add.u64 res, res, v;\n")
	for i, s := range srcs {
		fmt.Fprintf(&b, "ld.global.b64 v, [base+%d]; ", 8*i)
		switch s {
		case "b64":
			fmt.Fprintf(&b, "mov.b64 %s, v;\n", regs[i])
		case "pred":
			fmt.Fprintf(&b, "setp.ne.u64 %s, v, 0;\n", regs[i])
		default:
			fmt.Fprintf(&b, "cvt.u%d.u64 %s, v;\n", typeBits[s], regs[i])
		}
	}
	b.WriteString("setp.ne.u32 Q, 0, 0;\n")
	if divergent {
		b.WriteString("and.b32 k, t, 1; setp.eq.u32 odd, k, 1;\n")
	}
	for _, inst := range strings.Split(o.inst, ";") {
		inst = strings.TrimSpace(inst)
		if divergent {
			fmt.Fprintf(&b, "@odd %s;\n@!odd %s;\n", inst, inst)
		} else {
			b.WriteString(inst + ";\n")
		}
	}
	switch o.dst {
	case "b64":
		b.WriteString("st.global.b64 [res], D;\n")
	case "pred":
		b.WriteString("selp.b64 v, 1, 0, D; st.global.b64 [res], v;\n")
	default:
		fmt.Fprintf(&b, "cvt.u64.u%d v, D; st.global.b64 [res], v;\n", typeBits[o.dst])
	}
	b.WriteString("selp.b64 v, 1, 0, Q; st.global.b64 [res+8], v;\nret;\n}\n")
	return b.String()
}

func u64bytes(xs []uint64) []byte {
	b := make([]byte, 8*len(xs))
	for i, x := range xs {
		writeBytes(b[8*i:], 8, x)
	}
	return b
}

// execute runs the instruction on each row of inputs.
func (o *opTest) execute(t testing.TB, p *Code, inputs [][]uint64, grid, block int) []uint64 {
	t.Helper()
	var in []uint64
	for _, row := range inputs {
		in = append(in, row...)
	}
	k := launch(t, p, LaunchConfig{Grid: [3]int{grid, 1, 1}, Block: [3]int{block, 1, 1}, Args: []Arg{
		{Name: "in", Buffer: &Buffer{Contents: u64bytes(in)}}, {Name: "out", Buffer: &Buffer{Contents: make([]byte, 16*len(inputs))}}, {Bytes: u32bytes(uint32(len(inputs)))},
	}})
	run(t, k)
	b := k.Buffer("out")
	out := make([]uint64, len(inputs))
	for i := range out {
		out[i] = readBytes(b[16*i:], 8)
		if o.q {
			out[i] |= readBytes(b[16*i+8:], 8) << 63
		}
	}
	return out
}

// check compares the instruction with its oracle: on full warps, on warps that
// are partly active, and on uniform operands.
func (o *opTest) check(t *testing.T) {
	t.Helper()
	r := rand.New(rand.NewPCG(7, uint64(len(o.inst))))
	gen := o.inputs
	if gen == nil {
		gen = o.interesting
	}
	inputs := make([][]uint64, 600)
	for i := range inputs {
		inputs[i] = gen(r)[:len(strings.Fields(o.srcs))]
	}
	full := lower(t, opKernel(o, false), "op")
	for name, got := range map[string][]uint64{
		"full":      o.execute(t, full, inputs, 5, 128),
		"divergent": o.execute(t, lower(t, opKernel(o, true), "op"), inputs, 5, 128),
		"uniform":   o.execute(t, full, inputs, 600, 1),
	} {
		for i, x := range inputs {
			if want := o.want(x); got[i] != want {
				t.Fatalf("%s (%s) of %#x is %#x, want %#x", o.inst, name, x, got[i], want)
			}
		}
	}
}

// interesting draws operands near the ends of the ranges, small ones and
// random ones.
func (o *opTest) interesting(r *rand.Rand) []uint64 {
	var row []uint64
	for _, s := range strings.Fields(o.srcs) {
		row = append(row, interestingValue(r, typeBits[s]))
	}
	return row
}

func interestingValue(r *rand.Rand, width int) uint64 {
	var x uint64
	switch r.IntN(6) {
	case 0:
		x = uint64(r.IntN(4))
	case 1:
		x = uint64(r.IntN(80))
	case 2:
		x = -uint64(r.IntN(4))
	case 3:
		x = 1<<(width-1) + uint64(r.IntN(3)) - 1
	case 4:
		x = 1 << r.IntN(width)
	default:
		x = r.Uint64()
	}
	return x & mask(width)
}

func mask(width int) uint64 {
	if width >= 64 {
		return ^uint64(0)
	}
	return 1<<width - 1
}

// signedBig and unsignedBig read a pattern of width bits.
func unsignedBig(x uint64, width int) *big.Int {
	return new(big.Int).SetUint64(x & mask(width))
}

func signedBig(x uint64, width int) *big.Int {
	v := unsignedBig(x, width)
	if v.Bit(width-1) == 1 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(width)))
	}
	return v
}

// wrap is the pattern of v modulo 2^width.
func wrap(v *big.Int, width int) uint64 {
	m := new(big.Int).Lsh(big.NewInt(1), uint(width))
	return new(big.Int).Mod(v, m).Uint64()
}

func bigOp(f func(z, x, y *big.Int) *big.Int, a, b *big.Int) *big.Int { return f(new(big.Int), a, b) }
