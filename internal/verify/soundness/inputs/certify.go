package inputs

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/certificate"
	"github.com/warpbound/warpbound/internal/certify"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/multiphase"
	"github.com/warpbound/warpbound/internal/path"
	"github.com/warpbound/warpbound/internal/simt/ptxexec"
	"github.com/warpbound/warpbound/internal/witness"
)

// certify writes the certificate of what is covered, and checks it. It says what is
// wrong: a refusal, or a figure above that of the analysis; certified is false where sum
// gives no bound, and where the checker takes a path for one that the kernel has not.
func (c *Case) certify(ctx context.Context, p *ptxexec.Code, m *gpu.Machine, covered *path.Recorded) (wrong string, certified bool, err error) {
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
	b, err := analysis.Lookup(multiphase.SUM).Run(ctx, f, method.Part{Scope: f.WholeScope(), Index: method.Slowest})
	var no *bound.Refusal
	if f.Irregular() != nil || errors.As(err, &no) || errors.Is(err, bound.ErrOverflow) {
		return "", false, nil
	}
	if err != nil {
		return "", false, err
	}
	out, err := witness.Of(ctx, f, b, witness.Options{})
	if errors.Is(err, witness.ErrStages) {
		return "", false, nil
	}
	if err != nil {
		return "", false, err
	}
	out.Kernel = certificate.Kernel{File: "case.ptx", SHA256: certificate.Hash([]byte(c.PTX)), Entry: "k"}
	err = certify.Conclude(out, []byte(c.PTX), nil)
	switch {
	case err == nil:
	case strings.Contains(err.Error(), " does not follow ") || strings.Contains(err.Error(), "where the kernel does not end"):
		// Bounds on loops may leave no way on behind a branch; then what is covered has
		// paths that the checker takes for none.
		return "", false, nil
	default:
		return "its certificate is refused: " + err.Error(), false, nil
	}
	if out.Result.Launch > b.Cycles {
		return fmt.Sprintf("its certificate has %d cycles, the analysis %d", out.Result.Launch, b.Cycles), true, nil
	}
	return "", true, nil
}
