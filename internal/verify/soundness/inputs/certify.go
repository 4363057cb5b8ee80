package inputs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/certificate"
	"github.com/warpbound/warpbound/internal/certify"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/multiphase"
	"github.com/warpbound/warpbound/internal/path"
	"github.com/warpbound/warpbound/internal/simt/facts"
	"github.com/warpbound/warpbound/internal/simt/ptxexec"
	"github.com/warpbound/warpbound/internal/witness"
	"github.com/warpbound/warpbound/ptx"
)

// searchApart is by which part of a figure the certificate may be above it where several
// limits have prices to look for.
const searchApart = 1000

// certify writes the certificate of what is covered, and checks it. It says what is
// wrong: a refusal, or a figure above that of the analysis; certified is false where sum
// gives no bound, where the checker takes a path for one that the kernel has not, and where
// there are facts but the certificate has no prices of any.
func (c *Case) certify(ctx context.Context, m *gpu.Machine, covered *path.Recorded, list []facts.Fact) (wrong string, certified bool, err error) {
	p, list, err := c.named(list)
	if err != nil {
		return "", false, err
	}
	k, err := c.kernel(p, 0, scalars{n: ownScalar}, ptxexec.Options{})
	if err != nil {
		return "", false, err
	}
	f, err := method.Prepare(k, m, method.Question{})
	if err != nil {
		return "", false, err
	}
	f.Path = covered
	f = f.Covering(covered)
	f.Source.Facts = list
	b, err := analysis.Lookup(multiphase.SUM).Run(ctx, f, method.Part{Scope: f.WholeScope(), Index: method.Slowest})
	var no *bound.Refusal
	if f.Irregular() != nil || errors.As(err, &no) || errors.Is(err, bound.ErrOverflow) || errors.Is(err, multiphase.ErrSteps) {
		return "", false, nil
	}
	if err != nil {
		return "", false, err
	}
	out, err := witness.Of(ctx, f, b, witness.Options{})
	if err != nil {
		return "", false, err
	}
	text := []byte(c.spread())
	out.Kernel = certificate.Kernel{File: "case.ptx", SHA256: certificate.Hash(text), Entry: "k"}
	err = certify.Conclude(out, certify.Files{Kernel: text})
	switch {
	case err == nil:
	case strings.Contains(err.Error(), " does not follow ") || strings.Contains(err.Error(), "where the kernel does not end") || strings.Contains(err.Error(), "a section ends with a barrier, and nowhere else"):
		// Bounds on loops may leave no way on behind a branch; then what is covered has
		// paths that the checker takes for none. In stages a warp may end before others.
		return "", false, nil
	default:
		return "its certificate is refused: " + err.Error(), false, nil
	}
	most := b.Cycles
	if len(covered.Limits) > 1 {
		// The searches for prices may end at different ones.
		most += b.Cycles / searchApart
	}
	if out.Result.Launch > most {
		return fmt.Sprintf("its certificate has %d cycles, the analysis %d", out.Result.Launch, b.Cycles), true, nil
	}
	return "", list == nil || len(out.Limits) > 0, nil
}

// spread is the kernel with an instruction a line, so that lines are names of them.
func (c *Case) spread() string { return strings.ReplaceAll(c.PTX, "; ", ";\n") }

// named are facts with the places by which certificates state them, and the kernel with
// these lines.
func (c *Case) named(list []facts.Fact) (*ptxexec.Code, []facts.Fact, error) {
	file, err := ptx.Parse("case.ptx", []byte(c.spread()))
	if err != nil {
		return nil, nil, err
	}
	code, err := ptxexec.Lower(file, "k")
	if err != nil {
		return nil, nil, err
	}
	list = slices.Clone(list)
	for i := range list {
		f := &list[i]
		if f.Kind <= facts.PerWarp {
			f.Places = []facts.Place{{Name: facts.Label(code.ISA(), f.Head)}}
			continue
		}
		f.Places = slices.Clone(f.Places)
		for j := range f.Places {
			at := code.ISA().Instructions[f.Places[j].PCs[0]].Pos
			f.Places[j].Name = fmt.Sprintf("%s:%d", at.File, at.Line)
		}
	}
	return code, list, nil
}
