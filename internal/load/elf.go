package load

import (
	"fmt"
	"slices"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/conf"
	"github.com/warpbound/warpbound/internal/rv"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/rvexec"
	"github.com/warpbound/warpbound/isa"
	"github.com/warpbound/warpbound/launch"
)

// elfKernel is a RISC-V program.
type elfKernel struct {
	image    *rv.Image
	lowered  *isa.Program
	start    uint32 // address, 0 for the program's own
	argument []byte
	buffers  []launch.Placed
}

func openELF(f *launch.Launch) (*elfKernel, error) {
	data, err := read(f)
	if err != nil {
		return nil, err
	}
	k := &elfKernel{}
	if k.image, err = rv.Load(f.Kernel, data); err != nil {
		return nil, err
	}
	if k.lowered, err = rv.Lower(k.image); err != nil {
		return nil, err
	}
	if f.Entry != "" {
		if k.start, err = symbol(f, k.image); err != nil {
			return nil, err
		}
	}
	if k.argument, k.buffers, err = f.Place(); err != nil {
		return nil, err
	}
	return k, k.apart(f)
}

// symbol is the address of the function that the file names as its entry.
func symbol(f *launch.Launch, img *rv.Image) (uint32, error) {
	var names []string
	for _, s := range img.Symbols {
		if s.Name == f.Entry {
			return s.Addr, nil
		}
		names = append(names, s.Name)
	}
	if len(names) == 0 {
		return 0, at(f.Path, "entry", "%s names no functions, expected no key `entry`", f.Kernel)
	}
	slices.Sort(names)
	return 0, at(f.Path, "entry", "%s has no function %q, %s", f.Kernel, f.Entry, conf.Suggest(f.Entry, names))
}

// apart checks that no buffer lies where the program does.
func (k *elfKernel) apart(f *launch.Launch) error {
	for i := range k.buffers {
		b := &k.buffers[i]
		from, to := uint64(b.Addr), uint64(b.Addr)+uint64(len(b.Data))
		for j := range k.image.Segments {
			s := &k.image.Segments[j]
			end := uint64(s.Addr) + max(uint64(s.MemBytes), uint64(len(s.Data)))
			if from < end && uint64(s.Addr) < to {
				return at(f.Path, "args", "args.%s is put at 0x%x to 0x%x, expected the program elsewhere: %s lies at 0x%x to 0x%x", b.Arg.Name, from, to, f.Kernel, s.Addr, end)
			}
		}
	}
	return nil
}

// On prepares a launch for a machine: its warps are as wide as those of the
// machine. For a RISC-V program, the machine must be what its launch file says.
func (l *Opened) On(d *gpu.Description) error {
	l.WarpSize = d.SM.WarpSize
	r := l.File.RISCV
	if r == nil {
		return nil
	}
	if d.RISCV != nil {
		l.Variant = d.RISCV.Variant
	}
	if err := l.asWide(); err != nil {
		return err
	}
	if int64(r.Warps) > d.SM.MaxWarps {
		return at(l.File.Path, "warps", "warps is %d, expected at most sm.max_warps = %d of %s", r.Warps, d.SM.MaxWarps, d.Name)
	}
	if int64(r.Cores) > d.SM.Count {
		return at(l.File.Path, "cores", "cores is %d, expected at most sm.count = %d of %s: a core is an SM", r.Cores, d.SM.Count, d.Name)
	}
	_, err := l.variant()
	return err
}

// asWide checks that the warps of a RISC-V program are as wide as asked for.
func (l *Opened) asWide() error {
	if n := l.File.RISCV.Threads; l.WarpSize != 0 && l.WarpSize != n {
		return at(l.File.Path, "threads", "threads is %d, expected %d as the GPU's sm.warp_size", n, l.WarpSize)
	}
	return nil
}

func (k *elfKernel) program() *isa.Program { return k.lowered }

func (k *elfKernel) text(pc int32) Text {
	t := Text{Place: fmt.Sprintf("0x%08x", k.image.Addr(pc)), Instruction: k.lowered.Instructions[pc].Opcode}
	if int(pc) < len(k.image.Insts) { // else it stands for the end of the text
		t.Word, t.Instruction = fmt.Sprintf("%08x", k.image.Text[pc]), k.image.Insts[pc].Pseudo(k.image.Addr(pc))
	}
	return t
}

func (k *elfKernel) kernel(l *Opened, taint bool) (Executable, error) {
	if err := l.asWide(); err != nil {
		return nil, err
	}
	r := l.File.RISCV
	variant, err := l.variant()
	if err != nil {
		return nil, err
	}
	of := rvexec.LaunchConfig{
		Cores: r.Cores, Warps: r.Warps, Threads: r.Threads, Variant: variant, Argument: k.argument, StartPC: k.start, MaxMemoryBytes: ownBytes, Taint: taint,
		Facts: l.facts, ReportLoops: l.ReportLoops,
	}
	for i := range k.buffers {
		b := &k.buffers[i]
		r := rvexec.Region{Name: b.Arg.Name, Addr: b.Addr, Data: b.Data, Known: b.Arg.Known}
		for _, u := range b.Arg.Unknown() {
			r.Unknown = append(r.Unknown, rvexec.Range(u))
		}
		of.Memory = append(of.Memory, r)
		of.MaxMemoryBytes += int64(len(b.Data))
	}
	made, err := rvexec.NewKernel(k.image, of)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.exits = append(l.exits, made.Exit())
	return &program{Kernel: made, buffers: k.buffers}, nil
}

// ownBytes bounds the memory that a program writes besides its buffers.
const ownBytes = 1 << 30

// variant is the state of Vortex to execute: what the GPU and the launch file
// say, which have to agree.
func (l *Opened) variant() (rvexec.Variant, error) {
	name := l.File.RISCV.Variant
	switch {
	case name == "":
		name = l.Variant
	case l.Variant != "" && l.Variant != name:
		return 0, at(l.File.Path, "variant", "variant is %q, expected %q as the GPU's riscv.variant", name, l.Variant)
	}
	if name == launch.Feb2024 {
		return rvexec.Feb2024, nil
	}
	return rvexec.V22, nil
}

// program is a RISC-V program whose launch named buffers.
type program struct {
	*rvexec.Kernel
	buffers []launch.Placed
}

// Buffer implements Executable.
func (p *program) Buffer(name string) []byte {
	for i := range p.buffers {
		if b := &p.buffers[i]; b.Arg.Name == name {
			data := make([]byte, len(b.Data))
			if p.ReadMemory(b.Addr, data) != nil {
				return nil // placed in memory by NewKernel, so never
			}
			return data
		}
	}
	return nil
}

// BufferAddress implements Executable.
func (p *program) BufferAddress(name string) (uint64, bool) {
	for i := range p.buffers {
		if p.buffers[i].Arg.Name == name {
			return uint64(p.buffers[i].Addr), true
		}
	}
	return 0, false
}

// Array implements simt.Arrays.
func (p *program) Array(space isa.Space, address uint64) string {
	switch space {
	case isa.Shared:
		return "local memory"
	case isa.Global:
		for i := range p.buffers {
			if b := &p.buffers[i]; address >= uint64(b.Addr) && address-uint64(b.Addr) < uint64(len(b.Data)) {
				return b.Arg.Name
			}
		}
	}
	return ""
}

// Outcome is what a RISC-V program leaves besides its buffers.
type Outcome struct {
	ExitCode int32
	Console  []byte
}

// ExitCode is the exit code other than 0 with which the RISC-V program has ended in
// some execution of this launch so far, 0 if there was none.
func (l *Opened) ExitCode() int32 {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, exit := range l.exits {
		if code := int32(exit()); code != 0 {
			return code
		}
	}
	return 0
}

// Outcome is ExitCode as an outcome, nil where there is no RISC-V program.
func (l *Opened) Outcome() *Outcome {
	if l.File.RISCV == nil {
		return nil
	}
	return &Outcome{ExitCode: l.ExitCode()}
}

// OutcomeOf returns what a kernel left, nil where it is no RISC-V program.
func OutcomeOf(k simt.Kernel) *Outcome {
	if c, ok := k.(*checked); ok {
		k = c.Executable
	}
	p, ok := k.(*program)
	if !ok {
		return nil
	}
	return &Outcome{ExitCode: int32(p.ExitCode()), Console: p.Console()}
}
