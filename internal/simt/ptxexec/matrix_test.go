package ptxexec

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/ptxexec/internal/fp"
	"github.com/warpbound/warpbound/ptx"
)

// The fragments are laid out here as the figures of "Matrix Fragments for mma"
// draw them: for each row and column, the lane and the element it holds.

type holder struct{ lane, index int }

// fragmentA of m rows and k columns: lane 4*(row mod 8) + ..., runs of elements
// of one register beside each other, then the rows 8 below, then the columns
// after.
func fragmentA(row, col, m, k, per int, tf32 bool) holder {
	h := holder{lane: row % 8 * 4}
	half := row / 8
	if tf32 || per == 1 {
		h.lane += col % 4
		h.index = half + col/4*(m/8)
		return h
	}
	run := per * 4 // columns of one register in a row of lanes
	h.lane += col % run / per
	h.index = col%per + half*per + col/run*per*(m/8)
	return h
}

// fragmentB of k rows and 8 columns: lane 4*col + ..., registers down the rows.
func fragmentB(row, col, per int) holder {
	run := per * 4
	return holder{lane: col*4 + row%run/per, index: row%per + row/run*per}
}

// fragmentC of m rows and 8 columns: two neighbours a lane.
func fragmentC(row, col int) holder {
	return holder{lane: row%8*4 + col/2, index: col%2 + row/8*2}
}

// warpKernel lets 32 lanes load words and store others.
func warpKernel(loads, stores int, inst string) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n.shared .align 16 .b8 s[4096];\n")
	b.WriteString(".reg .b32 %a<40>; .reg .b32 %d<40>; .reg .b32 %t; .reg .b64 %in, %out, %w; .reg .b64 %q<9>; .reg .pred %p;\n")
	fmt.Fprintf(&b, "ld.param.u64 %%in, [in]; ld.param.u64 %%out, [out]; mov.u32 %%t, %%tid.x;\nmul.wide.u32 %%w, %%t, %d; add.u64 %%in, %%in, %%w;\n", 4*loads)
	fmt.Fprintf(&b, "mul.wide.u32 %%w, %%t, %d; add.u64 %%out, %%out, %%w;\n", 4*stores)
	for i := range loads {
		fmt.Fprintf(&b, "ld.global.u32 %%a%d, [%%in+%d];\n", i, 4*i)
	}
	b.WriteString(inst + "\n")
	for i := range stores {
		fmt.Fprintf(&b, "st.global.u32 [%%out+%d], %%d%d;\n", 4*i, i)
	}
	b.WriteString("ret;\n}\n")
	return b.String()
}

func names(prefix string, from, n int) string {
	var parts []string
	for i := range n {
		parts = append(parts, fmt.Sprint(prefix, from+i))
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func TestMatrixMultiply(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	for _, c := range []struct {
		shape        string
		m, k         int
		d, ta, tb, c ptx.Type
		sat          bool
	}{
		{"m16n8k8", 16, 8, ptx.F32, ptx.F16, ptx.F16, ptx.F32, false},
		{"m16n8k8", 16, 8, ptx.F16, ptx.F16, ptx.F16, ptx.F16, false},
		{"m16n8k16", 16, 16, ptx.F16, ptx.F16, ptx.F16, ptx.F16, false},
		{"m16n8k16", 16, 16, ptx.F32, ptx.F16, ptx.F16, ptx.F32, false},
		{"m16n8k16", 16, 16, ptx.F32, ptx.BF16, ptx.BF16, ptx.F32, false},
		{"m16n8k8", 16, 8, ptx.F32, ptx.BF16, ptx.BF16, ptx.F32, false},
		{"m16n8k4", 16, 4, ptx.F32, ptx.TF32, ptx.TF32, ptx.F32, false},
		{"m16n8k8", 16, 8, ptx.F32, ptx.TF32, ptx.TF32, ptx.F32, false},
		{"m8n8k16", 8, 16, ptx.S32, ptx.S8, ptx.U8, ptx.S32, false},
		{"m16n8k16", 16, 16, ptx.S32, ptx.U8, ptx.S8, ptx.S32, true},
		{"m16n8k32", 16, 32, ptx.S32, ptx.S8, ptx.S8, ptx.S32, false},
		{"m16n8k32", 16, 32, ptx.S32, ptx.U8, ptx.U8, ptx.S32, true},
		{"m16n8k32", 16, 32, ptx.S32, ptx.S8, ptx.S8, ptx.S32, true},
	} {
		na, nb, nc, nd := registersOf(c.m*c.k, c.ta), registersOf(c.k*8, c.tb), registersOf(c.m*8, c.c), registersOf(c.m*8, c.d)
		mods := ".row.col"
		if c.sat {
			mods += ".satfinite"
		}
		inst := fmt.Sprintf("mma.sync.aligned.%s%s.%s.%s.%s.%s %s, %s, %s, %s;", c.shape, mods, c.d, c.ta, c.tb, c.c,
			names("%d", 0, nd), names("%a", 0, na), names("%a", na, nb), names("%a", na+nb, nc))
		loads := na + nb + nc
		p := lower(t, warpKernel(loads, nd, inst), "k")
		for range 20 {
			words := make([]uint32, 32*loads)
			// set stores an element and returns its exact value: small multiples of
			// a power of two, of which all sums are exact in f32.
			set := func(h holder, first int, typ ptx.Type) *big.Float {
				n := typ.Bits()
				per := 32 / n
				var bits uint64
				var v float64
				switch typ {
				case ptx.S8:
					x := int8(r.Uint32())
					bits, v = uint64(uint8(x)), float64(x)
				case ptx.U8:
					x := uint8(r.Uint32())
					bits, v = uint64(x), float64(x)
				case ptx.S32:
					x := int32(r.Uint32())
					if r.IntN(2) == 0 {
						x = []int32{math.MaxInt32, math.MinInt32}[r.IntN(2)] - int32(r.IntN(3)-1)
					}
					bits, v = uint64(uint32(x)), float64(x)
				default:
					v = float64(r.IntN(31)-15) / 8
					f := format(typ)
					if typ == ptx.TF32 {
						f = fp.F32
					}
					bits = f.Convert(fp.RN, fp.F64, math.Float64bits(v))
				}
				words[h.lane*loads+first+h.index/per] |= uint32(bits << (h.index % per * n))
				return big.NewFloat(v)
			}
			a, b, acc := make([]*big.Float, c.m*c.k), make([]*big.Float, c.k*8), make([]*big.Float, c.m*8)
			for i := range a {
				a[i] = set(fragmentA(i/c.k, i%c.k, c.m, c.k, 32/c.ta.Bits(), c.ta == ptx.TF32), 0, c.ta)
			}
			for i := range b {
				b[i] = set(fragmentB(i/8, i%8, 32/c.tb.Bits()), na, c.tb)
			}
			for i := range acc {
				acc[i] = set(fragmentC(i/8, i%8), na+nb, c.c)
			}
			k := launch(t, p, LaunchConfig{Grid: [3]int{1, 1, 1}, Block: [3]int{32, 1, 1}, Args: []Arg{
				{Name: "in", Buffer: &Buffer{Contents: u32bytes(words...)}}, {Name: "out", Buffer: &Buffer{Contents: make([]byte, 128*nd)}}}})
			run(t, k)
			out := k.Buffer("out")
			for i := range acc {
				sum := new(big.Float).SetPrec(200).Set(acc[i])
				for x := range c.k {
					sum.Add(sum, new(big.Float).SetPrec(200).Mul(a[i/8*c.k+x], b[x*8+i%8]))
				}
				h := fragmentC(i/8, i%8)
				per := 32 / c.d.Bits()
				got := readBytes(out[4*(h.lane*nd+h.index/per):], 4) >> (h.index % per * c.d.Bits()) & widthMask(c.d.Bits())
				var want uint64
				if c.d == ptx.S32 {
					v, _ := sum.Int64()
					if c.sat {
						v = max(math.MinInt32, min(math.MaxInt32, v))
					}
					want = uint64(uint32(v))
				} else {
					v, _ := sum.Float64()
					want = format(c.d).Convert(fp.RN, fp.F64, math.Float64bits(v))
				}
				if got != want && !(got&^(1<<(c.d.Bits()-1)) == 0 && want == 0) {
					t.Fatalf("%s: element %d, %d is %#x, want %#x", inst, i/8, i%8, got, want)
				}
			}
		}
	}
}

// A product in double precision.
func TestMatrixMultiplyDouble(t *testing.T) {
	inst := `mov.b64 %q0, {%a0,%a1}; mov.b64 %q1, {%a2,%a3}; mov.b64 %q2, {%a4,%a5}; mov.b64 %q3, {%a6,%a7};
mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%q4,%q5}, {%q0}, {%q1}, {%q2,%q3};
mov.b64 {%d0,%d1}, %q4; mov.b64 {%d2,%d3}, %q5;`
	p := lower(t, warpKernel(8, 4, inst), "k")
	words := make([]uint64, 32*4)
	var a, b, c [64]float64
	for lane := range 32 {
		row, col := lane/4, lane%4
		a[row*4+col], b[col*8+row] = float64(lane*3-40), float64(lane*lane-200)
		words[4*lane], words[4*lane+1] = math.Float64bits(a[row*4+col]), math.Float64bits(b[col*8+row])
		for i := range 2 {
			c[row*8+col*2+i] = float64(lane + i)
			words[4*lane+2+i] = math.Float64bits(float64(lane + i))
		}
	}
	k := launch(t, p, LaunchConfig{Grid: [3]int{1, 1, 1}, Block: [3]int{32, 1, 1}, Args: []Arg{
		{Name: "in", Buffer: &Buffer{Contents: u64bytes(words)}}, {Name: "out", Buffer: &Buffer{Contents: make([]byte, 512)}}}})
	run(t, k)
	for row := range 8 {
		for col := range 8 {
			want := c[row*8+col]
			for x := range 4 {
				want += a[row*4+x] * b[x*8+col]
			}
			if got := f64(readBytes(k.Buffer("out")[8*((row*4+col/2)*2+col%2):], 8)); got != want {
				t.Fatalf("element %d, %d is %v, want %v", row, col, got, want)
			}
		}
	}
}

// ldmatrix, plain and transposed, with rows anywhere in shared memory.
func TestLoadMatrix(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 42))
	for _, n := range []int{1, 2, 4} {
		for _, trans := range []string{"", ".trans"} {
			// Word 0 is the lane's row; words 1 to 4 fill row 'lane' of shared memory.
			inst := fmt.Sprintf(`mov.u32 %%d8, s; mad.lo.u32 %%d9, %%t, 16, %%d8; st.shared.v4.u32 [%%d9], {%%a1,%%a2,%%a3,%%a4};
bar.sync 0; mad.lo.u32 %%d9, %%a0, 16, %%d8;
ldmatrix.sync.aligned.m8n8.x%d%s.shared.b16 %s, [%%d9];`, n, trans, names("%d", 0, n))
			words := make([]uint32, 32*5)
			for i := range words {
				words[i] = r.Uint32()
			}
			for lane := range 32 {
				words[5*lane] = uint32(r.IntN(32))
			}
			k := launch(t, lower(t, warpKernel(5, n, inst), "k"), LaunchConfig{Grid: [3]int{1, 1, 1}, Block: [3]int{32, 1, 1}, Args: []Arg{
				{Name: "in", Buffer: &Buffer{Contents: u32bytes(words...)}}, {Name: "out", Buffer: &Buffer{Contents: make([]byte, 128*n)}}}})
			run(t, k)
			half := func(row, col int) uint64 {
				return uint64(words[5*row+1+col/2]>>(16*(col%2))) & 0xffff
			}
			for m := range n {
				for lane := range 32 {
					var want uint64
					for e := range 2 {
						row, col := lane/4, lane%4*2+e
						if trans != "" {
							row, col = col, row
						}
						want |= half(int(words[5*(8*m+row)]), col) << (16 * e)
					}
					if got := readBytes(k.Buffer("out")[4*(lane*n+m):], 4); got != want {
						t.Fatalf("x%d%s: lane %d of matrix %d is %#x, want %#x", n, trans, lane, m, got, want)
					}
				}
			}
		}
	}
}

// Floating-point products are not relied on, integer ones are; what is loaded is
// as certain as memory.
func TestMatrixTaint(t *testing.T) {
	for _, c := range []struct {
		inst  string
		known bool
		want  int // tainted branches, those on open results included
	}{
		{"mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%d0,%d1,%d2,%d3}, {%a0,%a1}, {%a2}, {%a3,%a0,%a1,%a2};", true, 0},
		{"mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%d0,%d1,%d2,%d3}, {%a0,%a1}, {%a2}, {%a3,%a0,%a1,%a2};", false, 1},
		{"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%d0,%d1,%d2,%d3}, {%a0,%a1}, {%a2}, {%a3,%a0,%a1,%a2};", true, 1},
		{"cvt.rna.tf32.f32 %d0, %a0;", true, 1},
		{"mov.u32 %d8, s; mad.lo.u32 %d9, %t, 16, %d8; st.shared.v4.u32 [%d9], {%a0,%a1,%a2,%a3}; bar.sync 0; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%d0}, [%d9];", true, 0},
		{"mov.u32 %d8, s; mad.lo.u32 %d9, %t, 16, %d8; st.shared.v4.u32 [%d9], {%a0,%a1,%a2,%a3}; bar.sync 0; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%d0}, [%d9];", false, 1},
	} {
		k := launch(t, lower(t, warpKernel(4, 1, c.inst+" setp.eq.u32 %p, %d0, 7; @%p bra L; L:"), "k"), LaunchConfig{Grid: [3]int{1, 1, 1}, Block: [3]int{32, 1, 1}, Options: Options{Taint: true}, Args: []Arg{
			{Name: "in", Buffer: &Buffer{Contents: make([]byte, 512), Known: c.known}}, {Name: "out", Buffer: &Buffer{Contents: make([]byte, 128)}}}})
		run(t, k)
		open, _ := k.Open()
		if got := append(k.Taints(), open...); len(got) != c.want {
			t.Errorf("%s, known %v: %v", c.inst, c.known, got)
		}
	}
}

func TestWrongMatrices(t *testing.T) {
	for inst, want := range map[string]string{
		"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%r2,%r3}, {%r2,%r3}, {%r4}, {%r2,%r3,%r4,%r5}":  "2 registers, expected 4",
		"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f16 {%r2,%r3}, {%r2,%r3}, {%r4}, {%r2,%r3,%r4,%r5}": "matrix instructions of other shapes",
		"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r2}, [s]":                                              "1 registers, expected 2",
		"mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%r2}, {%r2,%r3}, {%r4,%r5}, {%r2,%r3,%r4,%r5}":   "matrix instructions of other shapes",
	} {
		if _, err := Lower(parse(t, tableKernel(inst)), "k"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", inst, err, want)
		}
	}
	// Part of a warp.
	p := lower(t, tableKernel("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%r2,%r3,%r4,%r5}, {%r2,%r3}, {%r4}, {%r2,%r3,%r4,%r5}"), "k")
	k := launch(t, p, LaunchConfig{Grid: [3]int{1, 1, 1}, Block: [3]int{40, 1, 1}, Args: []Arg{{Name: "out", Buffer: buffer(make([]byte, 64))}, {Bytes: make([]byte, 64)}}})
	b, _ := k.NewBlock(0)
	var n int64
	if err := simt.RunBlock(t.Context(), b, simt.Limits{}, &n, nil); err == nil || !strings.Contains(err.Error(), "expected all 32 lanes") {
		t.Errorf("%v", err)
	}
}
