package rvexec

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/facts"
)

// coverText writes what warp 0 may execute: PCs, of ways back with a mark, transactions of
// accesses behind a colon, forks in brackets with the numbers of the sides that are certain.
type coverText struct{ strings.Builder }

func (c *coverText) Step(warp int, s *simt.Step, _ *simt.Spread) {
	if warp > 0 {
		return
	}
	fmt.Fprintf(c, " %d", s.PC)
	if s.Back {
		c.WriteByte('<')
	}
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
// returns what the warp may execute behind that, and within facts also how often threads go
// back to the heads of loops.
func covered(t *testing.T, body string, within ...facts.Fact) (string, error) {
	t.Helper()
	const start = `li x5, -1; vx_tmc x5
		csrrs x7, mscratch, x0; lw x8, 0(x7); lw x9, 4(x7); csrrs x10, local, x0
		csrrs x11, tid, x0; slli x11, x11, 2; add x12, x9, x11; add x13, x8, x11; lw x20, 0(x12); andi x21, x20, 1; add x0, x0, x0;`
	l := LaunchConfig{Warps: 1, Threads: 4, Taint: true, Facts: within, ReportLoops: len(within) > 0}
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
	text = text[:max(0, strings.LastIndex(text, " "))] // without the end
	loops := c.(*coverer).CoveredLoops()
	for _, head := range slices.Sorted(maps.Keys(loops)) {
		text += fmt.Sprintf("; %d: %d", head, loops[head].Most)
	}
	return strings.TrimSpace(text), err
}

// coverCase is a program, and what of it is covered, or why it is not.
type coverCase struct {
	name, body, want string
	within           []facts.Fact
}

// coverCases begin with instruction 14.
func coverCases() []coverCase {
	const (
		split = "vx_split x2, x21; beq x21, x0, other;" // 14, 15
		join  = "; jal x0, meet; other: %s; meet: vx_join x2;"
		use   = "bne x1, x0, end; add x0, x0, x0;"
	)
	// A loop that data end, from instruction 15 on; one that ends after two iterations at
	// the latest; and the same with more in it.
	const (
		halves = "csrrs x4, threads, x0; again: addi x20, x20, -1; sltu x3, x0, x20; vx_pred x3, x4; bne x3, x0, again;"
		twice  = "csrrs x4, threads, x0; addi x1, x0, 0; again: addi x1, x1, 1; %s sltiu x3, x1, 2; and x3, x3, x21; vx_pred x3, x4; bne x3, x0, again;"
		again  = "back: lw x20, 0(x12); bne x20, x0, back; lw x21, 4(x12); bne x21, x0, back;"
	)
	most := func(kind facts.Kind, head int32, n int64) []facts.Fact {
		return []facts.Fact{{Kind: kind, Name: "most", Head: head, Most: n}}
	}
	sides := func(first, second string) string { return split + first + fmt.Sprintf(join, second) }
	return []coverCase{
		{"two sides", sides("add x1, x0, x0", "addi x1, x0, 1"), "14 [ 15 16 17 19 | 15 18 19 ]", nil},
		{"a side that is empty", split + "add x1, x0, x0; other: vx_join x2", "14 [ 15 16 17 | 15 17 ]", nil},
		{"the same from both", sides("addi x1, x0, 0", "add x1, x0, x0") + use, "14 [ 15 16 17 19 | 15 18 19 ] 20 21", nil},
		{"not the same from both", sides("addi x1, x0, 0", "addi x1, x0, 1") + use, "14 [ 15 16 17 19 | 15 18 19 ] 20 [ 21 | ]", nil},
		{"unknown from the first", sides("add x1, x20, x0", "addi x1, x0, 0") + use, "14 [ 15 16 17 19 | 15 18 19 ] 20 [ 21 | ]", nil},
		{"flags from both", "andi x22, x20, 2; sltu x22, x0, x22;" + sides("addi x1, x22, 0", "xori x1, x22, 1") + "vx_split x2, x1; beq x1, x0, out; add x3, x3, x3; out: vx_join x2", "14 15 16 [ 17 18 19 21 | 17 20 21 ] 22 [ 23 24 25 | 23 25 ]", nil},
		{"the predicate in its sides", sides("add x1, x21, x0", "xori x1, x21, 1") + use, "14 [ 15 16 17 19 | 15 18 19 ] 20", nil},
		{"a flag and a number", sides("add x1, x21, x0", "add x1, x20, x0") + "vx_split x2, x1; beq x1, x0, out; add x3, x3, x3; out: vx_join x2", "14 [ 15 16 17 19 | 15 18 19 ] 20 [ 21 [ 22 | ] 23 | 21 [ 22 | ] 23 ]", nil},
		{"a predicate that is a number", "vx_split x2, x20; beq x20, x0, out; add x3, x3, x3; out: vx_join x2", "14 [ 15 [ 16 | ] 17 | 15 [ 16 | ] 17 ]", nil},
		{"a predicate negated", "vx_split x2, x21 neg; bne x21, x0, out; add x3, x3, x3; out: vx_join x2", "14 [ 15 16 17 | 15 17 ]", nil},
		{"one thread known", "li x3, 1; vx_tmc x3; addi x21, x0, 0; vx_tmc x5; vx_split x2, x21; add x3, x3, x3; vx_join x2", "14 15 16 17 18 19 [ 20 21 | 20 21 ]2", nil},
		{"sides within sides", split + "vx_split x3, x21; add x4, x4, x4; vx_join x3; andi x5, x20, 2; sltu x5, x0, x5; vx_split x3, x5; beq x5, x0, in; add x4, x4, x4; in: vx_join x3; other: vx_join x2", "14 [ 15 16 17 18 19 20 21 [ 22 23 24 | 22 24 ] 25 | 15 25 ]", nil},
		{"flags of bits", split + "andi x5, x20, 2; sltu x5, x0, x5; vx_split x3, x5; beq x5, x0, in; add x4, x4, x4; in: vx_join x3; other: vx_join x2", "14 [ 15 16 17 18 [ 19 20 21 | 19 21 ] 22 | 15 22 ]", nil},
		{"a loop of known length in a side", split + "addi x3, x0, 2; again: addi x3, x3, -1; bne x3, x0, again; other: vx_join x2", "14 [ 15 16 17 18 17 18 19 | 15 19 ]", nil},
		{"a loop that threads leave together in a side", split + "addi x3, x0, 2; again: addi x3, x3, -1; sltu x4, x0, x3; vx_pred x4, x5; bne x4, x0, again; other: vx_join x2", "vx_pred: which threads come back depends on data", nil},
		{"a loop that data end", "again: addi x20, x20, -1; sltu x4, x0, x20; vx_pred x4, x5; bne x4, x0, again", "vx_pred: which threads come back depends on data", nil},
		{"a store of threads that may not be there", split + "sw x0, 0(x13); other: vx_join x2; lw x1, 0(x13);" + use, "14 [ 15 16:1 17 | 15 17 ] 18:1 19 [ 20 | ]", nil},
		{"a store beside theirs", split + "sw x0, 0(x13); other: vx_join x2; lw x1, 16(x13);" + use, "14 [ 15 16:1 17 | 15 17 ] 18:1 19 20", nil},
		{"a spill in a side", split + "sw x11, -4(x10); lw x1, -4(x10); other: vx_join x2", "14 [ 15 16:1 17:1 18 | 15 18 ]", nil},
		{"one side stores, the other loads", sides("sw x0, 0(x8)", "lw x1, 0(x8); vx_split x3, x1; vx_join x3"), "14 [ 15 16:1 17 21 | 15 18:1 19 [ 20 | 20 ] 21 ]", nil},
		{"a thread that is there stores, others load on the other side", "li x3, 1; vx_tmc x3; addi x21, x0, 1; vx_tmc x5;" + sides("sw x0, 0(x13)", "lw x1, 0(x8); vx_split x3, x1; vx_join x3"), "14 15 16 17 18 19 [ 20 21:1 22 26 | 20 23:1 24 [ 25 | 25 ] 26 ]1", nil},
		{"one side loads, the other stores", sides("lw x1, 0(x8)", "sw x0, 0(x8)"), "sw: a store to what threads on the other side of a split have loaded", nil},
		{"one side loads, the other stores, each its own", sides("lw x1, 0(x13)", "sw x0, 0(x13)"), "14 [ 15 16:1 17 19 | 15 18:1 19 ]", nil},
		{"unknown addresses", "add x3, x8, x20; lw x1, 0(x3)", "14 15:4", nil},
		{"unknown addresses of some", "slti x3, x11, 8; czero.eqz x3, x20, x3; add x3, x8, x3; lw x1, 0(x3)", "14 15 16 17:4", nil},
		{"a store to an unknown address", "add x3, x8, x20; sw x0, 0(x3)", "14 15:4", nil},
		{"a store to an unknown address in a side", split + "add x3, x8, x20; sw x0, 0(x3); other: vx_join x2", "sw: the address of a store depends on data, where control does", nil},
		{"exceptions of a side", split + "fadd.s f1, f1, f1; other: vx_join x2; csrrs x1, fflags, x0;" + use, "14 [ 15 16 17 | 15 17 ] 18 19 [ 20 | ]", nil},
		{"exceptions of known numbers in a side", "fcvt.s.w f1, x11;" + split + "fadd.s f1, f1, f1; other: vx_join x2; csrrs x1, fflags, x0;" + use, "14 15 [ 16 17 18 | 16 18 ] 19 20 [ 21 | ]", nil},
		{"exceptions of the other side, which may come before", sides("csrrs x1, fflags, x0; vx_split x3, x1; vx_join x3", "fadd.s f1, f1, f1"), "14 [ 15 16 17 [ 18 | 18 ] 19 21 | 15 20 21 ]", nil},
		{"registers of a thread of one side", "li x3, 1; vx_tmc x3; addi x21, x0, 1; vx_tmc x5;" + sides("addi x1, x0, 1", "addi x1, x0, 0") + "vx_tmc x3;" + use, "14 15 16 17 18 19 [ 20 21 22 24 | 20 23 24 ]1 25 26", nil},
		{"an end by a pred in a side", split + "vx_pred x0, x0; other: vx_join x2", "vx_pred: the warp ends where control depends on data", nil},
		{"an end by a pred of threads that are there", "li x3, 1; vx_tmc x3; addi x21, x0, 0; vx_tmc x5; vx_split x2, x21; bne x21, x0, other; sub x0, x0, x0; other: vx_join x2", "14 15 16 17 18 19 [ 20 22 | 20 21 22 ]2", nil},
		{"a rounding mode in a side", split + "csrrwi x0, frm, 1; other: vx_join x2", "csrrwi: a register of the warp is written where control depends on data", nil},
		{"the mask in a side", split + "csrrs x1, threads, x0; vx_split x3, x1; vx_join x3; other: vx_join x2", "14 [ 15 16 17 [ 18 | 18 ] 19 | 15 19 ]", nil},
		{"a barrier in a side", split + "addi x3, x0, 1; vx_bar x0, x3; other: vx_join x2", "vx_bar: where control depends on data", nil},
		{"an end in a side", split + "vx_tmc x0; other: vx_join x2", "vx_tmc: where control depends on data", nil},
		{"a join of another split", split + "addi x2, x0, 0; other: vx_join x2", "vx_join: the operand is not what the split before it has returned", nil},
		{"a token that moves", split + "addi x3, x2, 0; addi x2, x3, 0; other: vx_join x2", "14 [ 15 16 17 18 | 15 18 ]", nil},
		{"two places to meet", split + "vx_join x2; jal x0, end; other: vx_join x2", "vx_join: the sides of a split meet at several places", nil},
		{"threads turned off in a side", "csrrs x4, threads, x0;" + split + "slti x3, x11, 4; vx_pred x3, x4; other: vx_join x2", "vx_pred: threads come back that were not there where control began to depend on data", nil},
		{"threads that are there turned off in a side", "li x5, 15; li x3, 3; vx_tmc x3; addi x21, x0, 1; vx_tmc x5; slti x22, x11, 8; slti x23, x11, 4; add x4, x5, x0;" + split + "vx_split x3, x22; beq x22, x0, in; vx_pred x23, x4; in: vx_join x3; other: vx_join x2", "vx_join: threads were turned off or on since the split before it", nil},
		{"an access that goes wrong in a side", split + "lw x1, 1(x8); other: vx_join x2", "lw: goes wrong, if threads are there of which that depends on data: misaligned access: load of 4 bytes at 0x00020001, in warp 0 at 0x80000040: lw ra, 1(s0)", nil},
		{"a loop that data end, within a fact", halves + "add x0, x0, x0", "14 15 16 17 [ 18 15 16 17 | ] [ 18 15 16 17 | ] [ 18 | ] 18 19; 15: 2", most(facts.PerEntry, 15, 2)},
		{"a loop that data end, of which a fact says what a thread does in all", halves + "add x0, x0, x0", "14 15 16 17 [ 18 15< 16 17 | ] [ 18 | ] 18 19; 15: 1", most(facts.PerThread, 15, 1)},
		{"a loop that data end, of which a fact says what a warp does in all", halves + "add x0, x0, x0", "14 15 16 17 [ 18 15< 16 17 | ] [ 18 15< 16 17 | ] [ 18 | ] 18 19; 15: 2", append(most(facts.PerEntry, 15, 2), most(facts.PerWarp, 15, 1)...)},
		{"a loop in a side that data end", split + "csrrs x4, threads, x0; again: addi x20, x20, -1; sltu x3, x0, x20; vx_pred x3, x4; bne x3, x0, again; other: vx_join x2", "14 [ 15 16 17 18 19 [ 20 17 18 19 | ] [ 20 | ] 20 21 | 15 21 ]; 17: 1", most(facts.PerEntry, 17, 1)},
		{"a loop that data may end", fmt.Sprintf(twice, ""), "14 15 16 17 18 19 [ 20 16 17 18 19 | ] 20", nil},
		{"the same after any iteration", fmt.Sprintf(twice, "addi x6, x0, 0;") + "addi x1, x6, 0;" + use, "14 15 16 17 18 19 20 [ 21 16 17 18 19 20 | ] 21 22 23 24", nil},
		{"not the same after any iteration", fmt.Sprintf(twice, "") + use, "14 15 16 17 18 19 [ 20 16 17 18 19 | ] 20 21 [ 22 | ]", nil},
		{"a store in a loop that data may end", fmt.Sprintf(twice, "sw x0, 0(x13);") + "lw x1, 0(x13);" + use, "14 15 16 17:1 18 19 20 [ 21 16 17:1 18 19 20 | ] 21 22:1 23 [ 24 | ]", nil},
		{"an iteration in which all go on", "csrrs x4, threads, x0; addi x1, x0, 0; again: addi x1, x1, 1; sltiu x6, x1, 2; xori x6, x6, 1; czero.nez x7, x21, x6; or x6, x6, x7; sltiu x3, x1, 3; and x3, x3, x6; vx_pred x3, x4; bne x3, x0, again", "14 15 16 17 18 19 20 21 22 23 [ 24 16 17 18 19 20 21 22 23 | ] [ 24 16 17 18 19 20 21 22 23 | ] 24", nil},
		{"a loop that threads leave that may not be there", split + "csrrs x4, threads, x0; addi x1, x0, 0; again: addi x1, x1, 1; sltiu x3, x1, 2; slti x6, x11, 8; and x3, x3, x6; vx_pred x3, x4; bne x3, x0, again; other: vx_join x2", "14 [ 15 16 17 18 19 20 21 22 [ 23 18 19 20 21 22 | ] 23 24 | 15 24 ]", nil},
		{"a loop that numbers end", "csrrs x4, threads, x0; addi x1, x0, 0; again: addi x1, x1, 1; sltiu x3, x1, 2; czero.eqz x3, x20, x3; vx_pred x3, x4; bne x3, x0, again", "vx_pred: threads come back that were not there where control began to depend on data", nil},
		{"a loop within a loop", "csrrs x4, threads, x0; addi x1, x0, 0; outer: addi x1, x1, 1; csrrs x5, threads, x0; addi x6, x0, 0; inner: addi x6, x6, 1; sltiu x3, x6, 2; and x3, x3, x21; vx_pred x3, x5; bne x3, x0, inner; sltiu x3, x1, 2; and x3, x3, x21; vx_pred x3, x4; bne x3, x0, outer", "14 15 16 17 18 19 20 21 22 [ 23 19 20 21 22 | ] 23 24 25 26 [ 27 16 17 18 19 20 21 22 [ 23 19 20 21 22 | ] 23 24 25 26 | ] 27", nil},
		{"a loop that data end, in one within a fact", "csrrs x4, threads, x0; outer: csrrs x5, threads, x0; inner: addi x20, x20, -1; sltu x3, x0, x20; vx_pred x3, x5; bne x3, x0, inner; lw x3, 4(x12); andi x3, x3, 1; vx_pred x3, x4; bne x3, x0, outer", `vx_pred: whether the loop at 0x80000040 (test@0x80000040:17:1) goes on depends on data, through x3, which comes from lw at test@0x8000002c:12:1: no bound is known, expected one under [loops], such as "0x80000040" = 100`, most(facts.PerEntry, 15, 2)},
		{"a side in a loop", fmt.Sprintf(twice, "vx_split x2, x21; beq x21, x0, in; add x0, x0, x0; in: vx_join x2;"), "14 15 16 17 [ 18 19 20 | 18 20 ] 21 22 23 [ 24 16 17 [ 18 19 20 | 18 20 ] 21 22 23 | ] 24", nil},
		{"threads that are off in a loop", fmt.Sprintf(twice, "slti x7, x11, 8; vx_pred x7, x4;"), "14 15 16 17 18 19 20 21 [ 22 16 17 18 19 20 21 | ] 22", nil},
		{"an end of a loop at two places", "csrrs x4, threads, x0; again: lw x21, 0(x12); andi x21, x21, 1; vx_pred x21, x4; beq x21, x0, out; lw x21, 4(x12); andi x21, x21, 1; vx_pred x21, x4; bne x21, x0, again; out:", "vx_pred: threads come back that were not there where control began to depend on data", nil},
		{"others come back", "li x5, 15; li x3, 3; vx_tmc x3; addi x21, x0, 1; vx_tmc x5; slti x22, x11, 8; add x4, x5, x0;" + split + "vx_split x3, x22; beq x22, x0, in; vx_pred x0, x4; in: vx_join x3; other: vx_join x2", "vx_pred: threads come back that were not there where control began to depend on data", nil},
		{"a mask from outside of the side", "csrrs x4, threads, x0;" + split + "andi x1, x20, 2; sltu x1, x0, x1; vx_pred x1, x4; other: vx_join x2", "vx_pred: threads come back that were not there where control began to depend on data", nil},
		{"an access that is made in the first iteration only", fmt.Sprintf(twice, "lw x6, 0(x20);"), "14 15 16 17:4 18 19 20 [ 21 16 17:4 18 19 20 | ] 21", nil},
		{"a branch with two ways", "addi x1, x0, 0; bne x20, x0, over; addi x1, x0, 1; over:" + use, "14 15 [ 16 | ] 17 [ 18 | ]", nil},
		{"the same on both ways", "addi x1, x0, 1; bne x20, x0, way; addi x1, x0, 2; addi x1, x0, 0; jal x0, over; way: addi x1, x0, 0; over:" + use, "14 15 [ 19 | 16 17 18 ] 20 21", nil},
		{"a store on one way", "bne x20, x0, over; sw x0, 0(x13); over: lw x1, 0(x13);" + use, "14 [ 15:1 | ] 16:1 17 [ 18 | ]", nil},
		{"a way that says what it compares", "addi x1, x0, 0; beq x21, x0, over; beq x21, x0, over; add x0, x0, x0; over: add x0, x0, x0", "14 15 [ 16 17 | ] 18", nil},
		{"a way that says that numbers are equal", "addi x1, x0, 5; bne x20, x1, over; addi x3, x20, -5; bne x3, x0, over; add x0, x0, x0; over: add x0, x0, x0", "14 15 [ 16 17 18 | ] 19", nil},
		{"a thread that may not be there and its way", "li x3, 1; vx_tmc x3; addi x1, x0, 1; vx_tmc x5;" + split + "bne x1, x0, in; add x0, x0, x0; in: add x0, x0, x0; other: vx_join x2", "14 15 16 17 18 19 [ 20 21 [ 22 | ] 23 24 | 20 24 ]", nil},
		{"a thread that is there and its way", "li x3, 1; vx_tmc x3; addi x1, x0, 1; vx_tmc x5; bne x1, x0, in; add x0, x0, x0; in: add x0, x0, x0", "14 15 16 17 18 19 21", nil},
		{"threads that are there and go two ways", "li x5, -1; li x3, 1; vx_tmc x3; addi x20, x0, 1; vx_tmc x5; li x3, 2; vx_tmc x3; addi x20, x0, 0; vx_tmc x5; bne x20, x0, end", "invalid execution state: divergent branch: of active lanes 0xf, 0x1 take it and 0x2 do not, in warp 0 at 0x80000068: bne s4, zero, 0x8000006c (block 0, pc 26)", nil},
		{"a loop that a branch ends", "again: addi x20, x20, -1; bne x20, x0, again; add x0, x0, x0", "14 15 [ 14 15 | ] [ 14 15 | ] [ | ] 16; 14: 2", most(facts.PerEntry, 14, 2)},
		{"a loop that a branch ends at its head", "addi x1, x0, 3; again: beq x20, x0, out; addi x1, x1, -1; beq x1, x0, out; jal x0, again; out: add x0, x0, x0", "14 15 [ 16 17 18 15 | ] [ 16 17 18 15 | ] [ 16 17 | ] 19", nil},
		{"a loop that a branch alone ends", "again: addi x20, x20, -1; bne x20, x0, again; add x0, x0, x0", `bne: whether the loop at 0x80000038 (test@0x80000038:15:1) goes on depends on data, through x20, which comes from lw at test@0x8000002c:12:1: no bound is known, expected one under [loops], such as "0x80000038" = 100`, nil},
		{"ways back from two places", again, "14:1 15 [ 14:1 15 | ] [ 14:1 15 | ] [ | ] 16:1 17 [ 14:1 15 [ 14:1 15 | ] [ | ] 16:1 17 | ] [ 14:1 15 [ | ] 16:1 17 | ] [ | ]; 14: 5", most(facts.PerEntry, 14, 2)},
		{"ways back from two places in all", again, "14:1 15 [ 14<:1 15 | ] [ 14<:1 15 | ] [ | ] 16:1 17 [ 14<:1 15 [ 14<:1 15 | ] [ | ] 16:1 17 | ] [ 14<:1 15 [ | ] 16:1 17 | ] [ | ]; 14: 5", most(facts.PerThread, 14, 2)},
		{"a loop that is entered twice", "addi x6, x0, 2; outer: add x0, x0, x0; again: lw x20, 0(x12); bne x20, x0, again; addi x6, x6, -1; bne x6, x0, outer", "14 15 16:1 17 [ 16:1 17 | ] [ | ] 18 19 15 16:1 17 [ 16:1 17 | ] [ | ] 18 19; 15: 1; 16: 1", most(facts.PerEntry, 16, 1)},
		{"a loop of known length that is entered twice", "addi x6, x0, 2; outer: addi x1, x0, 2; again: addi x1, x1, -1; bne x1, x0, again; addi x6, x6, -1; bne x6, x0, outer", "14 15 16 17 16 17 18 19 15 16 17 16 17 18 19; 15: 1; 16: 1", most(facts.PerEntry, 16, 1)},
		{"a way back or an entry", "addi x1, x0, 0; outer: addi x6, x6, 1; inner: addi x1, x1, 1; sltiu x3, x1, 4; beq x3, x0, out; lw x20, 0(x12); bne x20, x0, inner; jal x0, outer; out: add x0, x0, x0", "14 15 16 17 18 19:1 20 [ 21 15 | ] 16 17 18 19:1 20 [ 21 15 | ] 16 17 18 19:1 20 [ 21 15 | ] 16 17 18 22; 15: 3; 16: 3", append(most(facts.PerEntry, 16, 2), most(facts.PerWarp, 16, 3)...)},
		{"a fact that no input keeps to", "addi x1, x0, 3; again: addi x1, x1, -1; bne x1, x0, again; add x0, x0, x0", "bound on a loop exceeded: the loop goes back to its head more than 1 times, which is said to be the most, in warp 0 at 0x8000003c: addi ra, ra, -1 (block 0, thread 0, pc 15)", most(facts.PerEntry, 15, 1)},
		{"a fact that the way keeps off", "bne x20, x0, over; addi x1, x0, 3; again: addi x1, x1, -1; bne x1, x0, again; over: add x0, x0, x0", "14 [ 15 16 17 16 17 | ] 18; 16: 1", most(facts.PerEntry, 16, 1)},
		{"a loop whose counter the ways of a branch set", "bne x20, x0, way; addi x1, x0, 3; jal x0, again; way: addi x1, x0, 4; again: addi x1, x1, -1; bne x1, x0, again; add x0, x0, x0", "14 [ 17 | 15 16 ] 18 19 [ 18 19 | ] [ | ] 20; 18: 1", most(facts.PerEntry, 18, 1)},
		{"a fact that neither side keeps to", split + "addi x1, x0, 3; again: addi x1, x1, -1; bne x1, x0, again; jal x0, meet; other: addi x1, x0, 3; more: addi x1, x1, -1; bne x1, x0, more; meet: vx_join x2", "bound on a loop exceeded: whichever way threads go, they go back to the head of a loop more often than is said to be the most, in warp 0 at 0x80000038: vx_split sp, s5 (block 0, pc 14)", append(most(facts.PerEntry, 17, 1), most(facts.PerEntry, 21, 1)...)},
		{"a way that ends", "bne x20, x0, over; vx_tmc x0; over: add x0, x0, x0", "bne: the branch depends on data, and its ways do not meet before the end of the function", nil},
		{"ways that do not meet", "bne x20, x0, over; ecall; over: add x0, x0, x0", "bne: the branch depends on data, and its ways do not meet before the end of the function", nil},
		{"a branch that depends on data", "bne x20, x0, end", "14 [ | ]", nil},
		{"a join that depends on data", "vx_join x20", "vx_join: the operand depends on data", nil},
		{"a mask that depends on data", "vx_tmc x20", "vx_tmc: an operand depends on data", nil},
		{"a jump that depends on data", "jalr x0, 0(x20)", "jalr: the target depends on data", nil},
	}
}

// is tells what of the program is covered.
func (c *coverCase) is(t *testing.T) string {
	t.Helper()
	got, err := covered(t, c.body, c.within...)
	if err != nil {
		_, what, _ := strings.Cut(err.Error(), ": ")
		return what
	}
	return got
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
	if _, err := distrusted(t, "jalr x0, 0(x1);", "a"); err == nil || !strings.Contains(err.Error(), "the target depends on data") {
		t.Errorf("%v", err)
	}
}
