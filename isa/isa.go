package isa

import (
	"errors"
	"fmt"
	"slices"

	"github.com/warpbound/warpbound/internal/conf"
)

// Reg numbers a register of a [Program]: an index into Program.Registers.
type Reg int32

// NoReg says that there is no register, for example no guard.
const NoReg Reg = -1

// NoPC says that there is no instruction: no target, or a warp that has ended.
const NoPC int32 = -1

// Kind tells what an instruction is to control and memory.
type Kind uint8

// The kinds of instructions.
const (
	Plain     Kind = iota // registers in, registers out
	Load                  // reads memory
	Store                 // writes memory
	Atomic                // reads and writes memory
	AsyncCopy             // copies between memories without passing registers
	Branch                // may change the program counter
	Call                  // enters a function
	Return                // leaves a function
	Barrier               // waits for, or arrives at, a barrier of the block
	Fence                 // orders memory accesses
	Exit                  // ends the lanes that execute it
)

var kindNames = [...]string{"plain", "load", "store", "atomic", "async-copy", "branch", "call", "return", "barrier", "fence", "exit"}

func (k Kind) String() string { return name(kindNames[:], int(k), "kind") }

// Control tells whether instructions of the kind may change the program counter
// or stop the warp: what a front end waits for or discards instructions behind.
func (k Kind) Control() bool {
	switch k {
	case Branch, Call, Return, Barrier, Exit:
		return true
	}
	return false
}

// Space is a state space: the memory an instruction accesses.
type Space uint8

// The state spaces.
const (
	NoSpace Space = iota
	Global
	Shared
	Const
	Local
	Param
	Generic // known only when executed
)

var spaceNames = [...]string{"", "global", "shared", "const", "local", "param", "generic"}

func (s Space) String() string { return name(spaceNames[:], int(s), "space") }

// Family groups instructions that do the same kind of work. With the operand
// type and the state space it makes the timing class.
type Family uint8

// The operation families.
const (
	Nop         Family = iota
	Move               // copies, special-register reads, packing
	Convert            // between types, and between address spaces
	Compare            // sets predicates or masks
	Select             // picks one of two values
	Logic              // bitwise, predicates included
	Shift              // shifts and funnel shifts
	BitField           // extract, insert, reverse, count, find
	Permute            // byte permutation
	AbsNeg             // absolute value, negation, sign copy
	Add                // additions and subtractions, with or without carry
	MinMax             // minimum, maximum
	Mul                // multiplication
	Mad                // multiply-add, fused or not
	Mul24              // 24-bit multiplication
	Mad24              // 24-bit multiply-add
	Sad                // sum of absolute differences
	Dot                // dot products of packed integers
	Video              // video instructions: several elements of a word at once
	Div                // division and remainder
	Sqrt               // square root
	Rsqrt              // reciprocal square root
	Rcp                // reciprocal
	Sin                // sine
	Cos                // cosine
	Exp2               // power of two
	Log2               // logarithm to base two
	Tanh               // hyperbolic tangent
	Tensor             // matrix multiply-accumulate
	Texture            // texture and surface access
	Shuffle            // exchange between lanes
	Vote               // votes, ballots, active masks
	Match              // finds lanes with equal values
	Redux              // reduction over lanes
	LoadMem            // loads
	StoreMem           // stores
	AtomicMem          // atomics and reductions in memory
	Prefetch           // prefetches and cache hints
	CopyMem            // asynchronous copies, and waiting for them
	FenceMem           // memory fences
	BarrierSync        // barriers of the block
	BranchTo           // branches
	CallTo             // calls
	ReturnFrom         // returns
	ExitLanes          // exits and traps
	numFamilies
)

var familyNames = [...]string{
	"nop", "move", "convert", "compare", "select", "logic", "shift", "bitfield", "permute", "absneg",
	"add", "minmax", "mul", "mad", "mul24", "mad24", "sad", "dot", "video", "div",
	"sqrt", "rsqrt", "rcp", "sin", "cos", "exp2", "log2", "tanh",
	"tensor", "texture", "shuffle", "vote", "match", "redux",
	"load", "store", "atomic", "prefetch", "copy", "fence", "barrier", "branch", "call", "return", "exit",
}

func (f Family) String() string { return name(familyNames[:], int(f), "family") }

// Families returns all families in declaration order.
func Families() []Family {
	all := make([]Family, numFamilies)
	for i := range all {
		all[i] = Family(i)
	}
	return all
}

// Type is the operand type as far as timing can depend on it.
type Type uint8

// The operand types.
const (
	NoType Type = iota
	Pred        // predicates
	I8          // 8-bit integers and untyped bytes
	I16
	I32
	I64
	I128
	F16 // half precision, bfloat16 and their pairs
	F32
	F64
	numTypes
)

var typeNames = [...]string{"", "pred", "i8", "i16", "i32", "i64", "i128", "f16", "f32", "f64"}

func (t Type) String() string { return name(typeNames[:], int(t), "type") }

// Types returns all operand types in declaration order, NoType first.
func Types() []Type {
	all := make([]Type, numTypes)
	for i := range all {
		all[i] = Type(i)
	}
	return all
}

// Class is the timing class of an instruction. Memory instructions are told
// apart by space, all others by type.
type Class struct {
	Family Family
	Type   Type
	Space  Space
}

// String prints "mad.f32" or "load.global.f32", the notation of GPU files.
func (c Class) String() string {
	s := c.Family.String()
	if c.Space != NoSpace {
		s += "." + c.Space.String()
	}
	if c.Type != NoType {
		s += "." + c.Type.String()
	}
	return s
}

// Position is a place in a source file: File, and Line and Col, which count from 1; 0
// is unknown.
type Position = conf.Pos

// Inlined is a call in whose place the function stands that is called.
type Inlined struct {
	Function string   // as the debugging information names it, "" where that is not known
	At       Position // of the call
}

// Instruction is one static instruction.
type Instruction struct {
	Opcode     string   // the front end's own name with modifiers, for reports only
	Class      Class    // key of the timing table
	Kind       Kind     //
	WidthBytes int32    // bytes accessed by one lane; 0 where memory is not accessed
	Reads      []Reg    // registers read, address registers and the guard included, without duplicates
	Writes     []Reg    // registers written, without duplicates
	Guard      Reg      // NoReg where unconditional
	Targets    []int32  // possible targets of a Branch or Call, as instruction indices
	Pos        Position // in the file the program was read from
	Source     Position // in the language the kernel was written in; zero where unknown
	// Inlined are the calls in whose place the function with Source stands, the innermost
	// first: what Source is inlined into, what that is inlined into, and so on.
	Inlined []Inlined
	// Uncached marks loads that no cache of an SM may serve: volatile ones, those
	// ordered or atomic beyond their block, and those that say so.
	Uncached bool
	// Unplaced marks accesses to places that are not known: textures and matrix
	// fragments. The addresses of their steps say how many transactions they are
	// at most, not where.
	Unplaced bool
	// StopsFetch marks instructions behind which a front end that waits for control
	// instructions fetches nothing either until they are resolved, although they
	// are none: accesses to what later instructions of the warp are executed by,
	// such as a rounding mode.
	StopsFetch bool
	// Rejoins marks branches at which parts of a warp meet: a thread that executes one
	// goes on at the next instruction, and the other Targets are where other threads of
	// the warp begin.
	Rejoins bool
}

// Function is a contiguous range of a program's instructions.
type Function struct {
	Name  string
	Entry int32 // first instruction
	End   int32 // one past the last
}

// Program is one kernel with every function it can call.
type Program struct {
	Name         string
	Instructions []Instruction
	Registers    []string   // names, for reports; two scopes may use one name
	Functions    []Function // Functions[0] is the kernel itself
	Labels       map[string]int32
	// RegisterUnits is the number of 32-bit registers a thread needs (the
	// register file's currency), and RegisterRule says how it was counted.
	RegisterUnits int
	RegisterRule  string
	// SharedBytes and LocalBytes are static sizes per block and per thread.
	SharedBytes, LocalBytes int64
	// InstructionBytes is the size of an instruction in memory, 0 where there is
	// no machine code.
	InstructionBytes int64
	// TextBase is the address of the first instruction, where InstructionBytes is not 0.
	TextBase uint64
}

// Threads is the program as each thread takes it by itself: where parts of a warp meet, it
// goes on at the next instruction. It shares everything else with p.
func (p *Program) Threads() *Program {
	out := p
	for pc := range p.Instructions {
		if !p.Instructions[pc].Rejoins {
			continue
		}
		if out == p {
			own := *p
			own.Instructions = slices.Clone(p.Instructions)
			out = &own
		}
		out.Instructions[pc].Targets = []int32{int32(pc) + 1}
	}
	return out
}

// Check verifies the invariants that analyses rely on and returns every
// violation found, joined.
func (p *Program) Check() error {
	var errs []error
	bad := func(pc int, format string, args ...any) {
		errs = append(errs, fmt.Errorf("%s: instruction %d: %s", p.Name, pc, fmt.Sprintf(format, args...)))
	}
	n := int32(len(p.Instructions))
	if len(p.Functions) == 0 {
		errs = append(errs, fmt.Errorf("%s: no function", p.Name))
	}
	covered := int32(0)
	for _, f := range p.Functions {
		if f.Entry != covered || f.End <= f.Entry || f.End > n {
			errs = append(errs, fmt.Errorf("%s: function %s covers [%d,%d) after %d of %d instructions", p.Name, f.Name, f.Entry, f.End, covered, n))
			return errors.Join(errs...)
		}
		covered = f.End
	}
	if covered != n {
		errs = append(errs, fmt.Errorf("%s: functions cover %d of %d instructions", p.Name, covered, n))
	}
	for pc := range p.Instructions {
		in := &p.Instructions[pc]
		for _, r := range in.Reads {
			if r < 0 || int(r) >= len(p.Registers) {
				bad(pc, "reads register %d of %d", r, len(p.Registers))
			}
		}
		for _, r := range in.Writes {
			if r < 0 || int(r) >= len(p.Registers) {
				bad(pc, "writes register %d of %d", r, len(p.Registers))
			}
		}
		if in.Guard != NoReg && !contains(in.Reads, in.Guard) {
			bad(pc, "the guard is not among the registers read")
		}
		for _, t := range in.Targets {
			if t < 0 || t >= n {
				bad(pc, "target %d of %d instructions", t, n)
			}
		}
		if (in.Kind == Branch || in.Kind == Call) && len(in.Targets) == 0 {
			bad(pc, "%s without a target", in.Kind)
		}
	}
	return errors.Join(errs...)
}

func contains(rs []Reg, r Reg) bool {
	for _, x := range rs {
		if x == r {
			return true
		}
	}
	return false
}

func name(names []string, i int, what string) string {
	if i < len(names) {
		return names[i]
	}
	return fmt.Sprintf("%s(%d)", what, i)
}
