package rvexec

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/rv"
)

// Where observed puts buffers: a is known, u is not.
const (
	knownAddr   = 0x20000
	unknownAddr = 0x30000
)

// observed runs a program on cores of warps of four threads, in taint mode, and returns
// what is recorded as "kind:register". x8 holds the address of a known buffer of zeros,
// x9 that of one that is not known, x10 that of local memory, x11 the thread's number of
// bytes in an array of words; all threads of all warps are active. Warps meet at "bar".
func observed(t *testing.T, l LaunchConfig, start, body string) string {
	t.Helper()
	l.Threads, l.Taint = 4, true
	l.Argument = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, knownAddr), unknownAddr)
	l.Memory = []Region{
		{Name: "a", Addr: knownAddr, Data: make([]byte, 64), Known: true, Unknown: []Range{{60, 64}}},
		{Name: "u", Addr: unknownAddr, Data: make([]byte, 64)},
	}
	k := kernel(t, l, start+`
		li x5, -1; vx_tmc x5
		csrrs x7, mscratch, x0; lw x8, 0(x7); lw x9, 4(x7); csrrs x10, local, x0
		csrrs x11, tid, x0; slli x11, x11, 2; csrrs x12, wid, x0; csrrs x13, cid, x0; csrrs x14, nw, x0
	`+body+"\nend: ecall")
	if _, err := run(t, k); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, x := range k.Taints() {
		out = append(out, fmt.Sprintf("%s:%s", x.Kind, x.Register))
	}
	if depend, results := k.Open(); len(depend)+len(results) != 0 {
		t.Errorf("open: %v, %v", depend, results)
	}
	return strings.Join(out, " ")
}

// taintCase is a program, its launch, what it does before all threads are active and
// behind that, and what is recorded.
type taintCase struct {
	name        string
	launch      LaunchConfig
	start, body string
	want        string
}

// taintRules are cases for what is known and what is not, rule by rule.
func taintRules() []taintCase {
	const branch = "\nbne x1, x0, end"
	one := LaunchConfig{Warps: 1}
	return []taintCase{
		{"numbers of threads, warps and cores", one, "", "csrrs x1, tid, x0; sub x1, x1, x1; csrrs x2, mhartid, x0; add x1, x1, x12; add x1, x1, x13; add x1, x1, x14; csrrs x2, nt, x0; csrrs x3, nc, x0; add x1, x1, x2; add x1, x1, x3; csrrs x2, threads, x0; add x1, x1, x2" + branch, ""},
		{"the numbers of cycles", one, "", "csrrs x1, mcycle, x0; andi x1, x1, 0" + branch, "branch:x1"},
		{"a counter of events", one, "", "csrrs x1, hpm3, x0" + branch, "branch:x1"},
		{"what the machine is", one, "", "csrrs x1, misa, x0" + branch, "branch:x1"},
		{"a register that nobody has written", one, "", "add x1, x20, x0" + branch, "branch:x1"},
		{"a known buffer", one, "", "lw x1, 0(x8)" + branch, ""},
		{"the part of it that is not known", one, "", "lw x1, 60(x8)" + branch, "branch:x1"},
		{"behind its end", one, "", "lw x1, 64(x8)" + branch, "branch:x1"},
		{"a buffer that is not known", one, "", "lw x1, 0(x9)" + branch, "branch:x1"},
		{"local memory that nobody has written", one, "", "lw x1, 0(x10)" + branch, "branch:x1"},
		{"local memory that the warp has written", one, "", "sw x14, 0(x10); lw x1, 0(x10)" + branch, ""},
		{"a stack", one, "", "add x2, x10, x0; sub x2, x2, x11; sw x14, -64(x2); lw x1, -64(x2)" + branch, ""},
		{"a stack that nobody has written", one, "", "lw x1, -64(x10)" + branch, "branch:x1"},
		{"a spilled value that is not known", one, "", "lw x3, 0(x9); sw x3, -64(x10); lw x1, -64(x10)" + branch, "branch:x1"},
		{"a buffer that is not known, behind a known store", one, "", "sw x0, 0(x9); lw x1, 0(x9)" + branch, ""},
		{"a byte beside one that is not known", one, "", "lw x3, 0(x9); sb x3, 1(x8); lbu x1, 0(x8)" + branch, ""},
		{"a byte that is not known", one, "", "lw x3, 0(x9); sb x3, 1(x8); lhu x1, 0(x8)" + branch, "branch:x1"},
		{"a byte stored over one that is not known", one, "", "lw x3, 0(x9); sb x3, 1(x8); sb x0, 1(x8); lw x1, 0(x8)" + branch, ""},
		{"the program's own text", one, "", "auipc x1, 0; lw x1, 0(x1)" + branch, ""},
		{"the exit code", one, "", "csrrs x1, nc, x0; lw x1, 0x88(x0)" + branch, "branch:x1"},
		{"lanes apart: the thread that is not known does not decide", one, "", "lw x3, 0(x9); li x4, 1; vx_tmc x4; add x3, x0, x0; add x1, x3, x0" + branch, ""},
		{"lanes apart: the thread that is not known decides", one, "", "lw x3, 0(x9); li x4, 1; vx_tmc x4; add x3, x0, x0; li x4, 15; vx_tmc x4; add x1, x3, x0" + branch, "branch:x1"},
		{"lanes that store different values at one address", one, "", "sw x11, 0(x8); lw x1, 0(x8)" + branch, "branch:x1"},
		{"lanes that store equal bytes at one address", one, "", "addi x3, x11, 0; slli x3, x3, 8; sb x3, 0(x8); lbu x1, 0(x8)" + branch, ""},
		{"lanes that store values that are not known at one address", one, "", "lw x3, 0(x9); andi x3, x3, 0; sw x3, 0(x8); lw x1, 0(x8)" + branch, "branch:x1"},
		{"an address that is not known", one, "", "lw x3, 0(x9); add x3, x3, x8; lw x1, 0(x3)", "address:x3"},
		{"what is loaded from there", one, "", "lw x3, 0(x9); add x3, x3, x8; lw x1, 0(x3)" + branch, "address:x3 branch:x1"},
		{"memory behind a store to an address that is not known", one, "", "lw x3, 0(x9); add x3, x3, x8; sw x0, 4(x3); lw x1, 0(x8)" + branch, "address:x3 branch:x1"},
		{"local memory behind it", one, "", "sw x0, 0(x10); lw x3, 0(x9); add x3, x3, x8; sw x0, 4(x3); lw x1, 0(x10)" + branch, "address:x3 branch:x1"},
		{"the predicate of a split", one, "", "lw x1, 0(x9); vx_split x2, x1; vx_join x2", "branch:x1"},
		{"what a split returns", one, "", "vx_split x1, x11; vx_join x1" + branch, ""},
		{"the operand of a join", one, "", "lw x1, 0(x9); vx_join x1", "branch:x1"},
		{"the predicate of a pred", one, "", "lw x1, 0(x9); ori x1, x1, 1; vx_pred x1, x14", "branch:x1"},
		{"the mask that a pred restores", one, "", "li x2, 15; lw x1, 0(x9); or x2, x2, x1; vx_pred x0, x2", "branch:x2"},
		{"a mask that a pred does not restore", one, "", "li x2, 15; lw x1, 0(x9); or x2, x2, x1; li x3, 1; vx_pred x3, x2", ""},
		{"the operand of a tmc", one, "", "lw x1, 0(x9); ori x1, x1, 3; vx_tmc x1", "branch:x1"},
		{"the target of a jump", one, "", "lw x1, 0(x9); auipc x2, 0; add x2, x2, x1; jalr x0, 12(x2)", "branch:x2"},
		{"a link", one, "", "jal x1, here; here: sub x1, x1, x1" + branch, ""},
		{"the number of a barrier", one, "", "lw x1, 0(x9); li x2, 1; vx_bar x1, x2", "barrier:x1"},
		{"the count of a barrier", one, "", "lw x1, 0(x9); ori x1, x1, 1; vx_bar x0, x1", "barrier:x1"},
		{"how many warps are spawned", one, "", "lw x1, 0(x9); vx_wspawn x1, x0", "branch:x1"},
		{"exceptions of known numbers", one, "", "fcvt.s.w f1, x11; fadd.s f1, f1, f1; csrrs x1, fflags, x0" + branch, ""},
		{"exceptions of numbers that are not known", one, "", "flw f1, 0(x9); fadd.s f1, f1, f1; csrrs x1, fflags, x0; andi x1, x1, 0" + branch, "branch:x1"},
		{"exceptions of numbers that are not known, and of known ones", one, "", "flw f1, 0(x9); fadd.s f1, f1, f1; fcvt.s.w f2, x11; fadd.s f2, f2, f2; csrrs x1, fflags, x0; andi x1, x1, 0" + branch, "branch:x1"},
		{"exceptions of numbers that are not known, and one that is set", one, "", "flw f1, 0(x9); fadd.s f1, f1, f1; csrrsi x0, fflags, 1; csrrs x1, fflags, x0; andi x1, x1, 0" + branch, "branch:x1"},
		{"the third operand", one, "", "flw f1, 0(x9); fcvt.s.w f2, x11; fmadd.s f3, f2, f2, f1; feq.s x1, f3, f3; andi x1, x1, 0" + branch, "branch:x1"},
		{"the second operand of a branch", one, "", "lw x1, 0(x9); bne x0, x1, end", "branch:x1"},
		{"a word stored, and a byte over it", one, "", "lw x3, 0(x9); sw x3, 0(x8); sb x0, 1(x8); lw x1, 0(x8)" + branch, "branch:x1"},
		{"a mask that the last thread gives", one, "", "lw x1, 0(x9); li x4, 1; vx_tmc x4; add x1, x0, x0; li x4, 15; vx_tmc x4; ori x1, x1, 8; vx_tmc x1", "branch:x1"},
		{"exceptions cleared since", one, "", "flw f1, 0(x9); fadd.s f1, f1, f1; csrrw x0, fflags, x0; csrrs x1, fflags, x0" + branch, ""},
		{"a rounding mode that is not known", one, "", "lw x3, 0(x9); csrrw x0, frm, x3; fcvt.s.w f1, x11; fadd.s f1, f1, f1; feq.s x1, f1, f1; andi x1, x1, 0" + branch, "branch:x1"},
		{"a rounding mode that is not known, and one in the instruction", one, "", "lw x3, 0(x9); csrrw x0, frm, x3; fcvt.s.w f1, x11, rne; fadd.s f1, f1, f1, rtz; fmv.x.w x1, f1; sub x1, x1, x1" + branch, ""},
		{"mscratch", one, "", "csrrs x1, mscratch, x0; sub x1, x1, x1" + branch, ""},
		{"mscratch with what is not known", one, "", "lw x3, 0(x9); csrrw x0, mscratch, x3; csrrs x1, mscratch, x0" + branch, "branch:x1"},
	}
}

// What is known and what is not.
func TestTaintRules(t *testing.T) {
	for _, c := range taintRules() {
		t.Run(c.name, func(t *testing.T) {
			if got := observed(t, c.launch, c.start, c.body); got != c.want {
				t.Errorf("recorded %q, want %q", got, c.want)
			}
		})
	}
	t.Run("a text that is changed", func(t *testing.T) { writableText(t, "auipc x1, 0; sw x0, 0(x1)", "unfollowed:") })
}

// writableText is observed of a program whose text may be written.
func writableText(t *testing.T, body, want string) {
	t.Helper()
	img := image(assemble(t, body+"; ecall"))
	img.Segments[0].Write = true
	k, err := NewKernel(img, LaunchConfig{Warps: 1, Threads: 1, Taint: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := run(t, k); err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, x := range k.Taints() {
		got += x.Kind.String() + ":" + x.Register
	}
	if got != want {
		t.Errorf("recorded %q, want %q", got, want)
	}
}

// taintOrders are cases for what warps and cores change for one another, and what orders
// them.
func taintOrders() []taintCase {
	const (
		all    = "csrrs x5, nw, x0; auipc x6, 0; addi x6, x6, 12; vx_wspawn x5, x6;" // all warps go on together
		branch = "\nbne x1, x0, end"
		first  = "bne x12, x0, no;" // warp 0 only
		second = "beq x12, x0, no;" // the others
		bar    = "no: vx_bar x0, x14;"
	)
	two := LaunchConfig{Warps: 2}
	return []taintCase{
		{"a load behind another warp's store", two, all, first + "sw x0, 0(x8); no: lw x1, 0(x8)" + branch, "branch:x1"},
		{"a load behind another warp's store and a barrier", two, all, first + "sw x0, 0(x8);" + bar + "lw x1, 0(x8)" + branch, ""},
		{"a store behind another warp's load", two, all, "lw x1, 0(x8);" + second + "sw x0, 0(x8); no: add x0, x0, x0", "order:a"},
		{"a store behind another warp's load and a barrier", two, all, first + "lw x1, 0(x8);" + bar + "beq x12, x0, end; sw x0, 0(x8)", ""},
		{"stores of two warps", two, all, "sw x0, 0(x8); vx_bar x0, x14; lw x1, 0(x8)" + branch, "branch:x1"},
		{"stores of two warps into local memory", two, all, "sw x0, 0(x10); vx_bar x0, x14; lw x1, 0(x10)" + branch, "branch:x1"},
		{"a store into local memory behind another warp's load", two, all, first + "sw x0, 0(x10);" + bar + "lw x1, 0(x10); bne x12, x0, end; sw x0, 0(x10)", "order:local memory"},
		{"a barrier of a part", LaunchConfig{Warps: 3}, all, first + "sw x0, 0(x8); no: li x2, 2; beq x12, x2, no2; vx_bar x0, x2; no2: lw x1, 0(x8)" + branch, "branch:x1"},
		{"memory of their own", two, all, "slli x2, x12, 4; add x2, x2, x11; add x2, x2, x8; sw x0, 0(x2); lw x1, 0(x2)" + branch, ""},
		{"a warp that is spawned reads what was stored before", two, "csrrs x7, mscratch, x0; lw x8, 0(x7); sw x0, 0(x8);" + all, "lw x1, 0(x8)" + branch, ""},
		{"which warps are active before any is spawned", two, "csrrs x1, warps, x0; addi x1, x1, -1; beq x1, x0, go; ecall; go:" + all, "", ""},
		{"which warps are active", two, all, "csrrs x1, warps, x0; andi x1, x1, 0" + branch, "branch:x1"},
		{"mscratch written by another warp", two, all, bar + "li x2, 1; bne x12, x2, other; csrrw x0, mscratch, x0; other: csrrs x1, mscratch, x0; andi x1, x1, 0" + branch, "branch:x1"},
		{"mscratch that another warp has read", two, all, bar + "csrrs x1, mscratch, x0; bne x12, x0, end; csrrw x0, mscratch, x0", "order:mscratch"},
		{"a load behind another core's store", LaunchConfig{Warps: 1, Cores: 2}, "", "bne x13, x0, no; sw x0, 0(x8); no: lw x1, 0(x8)" + branch, "branch:x1"},
		{"a store behind another core's load", LaunchConfig{Warps: 1, Cores: 2}, "", "lw x1, 0(x8); beq x13, x0, end; sw x0, 0(x8)", "order:a"},
		{"local memory of cores", LaunchConfig{Warps: 1, Cores: 2}, "", "sw x0, 0(x10); lw x1, 0(x10)" + branch, ""},
		{"local memory that an earlier core has written", LaunchConfig{Warps: 1, Cores: 2}, "", "bne x13, x0, no; sw x0, 0(x10); no: lw x1, 0(x10)" + branch, "branch:x1"},
		{"a store anywhere behind another core's load", LaunchConfig{Warps: 1, Cores: 2}, "", "lw x1, 0(x8); beq x13, x0, end; lw x3, 0(x9); add x3, x3, x8; sw x0, 32(x3)", "address:x3 order:memory"},
		{"a store anywhere behind another warp's load", two, all, "vx_bar x0, x14; lw x1, 0(x8); bne x12, x0, end; lw x3, 0(x9); add x3, x3, x8; sw x0, 32(x3)", "address:x3 order:memory"},
	}
}

// What warps and cores change for one another is tainted or recorded.
func TestTaintOfOrders(t *testing.T) {
	for _, c := range taintOrders() {
		t.Run(c.name, func(t *testing.T) {
			if got := observed(t, c.launch, c.start, c.body); got != c.want {
				t.Errorf("recorded %q, want %q", got, c.want)
			}
		})
	}
}

// A WSPAWN of variant v2.2 is a barrier of all warps, also where it only waits for them;
// one of February 2024 is none, and whether it is an error is a matter of time.
func TestTaintOfSpawns(t *testing.T) {
	for _, c := range []struct {
		variant Variant
		again   string
		want    string
	}{
		{V22, spawnAndLoad, ""},
		{Feb2024, spawnAndLoad, "order:a"},
		{V22, loadAndSpawn, "order:a"},
		{Feb2024, loadAndSpawn, "order:a"},
		{V22, "vx_wspawn x5, x6", ""},
		{Feb2024, "csrrs x1, warps, x0; vx_wspawn x5, x6", "order:the active warps"}, // the others go on when they are looked at
		{Feb2024, "li x1, 1; vx_bar x0, x1; vx_wspawn x1, x6", ""},
	} {
		if got := started(t, c.variant, c.again); got != c.want {
			t.Errorf("%v, %q: recorded %q, want %q", c.variant, c.again, got, c.want)
		}
	}
}

const (
	spawnAndLoad = "li x5, 1; vx_wspawn x5, x0; lw x1, 0(x8); bne x1, x0, over"
	loadAndSpawn = "lw x1, 0(x8); li x5, 1; vx_wspawn x5, x0; bne x1, x0, over"
)

// started is observed of a program in which warp 0 starts another, which stores to a known
// buffer, and then does something.
func started(t *testing.T, v Variant, again string) string {
	t.Helper()
	k := kernel(t, LaunchConfig{Warps: 2, Threads: 1, Variant: v, Taint: true, Argument: binary.LittleEndian.AppendUint32(nil, knownAddr), Memory: []Region{{Name: "a", Addr: knownAddr, Data: make([]byte, 8), Known: true}}}, `
		jal x6, lead; csrrs x7, mscratch, x0; lw x8, 0(x7); sw x0, 0(x8); ecall
		lead: csrrs x7, mscratch, x0; lw x8, 0(x7); csrrs x5, nw, x0; vx_wspawn x5, x6
		`+again+`
		over: ecall`)
	if _, err := run(t, k); err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, x := range k.Taints() {
		got += " " + x.Kind.String() + ":" + x.Register
	}
	return strings.TrimSpace(got)
}

// What varies stays within what may vary: a program that depends on none of it computes
// the same, and one that does computes something else.
func TestVariations(t *testing.T) {
	const sums = "csrrs x1, tid, x0; slli x1, x1, 2; li x2, 0x20000; add x2, x2, x1; sw x1, 0(x2); csrrs x3, mcycle, x0; sw x3, 64(x2); ecall"
	outcome := func(seed uint64) (known, counted string) {
		l := LaunchConfig{Warps: 1, Threads: 4}
		if seed > 0 {
			l.Vary = rand.New(rand.NewPCG(seed, 1))
		}
		k, _ := mustRun(t, l, "li x5, 15; vx_tmc x5;"+sums)
		data := make([]byte, 128)
		if err := k.ReadMemory(0x20000, data); err != nil {
			t.Fatal(err)
		}
		return string(data[:16]), string(data[64:80])
	}
	known, counted := outcome(0)
	differ := false
	for seed := range uint64(8) {
		again, other := outcome(seed + 1)
		if again != known {
			t.Errorf("seed %d: the threads' numbers differ", seed)
		}
		differ = differ || other != counted
	}
	if !differ {
		t.Error("the number of cycles is the same on every machine")
	}
}

// Every register of control and status is followed in one of two ways: one that shows the
// same on every machine is known, or followed like a register; all others are tainted.
func TestRegistersOfMachines(t *testing.T) {
	same := 0
	for csr := range uint16(1 << 12) {
		if sameEverywhere(csr) {
			same++
			if csrAccess(csr) == unknown || csrAccess(csr) == ignored {
				t.Errorf("%s is the same everywhere", rv.CSRName(csr))
			}
		}
	}
	if same != 14 {
		t.Errorf("%d registers are the same everywhere, expected 14", same)
	}
}
