package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/simt"
)

// machineFlags choose the GPU.
type machineFlags struct {
	gpu string
	set []string
}

const defaultGPU = "ecrts2025-200"

func (f *machineFlags) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.gpu, "gpu", defaultGPU, "preset name or description file (see `warpbound gpu list`)")
	cmd.Flags().StringArrayVar(&f.set, "set", nil, "override a key of the description, e.g. sm.count=2 (repeatable)")
	_ = cmd.RegisterFlagCompletionFunc("gpu", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		infos, err := gpu.Presets()
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		var names []string
		for _, i := range infos {
			names = append(names, i.Name+"\t"+i.Description)
		}
		return names, cobra.ShellCompDirectiveDefault
	})
}

func (f *machineFlags) machine() (*gpu.Machine, error) {
	d, err := gpu.Open(f.gpu, f.set)
	if err != nil {
		return nil, err
	}
	return d.Machine()
}

// limitFlags bound an execution.
type limitFlags struct{ instructions int64 }

func (f *limitFlags) flags(cmd *cobra.Command) {
	cmd.Flags().Int64Var(&f.instructions, "max-instructions", 0, "stop after this many warp instructions (0: no limit)")
}

func (f *limitFlags) limits() (simt.Limits, error) {
	if f.instructions < 0 {
		return simt.Limits{}, fmt.Errorf("--max-instructions %d: expected 0 or more", f.instructions)
	}
	return simt.Limits{MaxInstructions: f.instructions}, nil
}

// launchFiles completes launch files.
func launchFiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"toml"}, cobra.ShellCompDirectiveFilterFileExt
}

// progress shows a bar on a terminal, after a second; in a pipe it is silent.
type progress struct {
	name  string
	pool  *mpb.Progress
	bar   *mpb.Bar
	start time.Time
}

func newProgress(name string) *progress { return &progress{name: name, start: time.Now()} }

func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

func (p *progress) update(done, total int64) {
	if p.bar == nil {
		if time.Since(p.start) < time.Second || !terminal(os.Stderr) {
			return
		}
		p.pool = mpb.New(mpb.WithOutput(os.Stderr), mpb.WithWidth(40))
		p.bar = p.pool.AddBar(total,
			mpb.PrependDecorators(decor.Name(p.name+" ")),
			mpb.AppendDecorators(decor.CountersNoUnit("%d / %d"), decor.OnComplete(decor.EwmaETA(decor.ET_STYLE_GO, 30), "")),
			mpb.BarRemoveOnComplete())
	}
	p.bar.SetCurrent(done)
}

func (p *progress) done() {
	if p.bar == nil {
		return
	}
	p.bar.Abort(true)
	p.pool.Wait()
}
