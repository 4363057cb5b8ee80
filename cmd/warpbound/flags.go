package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/conf"
)

// machineFlags choose the GPU.
type machineFlags struct {
	gpu string
	set []string
}

func (f *machineFlags) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.gpu, "gpu", warpbound.DefaultGPU, "preset name or description file; warpbound gpu list shows the presets")
	cmd.Flags().StringArrayVar(&f.set, "set", nil, "override a key of the description, e.g. sm.count=2 (repeatable)")
	_ = cmd.RegisterFlagCompletionFunc("gpu", presets)
	_ = cmd.RegisterFlagCompletionFunc("set", cobra.NoFileCompletions)
}

// presets completes the name of a GPU: a preset, or else a file.
func presets(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	infos, err := gpu.Presets()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var names []string
	for _, i := range infos {
		names = append(names, i.Name+"\t"+i.Description)
	}
	return names, cobra.ShellCompDirectiveDefault
}

// machine opens the GPU of a command that is about one.
func (f *machineFlags) machine() (*gpu.Machine, error) {
	if names := f.names(); len(names) > 1 {
		return nil, fmt.Errorf("--gpu %s: %d GPUs, expected one (compare takes several)", f.gpu, len(names))
	}
	return f.open(f.gpu)
}

// machines opens the GPUs of a command that takes several, separated by commas.
func (f *machineFlags) machines() ([]*gpu.Machine, error) {
	var out []*gpu.Machine
	for _, name := range f.names() {
		m, err := f.open(name)
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}

// names are the GPUs asked for. A file may have a comma in its name.
func (f *machineFlags) names() []string {
	if _, err := os.Stat(f.gpu); err == nil {
		return []string{f.gpu}
	}
	return strings.Split(f.gpu, ",")
}

func (f *machineFlags) open(name string) (*gpu.Machine, error) {
	return warpbound.GPU(name, f.set...)
}

// methodsFor names the methods whose bounds are of a machine (warpbound.Method).
func methodsFor(machine string) []string {
	var names []string
	for _, m := range warpbound.Methods() {
		if m.Machine == machine {
			names = append(names, m.Name)
		}
	}
	return names
}

// limitFlag bounds an execution.
func limitFlag(cmd *cobra.Command, to *int64) {
	cmd.Flags().Int64Var(to, "max-instructions", 0, "stop after this many warp instructions (0: no limit)")
}

// words completes a flag that takes one of, or a list of, fixed words.
func words(names ...string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		before := typed[:strings.LastIndexByte(typed, ',')+1]
		var out []string
		for _, n := range names {
			out = append(out, before+n)
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}

// modelOption chooses between the models of the simulator.
func modelOption(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "model", "", "abstract, pipeline or frontend (default: the description's)")
	_ = cmd.RegisterFlagCompletionFunc("model", words(warpbound.ModelAbstract, warpbound.ModelPipeline, warpbound.ModelFrontend))
}

// launchFiles completes launch files.
func launchFiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"toml"}, cobra.ShellCompDirectiveFilterFileExt
}

// trafficForms are what CPU cores can send, as flags take it.
const trafficForms = "stress (line after line) or random (rows), with settings as in stress:cores=2,rate=4000,seed=7 (rate: bytes a core sends in 1000 cycles at most)"

// byFlags are the flags that ask for a list of cycles by what they belong to, and for the
// sources with them.
func byFlags(cmd *cobra.Command, by *string, annotate *bool, doc string) {
	cmd.Flags().BoolVar(annotate, "annotate", false, "also print the sources with the cycles of each line beside it, for --by line and call")
	cmd.Flags().StringVar(by, "by", "", doc+": by "+conf.List(warpbound.CostsBy()))
	_ = cmd.RegisterFlagCompletionFunc("by", words(warpbound.CostsBy()...))
}
