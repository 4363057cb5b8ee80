package claims

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/warpbound/warpbound/internal/rv"
	"github.com/warpbound/warpbound/internal/simt/rvexec"
)

// Program is a RISC-V program with its launch. Its arguments are the addresses of a known
// buffer and of an unknown one.
type Program struct {
	Seed    uint64
	Cores   int
	Warps   int // of four threads
	Variant rvexec.Variant
	// Counts says that the transactions of accesses count.
	Counts bool
	Insts  []rv.Inst `json:"-"`
	Text   string    // what they are
}

const (
	programThreads = 4
	programBase    = 0x80000000
	programKnown   = 0x10000 // the known buffer, and the unknown one
	programUnknown = 0x20000
	stackBytes     = 256
)

// The registers of programs that are drawn. Each level of nesting has a predicate, a
// token, a mask and a count of its own.
const (
	regLink      = 1
	regStack     = 2
	regKnown     = 3
	regUnknown   = 4
	regLocal     = 5
	regLane      = 6 // 4 times the thread's number in its warp
	regWarps     = 7
	regData      = 8 // to 11
	regUniform   = 12
	regWarp      = 15
	regPredicate = 16
	regToken     = 19
	regMask      = 22
	regCount     = 25
	regScratch   = 28
	regOther     = 29
	regCore      = 30
	uniforms     = 3
	levels       = 3
)

// programmer draws the statements of a program.
type programmer struct {
	rng    *rand.Rand
	out    []rv.Inst
	fixups []fixup
	topics []func(*programmer)
	data   int // registers used
	words  int // of buffers used: the fewer, the more warps and cores meet
	level  int
	apart  bool // lanes may be apart, so that nothing is uniform
	lead   bool // one thread executes this
	pairs  bool // there are two warps and a second barrier
	// parting asks for threads that part by data again and again.
	parting bool
}

// fixup is a jump to a label that comes later.
type fixup struct {
	at    int
	from  int // where it counts from
	label *int
}

// DrawProgram makes the program of a seed.
func DrawProgram(seed uint64) Program {
	rng := rand.New(rand.NewPCG(seed, 0x72697363))
	p := Program{Seed: seed, Cores: 1 + rng.IntN(2), Warps: 1 + rng.IntN(4), Counts: rng.IntN(3) > 0}
	if rng.IntN(8) == 0 {
		p.Variant = rvexec.Feb2024
	}
	g := &programmer{rng: rng, pairs: p.Warps == 4 || p.Variant == rvexec.Feb2024 && p.Warps > 1, data: 1 + rng.IntN(4), words: 1 + rng.IntN(3)}
	for range 1 + rng.IntN(4) {
		g.topics = append(g.topics, programTopics[rng.IntN(len(programTopics))])
	}
	return g.finish(p)
}

// DrawParting is DrawProgram of programs whose threads part by data again and again, and
// meet in few words.
func DrawParting(seed uint64) Program {
	rng := rand.New(rand.NewPCG(seed, 0x70617274))
	p := Program{Seed: seed, Cores: 1, Warps: 1 + rng.IntN(8)/7, Counts: rng.IntN(2) == 0}
	g := &programmer{rng: rng, data: 2 + rng.IntN(2), words: 1 + rng.IntN(2), parting: true}
	part := (*programmer).sides
	g.topics = append(g.topics, part, part, (*programmer).meeting)
	for range 1 + rng.IntN(2) {
		g.topics = append(g.topics, partingTopics[rng.IntN(len(partingTopics))])
	}
	return g.finish(p)
}

// finish draws the statements.
func (g *programmer) finish(p Program) Program {
	g.program(p.Variant)
	for _, f := range g.fixups {
		g.out[f.at].Imm = int32(4 * (*f.label - f.from))
	}
	p.Insts = g.out
	var text strings.Builder
	for i, in := range g.out {
		word, err := rv.Encode(in)
		if err != nil {
			fmt.Fprintf(&text, "%v\n", err) // told by who encodes it
			continue
		}
		fmt.Fprintf(&text, "%3d %s\n", i, rv.Disassemble(word, programBase+4*uint32(i)))
	}
	p.Text = text.String()
	return p
}

func (g *programmer) emit(insts ...rv.Inst) { g.out = append(g.out, insts...) }

// jump emits a branch or jump to a label.
func (g *programmer) jump(in rv.Inst, label *int) {
	g.fixups = append(g.fixups, fixup{len(g.out), len(g.out), label})
	g.emit(in)
}

func (g *programmer) here(label *int) { *label = len(g.out) }

func (g *programmer) number(reg uint8, x int32) {
	g.emit(rv.Inst{Op: rv.Addi, Rd: reg, Imm: x})
}

func (g *programmer) csr(reg uint8, csr uint16) {
	g.emit(rv.Inst{Op: rv.Csrrs, Rd: reg, CSR: csr})
}

func (g *programmer) pick(list ...uint8) uint8 { return list[g.rng.IntN(len(list))] }

func (g *programmer) datum() uint8 { return uint8(regData + g.rng.IntN(g.data)) }

func (g *programmer) uniform() uint8 { return uint8(regUniform + g.rng.IntN(uniforms)) }

// address is a constant place of a buffer, of the lane or the warp.
func (g *programmer) address(base uint8) (reg uint8, imm int32) {
	imm = int32(4 * g.rng.IntN(g.words))
	reg = regScratch
	switch g.rng.IntN(4) {
	case 0:
		return base, imm
	case 1:
		g.emit(rv.Inst{Op: rv.Slli, Rd: regScratch, Rs1: regWarp, Imm: 2})
		g.emit(rv.Inst{Op: rv.Add, Rd: regScratch, Rs1: regScratch, Rs2: base})
	default:
		g.emit(rv.Inst{Op: rv.Add, Rd: regScratch, Rs1: regLane, Rs2: base})
	}
	return reg, imm
}

func (g *programmer) memory() uint8 { return g.pick(regKnown, regKnown, regLocal, regUnknown) }

// part is an access of 1, 2 or 4 bytes, mostly of a word.
func (g *programmer) part(imm int32) (load, store rv.Op, at int32) {
	switch g.rng.IntN(8) {
	case 0:
		return rv.Lbu, rv.Sb, imm + int32(g.rng.IntN(4))
	case 1:
		return rv.Lh, rv.Sh, imm + 2*int32(g.rng.IntN(2))
	}
	return rv.Lw, rv.Sw, imm
}

func (g *programmer) load() {
	reg, imm := g.address(g.memory())
	op, _, at := g.part(imm)
	g.emit(rv.Inst{Op: op, Rd: g.datum(), Rs1: reg, Imm: at})
}

func (g *programmer) store() {
	reg, imm := g.address(g.memory())
	_, op, at := g.part(imm)
	g.emit(rv.Inst{Op: op, Rs1: reg, Rs2: g.pick(g.datum(), g.datum(), g.uniform(), 0), Imm: at})
}

// roles has the warps, or the cores, part into those that store and those that load.
func (g *programmer) roles() {
	reg, imm := g.pick(regKnown, regKnown, regLocal), int32(4*g.rng.IntN(g.words))
	var other, end int
	g.jump(rv.Inst{Op: rv.Bne, Rs1: g.pick(regWarp, regWarp, regCore)}, &other)
	first, second := rv.Inst{Op: rv.Sw, Rs1: reg, Rs2: g.pick(0, g.datum()), Imm: imm}, rv.Inst{Op: rv.Lw, Rd: g.datum(), Rs1: reg, Imm: imm}
	if g.rng.IntN(2) == 0 {
		first, second = second, first
	}
	g.emit(first)
	g.jump(rv.Inst{Op: rv.Jal}, &end)
	g.here(&other)
	g.emit(second)
	g.here(&end)
}

// anywhere accesses memory at an address that a register decides.
func (g *programmer) anywhere() {
	base := g.memory()
	shift := int32(4 * g.rng.IntN(2)) // within a segment of memory, or over several
	g.emit(
		rv.Inst{Op: rv.Slli, Rd: regScratch, Rs1: g.pick(g.datum(), g.uniform()), Imm: shift},
		rv.Inst{Op: rv.Andi, Rd: regScratch, Rs1: regScratch, Imm: 12 << shift},
		rv.Inst{Op: rv.Add, Rd: regScratch, Rs1: regScratch, Rs2: base})
	if g.rng.IntN(2) == 0 {
		g.emit(rv.Inst{Op: rv.Lw, Rd: g.datum(), Rs1: regScratch})
	} else {
		g.emit(rv.Inst{Op: rv.Sw, Rs2: g.datum(), Rs1: regScratch})
	}
}

// spill keeps a register on the stack over something else.
func (g *programmer) spill() {
	imm := -int32(4 * (1 + g.rng.IntN(2)))
	_, store, at := g.part(imm)
	g.emit(rv.Inst{Op: store, Rs1: regStack, Rs2: g.datum(), Imm: at})
	if g.rng.IntN(2) == 0 {
		g.simple()
	}
	load, _, at := g.part(imm)
	g.emit(rv.Inst{Op: load, Rs1: regStack, Rd: g.datum(), Imm: at})
}

func (g *programmer) compute() {
	ops := []rv.Op{rv.Add, rv.Sub, rv.Xor, rv.And, rv.Or, rv.Sltu, rv.Mul, rv.CzeroEqz, rv.CzeroNez, rv.Remu}
	in := rv.Inst{Op: ops[g.rng.IntN(len(ops))], Rd: g.datum(), Rs1: g.pick(g.datum(), regLane, regWarp), Rs2: g.pick(g.datum(), g.datum(), g.uniform(), regCore)}
	if !g.apart && g.rng.IntN(3) == 0 {
		in.Rd, in.Rs1, in.Rs2 = g.uniform(), g.pick(g.uniform(), regWarp), g.uniform()
	}
	g.emit(in)
}

// register reads or writes a register of control and status.
func (g *programmer) register() {
	readable := []uint16{rv.CSRMcycle, rv.CSRMinstret, rv.CSRMhpmcounter3, 0x301, 0xf12, rv.CSRActiveWarps, rv.CSRActiveThreads, rv.CSRThreadID, rv.CSRMhartid, rv.CSRFflags, rv.CSRFflags, rv.CSRFrm, rv.CSRFcsr}
	switch g.rng.IntN(4) {
	case 0:
		g.emit(rv.Inst{Op: rv.Andi, Rd: regScratch, Rs1: g.pick(g.datum(), g.uniform()), Imm: 3})
		op := []rv.Op{rv.Csrrw, rv.Csrrs, rv.Csrrc}[g.rng.IntN(3)]
		csr := []uint16{rv.CSRFflags, rv.CSRFcsr, rv.CSRFrm}[g.rng.IntN(3)]
		if csr == rv.CSRFrm && op == rv.Csrrs {
			op = rv.Csrrw // no reserved mode
		}
		g.emit(rv.Inst{Op: op, Rd: g.datum(), CSR: csr, Rs1: regScratch})
	default:
		g.csr(g.datum(), readable[g.rng.IntN(len(readable))])
	}
}

// scratchRegister passes a value by way of mscratch, which warps share.
func (g *programmer) scratchRegister() {
	if g.lead {
		return // all warps find their arguments there
	}
	if g.rng.IntN(2) == 0 { // one warp does one thing, the others do the other
		var other, end int
		g.jump(rv.Inst{Op: []rv.Op{rv.Beq, rv.Bne}[g.rng.IntN(2)], Rs1: regWarp}, &other)
		g.csr(g.datum(), rv.CSRMscratch)
		g.jump(rv.Inst{Op: rv.Jal}, &end)
		g.here(&other)
		g.emit(rv.Inst{Op: rv.Csrrw, CSR: rv.CSRMscratch, Rs1: g.pick(g.datum(), g.uniform(), 0)})
		g.here(&end)
		return
	}
	if g.rng.IntN(2) == 0 {
		g.emit(rv.Inst{Op: rv.Csrrw, CSR: rv.CSRMscratch, Rs1: g.pick(g.datum(), g.uniform(), 0)})
	} else {
		g.csr(g.datum(), rv.CSRMscratch)
	}
}

func (g *programmer) float() {
	f := func() uint8 { return uint8(1 + g.rng.IntN(3)) }
	if g.rng.IntN(3) == 0 {
		g.emit(rv.Inst{Op: rv.Flw, Rd: f(), Rs1: g.pick(regKnown, regUnknown), Imm: int32(4 * g.rng.IntN(g.words))})
	} else {
		g.emit(rv.Inst{Op: rv.FcvtSW, Rd: f(), Rs1: g.datum(), RM: rv.DYN})
	}
	if g.rng.IntN(3) == 0 {
		g.emit(
			rv.Inst{Op: rv.Andi, Rd: regScratch, Rs1: g.datum(), Imm: 3},
			rv.Inst{Op: rv.Csrrw, CSR: rv.CSRFrm, Rs1: regScratch})
	}
	mode := g.pick(rv.DYN, rv.DYN, rv.RTZ)
	if g.rng.IntN(4) == 0 {
		g.emit(rv.Inst{Op: rv.FmaddS, Rd: f(), Rs1: f(), Rs2: f(), Rs3: f(), RM: mode})
	} else {
		g.emit(rv.Inst{Op: []rv.Op{rv.FaddS, rv.FdivS, rv.FmulS}[g.rng.IntN(3)], Rd: f(), Rs1: f(), Rs2: f(), RM: mode})
	}
	if g.rng.IntN(2) == 0 {
		g.emit(rv.Inst{Op: rv.FmvXW, Rd: g.datum(), Rs1: f()})
	}
}

// uniformLoad loads the same word in all lanes.
func (g *programmer) uniformLoad() {
	if g.apart {
		g.load()
		return
	}
	g.emit(rv.Inst{Op: rv.Lw, Rd: g.uniform(), Rs1: g.memory(), Imm: int32(4 * g.rng.IntN(g.words))})
}

// barrier is one of all warps, or now and then of one, or of a number that a register
// gives.
func (g *programmer) barrier() {
	if g.apart || g.level > 0 || g.lead {
		return
	}
	count := uint8(regWarps)
	switch g.rng.IntN(8) {
	case 2: // a pair of warps meets, and orders nothing for the others
		if g.pairs {
			var end int
			g.number(regScratch, 2)
			g.number(regOther, 1)
			g.jump(rv.Inst{Op: rv.Bgeu, Rs1: regWarp, Rs2: regScratch}, &end)
			g.emit(rv.Inst{Op: rv.Bar, Rs1: regOther, Rs2: regScratch})
			g.here(&end)
			return
		}
	case 0:
		g.number(regScratch, 1)
		count = regScratch
	case 1: // the number, with a part of a register that makes no difference
		g.emit(
			rv.Inst{Op: rv.And, Rd: regScratch, Rs1: g.uniform()},
			rv.Inst{Op: rv.Or, Rd: regScratch, Rs1: regScratch, Rs2: regWarps})
		count = regScratch
	}
	g.emit(rv.Inst{Op: rv.Bar, Rs2: count})
}

// sides are SPLIT and JOIN around two sides of a branch.
func (g *programmer) sides() {
	if g.level == levels {
		return
	}
	predicate, token := uint8(regPredicate+g.level), uint8(regToken+g.level)
	g.emit(
		rv.Inst{Op: rv.Andi, Rd: predicate, Rs1: g.pick(g.datum(), g.datum(), regLane), Imm: int32(g.pick(1, 1, 4))},
		rv.Inst{Op: rv.Sltu, Rd: predicate, Rs2: predicate},
		rv.Inst{Op: rv.Split, Rd: token, Rs1: predicate})
	if g.rng.IntN(4) == 0 { // both sides do the same
		g.nested(g.simple)
		g.emit(rv.Inst{Op: rv.Join, Rs1: token})
		return
	}
	var other, end int
	first, second := g.simple, g.simple
	if g.rng.IntN(3) == 0 || g.parting && g.rng.IntN(2) == 0 { // both sides access one word
		base, imm := g.pick(g.memory(), regKnown), int32(4*g.rng.IntN(g.words))
		at := func() {
			reg := base
			if g.rng.IntN(2) == 0 { // a word of each thread, one of which is that
				reg = regScratch
				g.emit(rv.Inst{Op: rv.Add, Rd: reg, Rs1: regLane, Rs2: base})
			}
			if g.rng.IntN(2) == 0 {
				g.emit(rv.Inst{Op: rv.Lw, Rd: g.datum(), Rs1: reg, Imm: imm})
				if g.rng.IntN(2) == 0 {
					g.sides()
				}
			} else {
				g.emit(rv.Inst{Op: rv.Sw, Rs1: reg, Rs2: g.pick(g.datum(), regWarps, 0), Imm: imm})
			}
		}
		first, second = at, at
	}
	g.jump(rv.Inst{Op: rv.Beq, Rs1: predicate}, &other)
	g.nested(first)
	g.jump(rv.Inst{Op: rv.Jal}, &end)
	g.here(&other)
	if g.rng.IntN(2) == 0 {
		g.nested(second)
	}
	g.here(&end)
	g.emit(rv.Inst{Op: rv.Join, Rs1: token})
}

// nested draws something that lanes which are apart execute.
func (g *programmer) nested(what func()) {
	apart := g.apart
	g.apart = true
	g.level++
	what()
	if g.rng.IntN(12) == 0 && g.level < levels { // threads that are off to the next JOIN or TMC
		g.csr(uint8(regMask+g.level), rv.CSRActiveThreads)
		g.emit(rv.Inst{Op: rv.Pred, Rs1: g.pick(g.datum(), regLane, regUniform), Rs2: uint8(regMask + g.level)})
		g.simple()
	}
	if g.rng.IntN(3) == 0 && g.level < levels {
		g.sides()
	}
	if g.parting && g.level < levels && g.rng.IntN(5) == 0 {
		if g.rng.IntN(2) == 0 {
			g.loop()
		} else {
			g.bounded()
		}
	}
	g.level--
	g.apart = apart
}

// loop repeats as often as each thread wants.
func (g *programmer) loop() {
	if g.level == levels {
		return
	}
	mask, count, predicate := uint8(regMask+g.level), uint8(regCount+g.level), uint8(regPredicate+g.level)
	g.csr(mask, rv.CSRActiveThreads)
	g.emit(rv.Inst{Op: rv.Andi, Rd: count, Rs1: g.pick(g.datum(), regLane), Imm: 3})
	start := len(g.out)
	g.nested(g.simple)
	g.emit(
		rv.Inst{Op: rv.Sltu, Rd: predicate, Rs2: count},
		rv.Inst{Op: rv.Addi, Rd: count, Rs1: count, Imm: -1},
		rv.Inst{Op: rv.Pred, Rs1: predicate, Rs2: mask})
	g.emit(rv.Inst{Op: rv.Bne, Rs1: predicate, Imm: int32(4 * (start - len(g.out)))})
}

// bounded is loop, which ends after some iterations whatever the threads want.
func (g *programmer) bounded() {
	if g.level == levels {
		return
	}
	mask, count, predicate := uint8(regMask+g.level), uint8(regCount+g.level), uint8(regPredicate+g.level)
	g.csr(mask, rv.CSRActiveThreads)
	g.number(count, 1+int32(g.rng.IntN(3)))
	start := len(g.out)
	if g.rng.IntN(2) == 0 { // another number in each iteration
		g.emit(rv.Inst{Op: rv.Add, Rd: g.datum(), Rs1: g.pick(0, g.datum()), Rs2: count})
	}
	g.nested(g.simple)
	g.emit(
		rv.Inst{Op: rv.Addi, Rd: count, Rs1: count, Imm: -1},
		rv.Inst{Op: rv.Sltu, Rd: predicate, Rs2: count},
		rv.Inst{Op: rv.Andi, Rd: regOther, Rs1: g.datum(), Imm: int32(g.pick(1, 2, 3))},
		rv.Inst{Op: rv.Sltu, Rd: regOther, Rs2: regOther},
		rv.Inst{Op: rv.And, Rd: predicate, Rs1: predicate, Rs2: regOther},
		rv.Inst{Op: rv.Pred, Rs1: predicate, Rs2: mask})
	g.emit(rv.Inst{Op: rv.Bne, Rs1: predicate, Imm: int32(4 * (start - len(g.out)))})
}

// turns is a loop that all lanes leave together.
func (g *programmer) turns() {
	if g.apart || g.level == levels {
		return
	}
	count := uint8(regCount + g.level)
	var end int
	g.emit(rv.Inst{Op: rv.Andi, Rd: count, Rs1: g.uniform(), Imm: 3})
	start := len(g.out)
	head := g.rng.IntN(2) == 0 // the condition stands at the head
	if head {
		g.jump(rv.Inst{Op: rv.Beq, Rs1: count}, &end)
	}
	g.level++
	g.simple()
	if g.rng.IntN(3) == 0 { // or leave from the middle
		g.emit(rv.Inst{Op: rv.Andi, Rd: regOther, Rs1: g.uniform(), Imm: 1})
		g.jump(rv.Inst{Op: rv.Bne, Rs1: regOther}, &end)
		g.simple()
	}
	if g.rng.IntN(3) == 0 {
		g.sides()
	}
	g.level--
	g.emit(rv.Inst{Op: rv.Addi, Rd: count, Rs1: count, Imm: -1})
	back := int32(4 * (start - len(g.out)))
	if head {
		g.emit(rv.Inst{Op: rv.Jal, Imm: back})
	} else {
		g.emit(rv.Inst{Op: rv.Blt, Rs2: count, Imm: back})
	}
	g.here(&end)
}

// either is a branch with two ways that all lanes take together.
func (g *programmer) either() {
	if g.apart {
		return
	}
	var other, end int
	g.emit(rv.Inst{Op: rv.Andi, Rd: regOther, Rs1: g.uniform(), Imm: int32(g.pick(1, 2, 7))})
	g.jump(rv.Inst{Op: []rv.Op{rv.Beq, rv.Bne}[g.rng.IntN(2)], Rs1: regOther}, &other)
	g.level++
	g.simple()
	if g.rng.IntN(2) == 0 {
		g.topics[g.rng.IntN(len(g.topics))](g)
	}
	g.jump(rv.Inst{Op: rv.Jal}, &end)
	g.here(&other)
	g.simple()
	g.level--
	g.here(&end)
}

// branch is one that all lanes take together.
func (g *programmer) branch() {
	if g.apart {
		return
	}
	g.emit(rv.Inst{Op: rv.Andi, Rd: regOther, Rs1: g.uniform(), Imm: int32(g.pick(1, 2, 7))})
	var end int
	in := rv.Inst{Op: []rv.Op{rv.Beq, rv.Bne}[g.rng.IntN(2)], Rs1: regOther}
	if g.rng.IntN(2) == 0 {
		in.Rs1, in.Rs2 = in.Rs2, in.Rs1
	}
	g.jump(in, &end)
	g.level++
	g.simple()
	g.level--
	g.here(&end)
}

// some turns some threads off for a while.
func (g *programmer) some() {
	if g.lead || g.apart || g.level == levels {
		return
	}
	mask := uint8(regMask + g.level)
	g.csr(mask, rv.CSRActiveThreads)
	if g.rng.IntN(2) == 0 {
		g.emit(rv.Inst{Op: rv.Pred, Rs1: g.datum(), Rs2: mask})
	} else {
		g.emit(
			rv.Inst{Op: rv.Andi, Rd: regScratch, Rs1: g.pick(g.uniform(), g.datum()), Imm: 6},
			rv.Inst{Op: rv.Ori, Rd: regScratch, Rs1: regScratch, Imm: 1},
			rv.Inst{Op: rv.Tmc, Rs1: regScratch})
	}
	// The mask that was is known to the lanes left only.
	g.nested(g.simple)
	g.emit(rv.Inst{Op: rv.Tmc, Rs1: mask})
}

// leap jumps over an instruction or not, by a register.
func (g *programmer) leap() {
	if g.apart {
		return
	}
	g.emit(
		rv.Inst{Op: rv.Andi, Rd: regOther, Rs1: g.uniform(), Imm: 4},
		rv.Inst{Op: rv.Auipc, Rd: regScratch},
		rv.Inst{Op: rv.Add, Rd: regOther, Rs1: regOther, Rs2: regScratch},
		rv.Inst{Op: rv.Jalr, Rd: g.pick(0, regLink), Rs1: regOther, Imm: 12},
		rv.Inst{Op: rv.Addi, Rd: g.datum(), Rs1: g.datum(), Imm: 1})
}

// call calls a function that keeps its return address on the stack.
func (g *programmer) call() {
	var function, end int
	g.jump(rv.Inst{Op: rv.Jal, Rd: regLink}, &function)
	g.jump(rv.Inst{Op: rv.Jal}, &end)
	g.here(&function)
	g.emit(rv.Inst{Op: rv.Sw, Rs1: regStack, Rs2: regLink, Imm: -32})
	g.level++
	g.simple()
	g.level--
	g.emit(
		rv.Inst{Op: rv.Lw, Rs1: regStack, Rd: regLink, Imm: -32},
		rv.Inst{Op: rv.Jalr, Rs1: regLink})
	g.here(&end)
}

// simple is a statement without others in it.
func (g *programmer) simple() {
	list := []func(){g.load, g.store, g.compute, g.compute, g.anywhere, g.keep, g.float, g.register}
	list[g.rng.IntN(len(list))]()
}

// keep stores to the stack.
func (g *programmer) keep() {
	g.emit(rv.Inst{Op: rv.Sw, Rs1: regStack, Rs2: g.datum(), Imm: -4})
}

var programTopics = []func(*programmer){
	(*programmer).load, (*programmer).store, (*programmer).roles, (*programmer).anywhere, (*programmer).spill, (*programmer).compute,
	(*programmer).register, (*programmer).scratchRegister, (*programmer).float, (*programmer).uniformLoad, (*programmer).sides,
	(*programmer).loop, (*programmer).branch, (*programmer).some, (*programmer).leap, (*programmer).call, (*programmer).roles,
}

// partingTopics are those that covering executions need not refuse.
var partingTopics = []func(*programmer){
	(*programmer).load, (*programmer).store, (*programmer).spill, (*programmer).compute, (*programmer).float, (*programmer).register, (*programmer).some, (*programmer).call,
	(*programmer).loop, (*programmer).bounded, (*programmer).bounded, (*programmer).turns, (*programmer).either,
}

// meeting loads a word of those that threads share into a register that all threads have
// alike, which is what decides then.
func (g *programmer) meeting() {
	g.uniformLoad()
	if g.rng.IntN(3) == 0 {
		g.branch()
	}
}

// statement is one of a few kinds, with a barrier now and then.
func (g *programmer) statement() {
	switch g.rng.IntN(8) {
	case 0:
		g.barrier()
	case 1:
		g.compute()
	default:
		g.topics[g.rng.IntN(len(g.topics))](g)
	}
}

// use lets control depend on what was computed.
func (g *programmer) use() {
	if g.rng.IntN(2) == 0 {
		g.sides()
	} else {
		g.branch()
	}
}

// setup is what a warp does first: it turns its threads on, unless one leads, and gives
// registers their values.
func (g *programmer) setup() {
	if !g.lead {
		g.number(regScratch, -1)
		g.emit(rv.Inst{Op: rv.Tmc, Rs1: regScratch})
	}
	g.csr(regScratch, rv.CSRMscratch)
	g.emit(
		rv.Inst{Op: rv.Lw, Rd: regKnown, Rs1: regScratch},
		rv.Inst{Op: rv.Lw, Rd: regUnknown, Rs1: regScratch, Imm: 4})
	g.csr(regLocal, rv.CSRLocalMemBase)
	g.csr(regLane, rv.CSRThreadID)
	g.emit(rv.Inst{Op: rv.Slli, Rd: regLane, Rs1: regLane, Imm: 2})
	g.csr(regWarps, rv.CSRNumWarps)
	g.csr(regWarp, rv.CSRWarpID)
	g.csr(regCore, rv.CSRCoreID)
	g.csr(regScratch, rv.CSRMhartid)
	g.emit(
		rv.Inst{Op: rv.Slli, Rd: regScratch, Rs1: regScratch, Imm: 8},
		rv.Inst{Op: rv.Sub, Rd: regStack, Rs1: regLocal, Rs2: regScratch})
	for i := range g.data {
		d := uint8(regData + i)
		switch g.rng.IntN(8) {
		case 0: // nobody writes it first
		case 1:
			g.emit(rv.Inst{Op: rv.Lw, Rd: d, Rs1: regUnknown, Imm: int32(4 * g.rng.IntN(2))})
		case 2, 3:
			if g.parting || g.rng.IntN(2) == 0 {
				g.emit(
					rv.Inst{Op: rv.Add, Rd: regScratch, Rs1: regLane, Rs2: regUnknown},
					rv.Inst{Op: rv.Lw, Rd: d, Rs1: regScratch})
			}
		default:
			g.emit(rv.Inst{Op: rv.Addi, Rd: d, Rs1: g.pick(0, regLane, regWarp), Imm: int32(g.rng.IntN(9))})
		}
	}
	if g.parting && g.rng.IntN(2) == 0 { // what one thread holds is known
		d := g.datum()
		g.number(regScratch, int32(g.pick(1, 2, 4, 8, 3)))
		g.emit(
			rv.Inst{Op: rv.Tmc, Rs1: regScratch},
			rv.Inst{Op: rv.Addi, Rd: d, Imm: int32(g.rng.IntN(2))})
		g.number(regScratch, -1)
		g.emit(rv.Inst{Op: rv.Tmc, Rs1: regScratch})
	}
	for i := range uniforms {
		g.number(uint8(regUniform+i), int32(g.rng.IntN(9)))
	}
}

// body is statements, and what depends on them.
func (g *programmer) body() {
	for range 2 + g.rng.IntN(8) {
		g.statement()
	}
	for range 1 + g.rng.IntN(3) {
		g.use()
	}
}

// program is warp 0 that leads, all warps, and at times warp 0 again behind all others,
// which may start them once more.
func (g *programmer) program(v rvexec.Variant) {
	var all, end, again int
	spawn := func(to *int) {
		g.csr(regScratch, rv.CSRNumWarps)
		g.fixups = append(g.fixups, fixup{len(g.out) + 1, len(g.out), to})
		g.emit(
			rv.Inst{Op: rv.Auipc, Rd: regOther},
			rv.Inst{Op: rv.Addi, Rd: regOther, Rs1: regOther},
			rv.Inst{Op: rv.Wspawn, Rs1: regScratch, Rs2: regOther})
	}
	if g.rng.IntN(2) == 0 {
		g.lead = true
		g.setup()
		for range 1 + g.rng.IntN(3) {
			g.statement()
		}
		g.lead = false
	}
	spawn(&all)
	g.here(&all)
	g.setup()
	if g.rng.IntN(4) > 0 {
		g.emit(rv.Inst{Op: rv.Bar, Rs2: regWarps})
	}
	g.body()
	if v == rvexec.V22 && g.rng.IntN(2) == 0 {
		g.jump(rv.Inst{Op: rv.Bne, Rs1: regWarp}, &end)
		if g.rng.IntN(2) == 0 {
			g.number(regScratch, 1)
			g.emit(rv.Inst{Op: rv.Wspawn, Rs1: regScratch})
			g.statement()
			g.use()
		}
		if g.rng.IntN(2) == 0 {
			spawn(&again)
			g.here(&again)
			g.number(regScratch, -1)
			g.emit(rv.Inst{Op: rv.Tmc, Rs1: regScratch})
			g.body()
		}
	}
	g.here(&end)
	g.emit(rv.Inst{Op: rv.Tmc})
}
