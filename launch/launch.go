package launch

import (
	"path/filepath"
	"strings"

	"github.com/warpbound/warpbound/internal/conf"
)

// Pos, Error and ErrorList are how Load, Parse and Bind report what is wrong
// with a file: `file:line:col: what was found, what was expected`.
type (
	Pos       = conf.Pos
	Error     = conf.Error
	ErrorList = conf.ErrorList
)

// Limits on what a launch may ask for.
const (
	MaxBufferBytes        int64 = 16 << 30 // of all buffers together
	MaxThreadsPerBlock    int64 = 1024     // CUDA C++ Programming Guide, every compute capability from 2.0
	MaxBlockDepth               = 64       // of a block in z, as there
	MaxDynamicSharedBytes int64 = 16 << 20 // of a block
	MaxStructBytes        int64 = 32764    // PTX ISA: the largest parameter list of a kernel
)

// Launch is one kernel launch.
type Launch struct {
	Path   string // of the launch file
	Kernel string // path of the kernel's file, the launch file's directory included
	// Entry is "" where the file has to have one entry, and for a RISC-V program
	// that starts where its file says.
	Entry string
	// Grid and Block are blocks and threads in x, y, z, each at least 1; of a
	// RISC-V program its cores, and the threads of a core.
	Grid, Block        [3]int
	RISCV              *RISCV // nil for PTX
	DynamicSharedBytes int64
	Args               []Arg // in the order of the kernel's parameters
	Buffers            []Arg // that are no arguments: pointers lead to them
	Variables          []Arg // of the module, filled before the launch
	Textures           []Texture
	Samplers           []Sampler
	Loops              map[string]int64 // loop head, as a label or file:line, to the most iterations per entry
	Facts              []Fact           // all that the launch states of every execution, the bounds of Loops included

	dir         string // what paths in the file are relative to
	kernelPos   Pos
	argumentPos Pos
	factsFile   string
	factsPos    Pos
}

// RISCV is what a launch of a RISC-V program says of the GPU it starts on.
type RISCV struct {
	Cores, Warps, Threads int    // Warps of a core, Threads of a warp
	Variant               string // V22 or Feb2024; "" where the file does not say
	Argument              string // path of the argument block; "" where Args make it
}

// The variants of the Vortex GPU, which differ in where a program finds its
// argument block and its stacks.
const (
	V22     = "v2.2"
	Feb2024 = "feb2024"
)

// IsELF says whether the kernel is a RISC-V program, by the name of its file.
func (l *Launch) IsELF() bool { return isELF(l.Kernel) }

func isELF(file string) bool { return strings.EqualFold(filepath.Ext(file), ".elf") }

// ArgKind says what is passed to a parameter.
type ArgKind uint8

// The kinds of arguments.
const (
	Scalar ArgKind = iota // a number
	Buffer                // the address of device memory
	Struct                // raw bytes
)

func (k ArgKind) String() string { return [...]string{"scalar", "buffer", "struct"}[k] }

// Arg is one argument.
type Arg struct {
	Name string
	Kind ArgKind
	Type Type   // of the scalar, or of the buffer's elements
	Bits uint64 // the scalar, as the low Type.Bits() bits

	Count int64 // elements of the buffer
	Init  Init  // initial contents of the buffer
	Known bool  // an analysis may rely on the buffer's contents
	// Range, if not nil, is what the scalar, or an element of the buffer, may be in the
	// launches that bounds are for; what the launch passes is in it.
	Range *Integers
	// Before and After are elements around the buffer that the kernel may access,
	// too, and that hold nothing in particular.
	Before, After int64
	// Fields are the members of a structure, Stride bytes in all, with which the
	// buffer's elements are bytes.
	Fields []Field
	Stride int64

	File string // of a Struct without Fields: path of its bytes

	key         string // of its table in the file, with its name: args.x, textures.x
	structBytes int64  // size of a Struct's file, as Load saw it
	pos         Pos
	countPos    Pos
}

// Bytes is the size of what is passed: of a scalar, of a buffer's contents, or
// of a structure. Parse, which opens no file, leaves a structure's at 0.
func (a *Arg) Bytes() int64 {
	switch a.Kind {
	case Scalar:
		return a.Type.Bytes()
	case Buffer:
		return a.Count * a.Type.Bytes()
	}
	if len(a.Fields) > 0 {
		return a.Stride
	}
	return a.structBytes
}

// InitKind says how a buffer's contents begin.
type InitKind uint8

// The kinds of initial contents.
const (
	Zero     InitKind = iota // all bits 0
	Value                    // every element the same
	Iota                     // start, start+step, start+2*step, ...
	Random                   // uniform between low and high
	File                     // from an NPY file
	Pointers                 // addresses of buffers and variables
)

func (k InitKind) String() string {
	return [...]string{"zero", "value", "iota", "random", "file", "pointers"}[k]
}

// Init is a buffer's initial contents. Bit patterns are those of the element
// type, extended to 64 bits according to the type.
type Init struct {
	Kind InitKind
	Bits uint64 // Value: every element
	// Iota and Random over integer types: exact, modulo 2^64.
	Start, Step uint64 // Iota
	Low, Span   uint64 // Random: Low to Low+Span-1
	// Iota and Random over floating-point types.
	FloatStart, FloatStep float64 // Iota
	FloatLow, FloatHigh   float64 // Random
	Seed                  uint64  // Random
	File                  string  // File: path, the launch file's directory included

	targets []target // Pointers: of every element, or of the first
	stride  int64    // Pointers: bytes from one element's target to the next's
	pos     Pos
}
