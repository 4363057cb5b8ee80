package reference_test

import (
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/rv"
	"github.com/warpbound/warpbound/internal/simt/rvexec"
	"github.com/warpbound/warpbound/internal/simt/rvexec/internal/reference"
	"github.com/warpbound/warpbound/internal/testkit/settings"
)

// TestMain lets the memory of many short-lived machines gather before it is
// collected: collecting it is most of the time of these tests otherwise.
func TestMain(m *testing.M) {
	debug.SetGCPercent(1000)
	m.Run()
}

// Registers of generated programs. Every level of nesting has its own of the
// last four kinds, so that what is inside does not disturb what is around.
const (
	regLink      = 1
	regWarps     = 2 // warps that meet at barriers
	regUser      = 3 // addresses
	regLocal     = 4
	regData      = 5 // to 15, for random computations
	regDataEnd   = 16
	regPredicate = 16
	regToken     = 19
	regMask      = 22
	regCount     = 25
	regScratch   = 28
	regConsole   = 29
	regDump      = 30
	regEntry     = 31
	maxNesting   = 3
)

// builder writes a program.
type builder struct {
	r      *rand.Rand
	insts  []rv.Inst
	fixups []fixup
	budget int // constructs left
}

// fixup is a branch or jump to an instruction that is known later.
type fixup struct {
	at     int
	target *int
}

func (b *builder) emit(insts ...rv.Inst) { b.insts = append(b.insts, insts...) }

func (b *builder) here() *int {
	at := len(b.insts)
	return &at
}

func (b *builder) jump(in rv.Inst, target *int) {
	b.fixups = append(b.fixups, fixup{len(b.insts), target})
	b.emit(in)
}

func (b *builder) finish() []rv.Inst {
	for _, f := range b.fixups {
		b.insts[f.at].Imm = int32(4 * (*f.target - f.at))
	}
	return b.insts
}

func (b *builder) data() uint8 { return uint8(regData + b.r.IntN(regDataEnd-regData)) }

var (
	computingOps = computing()
	// readable are registers that hold the same in any order of the warps, and
	// others: both machines execute in the same order.
	readable = []uint16{rv.CSRFflags, rv.CSRFrm, rv.CSRFcsr, rv.CSRMscratch, rv.CSRMcycle, rv.CSRMinstret, rv.CSRMcycleh,
		rv.CSRThreadID, rv.CSRWarpID, rv.CSRCoreID, rv.CSRActiveWarps, rv.CSRActiveThreads, rv.CSRMhartid,
		rv.CSRNumThreads, rv.CSRNumWarps, rv.CSRNumCores, rv.CSRLocalMemBase}
)

// straight is instructions without control.
func (b *builder) straight() {
	for range 1 + b.r.IntN(8) {
		switch b.r.IntN(10) {
		case 0, 1:
			b.access()
		case 2:
			b.register()
		default:
			op := computingOps[b.r.IntN(len(computingOps))]
			in, err := rv.Decode(randomWord(b.r, op))
			if err != nil {
				continue // fields that must be zero are part of the mask of op
			}
			if op.Operands().Rd == rv.IntFile {
				in.Rd = b.data()
			}
			b.emit(in)
		}
	}
}

// access is a load or store at an address that depends on data, in a part of
// memory that all threads share.
func (b *builder) access() {
	op := memoryOps[b.r.IntN(len(memoryOps))]
	base := uint8(regUser + b.r.IntN(2))
	b.emit(
		rv.Inst{Op: rv.Andi, Rd: regScratch, Rs1: b.data(), Imm: int32(b.r.Uint32N(64)) * 4},
		rv.Inst{Op: rv.Add, Rd: regScratch, Rs1: regScratch, Rs2: base})
	in := rv.Inst{Op: op, Rs1: regScratch, Imm: int32(4 * b.r.IntN(16))}
	if op.Operands().Rd == rv.NoFile {
		in.Rs2 = uint8(b.r.IntN(32))
	} else if in.Rd = b.data(); op == rv.Flw {
		in.Rd = uint8(b.r.IntN(32))
	}
	b.emit(in)
}

// register reads a control and status register or writes one of those for
// numbers, mostly leaving a valid rounding mode.
func (b *builder) register() {
	switch b.r.IntN(4) {
	case 0:
		b.emit(rv.Inst{Op: rv.Csrrwi, CSR: rv.CSRFrm, Rd: b.data(), Imm: int32(b.r.IntN(5))})
	case 1:
		ops := [...]rv.Op{rv.Csrrw, rv.Csrrs, rv.Csrrc}
		csrs := [...]uint16{rv.CSRFflags, rv.CSRMscratch}
		b.emit(rv.Inst{Op: ops[b.r.IntN(3)], CSR: csrs[b.r.IntN(2)], Rd: b.data(), Rs1: uint8(b.r.IntN(32))})
	default:
		b.emit(rv.Inst{Op: rv.Csrrs, CSR: readable[b.r.IntN(len(readable))], Rd: b.data()})
	}
}

// block is a few constructs, one after the other. level counts what is around.
func (b *builder) block(level int) {
	for range 1 + b.r.IntN(3) {
		if b.budget--; b.budget < 0 || level == maxNesting {
			b.straight()
			return
		}
		switch b.r.IntN(8) {
		case 0:
			b.loop(level)
		case 1, 2:
			b.divergent(level)
		case 3:
			b.predicated(level)
		case 4:
			b.uniform(level)
		case 5:
			b.print()
		case 6:
			b.call()
		default:
			b.straight()
		}
	}
}

// loop is a loop with as many iterations for all threads.
func (b *builder) loop(level int) {
	count := uint8(regCount + level)
	b.emit(rv.Inst{Op: rv.Addi, Rd: count, Imm: int32(1 + b.r.IntN(3))})
	top := b.here()
	b.block(level + 1)
	b.emit(rv.Inst{Op: rv.Addi, Rd: count, Rs1: count, Imm: -1})
	b.jump(rv.Inst{Op: rv.Bne, Rs1: count}, top)
}

// divergent is an if-else with SPLIT and JOIN, sometimes without the branch, so
// that both parts execute the same.
func (b *builder) divergent(level int) {
	predicate, token := uint8(regPredicate+level), uint8(regToken+level)
	b.emit(
		rv.Inst{Op: rv.Srli, Rd: predicate, Rs1: b.data(), Imm: int32(b.r.IntN(4))},
		rv.Inst{Op: rv.Andi, Rd: predicate, Rs1: predicate, Imm: 1},
		rv.Inst{Op: rv.Split, Rd: token, Rs1: predicate, Neg: b.r.IntN(2) == 0})
	otherwise, end := new(int), new(int)
	branches := b.r.IntN(4) > 0
	if branches {
		ops := [...]rv.Op{rv.Beq, rv.Bne, rv.Bltu}
		b.jump(rv.Inst{Op: ops[b.r.IntN(3)], Rs2: predicate}, otherwise)
	}
	b.block(level + 1)
	if branches {
		b.jump(rv.Inst{Op: rv.Jal}, end)
		*otherwise = len(b.insts)
		b.block(level + 1)
	}
	*end = len(b.insts)
	b.emit(rv.Inst{Op: rv.Join, Rs1: token})
}

// predicated is a loop that threads leave one after the other.
func (b *builder) predicated(level int) {
	mask, count, holds := uint8(regMask+level), uint8(regCount+level), uint8(regPredicate+level)
	b.emit(
		rv.Inst{Op: rv.Csrrs, CSR: rv.CSRActiveThreads, Rd: mask},
		rv.Inst{Op: rv.Andi, Rd: count, Rs1: b.data(), Imm: 3})
	top := b.here()
	b.block(level + 1)
	b.emit(rv.Inst{Op: rv.Addi, Rd: count, Rs1: count, Imm: -1})
	if b.r.IntN(2) == 0 {
		b.emit(
			rv.Inst{Op: rv.Slt, Rd: holds, Rs2: count}, // 0 < count
			rv.Inst{Op: rv.Pred, Rs1: holds, Rs2: mask})
		b.jump(rv.Inst{Op: rv.Bne, Rs1: holds}, top)
		return
	}
	b.emit(
		rv.Inst{Op: rv.Slti, Rd: holds, Rs1: count, Imm: 1}, // count < 1
		rv.Inst{Op: rv.Pred, Rs1: holds, Rs2: mask, Neg: true})
	b.jump(rv.Inst{Op: rv.Beq, Rs1: holds}, top)
}

// uniform is an if that depends on the warp or the iteration.
func (b *builder) uniform(level int) {
	end := new(int)
	b.emit(rv.Inst{Op: rv.Csrrs, CSR: rv.CSRWarpID, Rd: regScratch})
	ops := [...]rv.Op{rv.Beq, rv.Bne, rv.Blt, rv.Bgeu}
	b.jump(rv.Inst{Op: ops[b.r.IntN(4)], Rs1: regScratch}, end)
	b.block(level + 1)
	*end = len(b.insts)
}

// print writes characters to the console, or the exit code.
func (b *builder) print() {
	if b.r.IntN(4) == 0 {
		b.emit(rv.Inst{Op: rv.Sw, Rs1: regDump, Rs2: b.data(), Imm: 8})
		b.emit(rv.Inst{Op: rv.Lw, Rs1: regDump, Rd: b.data(), Imm: 8})
		return
	}
	char := int32('a' + b.r.IntN(26))
	if b.r.IntN(3) == 0 {
		char = '\n'
	}
	b.emit(
		rv.Inst{Op: rv.Addi, Rd: regScratch, Imm: char},
		rv.Inst{Op: rv.Sb, Rs1: regConsole, Rs2: regScratch})
}

// call jumps over a function, after having called it.
func (b *builder) call() {
	over := new(int)
	function := new(int)
	b.jump(rv.Inst{Op: rv.Jal, Rd: regLink}, function)
	b.jump(rv.Inst{Op: rv.Jal}, over)
	*function = len(b.insts)
	b.straight()
	b.emit(rv.Inst{Op: rv.Jalr, Rs1: regLink})
	*over = len(b.insts)
}

// generate is a program: warp 0 spawns the others, all execute blocks with
// barriers between them; then warp 0 joins the others, where it can, and may
// spawn them again.
func generate(r *rand.Rand, v rvexec.Variant, warps, threads int) []rv.Inst {
	b := &builder{r: r, budget: 12}
	mask := func() int32 { // not empty, and mostly full
		if r.IntN(3) > 0 {
			return -1
		}
		n := min(threads, 11)
		return 1<<r.IntN(n) | int32(r.IntN(1<<n))
	}
	body := func() {
		b.emit(
			rv.Inst{Op: rv.Addi, Rd: regScratch, Imm: mask()},
			rv.Inst{Op: rv.Tmc, Rs1: regScratch})
		for range 1 + r.IntN(3) {
			b.block(0)
			if warps > 1 && r.IntN(2) == 0 {
				b.emit(
					rv.Inst{Op: rv.Addi, Rd: regScratch, Imm: int32(r.IntN(max(1, min(4, warps/2))))},
					rv.Inst{Op: rv.Bar, Rs1: regScratch, Rs2: regWarps})
			}
		}
	}
	rounds := 1
	if v == rvexec.V22 {
		rounds = 1 + r.IntN(2)
	}
	for range rounds {
		// auipc gives this address; the warps go on 5 instructions later.
		b.emit(
			rv.Inst{Op: rv.Addi, Rd: regScratch, Imm: 1},
			rv.Inst{Op: rv.Tmc, Rs1: regScratch},
			rv.Inst{Op: rv.Auipc, Rd: regEntry},
			rv.Inst{Op: rv.Addi, Rd: regEntry, Rs1: regEntry, Imm: 12},
			rv.Inst{Op: rv.Wspawn, Rs1: regWarps, Rs2: regEntry})
		body()
		// Warps other than 0 end here.
		goOn := new(int)
		b.emit(rv.Inst{Op: rv.Csrrs, CSR: rv.CSRWarpID, Rd: regScratch})
		b.jump(rv.Inst{Op: rv.Beq, Rs1: regScratch}, goOn)
		ends := [...]rv.Inst{{Op: rv.Ecall}, {Op: rv.Tmc}}
		b.emit(ends[r.IntN(2)])
		*goOn = len(b.insts)
		if r.IntN(2) == 0 {
			b.emit(
				rv.Inst{Op: rv.Addi, Rd: regScratch, Imm: 1},
				rv.Inst{Op: rv.Wspawn, Rs1: regScratch})
		}
	}
	b.straight()
	b.emit(rv.Inst{Op: rv.Ecall})
	return b.finish()
}

// prepare gives the registers of all threads their values.
func (p *pair) prepare(r *rand.Rand) {
	console, dump := uint32(0x40), uint32(0x80)
	if p.variant == rvexec.Feb2024 {
		console, dump = 0xff004000, 0xff004040
	}
	for core := range p.cores {
		for warp := range p.warps {
			for lane := range p.threads {
				for reg := range 64 {
					value := pattern(r)
					switch {
					case reg == regWarps:
						value = uint32(p.warps)
					case reg == regUser:
						value = 0x20000
					case reg == regLocal:
						value = p.variant.UserEnd()
					case reg == regConsole:
						value = console + uint32((warp*p.threads+lane)%64)
					case reg == regDump:
						value = dump
					case reg < 32:
						value = integer(r)
					}
					p.set(core, warp, lane, reg, value)
				}
			}
		}
	}
}

func listing(words []uint32) string {
	var s strings.Builder
	for i, w := range words {
		fmt.Fprintf(&s, "%s\n", rv.Disassemble(w, textBase+uint32(4*i)))
	}
	return s.String()
}

// randomPair is a generated program on a machine of a random shape.
func randomPair(t *testing.T, r *rand.Rand, mutate func([]uint32)) *pair {
	t.Helper()
	s := setup{cores: 1 + r.IntN(5)/4, warps: 1 + r.IntN(5), threads: 1 + r.IntN(8), variant: variants[r.IntN(2)], writable: r.IntN(4) == 0}
	switch r.IntN(32) {
	case 0:
		s.warps = 32
	case 1:
		s.threads = 32
	}
	s.words = encode(t, generate(r, s.variant, s.warps, s.threads)...)
	mutate(s.words)
	p := newPair(t, s)
	p.prepare(r)
	return p
}

// TestPrograms executes generated programs, warps in random order, to the end,
// some of them again with the memory they left. Registers that were not set are
// 0 then.
func TestPrograms(t *testing.T) {
	r := random(t)
	steps, lanes, ended := 0, 0, 0
	programs := settings.Times(t) * 200
	for range programs {
		p := randomPair(t, r, func([]uint32) {})
		p.lowered = true
		fault, err := p.run(r, 20_000)
		if err != nil {
			t.Fatalf("%v\n%s", err, listing(p.words))
		}
		if fault != nil {
			t.Fatalf("%v\n%s", fault, listing(p.words))
		}
		if p.machine.Ended(0) {
			ended++
		}
		if r.IntN(4) == 0 && p.machine.Ended(0) {
			p.restart(t)
			if r.IntN(2) == 0 {
				p.prepare(r)
			}
			if _, err := p.run(r, 5_000); err != nil {
				t.Fatalf("again: %v\n%s", err, listing(p.words))
			}
		}
		steps += p.steps
		lanes += p.lanes
	}
	t.Logf("%d programs, %d instructions of warps, %d of threads", programs, steps, lanes)
	if ended < programs*9/10 {
		t.Errorf("%d of %d programs end", ended, programs)
	}
}

// TestDamaged executes generated programs after a few bits of them have been
// flipped, until something is wrong: both machines must find the same.
func TestDamaged(t *testing.T) {
	r := random(t)
	steps, lanes := 0, 0
	seen := map[reference.Kind]int{}
	for range settings.Times(t) * 400 {
		p := randomPair(t, r, func(words []uint32) {
			for range 1 + r.IntN(4) {
				words[r.IntN(len(words))] ^= 1 << r.UintN(32)
			}
		})
		fault, err := p.run(r, 1500)
		if err != nil {
			t.Fatalf("%v\n%s", err, listing(p.words))
		}
		if fault != nil {
			seen[fault.Kind]++
		} else {
			seen[""]++
		}
		steps += p.steps
		lanes += p.lanes
	}
	t.Logf("%d instructions of warps, %d of threads; %v", steps, lanes, seen)
}
