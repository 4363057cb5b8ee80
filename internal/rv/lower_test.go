package rv

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/isa"
)

// image makes a program of instructions at 0x1000 with functions at the
// instructions named.
func image(t testing.TB, functions map[int32]string, insts ...Inst) *Image {
	img := &Image{Name: "t.elf", Entry: 0x1000, TextBase: 0x1000}
	for _, i := range insts {
		w := i.Raw
		if i.Op != Invalid {
			var err error
			if w, err = Encode(i); err != nil {
				t.Fatal(err)
			}
		}
		img.Text = append(img.Text, w)
		img.Insts = append(img.Insts, decodeAny(w))
	}
	for i := range int32(len(insts)) {
		if name, ok := functions[i]; ok {
			img.Symbols = append(img.Symbols, Symbol{Name: name, Addr: img.Addr(i)})
		}
	}
	return img
}

// lower lowers, checks and builds every control-flow graph.
func lower(t testing.TB, img *Image) *isa.Program {
	p, err := Lower(img)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	for fn := range p.Functions {
		if _, err := isa.BuildCFG(p, fn); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

var (
	nop = Inst{Op: Addi}
	ret = Inst{Op: Jalr, Rs1: 1}
)

func TestLowerOperands(t *testing.T) {
	p := lower(t, image(t, nil,
		Inst{Op: Add, Rd: 10, Rs1: 11, Rs2: 12},
		Inst{Op: Add, Rd: 0, Rs1: 11, Rs2: 11},
		Inst{Op: Lw, Rd: 10, Rs1: 2, Imm: 8},
		Inst{Op: Fsw, Rs1: 31, Rs2: 31, Imm: 8},
		Inst{Op: FmaddS, Rd: 0, Rs1: 1, Rs2: 2, Rs3: 1},
		Inst{Op: FcvtSW, Rd: 3, Rs1: 4},
		Inst{Op: FeqS, Rd: 3, Rs1: 4, Rs2: 5},
		Inst{Op: Split, Rd: 5, Rs1: 6, Neg: true},
		Inst{Op: Join, Rs1: 5},
		Inst{Op: Lhu, Rd: 1},
		Inst{Op: Csrrs, Rd: 1, CSR: CSRThreadID},
		Inst{Op: Ecall},
	))
	name := func(rs []isa.Reg) string {
		var s []string
		for _, r := range rs {
			s = append(s, p.Registers[r])
		}
		return strings.Join(s, ",")
	}
	want := []string{
		"add add.i32 plain 0: x11,x12 -> x10",
		"add add.i32 plain 0: x11 -> ",
		"lw load.generic.i32 load 4: x2 -> x10",
		"fsw store.generic.f32 store 4: x31,f31 -> ",
		"fmadd.s mad.f32 plain 0: f1,f2 -> f0",
		"fcvt.s.w convert.f32 plain 0: x4 -> f3",
		"feq.s compare.f32 plain 0: f4,f5 -> x3",
		"vx_split_n branch.pred branch 0: x6 -> x5",
		"vx_join branch.pred branch 0: x5 -> ",
		"lhu load.generic.i16 load 2:  -> x1",
		"csrrs move.i32 plain 0:  -> x1",
		"ecall exit exit 0:  -> ",
	}
	var got []string
	for i := range p.Instructions {
		in := &p.Instructions[i]
		got = append(got, fmt.Sprintf("%s %s %s %d: %s -> %s", in.Opcode, in.Class, in.Kind, in.WidthBytes, name(in.Reads), name(in.Writes)))
		if want := fmt.Sprintf("t.elf@0x%08x:%d:1", 0x1000+4*i, i+1); in.Pos.String() != want {
			t.Errorf("instruction %d is at %s, want %s", i, in.Pos, want)
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if p.Name != "t" || len(p.Registers) != 63 || p.RegisterUnits != 64 {
		t.Errorf("program %s with %d registers, %d units", p.Name, len(p.Registers), p.RegisterUnits)
	}
}

// TestLowerControl: kinds, targets and functions of every form of control flow.
// TestLowerStopsFetch: the floating-point unit's registers, by any instruction,
// and no others.
func TestLowerStopsFetch(t *testing.T) {
	for _, op := range []Op{Csrrw, Csrrs, Csrrc, Csrrwi, Csrrsi, Csrrci} {
		for csr, want := range map[uint16]bool{0: true, CSRFflags: true, CSRFrm: true, CSRFcsr: true, 4: false, CSRMscratch: false, CSRThreadID: false} {
			p, err := Lower(image(t, nil, Inst{Op: op, Rd: 1, CSR: csr}, Inst{Op: Addi, Rd: 1}))
			if err != nil {
				t.Fatal(err)
			}
			if got := p.Instructions[0].StopsFetch; got != want || p.Instructions[1].StopsFetch {
				t.Errorf("%v of register %#x: %v, want %v", op, csr, got, want)
			}
			if p.Instructions[0].Kind != isa.Plain {
				t.Errorf("%v is a %v", op, p.Instructions[0].Kind)
			}
		}
	}
}

func TestLowerControl(t *testing.T) {
	jal := func(rd uint8, from, to int32) Inst { return Inst{Op: Jal, Rd: rd, Imm: 4 * (to - from)} }
	beq := func(from, to int32) Inst { return Inst{Op: Beq, Rs1: 10, Rs2: 11, Imm: 4 * (to - from)} }
	far := func(rd, link uint8, from, to int32) []Inst {
		return []Inst{{Op: Auipc, Rd: rd}, {Op: Jalr, Rd: link, Rs1: rd, Imm: 4 * (to - from)}}
	}
	split, join := Inst{Op: Split, Rd: 5, Rs1: 6}, Inst{Op: Join, Rs1: 5}
	for _, c := range []struct {
		name      string
		functions map[int32]string
		insts     []Inst
		flow      map[int32]string // kind and targets
		parts     string           // functions
	}{
		{"branches", nil, []Inst{beq(0, 3), beq(1, 2), beq(2, 0), ret},
			map[int32]string{0: "branch 3 1", 1: "branch 2", 2: "branch 0 3", 3: "return"}, ".text[0,4)"},
		{"out of the text", nil, []Inst{beq(0, 100), {Op: Beq, Imm: 2}, jal(1, 2, -5), jal(0, 3, 1000), ret},
			map[int32]string{0: "branch 1", 1: "branch 2", 2: "exit", 3: "exit"}, ".text[0,5)"},
		{"calls", map[int32]string{0: "main", 3: "f"}, []Inst{jal(1, 0, 3), jal(5, 1, 3), ret, jal(0, 3, 0)},
			map[int32]string{0: "call 3", 1: "call 3", 3: "return 0"}, "main[0,3) f[3,4)"},
		{"far calls", map[int32]string{0: "main", 5: "f"}, slices.Concat(far(1, 1, 0, 5), far(6, 0, 2, 5), []Inst{ret, ret}),
			map[int32]string{1: "call 5", 3: "return 5"}, "main[0,5) f[5,6)"},
		{"far call that is entered in between", map[int32]string{0: "main", 3: "f"}, slices.Concat(far(1, 1, 0, 3), []Inst{beq(2, 1), ret}),
			map[int32]string{1: "call 0", 2: "branch 1 3"}, "main[0,4)"},
		{"auipc of another register", map[int32]string{0: "main", 3: "f"}, []Inst{{Op: Auipc, Rd: 6}, {Op: Jalr, Rd: 1, Rs1: 7}, ret, ret},
			map[int32]string{1: "call 0 3"}, "main[0,3) f[3,4)"},
		{"computed jump", map[int32]string{0: "main", 2: "f"}, []Inst{nop, {Op: Jalr, Rs1: 10}, ret},
			map[int32]string{1: "branch 0 1"}, "main[0,2) f[2,3)"},
		{"return through t0", nil, []Inst{{Op: Jalr, Rs1: 5}}, map[int32]string{0: "return"}, ".text[0,1)"},
		{"running into the next function", map[int32]string{0: "a", 1: "b", 2: "c"}, []Inst{nop, jal(1, 1, 0), ret},
			map[int32]string{1: "call 0"}, "a[0,3)"},
		{"branch over a function", map[int32]string{0: "a", 2: "b", 3: "c", 4: "d"}, []Inst{beq(0, 3), ret, ret, ret, ret},
			map[int32]string{0: "branch 3 1"}, "a[0,4) d[4,5)"},
		{"split and join", map[int32]string{0: "a", 6: "b"}, []Inst{split, beq(1, 3), jal(0, 2, 4), nop, join, ret, split, join, ret},
			map[int32]string{0: "branch 1", 4: "branch 1 5", 6: "branch 7", 7: "branch 7 8"}, "a[0,6) b[6,9)"},
		{"join of another function's split", map[int32]string{0: "a", 2: "b"}, []Inst{split, ret, join, ret},
			map[int32]string{2: "branch 1 3"}, "a[0,4)"},
		{"masks", nil, []Inst{{Op: Tmc, Rs1: 10}, {Op: Wspawn, Rs1: 10, Rs2: 11}, {Op: Pred, Rs1: 10, Rs2: 11}, {Op: Bar, Rs1: 10, Rs2: 11}, {Op: Tmc}},
			map[int32]string{0: "branch 1", 1: "branch 2", 2: "branch 3", 3: "barrier", 4: "exit"}, ".text[0,5)"},
		{"ends", nil, []Inst{{Op: Ebreak}, {Raw: 0}, {Op: Fence}, {Op: FenceI}, {Op: Ecall}},
			map[int32]string{0: "exit", 1: "exit", 2: "fence", 3: "fence", 4: "exit"}, ".text[0,5)"},
		{"past the end", map[int32]string{1: "f"}, []Inst{ret, beq(1, 1)},
			map[int32]string{1: "branch 1 2", 2: "exit"}, ".text[0,1) f[1,3)"},
		{"join at the end", nil, []Inst{join, split}, map[int32]string{0: "branch 2 1", 1: "branch 2"}, ".text[0,3)"},
	} {
		p := lower(t, image(t, c.functions, c.insts...))
		for pc, want := range c.flow {
			in := &p.Instructions[pc]
			got := in.Kind.String()
			for _, target := range in.Targets {
				got += fmt.Sprintf(" %d", target)
			}
			if got != want {
				t.Errorf("%s: instruction %d %s is %q, want %q", c.name, pc, in.Opcode, got, want)
			}
		}
		var parts []string
		for _, f := range p.Functions {
			parts = append(parts, fmt.Sprintf("%s[%d,%d)", f.Name, f.Entry, f.End))
		}
		if got := strings.Join(parts, " "); got != c.parts {
			t.Errorf("%s: functions %s, want %s", c.name, got, c.parts)
		}
	}
}

// TestLowerSamples: functions are the symbols, calls name functions, sources
// are the lines of the sample.
func TestLowerSamples(t *testing.T) {
	for _, name := range samples {
		img := loadSample(t, name)
		p := lower(t, img)
		for _, s := range img.Symbols {
			if i, _ := img.Index(s.Addr); p.Labels[s.Name] != i {
				t.Errorf("%s: label %s at %d, want %d", name, s.Name, p.Labels[s.Name], i)
			}
		}
		if p.Functions[0].Name != "_start" {
			t.Errorf("%s: Functions[0] is %s", name, p.Functions[0].Name)
		}
		kernel := slices.IndexFunc(p.Functions, func(f isa.Function) bool { return f.Name == "kernel" })
		if kernel < 0 {
			t.Fatalf("%s: functions %+v", name, p.Functions)
		}
		c, err := isa.BuildCFG(p, kernel)
		if err != nil {
			t.Fatal(err)
		}
		f := p.Functions[kernel]
		splits, joins := 0, 0
		for i := f.Entry; i < f.End; i++ {
			switch img.Insts[i].Op {
			case Split:
				splits++
			case Join:
				joins++
				if !c.Reachable(c.BlockOf(i)) {
					t.Errorf("%s: the join at %d is not reachable", name, i)
				}
			}
		}
		for i := range p.Instructions {
			line, known := img.LineOf(img.Addr(int32(i)))
			if got := p.Instructions[i].Source; got != (line) {
				t.Errorf("%s: instruction %d has source %s, the line table says %v, %v", name, i, got, line, known)
			}
		}
		if got := p.Instructions[f.Entry].Source; !strings.HasSuffix(got.File, "sample.c") || got.Line != 45 {
			t.Errorf("%s: the kernel begins at %s", name, got)
		}
		if splits != 1 || joins != 1 {
			t.Errorf("%s: %d splits and %d joins in kernel", name, splits, joins)
		}
	}
}

// TestLowerAnything: whatever the words and symbols are, the program passes
// its check and every function has a graph.
func TestLowerAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "n")
		img := &Image{Name: "any", TextBase: 0x80000000, Entry: 0x80000000}
		for i := range n {
			op := Op(rapid.IntRange(0, int(NumOps)-1).Draw(t, "op"))
			if rapid.Bool().Draw(t, "control") {
				op = rapid.SampledFrom([]Op{Jal, Jalr, Auipc, Beq, Bgeu, Split, Join, Tmc, Bar, Ecall}).Draw(t, "control op")
			}
			in := Inst{Op: op, Rd: uint8(rapid.IntRange(0, 6).Draw(t, "rd")), Rs1: uint8(rapid.IntRange(0, 6).Draw(t, "rs1"))}
			if s := table[op].operands; strings.ContainsAny(s, "aboi") {
				in.Imm = 2 * rapid.Int32Range(-2*int32(i)-4, 2*int32(n-i)+4).Draw(t, "offset")
			}
			w, err := Encode(in)
			if err != nil {
				w = 0
			}
			img.Text = append(img.Text, w)
			img.Insts = append(img.Insts, decodeAny(w))
			if rapid.IntRange(0, 3).Draw(t, "symbol") == 0 {
				img.Symbols = append(img.Symbols, Symbol{Name: fmt.Sprint("f", i%5), Addr: img.Addr(int32(i))})
			}
		}
		p, err := Lower(img)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Check(); err != nil {
			t.Fatal(err)
		}
		for fn := range p.Functions {
			if _, err := isa.BuildCFG(p, fn); err != nil {
				t.Fatal(err)
			}
		}
		if extra := len(p.Instructions) - n; extra != 0 && extra != 1 {
			t.Fatalf("%d instructions for %d words", len(p.Instructions), n)
		}
	})
}

func TestLowerErrors(t *testing.T) {
	many := make([]Inst, 2000)
	for i := range many {
		many[i] = Inst{Op: Jalr, Rs1: 10}
	}
	for _, img := range []*Image{{Name: "t.elf"}, {Name: "t.elf", Text: make([]uint32, 2), Insts: make([]Inst, 1)}, image(t, nil, many...)} {
		var fe *FormatError
		if _, err := Lower(img); !errors.As(err, &fe) || !strings.HasPrefix(err.Error(), "t.elf") {
			t.Errorf("%d words: %v", len(img.Text), err)
		}
	}
}

// TestClassesAreTimed: every class of a lowered instruction has a timing rule
// in the presets of RISC-V machines.
func TestClassesAreTimed(t *testing.T) {
	d, err := gpu.Preset("vortex-32x32")
	if err != nil {
		t.Fatal(err)
	}
	m, err := d.Machine()
	if err != nil {
		t.Fatal(err)
	}
	for op := Invalid; op < NumOps; op++ {
		if _, _, err := m.Timing(op.class()); err != nil {
			t.Errorf("%s: %v", op, err)
		}
	}
}
