package ptxexec

import (
	"github.com/warpbound/warpbound/isa"
)

// How a register starts: with a constant that lasts, a special register's
// value, or zero.
const (
	initZero uint8 = iota
	initConst
	initSpecial
)

// Code is one kernel of a PTX module, with every function it can call,
// lowered for execution. It is immutable and may be used by several kernels.
type Code struct {
	isa    *isa.Program
	code   []instr
	reconv []int32 // reconvergence point of each instruction; pcLeave at the function's end
	// barrierAhead and meetingAhead say of each instruction, and of the place
	// after the last, whether a barrier of the block, or an instruction that the
	// lanes of a warp execute together, can be reached from it before the function
	// is left.
	barrierAhead, meetingAhead []bool
	funcs                      []function
	regInit                    []uint8  // of each value register
	consts                     []uint64 // value of each constant register
	regBits                    []uint8  // width of each value register
	valNames                   []string // of each value register, "" where it is none of the module's
	predNames                  []string
	specials                   []special
	numPreds                   int
	sites                      int32  // memory instructions
	arrives                    uint32 // barriers at which an instruction may arrive without waiting, one bit each

	params      []param
	paramBytes  uint64
	variables   []variable
	textures    []textureVariable
	functionAt  []int32 // function by the order of addresses, -1 where none of this kernel
	nextGlobal  uint64  // first address free for buffers
	addressBits int
	usesDynamic bool
	// sharedArrays are the variables in shared memory, the static ones first.
	sharedArrays []sharedArray
	leavesOpen   bool  // an instruction may have a result that PTX leaves open
	dynamicBase  int64 // where dynamic shared memory starts

	launchChecks []func(block [3]int) error
}

// ISA is the static program.
func (p *Code) ISA() *isa.Program { return p.isa }

// Param describes a kernel parameter.
type Param struct {
	Name  string
	Type  string // PTX type: "u64", "b8[56]"
	Bytes int64
	// Offset is the parameter's place in the parameter space.
	Offset int64
	// Pointer says that the declaration has .ptr.
	Pointer bool
}

// Params lists the kernel's parameters in order.
func (p *Code) Params() []Param {
	out := make([]Param, len(p.params))
	for i, q := range p.params {
		out[i] = Param{Name: q.name, Type: q.typ, Bytes: int64(q.bytes), Offset: int64(q.offset), Pointer: q.pointer}
	}
	return out
}

type param struct {
	name, typ     string
	bytes, offset uint64
	pointer       bool
}

// variable is a module-scope or function-scope variable in global or constant
// memory. init is nil where the module gives no contents.
type variable struct {
	name       string
	base, size uint64
	init       []byte
	constant   bool
}

// function is what entering and leaving a function needs.
type function struct {
	name           string
	regLo, regHi   int32 // its value registers
	predLo, predHi int32
	frameBytes     uint64 // local variables and parameters of one thread
}

// special is a register that holds a special register's value.
type special struct {
	reg     int32
	bits    uint8
	tainted bool
	clock   bool // changes while a warp runs
	size    bool
	axis    int // of a coordinate of the block: 1 to 3 for x to z; else 0
	extent  int // of an extent of the grid, likewise
	fill    func(w *warp, reg int32)
}
