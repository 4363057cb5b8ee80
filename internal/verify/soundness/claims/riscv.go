package claims

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/serial"
	"github.com/warpbound/warpbound/internal/rv"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/facts"
	"github.com/warpbound/warpbound/internal/simt/rvexec"
)

// ProgramMachines are the machines that programs are for, by whether the transactions of
// accesses count.
func ProgramMachines() (map[bool]*gpu.Machine, error) {
	out := map[bool]*gpu.Machine{}
	for _, counts := range []bool{false, true} {
		d, err := gpu.Open("vortex-32x32", []string{"sm.warp_size=4", "sm.max_threads=128", "sm.max_threads_per_block=128"})
		if err != nil {
			return nil, err
		}
		for i := range d.Timing {
			if t := &d.Timing[i]; !counts {
				t.Transactions, t.TransactionCycles = "", 0
			}
		}
		if out[counts], err = d.Machine(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// RunPrograms is Run of RISC-V programs.
func RunPrograms(ctx context.Context, cfg Config) (*Summary, error) {
	machines, err := ProgramMachines()
	if err != nil {
		return nil, err
	}
	return search(ctx, cfg, func(ctx context.Context, seed uint64, executions int) (Outcome, error) {
		p := DrawProgram(seed)
		o, err := p.Run(ctx, machines[p.Counts], executions)
		if err != nil {
			err = fmt.Errorf("program %d: %w\n%s", p.Seed, err, p.Text)
		}
		return o, err
	})
}

// Run analyses a program and tests what is claimed by so many executions. One that goes
// wrong when it is executed as recorded is none: Wrong says why.
func (p *Program) Run(ctx context.Context, m *gpu.Machine, executions int) (out Outcome, err error) {
	img, err := p.Image()
	if err != nil {
		return out, err
	}
	k, err := p.Kernel(img, 0, nil)
	if err != nil {
		return out, err
	}
	r, err := analysis.Run(ctx, analysis.Of(k), m, method.Question{Methods: []string{serial.Method}, Limits: simt.Limits{MaxInstructions: limit}})
	if err != nil {
		out.Wrong = err
		return out, ctx.Err()
	}
	if out.Claimed = len(r.InputDependent)+len(r.OpenDependent) == 0; !out.Claimed {
		return out, nil
	}
	what, err := refute(ctx, r, p.Seed, executions, func(variant uint64, rng *rand.Rand) (simt.Kernel, error) { return p.Kernel(img, variant, rng) })
	if what != "" {
		out.Violation = &Violation{Program: p, What: what}
	}
	return out, err
}

// Image is the program in memory.
func (p *Program) Image() (*rv.Image, error) {
	img := &rv.Image{Name: "program", Entry: programBase, TextBase: programBase, Insts: p.Insts}
	var text []byte
	for _, in := range p.Insts {
		word, err := rv.Encode(in)
		if err != nil {
			return nil, err
		}
		img.Text = append(img.Text, word)
		text = binary.LittleEndian.AppendUint32(text, word)
	}
	img.Segments = []rv.Segment{{Addr: programBase, Data: text, MemBytes: uint32(len(text)), Exec: true}}
	return img, nil
}

// Kernel makes the launch with the contents of a variant: the known buffer always holds
// the same. Without rng it is the one that is recorded, and follows taint.
func (p *Program) Kernel(img *rv.Image, variant uint64, rng *rand.Rand) (*rvexec.Kernel, error) {
	return rvexec.NewKernel(img, p.launch(variant, rng))
}

// Within is Kernel of the launch that is recorded, with facts, and with reports of loops.
func (p *Program) Within(img *rv.Image, list []facts.Fact) (*rvexec.Kernel, error) {
	l := p.launch(0, nil)
	l.Facts, l.ReportLoops = list, true
	return rvexec.NewKernel(img, l)
}

func (p *Program) launch(variant uint64, rng *rand.Rand) rvexec.LaunchConfig {
	contents := rand.New(rand.NewPCG(p.Seed, 99))
	alike := false
	fill := func(most int) []byte {
		data := make([]byte, 256)
		for i := 0; i < len(data); i += 4 {
			data[i] = byte(contents.IntN(most))
			if alike && i > 0 {
				data[i] = data[0]
			}
		}
		return data
	}
	known := fill(5)
	contents = rand.New(rand.NewPCG(p.Seed, 100+variant))
	alike = variant%3 == 1
	unknown := fill(8)
	return rvexec.LaunchConfig{
		Cores: p.Cores, Warps: p.Warps, Threads: programThreads, Variant: p.Variant, Taint: rng == nil, Vary: rng,
		Argument: binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, programKnown), programUnknown),
		Memory:   []rvexec.Region{{Name: "known", Addr: programKnown, Data: known, Known: true}, {Name: "unknown", Addr: programUnknown, Data: unknown}},
	}
}
