package load

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/conf"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/facts"
	"github.com/warpbound/warpbound/internal/simt/ptxexec"
	"github.com/warpbound/warpbound/isa"
	"github.com/warpbound/warpbound/launch"
)

// maxKernelBytes is the largest kernel file read.
const maxKernelBytes = 256 << 20

// Executable is a kernel ready to execute, of either kind.
type Executable interface {
	simt.Kernel
	// Taints lists what was seen to depend on data that an analysis must not rely
	// on, by PC.
	Taints() []simt.Taint
	// Open lists what depends on results that the instruction set leaves open, and
	// the instructions that gave them.
	Open() (depend, results []simt.Taint)
	// Buffer returns the contents of an argument's buffer as they are now, nil
	// where there is no buffer of that name.
	Buffer(name string) []byte
	// BufferAddress returns the device address of the buffer of that name.
	BufferAddress(name string) (address uint64, ok bool)
}

// Opened is a launch file with its kernel lowered.
type Opened struct {
	File *launch.Launch
	// WarpSize is the number of lanes of a warp; 0 means 32, or for a RISC-V
	// program what its launch file says.
	WarpSize int
	// Variant is the state of Vortex that the GPU is, launch.V22 or
	// launch.Feb2024; "" where it does not say.
	Variant string
	// ReportLoops asks covering executions what they find of every loop.
	ReportLoops bool
	// LeastGrid is the least of a range of grids up to that of the file, for which a PTX
	// kernel is covered; 0 means that of the file.
	LeastGrid [3]int
	// Scratch, if not nil, is memory for buffers of PTX kernels that are not known, which
	// are then executed one after the other, with any contents.
	Scratch *ptxexec.Scratch
	// AnyTextures says that of textures that the file does not declare nothing is known; a
	// PTX kernel can be covered then and not executed.
	AnyTextures bool

	kind  kind
	facts []facts.Fact

	mu    sync.Mutex
	exits []func() uint32 // of the RISC-V programs made
}

// kind is what a launch holds of a kernel of one kind.
type kind interface {
	program() *isa.Program
	text(pc int32) Text
	// kernel makes a kernel with its buffers as they are at the start.
	kernel(l *Opened, taint bool) (Executable, error)
}

// Open reads a launch file and everything it names.
func Open(path string) (*Opened, error) {
	f, err := launch.Load(path)
	if err != nil {
		return nil, err
	}
	return Bring(f)
}

// Bring reads everything that a launch names.
func Bring(f *launch.Launch) (*Opened, error) {
	l := &Opened{File: f}
	var err error
	switch ext := filepath.Ext(f.Kernel); {
	case f.IsELF():
		l.kind, err = openELF(f)
	case strings.EqualFold(ext, ".ptx"):
		l.kind, err = openPTX(f)
	default:
		return nil, at(f.Path, "kernel", "kernel %s: %q is not a known kind of kernel file, expected .ptx or .elf", f.Kernel, ext)
	}
	if err != nil {
		return nil, err
	}
	if l.facts, err = bindFacts(f, l.Program()); err != nil {
		return nil, err
	}
	return l, nil
}

// For is the launch for a machine: its warps are as wide as those of the machine.
// What was read is shared with l, which is not changed, so that one launch can be put
// on several machines, also concurrently.
func (l *Opened) For(d *gpu.Description) (*Opened, error) {
	out := l.Again()
	if err := out.On(d); err != nil {
		return nil, err
	}
	return out, nil
}

// Again is the launch without what its executions left, on no machine.
func (l *Opened) Again() *Opened {
	return &Opened{File: l.File, LeastGrid: l.LeastGrid, Scratch: l.Scratch, AnyTextures: l.AnyTextures, kind: l.kind, facts: l.facts}
}

// read returns the contents of the kernel's file.
func read(f *launch.Launch) ([]byte, error) {
	file, err := os.Open(f.Kernel)
	if err != nil {
		return nil, fmt.Errorf("%s: kernel: %w", f.Path, err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("%s: kernel: %w", f.Path, err)
	}
	if info.Size() > maxKernelBytes {
		return nil, at(f.Path, "kernel", "kernel %s has %d bytes, expected at most %d", f.Kernel, info.Size(), maxKernelBytes)
	}
	data, err := io.ReadAll(file)
	if err != nil {
		return nil, fmt.Errorf("%s: kernel: %w", f.Path, err)
	}
	return data, nil
}

// at is an error about a key of a launch file that has been read before.
func at(path, key, format string, args ...any) *conf.Error {
	pos := conf.Pos{File: path}
	if data, err := conf.Read(path); err == nil {
		if root, err := conf.Parse(path, data); err == nil && root.Get(key) != nil {
			pos = root.Get(key).Pos
		}
	}
	return &conf.Error{Pos: pos, Msg: fmt.Sprintf(format, args...)}
}

// Kernel returns the kernel with its buffers as they are at the start. With
// taint it follows which values depend on buffers that are not known; without, the last
// step of a warp for which a fact of the launch does not hold is an error.
func (l *Opened) Kernel(taint bool) (Executable, error) {
	k, err := l.kind.kernel(l, taint)
	if err != nil || taint {
		return k, err
	}
	return l.held(k)
}

// Fresh is Kernel without taint, as comparisons need it.
func (l *Opened) Fresh() (simt.Kernel, error) {
	k, err := l.Kernel(false)
	if err != nil {
		return nil, err
	}
	return k, nil
}

// Program is the kernel's static program.
func (l *Opened) Program() *isa.Program { return l.kind.program() }

// Text is how an instruction reads.
type Text struct {
	Place       string // in the kernel's file: a line, or an address
	Word        string // of machine code, "" where there is none
	Instruction string
}

// PlaceName is what Text.Place is.
func (l *Opened) PlaceName() string {
	if l.File.RISCV != nil {
		return "address"
	}
	return "line"
}

// Text returns how the instruction at pc reads: its opcode in PTX, which has the
// operands in its file, and its disassembly in a RISC-V program.
func (l *Opened) Text(pc int32) Text { return l.kind.text(pc) }
