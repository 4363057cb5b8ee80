package rvexec

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/simt"
)

// coverText writes what warp 0 may execute: PCs, transactions of accesses behind a colon,
// forks in brackets with the numbers of the sides that are certain.
type coverText struct{ strings.Builder }

func (c *coverText) Step(warp int, s *simt.Step, _ *simt.Spread) {
	if warp > 0 {
		return
	}
	fmt.Fprintf(c, " %d", s.PC)
	if s.WidthBytes > 0 {
		fmt.Fprintf(c, ":%d", s.Segments(64))
	}
}

func (c *coverText) Fork(int)                   { c.WriteString(" [") }
func (c *coverText) Next(int)                   { c.WriteString(" |") }
func (c *coverText) Loop(int)                   {}
func (c *coverText) Arrive(int)                 {}
func (c *coverText) EndLoop(int, *simt.LoopEnd) {}
func (c *coverText) Join(_ int, how simt.Joined) {
	c.WriteString(" ]")
	for i, sure := range []bool{how.First, how.Second} {
		if sure {
			fmt.Fprint(c, i+1)
		}
	}
}

// covered covers a program of one warp of four threads, which has what observed gives it,
// and an unknown number of each thread in x20, of which the lowest bit is in x21. It
// returns what the warp may execute behind that.
func covered(t *testing.T, body string) (string, error) {
	t.Helper()
	const start = `li x5, -1; vx_tmc x5
		csrrs x7, mscratch, x0; lw x8, 0(x7); lw x9, 4(x7); csrrs x10, local, x0
		csrrs x11, tid, x0; slli x11, x11, 2; add x12, x9, x11; add x13, x8, x11; lw x20, 0(x12); andi x21, x20, 1; add x0, x0, x0;`
	l := LaunchConfig{Warps: 1, Threads: 4, Taint: true}
	l.Argument = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, knownAddr), unknownAddr)
	l.Memory = []Region{
		{Name: "a", Addr: knownAddr, Data: make([]byte, 64), Known: true},
		{Name: "u", Addr: unknownAddr, Data: make([]byte, 64)},
	}
	k := kernel(t, l, start+body+"\nend: ecall")
	c, err := k.Coverer(simt.CoverOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var out coverText
	var executed int64
	err = c.Cover(context.Background(), 0, simt.Limits{MaxInstructions: 1 << 16}, &executed, &out)
	if names := c.Distrusted(); len(names) > 0 {
		t.Errorf("distrusted: %v", names)
	}
	_, text, _ := strings.Cut(out.String(), " 12 13")
	return strings.TrimSpace(text), err
}

// coverCase is a program, and what of it is covered, or why it is not.
type coverCase struct{ name, body, want string }

// coverCases begin with instruction 14.
func coverCases() []coverCase {
	const (
		split = "vx_split x2, x21; beq x21, x0, other;" // 14, 15
		join  = "; jal x0, meet; other: %s; meet: vx_join x2;"
		use   = "bne x1, x0, end; add x0, x0, x0;"
	)
	sides := func(first, second string) string { return split + first + fmt.Sprintf(join, second) }
	return []coverCase{
		{"two sides", sides("add x1, x0, x0", "addi x1, x0, 1"), "14 [ 15 16 17 19 | 15 18 19 ]"},
		{"a side that is empty", split + "add x1, x0, x0; other: vx_join x2", "14 [ 15 16 17 | 15 17 ]"},
		{"the same from both", sides("addi x1, x0, 0", "add x1, x0, x0") + use, "14 [ 15 16 17 19 | 15 18 19 ] 20 21"},
		{"not the same from both", sides("addi x1, x0, 0", "addi x1, x0, 1") + use, "bne: the branch depends on data"},
		{"unknown from the first", sides("add x1, x20, x0", "addi x1, x0, 0") + use, "bne: the branch depends on data"},
		{"flags from both", "andi x22, x20, 2; sltu x22, x0, x22;" + sides("addi x1, x22, 0", "xori x1, x22, 1") + "vx_split x2, x1; beq x1, x0, out; add x3, x3, x3; out: vx_join x2", "14 15 16 [ 17 18 19 21 | 17 20 21 ] 22 [ 23 24 25 | 23 25 ]"},
		{"the predicate in its sides", sides("add x1, x21, x0", "xori x1, x21, 1") + use, "14 [ 15 16 17 19 | 15 18 19 ] 20"},
		{"a flag and a number", sides("add x1, x21, x0", "add x1, x20, x0") + "vx_split x2, x1; beq x1, x0, out; add x3, x3, x3; out: vx_join x2", "beq: the branch depends on data"},
		{"a predicate that is a number", "vx_split x2, x20; beq x20, x0, out; add x3, x3, x3; out: vx_join x2", "beq: the branch depends on data"},
		{"a predicate negated", "vx_split x2, x21 neg; bne x21, x0, out; add x3, x3, x3; out: vx_join x2", "14 [ 15 16 17 | 15 17 ]"},
		{"one thread known", "li x3, 1; vx_tmc x3; addi x21, x0, 0; vx_tmc x5; vx_split x2, x21; add x3, x3, x3; vx_join x2", "14 15 16 17 18 19 [ 20 21 | 20 21 ]2"},
		{"sides within sides", split + "vx_split x3, x21; add x4, x4, x4; vx_join x3; andi x5, x20, 2; sltu x5, x0, x5; vx_split x3, x5; beq x5, x0, in; add x4, x4, x4; in: vx_join x3; other: vx_join x2", "14 [ 15 16 17 18 19 20 21 [ 22 23 24 | 22 24 ] 25 | 15 25 ]"},
		{"flags of bits", split + "andi x5, x20, 2; sltu x5, x0, x5; vx_split x3, x5; beq x5, x0, in; add x4, x4, x4; in: vx_join x3; other: vx_join x2", "14 [ 15 16 17 18 [ 19 20 21 | 19 21 ] 22 | 15 22 ]"},
		{"a loop of known length in a side", split + "addi x3, x0, 2; again: addi x3, x3, -1; bne x3, x0, again; other: vx_join x2", "14 [ 15 16 17 18 17 18 19 | 15 19 ]"},
		{"a loop that threads leave together in a side", split + "addi x3, x0, 2; again: addi x3, x3, -1; sltu x4, x0, x3; vx_pred x4, x5; bne x4, x0, again; other: vx_join x2", "vx_pred: which threads go on depends on data"},
		{"a loop that data end", "again: addi x20, x20, -1; sltu x4, x0, x20; vx_pred x4, x5; bne x4, x0, again", "vx_pred: which threads go on depends on data"},
		{"a store of threads that may not be there", split + "sw x0, 0(x13); other: vx_join x2; lw x1, 0(x13);" + use, "bne: the branch depends on data"},
		{"a store beside theirs", split + "sw x0, 0(x13); other: vx_join x2; lw x1, 16(x13);" + use, "14 [ 15 16:1 17 | 15 17 ] 18:1 19 20"},
		{"a spill in a side", split + "sw x11, -4(x10); lw x1, -4(x10); other: vx_join x2", "14 [ 15 16:1 17:1 18 | 15 18 ]"},
		{"one side stores, the other loads", sides("sw x0, 0(x8)", "lw x1, 0(x8); vx_split x3, x1; vx_join x3"), "14 [ 15 16:1 17 21 | 15 18:1 19 [ 20 | 20 ] 21 ]"},
		{"a thread that is there stores, others load on the other side", "li x3, 1; vx_tmc x3; addi x21, x0, 1; vx_tmc x5;" + sides("sw x0, 0(x13)", "lw x1, 0(x8); vx_split x3, x1; vx_join x3"), "14 15 16 17 18 19 [ 20 21:1 22 26 | 20 23:1 24 [ 25 | 25 ] 26 ]1"},
		{"one side loads, the other stores", sides("lw x1, 0(x8)", "sw x0, 0(x8)"), "sw: a store to what threads on the other side of a split have loaded"},
		{"one side loads, the other stores, each its own", sides("lw x1, 0(x13)", "sw x0, 0(x13)"), "14 [ 15 16:1 17 19 | 15 18:1 19 ]"},
		{"unknown addresses", "add x3, x8, x20; lw x1, 0(x3)", "14 15:4"},
		{"unknown addresses of some", "slti x3, x11, 8; czero.eqz x3, x20, x3; add x3, x8, x3; lw x1, 0(x3)", "14 15 16 17:4"},
		{"a store to an unknown address", "add x3, x8, x20; sw x0, 0(x3)", "14 15:4"},
		{"a store to an unknown address in a side", split + "add x3, x8, x20; sw x0, 0(x3); other: vx_join x2", "sw: the address of a store depends on data, where control does"},
		{"exceptions of a side", split + "fadd.s f1, f1, f1; other: vx_join x2; csrrs x1, fflags, x0;" + use, "bne: the branch depends on data"},
		{"exceptions of known numbers in a side", "fcvt.s.w f1, x11;" + split + "fadd.s f1, f1, f1; other: vx_join x2; csrrs x1, fflags, x0;" + use, "bne: the branch depends on data"},
		{"registers of a thread of one side", "li x3, 1; vx_tmc x3; addi x21, x0, 1; vx_tmc x5;" + sides("addi x1, x0, 1", "addi x1, x0, 0") + "vx_tmc x3;" + use, "14 15 16 17 18 19 [ 20 21 22 24 | 20 23 24 ]1 25 26"},
		{"an end by a pred in a side", split + "vx_pred x0, x0; other: vx_join x2", "vx_pred: which threads go on depends on data"},
		{"an end by a pred of threads that are there", "li x3, 1; vx_tmc x3; addi x21, x0, 0; vx_tmc x5; vx_split x2, x21; bne x21, x0, other; sub x0, x0, x0; other: vx_join x2", "14 15 16 17 18 19 [ 20 22 | 20 21 22 ]2"},
		{"a rounding mode in a side", split + "csrrwi x0, frm, 1; other: vx_join x2", "csrrwi: a register of the warp is written where control depends on data"},
		{"the mask in a side", split + "csrrs x1, threads, x0; vx_split x3, x1; vx_join x3; other: vx_join x2", "14 [ 15 16 17 [ 18 | 18 ] 19 | 15 19 ]"},
		{"a barrier in a side", split + "addi x3, x0, 1; vx_bar x0, x3; other: vx_join x2", "vx_bar: where control depends on data"},
		{"an end in a side", split + "vx_tmc x0; other: vx_join x2", "vx_tmc: where control depends on data"},
		{"a join of another split", split + "addi x2, x0, 0; other: vx_join x2", "vx_join: the operand is not what the split before it has returned"},
		{"a token that moves", split + "addi x3, x2, 0; addi x2, x3, 0; other: vx_join x2", "14 [ 15 16 17 18 | 15 18 ]"},
		{"two places to meet", split + "vx_join x2; jal x0, end; other: vx_join x2", "vx_join: the sides of a split meet at several places"},
		{"threads turned off in a side", "csrrs x4, threads, x0;" + split + "slti x3, x11, 4; vx_pred x3, x4; other: vx_join x2", "vx_pred: which threads go on depends on data"},
		{"threads that are there turned off in a side", "li x5, 15; li x3, 3; vx_tmc x3; addi x21, x0, 1; vx_tmc x5; slti x22, x11, 8; slti x23, x11, 4; add x4, x5, x0;" + split + "vx_split x3, x22; beq x22, x0, in; vx_pred x23, x4; in: vx_join x3; other: vx_join x2", "vx_join: threads were turned off or on since the split before it"},
		{"an access that goes wrong in a side", split + "lw x1, 1(x8); other: vx_join x2", "lw: goes wrong, if threads are there of which that depends on data: misaligned access: load of 4 bytes at 0x00020001, in warp 0 at 0x80000040: lw ra, 1(s0)"},
		{"a branch that depends on data", "bne x20, x0, end", "bne: the branch depends on data"},
		{"a join that depends on data", "vx_join x20", "vx_join: the operand depends on data"},
		{"a mask that depends on data", "vx_tmc x20", "vx_tmc: an operand depends on data"},
		{"a jump that depends on data", "jalr x0, 0(x20)", "jalr: the target depends on data"},
	}
}

// is tells what of the program is covered.
func (c *coverCase) is(t *testing.T) string {
	t.Helper()
	got, err := covered(t, c.body)
	if err != nil {
		_, what, _ := strings.Cut(err.Error(), ": ")
		return what
	}
	return strings.TrimSpace(got[:max(0, strings.LastIndex(got, " "))]) // without the end
}

// What is covered, and what is not.
func TestCover(t *testing.T) {
	for _, c := range coverCases() {
		t.Run(c.name, func(t *testing.T) {
			if got := c.is(t); got != c.want {
				t.Errorf("%s\nwant %s", got, c.want)
			}
		})
	}
}

// distrusted covers a program in which a warp stores to the buffer "a", from which the
// other has loaded x1, and then uses x1; unknown is memory that is not known.
func distrusted(t *testing.T, use string, unknown ...string) ([]string, error) {
	t.Helper()
	l := LaunchConfig{Warps: 2, Threads: 1, Taint: true, Argument: binary.LittleEndian.AppendUint32(nil, knownAddr), Memory: []Region{{Name: "a", Addr: knownAddr, Data: make([]byte, 8), Known: true}}}
	const body = `csrrs x7, mscratch, x0; lw x8, 0(x7); csrrs x5, nw, x0; auipc x6, 0; addi x6, x6, 12; vx_wspawn x5, x6
		csrrs x7, mscratch, x0; lw x8, 0(x7); csrrs x12, wid, x0; lw x1, 0(x8); beq x12, x0, end; sw x12, 0(x8); end: %s ecall`
	k := kernel(t, l, fmt.Sprintf(body, use))
	c, err := k.Coverer(simt.CoverOptions{Unknown: unknown})
	if err != nil {
		t.Fatal(err)
	}
	var executed int64
	err = c.Cover(context.Background(), 0, simt.Limits{}, &executed, &coverText{})
	return c.Distrusted(), err
}

// What warps change for one another in an order that is not known is covered in a second
// round, with that memory unknown.
func TestCoverDistrusts(t *testing.T) {
	if names, err := distrusted(t, ""); fmt.Sprint(names) != "[a]" || err != nil {
		t.Errorf("%v, %v", names, err)
	}
	if names, err := distrusted(t, "", "a"); len(names) != 0 || err != nil {
		t.Errorf("%v, %v", names, err)
	}
	if _, err := distrusted(t, "bne x1, x0, over; over:", "a"); err == nil || !strings.Contains(err.Error(), "the branch depends on data") {
		t.Errorf("%v", err)
	}
}
