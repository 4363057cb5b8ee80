package rv

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/isa"
)

// The numbers of registers in a lowered program: x1 to x31, then f0 to f31. x0
// is no register: reading it depends on nothing.
const (
	intRegs   = 31
	floatRegs = 32
)

// maxTargets limits the targets that all joins and computed jumps of a program
// have together.
const maxTargets = 1 << 18

// XReg is the register of a lowered program that integer register n is,
// isa.NoReg for x0.
func XReg(n uint8) isa.Reg { return isa.Reg(n) - 1 }

// FReg is the register of a lowered program that floating-point register n is.
func FReg(n uint8) isa.Reg { return intRegs + isa.Reg(n) }

// Lower makes the program that analyses and the simulator read. Instruction i
// is the word at TextBase+4i; where the last word could run past the end of
// the text, one instruction more, ".end", stands for that.
//
// Every instruction that may change a warp's program counter or thread mask is
// control: conditional branches, jumps and the SIMT instructions are branches
// (a vx_tmc of the zero register an exit), vx_bar is a barrier, ecall, ebreak
// and words that are no instruction are exits. Jumps that link are calls,
// jumps through ra or t0 that do not link are returns, and so are jumps to
// another function (tail calls). A jump out of the text is an exit: executing
// it is an error. Targets name
//
//   - for conditional branches the target and the next instruction;
//   - for SIMT branches the next instruction, for vx_join also the instruction
//     after every vx_split of the function. Where joins and splits do not both
//     occur in the same functions the whole program is one function;
//   - for calls and jumps the target, also where an auipc right before holds
//     its upper part;
//   - for calls through a register, the start of every function;
//   - for other jumps through a register, every instruction of the function.
//
// Functions begin at the symbols; those that run into each other or branch
// into each other are one. Functions[0] holds TextBase, which linkers give the
// entry.
//
// Positions name the file with the instruction's address, and as line its
// number in the text, from 1; sources are from the line table.
func Lower(img *Image) (*isa.Program, error) {
	if len(img.Insts) == 0 || len(img.Insts) != len(img.Text) {
		return nil, &FormatError{File: img.Name, Reason: fmt.Sprintf("%d decoded instructions for %d words", len(img.Insts), len(img.Text))}
	}
	l := &lowering{img: img, n: int32(len(img.Insts))}
	l.flows()
	l.divide()
	p := &isa.Program{
		Name:             strings.TrimSuffix(path.Base(img.Name), ".elf"),
		InstructionBytes: 4,
		TextBase:         uint64(img.TextBase),
		Registers:        registerNames(),
		Functions:        l.functions,
		Labels:           make(map[string]int32, len(img.Symbols)),
		RegisterUnits:    intRegs + 1 + floatRegs,
		RegisterRule:     "the 32 integer and 32 floating-point registers of the architecture",
	}
	for _, s := range img.Symbols {
		if i, ok := img.Index(s.Addr); ok {
			if _, taken := p.Labels[s.Name]; !taken {
				p.Labels[s.Name] = i
			}
		}
	}
	p.Instructions = make([]isa.Instruction, l.n, l.n+1)
	for i := range p.Instructions {
		if err := l.instruction(int32(i), &p.Instructions[i]); err != nil {
			return nil, err
		}
	}
	if l.end {
		p.Instructions = append(p.Instructions, isa.Instruction{Opcode: ".end", Class: Invalid.class(), Kind: isa.Exit, Guard: isa.NoReg, Pos: l.position(l.n)})
	}
	return p, nil
}

func registerNames() []string {
	names := make([]string, 0, intRegs+floatRegs)
	for n := 1; n <= intRegs; n++ {
		names = append(names, fmt.Sprintf("x%d", n))
	}
	for n := range floatRegs {
		names = append(names, fmt.Sprintf("f%d", n))
	}
	return names
}

// lowering is the state of Lower.
type lowering struct {
	img       *Image
	n         int32  // instructions in the text
	flow      []flow // of every instruction
	functions []isa.Function
	end       bool    // the text can run past its end
	all       []int32 // first instructions of all functions
	fn        int     // function of the instruction being lowered
	splits    []int32 // instructions after the splits of function splitsOf-1
	splitsOf  int
	body      []int32 // instructions of function bodyOf-1
	bodyOf    int
	targets   int // how many targets joins and computed jumps have so far
}

// flow is how control leaves an instruction.
type flow struct {
	kind   flowKind
	target int32 // of direct transfers, isa.NoPC where outside the text
}

type flowKind uint8

const (
	flowNext     flowKind = iota // to the next instruction
	flowEnd                      // nowhere
	flowBranch                   // to target or the next
	flowJump                     // to target
	flowCall                     // to target, and then the next
	flowCallAny                  // to any function, and then the next
	flowReturn                   // to the caller
	flowComputed                 // to any instruction
	flowJoin                     // to after a split, or the next
)

// falls tells whether the next instruction may follow.
func (k flowKind) falls() bool {
	switch k {
	case flowEnd, flowJump, flowReturn, flowComputed:
		return false
	}
	return true
}

// flows fills flow.
func (l *lowering) flows() {
	l.flow = make([]flow, l.n)
	entered := make([]bool, l.n) // by a direct transfer or a symbol
	enter := func(t int32) int32 {
		if t != isa.NoPC {
			entered[t] = true
		}
		return t
	}
	for _, s := range l.img.Symbols {
		if i, ok := l.img.Index(s.Addr); ok {
			enter(i)
		}
	}
	for i := range l.flow {
		in, f := &l.img.Insts[i], &l.flow[i]
		switch in.Op {
		case Invalid, Ecall, Ebreak:
			f.kind = flowEnd
		case Beq, Bne, Blt, Bge, Bltu, Bgeu:
			*f = flow{flowBranch, enter(l.index(int32(i), in.Imm))}
		case Jal:
			*f = flow{flowCall, enter(l.index(int32(i), in.Imm))}
			if in.Rd == 0 {
				f.kind = flowJump
			}
		case Join:
			f.kind = flowJoin
		case Tmc:
			if in.Rs1 == 0 {
				f.kind = flowEnd
			}
		}
	}
	for i := range l.flow {
		if l.img.Insts[i].Op == Jalr {
			l.flow[i] = l.indirect(int32(i), entered[i])
		}
	}
}

// indirect is the flow of the jalr at i; entered says that control may reach it
// other than from the instruction before.
func (l *lowering) indirect(i int32, entered bool) flow {
	const ra, t0 = 1, 5
	in := &l.img.Insts[i]
	if i > 0 && !entered {
		if up := &l.img.Insts[i-1]; up.Op == Auipc && up.Rd == in.Rs1 && up.Rd != 0 {
			// The upper part wraps as the addresses do; jalr clears bit 0.
			f := flow{flowCall, l.index(i-1, int32(uint32(up.Imm)+uint32(in.Imm))&^1)}
			if in.Rd == 0 {
				f.kind = flowJump
			}
			return f
		}
	}
	switch {
	case in.Rd != 0:
		return flow{kind: flowCallAny}
	case in.Rs1 == ra || in.Rs1 == t0:
		return flow{kind: flowReturn}
	}
	return flow{kind: flowComputed}
}

// index is the instruction at the address of instruction i plus offset bytes,
// isa.NoPC where the text has none there.
func (l *lowering) index(i, offset int32) int32 {
	if t, ok := l.img.Index(l.img.Addr(i) + uint32(offset)); ok {
		return t
	}
	return isa.NoPC
}

// divide finds the functions.
func (l *lowering) divide() {
	starts, names := []int32{0}, []string{".text"}
	for _, s := range l.img.Symbols {
		i, ok := l.img.Index(s.Addr)
		switch {
		case !ok:
		case i == starts[len(starts)-1]:
			names[len(names)-1] = s.Name
		case i > starts[len(starts)-1]:
			starts, names = append(starts, i), append(names, s.Name)
		}
	}
	holds := make([]int32, l.n) // the symbol each instruction follows
	for k := range starts {
		end := l.n
		if k+1 < len(starts) {
			end = starts[k+1]
		}
		for i := starts[k]; i < end; i++ {
			holds[i] = int32(k)
		}
	}
	// joined[k] > 0 within running sums says that symbol k begins no function.
	joined := make([]int32, len(starts)+1)
	join := func(a, b int32) {
		joined[min(a, b)+1]++
		joined[max(a, b)+1]--
	}
	pairs := make([]uint8, len(starts)) // bit 0: has splits, bit 1: has joins
	for i, f := range l.flow {
		if f.kind == flowBranch && f.target != isa.NoPC && holds[f.target] != holds[i] {
			join(holds[i], holds[f.target])
		}
		if next := i + 1; f.kind.falls() && next < len(l.flow) && holds[next] != holds[i] {
			join(holds[i], holds[next])
		}
		switch l.img.Insts[i].Op {
		case Split:
			pairs[holds[i]] |= 1
		case Join:
			pairs[holds[i]] |= 2
		}
	}
	if slices.ContainsFunc(pairs, func(p uint8) bool { return p == 1 || p == 2 }) {
		join(0, int32(len(starts)-1))
	}
	depth := int32(0)
	for k := range starts {
		if depth += joined[k]; depth == 0 {
			l.functions = append(l.functions, isa.Function{Name: names[k], Entry: starts[k]})
			l.all = append(l.all, starts[k])
		}
	}
	l.end = l.flow[l.n-1].kind.falls()
	for k := range l.functions {
		f := &l.functions[k]
		if k+1 < len(l.functions) {
			f.End = l.functions[k+1].Entry
		} else if f.End = l.n; l.end {
			f.End++
		}
	}
}
