package warpbound

import (
	"errors"
	"strings"
	"sync"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/conf"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/project"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/sim/policy"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/facts"
	"github.com/warpbound/warpbound/isa"
	"github.com/warpbound/warpbound/launch"
)

// Launch is a kernel with its grid, block and arguments, read and checked. It belongs
// to no GPU, is not changed by what is asked about it, and may be used by several
// goroutines at the same time.
type Launch struct {
	opened *load.Opened
}

// Open reads a launch file (docs/launch-format.md) and everything it names. The
// kernel is PTX or a RISC-V program for Vortex, by the name of its file.
//
// What is wrong with the files is a [FileError] each; a PTX module with several
// kernels, of which the file names none, is an [EntryError].
func Open(path string) (*Launch, error) {
	l, err := load.Open(path)
	if err != nil {
		return nil, explain(err)
	}
	return &Launch{opened: l}, nil
}

// OpenAll is Open for several launch files: the error is of all that have one.
func OpenAll(paths ...string) ([]*Launch, error) {
	var out []*Launch
	var errs []error
	for _, path := range paths {
		l, err := Open(path)
		if err != nil {
			errs = append(errs, err)
		}
		out = append(out, l)
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs[:min(len(errs), conf.MaxErrors)]...)
	}
	return out, nil
}

// New is Open for a launch that the program states itself, without a launch file:
// of.Kernel is the path of a PTX file, of.Entry the kernel of it, and of.Grid,
// of.Block and of.Args what it is launched with (extents of 0 are 1); a RISC-V program
// has of.RISCV in place of grid and block.
//
// of.Entry may be empty where the module has a single kernel. Where it has more, New
// ends in an [EntryError] that lists them.
func New(of launch.Launch) (*Launch, error) {
	f, err := launch.New(of)
	if err != nil {
		return nil, explain(err)
	}
	l, err := load.Bring(f)
	if err != nil {
		return nil, explain(err)
	}
	return &Launch{opened: l}, nil
}

// Kernel is the name of the kernel that is launched.
func (l *Launch) Kernel() string { return l.opened.Program().Name }

// Path is the path of the launch file, or for [New] of the kernel's file.
func (l *Launch) Path() string { return l.opened.File.Path }

// Grid and Block are the extents in x, y and z: of a RISC-V program its cores, and
// the threads of a core.
func (l *Launch) Grid() (grid, block [3]int) { return l.opened.File.Grid, l.opened.File.Block }

// Program is the static program, as timing sees it: what the PCs of events and
// errors are indices into. It must not be changed.
func (l *Launch) Program() *isa.Program { return l.opened.Program() }

// The GPUs that operations are about where their options name none: the first preset
// of the bounds, the published one of cache analysis, and the published one of PREM.
const (
	DefaultGPU      = project.DefaultGPU
	DefaultCacheGPU = "gtx480"
	DefaultPremGPU  = "tx1"

	// DefaultFrontEndGPU is that of Crouzet2024.
	DefaultFrontEndGPU = "vortex-32x32"
)

// GPU opens a GPU: the name of a preset (gpu.Presets lists them) or the path of a
// description (docs/gpu-format.md). Settings replace keys of it, as "sm.count=2"
// does.
func GPU(nameOrPath string, settings ...string) (*gpu.Machine, error) {
	d, err := gpu.Open(nameOrPath, settings)
	if err != nil {
		return nil, explain(err)
	}
	m, err := d.Machine()
	return m, explain(err)
}

// machine is the GPU of options.
func machine(m *gpu.Machine, byDefault string) (*gpu.Machine, error) {
	if m != nil {
		return m, nil
	}
	return GPU(byDefault)
}

// on prepares the launch for a machine.
func (l *Launch) on(m *gpu.Machine, byDefault string) (*load.Opened, *gpu.Machine, error) {
	m, err := machine(m, byDefault)
	if err != nil {
		return nil, nil, err
	}
	on, err := l.opened.For(m.Desc)
	return on, m, explain(err)
}

// source makes the kernels of a launch.
func source(l *load.Opened) method.Source {
	return method.Source{
		Tainted: func() (simt.Tainted, error) { return l.Kernel(true) },
		Fresh:   l.Fresh,
		Facts:   l.Facts(),
		With:    func(more []facts.Fact) method.Source { return source(l.With(more)) },
	}
}

// exit is the error of a RISC-V program that failed, nil where none did.
func exit(l *load.Opened) error {
	if code := l.ExitCode(); code != 0 {
		return &ExitError{Launch: l.File.Path, Program: l.File.Kernel, Code: code}
	}
	return nil
}

// Progress says how far an operation is. It is for people: what is counted, and how
// often it is told, may change.
type Progress struct {
	Task         string // what is being done: "recording blocks", "simulating blocks", ...
	Detail       string // at which part of it, "" where that is not said
	Done, Total  int64  // blocks, caches or the like; both 0 where that is not known
	Instructions int64  // warp instructions executed so far in this part of the task
	Cycle        int64  // of a simulation, -1 where there is none
	// Pos is an instruction that is being executed; its Line is 0 where none is known.
	Pos isa.Position
}

// teller tells a callback how far an operation is, one call at a time.
type teller struct {
	mu   sync.Mutex
	tell func(Progress)
	at   Progress
	of   *isa.Program // that is executed; nil where that is not known
}

func newTeller(task string, of *isa.Program, tell func(Progress)) *teller {
	return &teller{tell: tell, at: Progress{Task: task, Cycle: simt.NoTime}, of: of}
}

// change tells of something new; on a teller of nobody it does nothing.
func (t *teller) change(set func(*Progress)) {
	if t.tell == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	set(&t.at)
	t.tell(t.at)
}

// launch tells that another launch is next.
func (t *teller) launch(of *isa.Program) {
	t.change(func(p *Progress) {
		p.Instructions, p.Cycle, p.Pos = 0, simt.NoTime, isa.Position{}
		t.of = of
	})
}

func (t *teller) done(done, total int64) {
	t.change(func(p *Progress) { p.Done, p.Total = done, total })
}

func (t *teller) executed(at simt.At) {
	t.change(func(p *Progress) {
		p.Instructions, p.Cycle, p.Pos = at.Instructions, at.Cycle, isa.Position{}
		if t.of != nil && at.PC >= 0 && int(at.PC) < len(t.of.Instructions) {
			p.Pos = t.of.Instructions[at.PC].Pos
		}
	})
}

func (t *teller) simulated(at sim.Progress) { t.executed(at.At) }

// limits are those of an execution that tells how far it is.
func (t *teller) limits(instructions int64) (simt.Limits, error) {
	if err := atLeast("MaxInstructions", instructions, 0); err != nil {
		return simt.Limits{}, err
	}
	l := simt.Limits{MaxInstructions: instructions}
	if t.tell != nil {
		l.Watch = t.executed
	}
	return l, nil
}

// parsePolicy reads the name of a warp scheduling policy, "" being the description's.
func parsePolicy(option, name string) (policy.Policy, error) {
	if name == "" {
		return policy.Policy{}, nil
	}
	p, err := policy.Parse(name)
	if err == nil {
		return p, nil
	}
	word, _, _ := strings.Cut(name, ":")
	if err := oneOf(option, word, policy.Names()...); err != nil {
		return p, err
	}
	return p, &OptionError{Option: option, Value: name, Msg: "expected " + policyForms}
}

// policyForms are the policies that take an argument.
const policyForms = "two-level:GROUP with a group of 1 or more, starve:SLOT, random:SEED or script:SLOT,SLOT,..."

// Policies names the warp scheduling policies of the simulator. Some take an
// argument, as "random:7" does.
func Policies() []string { return policy.Names() }
