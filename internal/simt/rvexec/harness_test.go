package rvexec

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/rv"
	"github.com/warpbound/warpbound/internal/simt"
)

const textBase = 0x80000000

var opByName = func() map[string]rv.Op {
	m := map[string]rv.Op{}
	for _, op := range rv.Ops() {
		m[op.String()] = op
	}
	return m
}()

var csrByName = map[string]uint16{
	"fflags": rv.CSRFflags, "frm": rv.CSRFrm, "fcsr": rv.CSRFcsr, "mscratch": rv.CSRMscratch,
	"mcycle": rv.CSRMcycle, "mcycleh": rv.CSRMcycleh, "minstret": rv.CSRMinstret, "minstreth": rv.CSRMinstreth,
	"tid": rv.CSRThreadID, "wid": rv.CSRWarpID, "cid": rv.CSRCoreID, "warps": rv.CSRActiveWarps, "threads": rv.CSRActiveThreads,
	"nt": rv.CSRNumThreads, "nw": rv.CSRNumWarps, "nc": rv.CSRNumCores, "local": rv.CSRLocalMemBase, "mhartid": rv.CSRMhartid,
	"mstatus": csrMstatus, "misa": csrMisa, "hpm3": rv.CSRMhpmcounter3,
}

var modeByName = map[string]uint8{"rne": rv.RNE, "rtz": rv.RTZ, "rdn": rv.RDN, "rup": rv.RUP, "rmm": rv.RMM, "dyn": rv.DYN, "m5": 5, "m6": 6}

// assemble turns lines ("label: op rd, rs1, rs2 # comment", ; also ends a line)
// into words. "li r, x" is lui and addi; ".word x" is a word.
func assemble(t testing.TB, text string) []uint32 {
	t.Helper()
	type line struct {
		op   string
		args []string
	}
	var lines []line
	labels := map[string]int{}
	for _, l := range strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == ';' }) {
		l, _, _ = strings.Cut(l, "#")
		for {
			label, rest, ok := strings.Cut(l, ":")
			if !ok {
				break
			}
			labels[strings.TrimSpace(label)] = len(lines)
			l = rest
		}
		f := strings.Fields(strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(l, ",", " "), "(", " "), ")", ""))
		switch {
		case len(f) == 0:
		case f[0] == "li":
			x, err := strconv.ParseInt(f[2], 0, 64)
			if err != nil {
				t.Fatal(err)
			}
			hi := (uint32(x) + 0x800) & 0xfffff000
			lines = append(lines, line{"lui", []string{f[1], fmt.Sprint(int32(hi))}},
				line{"addi", []string{f[1], f[1], fmt.Sprint(int32(uint32(x) - hi))}})
		default:
			lines = append(lines, line{f[0], f[1:]})
		}
	}
	words := make([]uint32, len(lines))
	for i, l := range lines {
		number := func(s string) int32 {
			if at, ok := labels[s]; ok {
				return int32(4 * (at - i))
			}
			x, err := strconv.ParseInt(s, 0, 64)
			if err != nil || x < math.MinInt32 || x > math.MaxUint32 {
				t.Fatalf("%s %v: %v", l.op, l.args, err)
			}
			return int32(x)
		}
		if l.op == ".word" {
			words[i] = uint32(number(l.args[0]))
			continue
		}
		w, err := rv.Encode(instruction(t, l.op, l.args, number))
		if err != nil {
			t.Fatalf("%s %v: %v", l.op, l.args, err)
		}
		words[i] = w
	}
	return words
}

func instruction(t testing.TB, name string, args []string, number func(string) int32) rv.Inst {
	op, ok := opByName[name]
	if !ok {
		t.Fatalf("no operation %s", name)
	}
	in := rv.Inst{Op: op}
	o := op.Operands()
	next := func() string {
		if len(args) == 0 {
			t.Fatalf("%s has too few operands", name)
		}
		s := args[0]
		args = args[1:]
		return s
	}
	reg := func(file rv.File, r *uint8) {
		if file == rv.NoFile {
			return
		}
		s := next()
		x, err := strconv.Atoi(s[1:])
		if err != nil || s[0] != "?xf"[file] {
			t.Fatalf("%s: register %s", name, s)
		}
		*r = uint8(x)
	}
	memory := strings.HasPrefix(op.String(), "l") && op != rv.Lui || op == rv.Flw || op == rv.Jalr
	store := op == rv.Sb || op == rv.Sh || op == rv.Sw || op == rv.Fsw
	switch {
	case memory:
		reg(o.Rd, &in.Rd)
		in.Imm = number(next())
		reg(o.Rs1, &in.Rs1)
	case store:
		reg(o.Rs2, &in.Rs2)
		in.Imm = number(next())
		reg(o.Rs1, &in.Rs1)
	case op == rv.Fence || op == rv.FenceI:
	default:
		reg(o.Rd, &in.Rd)
		if o.CSR {
			s := next()
			in.CSR, ok = csrByName[s]
			if !ok {
				in.CSR = uint16(number(s))
			}
		}
		reg(o.Rs1, &in.Rs1)
		reg(o.Rs2, &in.Rs2)
		reg(o.Rs3, &in.Rs3)
		if o.Imm {
			in.Imm = number(next())
		}
	}
	if o.RM {
		in.RM = rv.DYN
		if len(args) > 0 {
			if in.RM, ok = modeByName[next()]; !ok {
				t.Fatalf("%s: unknown mode", name)
			}
		}
	}
	if len(args) > 0 && args[0] == "neg" {
		in.Neg = true
		args = args[1:]
	}
	if len(args) > 0 {
		t.Fatalf("%s: operands left: %v", name, args)
	}
	return in
}

// image is a program of one segment of text.
func image(words []uint32) *rv.Image {
	img := &rv.Image{Name: "test", Entry: textBase, TextBase: textBase, Text: words}
	data := make([]byte, 0, 4*len(words))
	for _, w := range words {
		in, err := rv.Decode(w)
		if err != nil {
			in = rv.Inst{Raw: w}
		}
		img.Insts = append(img.Insts, in)
		data = append(data, byte(w), byte(w>>8), byte(w>>16), byte(w>>24))
	}
	img.Segments = []rv.Segment{{Addr: textBase, Data: data, MemBytes: uint32(len(data)), Exec: true}}
	return img
}

// kernel makes a kernel of assembly text.
func kernel(t testing.TB, l LaunchConfig, text string) *Kernel {
	t.Helper()
	k, err := NewKernel(image(assemble(t, text)), l)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// run executes all cores one after another and returns them, with the first
// error.
func run(t testing.TB, k *Kernel) ([]*Core, error) {
	t.Helper()
	var cores []*Core
	var executed int64
	for i := range k.launch.Cores {
		b, err := k.NewBlock(int64(i))
		if err != nil {
			t.Fatal(err)
		}
		cores = append(cores, b.(*Core))
		if err := simt.RunBlock(context.Background(), b, simt.Limits{MaxInstructions: 1 << 20}, &executed, nil); err != nil {
			return cores, err
		}
	}
	return cores, nil
}

// mustRun runs a program on one core that ends without an error.
func mustRun(t testing.TB, l LaunchConfig, text string) (*Kernel, *Core) {
	t.Helper()
	k := kernel(t, l, text)
	cores, err := run(t, k)
	if err != nil {
		t.Fatal(err)
	}
	return k, cores[0]
}

// mustFail runs a program that ends with an error of a kind, whose text contains
// all of the parts.
func mustFail(t testing.TB, l LaunchConfig, text string, kind error, parts ...string) *simt.RuntimeError {
	t.Helper()
	_, err := run(t, kernel(t, l, text))
	var e *simt.RuntimeError
	if !errors.As(err, &e) || !errors.Is(err, kind) {
		t.Fatalf("error %v, want %v", err, kind)
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("error %q does not contain %q", err, p)
		}
	}
	return e
}

// one is a machine of one warp of n threads.
func one(n int) LaunchConfig { return LaunchConfig{Warps: 1, Threads: n} }
