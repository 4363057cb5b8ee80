package ptxexec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/ptxexec/internal/fp"
	"github.com/warpbound/warpbound/ptx"
)

// wmmaCase is a product of matrices in global memory.
type wmmaCase struct {
	shape        string
	d, a, b, c   ptx.Type
	la, lb, lc   string // layouts
	pad          int    // elements between the rows or columns
	sat, generic bool
}

func (c *wmmaCase) kernel() string {
	size := wmmaSizes[c.shape]
	regs := func(letter string, t ptx.Type, name string) string {
		return names(name, 0, wmmaFragment(size, letter, t).regs)
	}
	ab := fmt.Sprintf(".%s.%s.%s.%s", c.d, c.a, c.b, c.c)
	if c.a == ptx.F16 {
		ab = fmt.Sprintf(".%s.%s", c.d, c.c)
	}
	if c.sat {
		ab += ".satfinite"
	}
	space := ".global"
	if c.generic {
		space = ""
	}
	bits := func(t ptx.Type) string {
		if t == ptx.F64 {
			return ".b64"
		}
		return ".b32"
	}
	stride := func(letter, layout string, t ptx.Type) int {
		f := wmmaFragment(size, letter, t)
		if layout == "row" {
			return f.cols + c.pad
		}
		return f.rows + c.pad
	}
	return header + fmt.Sprintf(`
.visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pd) {
	.reg %[11]s %%a<9>; .reg %[11]s %%b<9>; .reg %[12]s %%c<9>; .reg %[13]s %%d<9>; .reg .b64 %%rd<5>;
	ld.param.u64 %%rd1, [pa]; ld.param.u64 %%rd2, [pb]; ld.param.u64 %%rd3, [pc]; ld.param.u64 %%rd4, [pd];
	wmma.load.a.sync.aligned.%[2]s.%[1]s%[5]s.%[6]s %[14]s, [%%rd1], %[18]d;
	wmma.load.b.sync.aligned.%[3]s.%[1]s%[5]s.%[7]s %[15]s, [%%rd2], %[19]d;
	wmma.load.c.sync.aligned.%[4]s.%[1]s%[5]s.%[8]s %[16]s, [%%rd3], %[20]d;
	wmma.mma.sync.aligned.%[2]s.%[3]s.%[1]s%[10]s %[17]s, %[14]s, %[15]s, %[16]s;
	wmma.store.d.sync.aligned.%[4]s.%[1]s%[5]s.%[9]s [%%rd4], %[17]s, %[21]d;
	ret;
}`, c.shape, c.la, c.lb, c.lc, space, c.a, c.b, c.c, c.d, ab, bits(c.a), bits(c.c), bits(c.d),
		regs("a", c.a, "%a"), regs("b", c.b, "%b"), regs("c", c.c, "%c"), regs("d", c.d, "%d"),
		stride("a", c.la, c.a), stride("b", c.lb, c.b), stride("c", c.lc, c.c), stride("d", c.lc, c.d))
}

// matrixBuffer is a matrix in memory and its numbers.
type matrixBuffer struct {
	data   []byte
	values []float64
}

func (c *wmmaCase) fill(r *rand.Rand, rows, cols int, layout string, t ptx.Type) matrixBuffer {
	lead, lines := cols+c.pad, rows
	if layout == "col" {
		lead, lines = rows+c.pad, cols
	}
	m := matrixBuffer{data: make([]byte, lead*lines*t.Bytes()), values: make([]float64, rows*cols)}
	for i := range m.values {
		row, col := i/cols, i%cols
		at := row*lead + col
		if layout == "col" {
			at = col*lead + row
		}
		var bits uint64
		switch t {
		case ptx.S8:
			x := int8(r.Uint32())
			bits, m.values[i] = uint64(uint8(x)), float64(x)
		case ptx.U8:
			x := uint8(r.Uint32())
			bits, m.values[i] = uint64(x), float64(x)
		case ptx.S32:
			x := int32(r.Uint32())
			bits, m.values[i] = uint64(uint32(x)), float64(x)
		default:
			m.values[i] = float64(r.IntN(31)-15) / 8
			f := format(t)
			if t == ptx.TF32 {
				f = fp.F32
			}
			bits = f.Convert(fp.RN, fp.F64, math.Float64bits(m.values[i]))
		}
		writeBytes(m.data[at*t.Bytes():], uint64(t.Bytes()), bits)
	}
	return m
}

func wmmaCases() []wmmaCase {
	var out []wmmaCase
	layouts := []string{"row", "col"}
	for i, shape := range []string{"m16n16k16", "m8n32k16", "m32n8k16"} {
		out = append(out,
			wmmaCase{shape: shape, d: ptx.F32, a: ptx.F16, b: ptx.F16, c: ptx.F32, la: layouts[i&1], lb: "col", lc: "row", pad: 8},
			wmmaCase{shape: shape, d: ptx.F16, a: ptx.F16, b: ptx.F16, c: ptx.F32, la: "col", lb: layouts[i&1], lc: "col", generic: true},
			wmmaCase{shape: shape, d: ptx.F16, a: ptx.F16, b: ptx.F16, c: ptx.F16, la: "row", lb: "row", lc: "row", pad: 16},
			wmmaCase{shape: shape, d: ptx.F32, a: ptx.BF16, b: ptx.BF16, c: ptx.F32, la: "row", lb: "col", lc: layouts[i&1], pad: 8},
			wmmaCase{shape: shape, d: ptx.S32, a: ptx.S8, b: ptx.S8, c: ptx.S32, la: "row", lb: "col", lc: "row", pad: 16},
			wmmaCase{shape: shape, d: ptx.S32, a: ptx.U8, b: ptx.U8, c: ptx.S32, la: "col", lb: "row", lc: "col", sat: true})
	}
	return append(out,
		wmmaCase{shape: "m16n16k8", d: ptx.F32, a: ptx.TF32, b: ptx.TF32, c: ptx.F32, la: "row", lb: "col", lc: "row", pad: 4},
		wmmaCase{shape: "m8n8k4", d: ptx.F64, a: ptx.F64, b: ptx.F64, c: ptx.F64, la: "col", lb: "row", lc: "col", pad: 2})
}

func TestWMMA(t *testing.T) {
	r := rand.New(rand.NewPCG(61, 62))
	for _, c := range wmmaCases() {
		size := wmmaSizes[c.shape]
		m, n, k := size[0], size[1], size[2]
		p := lower(t, c.kernel(), "k")
		for range 4 {
			a, b, acc := c.fill(r, m, k, c.la, c.a), c.fill(r, k, n, c.lb, c.b), c.fill(r, m, n, c.lc, c.c)
			d := c.fill(r, m, n, c.lc, c.d)
			before := append([]byte(nil), d.data...)
			kernel := launch(t, p, LaunchConfig{Grid: [3]int{1, 1, 1}, Block: [3]int{32, 1, 1}, Args: []Arg{
				{Name: "pa", Buffer: buffer(a.data)}, {Name: "pb", Buffer: buffer(b.data)}, {Name: "pc", Buffer: buffer(acc.data)}, {Name: "pd", Buffer: buffer(d.data)}}})
			run(t, kernel)
			got := kernel.Buffer("pd")
			size := uint64(c.d.Bytes())
			lead := n + c.pad
			if c.lc == "col" {
				lead = m + c.pad
			}
			touched := make([]bool, len(got))
			for i := range acc.values {
				row, col := i/n, i%n
				at := row*lead + col
				if c.lc == "col" {
					at = col*lead + row
				}
				sum := acc.values[i]
				for x := range k {
					sum += a.values[row*k+x] * b.values[x*n+col]
				}
				var want uint64
				switch {
				case c.d == ptx.S32 && c.sat:
					want = uint64(uint32(int64(max(math.MinInt32, min(math.MaxInt32, sum)))))
				case c.d == ptx.S32:
					want = uint64(uint32(int64(sum)))
				default:
					want = format(c.d).Convert(fp.RN, fp.F64, math.Float64bits(sum))
				}
				if x := readBytes(got[uint64(at)*size:], size); x != want && want<<1 != 0 {
					t.Fatalf("%+v: element %d, %d is %#x, want %#x", c, row, col, x, want)
				}
				for j := range size {
					touched[uint64(at)*size+j] = true
				}
			}
			for i := range got {
				if !touched[i] && got[i] != before[i] {
					t.Fatalf("%+v: byte %d between the rows was written", c, i)
				}
			}
		}
	}
}

// Each register of each lane counts as a transaction of its own, in global memory
// and in shared memory, where all are in one bank.
func TestFragmentTransactions(t *testing.T) {
	for _, c := range wmmaCases()[:1] {
		k := launch(t, lower(t, c.kernel(), "k"), LaunchConfig{Grid: [3]int{1, 1, 1}, Block: [3]int{32, 1, 1}, Options: Options{Taint: true}, Args: []Arg{
			{Name: "pa", Buffer: &Buffer{Contents: make([]byte, 4096), Known: true}}, {Name: "pb", Buffer: &Buffer{Contents: make([]byte, 4096), Known: true}},
			{Name: "pc", Buffer: &Buffer{Contents: make([]byte, 4096), Known: true}}, {Name: "pd", Buffer: &Buffer{Contents: make([]byte, 4096)}}}})
		b, err := k.NewBlock(0)
		if err != nil {
			t.Fatal(err)
		}
		var n int64
		seen := 0
		if err := simt.RunBlock(t.Context(), b, simt.Limits{}, &n, func(_ int, s *simt.Step) {
			in := &k.Program().Instructions[s.PC]
			if !in.Unplaced {
				return
			}
			seen++
			for _, segment := range []int64{32, 128} {
				if got := s.Segments(segment); got != 256 {
					t.Errorf("%s: %d segments of %d bytes, want 8 registers of 32 lanes", in.Opcode, got, segment)
				}
			}
			if got := s.BankConflicts(32, 4); got != 256 {
				t.Errorf("%s: %d passes, want 256", in.Opcode, got)
			}
		}); err != nil {
			t.Fatal(err)
		}
		if seen != 4 {
			t.Errorf("%d accesses, want 4", seen)
		}
		if taints := k.Taints(); len(taints) != 0 {
			t.Errorf("taints %v", taints)
		}
		// Products and fragments are open: who uses them relies on a machine.
		if _, open := k.Open(); len(open) != 5 {
			t.Errorf("open results %v, want three loads, the product and what is stored", open)
		}
	}
}

func TestWrongFragments(t *testing.T) {
	for inst, want := range map[string]string{
		"wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r2,%r3}, [%rd1]":                                                                              "2 registers, expected 8",
		"wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.u8.s32 {%r2,%r3,%r4,%r5,%r6,%r7,%r8,%r9}, {%r2,%r3}, {%r2,%r3}, {%r2,%r3,%r4,%r5,%r6,%r7,%r8,%r9}": "does not fit",
		"wmma.load.a.sync.aligned.row.m8n8k32.global.s4 {%r2}, [%rd1]":                                                                                     "matrix instructions of other shapes",
	} {
		if _, err := Lower(parse(t, tableKernel(inst)), "k"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", inst, err, want)
		}
	}
	k := launch(t, lower(t, tableKernel("mad.wide.u32 %rd1, %r2, 2, %rd1; wmma.load.a.sync.aligned.row.m16n16k16.global.s8 {%r2,%r3}, [%rd1]"), "k"),
		LaunchConfig{Grid: [3]int{1, 1, 1}, Block: [3]int{32, 1, 1}, Args: []Arg{{Name: "out", Buffer: buffer(make([]byte, 4096))}, {Bytes: make([]byte, 64)}}})
	b, _ := k.NewBlock(0)
	var n int64
	if err := simt.RunBlock(t.Context(), b, simt.Limits{}, &n, nil); err == nil || !strings.Contains(err.Error(), "the address of a matrix differs between lanes") {
		t.Errorf("%v", err)
	}
}
