package fullsize

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/launch"
)

// Open is the launch of a case; examples is the examples' directory.
func (c *Case) Open(examples string) (*load.Opened, error) {
	f, err := launch.Load(filepath.Join(examples, filepath.FromSlash(c.Launch)+".toml"))
	if err != nil {
		return nil, err
	}
	f.Grid = c.Grid
	used := 0
	for i := range f.Args {
		a := &f.Args[i]
		if n, ok := c.Values[a.Name]; ok && a.Kind == launch.Scalar && !a.Type.IsFloat() {
			a.Bits = uint64(n)
			used++
		}
		if n, ok := c.Counts[a.Name]; ok && a.Kind == launch.Buffer {
			a.Count = n
			if a.Init.Kind == launch.File {
				a.Init = launch.Init{} // the file is as long as the example
			}
			used++
		}
	}
	if used != len(c.Values)+len(c.Counts) {
		return nil, fmt.Errorf("%s: %d of %d sizes name an argument", c.Launch, used, len(c.Values)+len(c.Counts))
	}
	return load.Bring(f)
}

// Bound analyses a case as `warpbound analyze` does.
func (c *Case) Bound(ctx context.Context, examples string, m *gpu.Machine) (*analysis.Report, error) {
	l, err := c.Open(examples)
	if err != nil {
		return nil, err
	}
	if err := l.On(m.Desc); err != nil {
		return nil, err
	}
	k, err := l.Kernel(true)
	if err != nil {
		return nil, err
	}
	return analysis.Run(ctx, analysis.Of(k), m, method.Question{})
}
