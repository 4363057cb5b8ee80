package claims

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/serial"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/ptxexec"
	"github.com/warpbound/warpbound/internal/verify/inorder"
	"github.com/warpbound/warpbound/ptx"
)

// limit is more warp instructions than any case executes.
const limit = 1 << 16

// Violation is a claim that an execution refutes.
type Violation struct {
	Case    Case     `json:"case"`
	Program *Program `json:"program,omitempty"` // in the place of Case
	What    string   `json:"what"`
}

func (v *Violation) String() string {
	if p := v.Program; p != nil {
		return fmt.Sprintf("program %d, %d cores of %d warps, %v, transactions counted %v: %s\n%s", p.Seed, p.Cores, p.Warps, p.Variant, p.Counts, v.What, p.Text)
	}
	return fmt.Sprintf("case %d, grid %d, block %d, --gpu %s: %s\n%s", v.Case.Seed, v.Case.Grid, v.Case.Block, v.Case.GPU, v.What, v.Case.PTX)
}

// Outcome is what became of one case.
type Outcome struct {
	Claimed   bool // that its path holds for all inputs
	Open      bool // that it does on machines that agree in open results
	Wrong     error
	Violation *Violation
}

// Machines holds the machines that cases name.
type Machines map[string]*gpu.Machine

// NewMachines opens the presets that cases name.
func NewMachines() (Machines, error) {
	out := Machines{}
	for _, name := range []string{"gtx480", "ecrts2025-200"} {
		d, err := gpu.Open(name, nil)
		if err != nil {
			return nil, err
		}
		if out[name], err = d.Machine(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Run analyses a case and tests what is claimed by so many executions; where it is
// claimed but for open results, by executions that agree in those. A case that goes
// wrong when it is executed as recorded is none: Wrong says why.
func (c *Case) Run(ctx context.Context, machines Machines, executions int) (out Outcome, err error) {
	file, err := ptx.Parse("case.ptx", []byte(c.PTX))
	if err == nil {
		err = ptx.Check(file)
	}
	if err != nil {
		return out, err
	}
	program, err := ptxexec.Lower(file, "k")
	if err != nil {
		return out, err
	}
	m := machines[c.GPU]
	k, err := c.kernel(program, 0, ptxexec.Options{Taint: true})
	if err != nil {
		return out, err
	}
	r, err := analysis.Run(ctx, analysis.Of(k), m, method.Question{Methods: []string{serial.Method}, Limits: simt.Limits{MaxInstructions: limit}})
	if err != nil {
		out.Wrong = err
		return out, ctx.Err()
	}
	out.Open = len(r.InputDependent) == 0 && len(r.OpenDependent) > 0
	out.Claimed = len(r.InputDependent)+len(r.OpenDependent) == 0
	if !out.Claimed && !out.Open {
		return out, nil
	}
	what, err := refute(ctx, r, c.Seed, executions, func(variant uint64, rng *rand.Rand) (simt.Kernel, error) {
		return c.kernel(program, variant, ptxexec.Options{Vary: rng, SameOpen: out.Open})
	})
	if what != "" {
		out.Violation = &Violation{Case: *c, What: what}
	}
	return out, err
}

// refute executes a launch so many times, each with another variant of what is not
// known, in an order of its own, and says how the first execution differs from the
// recorded path, if one does.
func refute(ctx context.Context, r *analysis.Report, seed uint64, executions int, launch func(variant uint64, rng *rand.Rand) (simt.Kernel, error)) (string, error) {
	folded := Folded(r.Path)
	e := &Executor{Timing: r.Timing, Memory: r.Machine.Desc.Memory, Limit: limit}
	for i := range uint64(executions) {
		rng := rand.New(rand.NewPCG(seed, i+1))
		k, err := launch(i+1, rng)
		if err != nil {
			return "", err
		}
		got, err := e.AnyOrder(ctx, k, rng)
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if err != nil {
			return fmt.Sprintf("execution %d: %v", i+1, err), nil
		}
		if block, warp, differ := Differ(folded, got); differ {
			return fmt.Sprintf("execution %d: warp %d of block %d takes another path", i+1, warp, block), nil
		}
	}
	return "", nil
}

// kernel makes the launch with the contents of a variant: the known buffer always
// holds the same.
func (c *Case) kernel(p *ptxexec.Code, variant uint64, opt ptxexec.Options) (*ptxexec.Kernel, error) {
	rng := rand.New(rand.NewPCG(c.Seed, 99))
	known := make([]byte, 4*knownWords)
	for i := 0; i < len(known); i += 4 {
		known[i] = byte(rng.IntN(5))
	}
	unknown := make([]byte, unknownBytes)
	rng = rand.New(rand.NewPCG(c.Seed, 100+variant))
	for i := 0; i < len(unknown); i += 4 {
		unknown[i] = byte(rng.IntN(8))
		if variant%4 == 3 {
			unknown[i+1] = byte(rng.Uint32())
		}
	}
	return ptxexec.NewKernel(p, ptxexec.LaunchConfig{
		Grid: [3]int{c.Grid, 1, 1}, Block: [3]int{c.Block, 1, 1}, Options: opt, Textures: textures(known, unknown),
		Args: []ptxexec.Arg{
			{Name: "known", Buffer: &ptxexec.Buffer{Contents: known, ElementBytes: 4, Known: true}},
			{Name: "unknown", Buffer: &ptxexec.Buffer{Contents: unknown, ElementBytes: 4}},
			{Name: "n", Bytes: []byte{3, 0, 0, 0}},
		},
	})
}

// textureSide is the width and height of textures of two dimensions, in texels.
const textureSide = 8

// textures are those of recentModule: tk, lk and fk hold what the known buffer
// does, the others what the unknown one does.
func textures(known, unknown []byte) []ptxexec.Texture {
	var out []ptxexec.Texture
	for _, contents := range []struct {
		last  string
		data  []byte
		known bool
	}{{"k", known, true}, {"u", unknown, false}} {
		words := contents.data[:4*textureSide*textureSide]
		floats := make([]byte, 0, len(words))
		for i := 0; i < len(words); i += 4 {
			floats = binary.LittleEndian.AppendUint32(floats, math.Float32bits(float32(words[i])))
		}
		at := ptxexec.Texture{Name: "t" + contents.last, Texels: words, Channel: ptx.U32, Channels: 1, Known: contents.known, Width: textureSide, Height: textureSide, Linear: true}
		out = append(out, at)
		at.Name, at.Width, at.Height, at.Linear = "l"+contents.last, textureSide*textureSide, 0, false
		out = append(out, at)
		at.Name, at.Width, at.Height, at.Texels, at.Channel, at.Filtered = "f"+contents.last, textureSide, textureSide, floats, ptx.F32, true
		out = append(out, at)
	}
	return out
}

// Config says how much to try.
type Config struct {
	Seed       uint64 // of the first case; case i has seed Seed+i
	Cases      int
	Executions int // of each claim; 0 means 3
	Workers    int // 0 means one per processor
	StopAfter  int // violations; 0 means 1
	Progress   func(done, total int)
}

// Summary is the outcome of a search.
type Summary struct {
	Cases int `json:"cases"`
	// Claimed had a path that is said to hold for all inputs, and Open one that is
	// said to on machines that agree in what PTX leaves open.
	Claimed    int         `json:"claimed"`
	Open       int         `json:"open"`
	Executions int         `json:"executions"`
	Wrong      int         `json:"wrong"` // went wrong as recorded
	Violations []Violation `json:"violations"`
}

// Run tries the cases drawn from consecutive seeds. A violation is not an error.
func Run(ctx context.Context, cfg Config) (*Summary, error) {
	machines, err := NewMachines()
	if err != nil {
		return nil, err
	}
	return search(ctx, cfg, func(ctx context.Context, seed uint64, executions int) (Outcome, error) {
		c := Draw(seed)
		o, err := c.Run(ctx, machines, executions)
		if err != nil {
			err = fmt.Errorf("case %d: %w\n%s", c.Seed, err, c.PTX)
		}
		return o, err
	})
}

// search tries consecutive seeds, several at a time.
func search(ctx context.Context, cfg Config, try func(ctx context.Context, seed uint64, executions int) (Outcome, error)) (*Summary, error) {
	executions, stop := cfg.Executions, max(cfg.StopAfter, 1)
	if executions <= 0 {
		executions = 3
	}
	one := func(ctx context.Context, i int) (Outcome, error) {
		return try(ctx, cfg.Seed+uint64(i), executions)
	}
	sum := &Summary{Violations: []Violation{}}
	for o, err := range inorder.Try(ctx, cfg.Cases, cfg.Workers, one) {
		if err != nil {
			return sum, err
		}
		sum.Cases++
		switch {
		case o.Wrong != nil:
			sum.Wrong++
		case o.Claimed:
			sum.Claimed++
			sum.Executions += executions
		case o.Open:
			sum.Open++
			sum.Executions += executions
		}
		if o.Violation != nil {
			sum.Violations = append(sum.Violations, *o.Violation)
		}
		if cfg.Progress != nil {
			cfg.Progress(sum.Cases, cfg.Cases)
		}
		if len(sum.Violations) >= stop {
			break
		}
	}
	return sum, nil
}
