package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/sim/policy"
	"github.com/warpbound/warpbound/internal/simt"
)

// machineFlags choose the GPU.
type machineFlags struct {
	gpu string
	set []string
}

const defaultGPU = "ecrts2025-200"

func (f *machineFlags) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.gpu, "gpu", defaultGPU, "preset name or description file; warpbound gpu list shows the presets")
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
	d, err := gpu.Open(name, f.set)
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
	return simt.Limits{MaxInstructions: f.instructions}, atLeast("max-instructions", f.instructions, 0)
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

// limitFlag is limitFlags for an option of the library.
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

// parsePolicy reads the value of a flag that names a policy.
func parsePolicy(flag, s string) (policy.Policy, error) {
	p, err := policy.Parse(s)
	if err == nil {
		return p, nil
	}
	name, _, _ := strings.Cut(s, ":")
	if err := oneOf(flag, name, policy.Names()...); err != nil {
		return p, err
	}
	return p, fmt.Errorf("--%s %q: expected %s", flag, s, policyForms)
}

// policyForms are the policies that take an argument.
const policyForms = "two-level:GROUP with a group of 1 or more, starve:SLOT, random:SEED or script:SLOT,SLOT,..."

// modelFlag chooses between the models of the simulator.
type modelFlag string

func (m *modelFlag) flags(cmd *cobra.Command) { modelOption(cmd, (*string)(m)) }

// modelOption is modelFlag for an option of the library.
func modelOption(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "model", "", "abstract, pipeline or frontend (default: the description's)")
	_ = cmd.RegisterFlagCompletionFunc("model", words(warpbound.ModelAbstract, warpbound.ModelPipeline, warpbound.ModelFrontend))
}

func (m *modelFlag) model() (string, error) {
	if *m == "" {
		return "", nil
	}
	return string(*m), oneOf("model", string(*m), sim.Abstract, sim.Pipeline, sim.Frontend)
}

// openFor opens a launch file for a machine: its warps are as wide as those of
// the machine.
func openFor(path string, m *gpu.Machine) (*load.Opened, error) {
	l, err := load.Open(path)
	if err != nil {
		return nil, err
	}
	if err := l.On(m.Desc); err != nil {
		return nil, err
	}
	return l, nil
}

// inLaunch puts the place in front of an error about an opened launch.
func inLaunch(l *load.Opened, err error) error { return l.Place(err) }

// launchFiles completes launch files.
func launchFiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"toml"}, cobra.ShellCompDirectiveFilterFileExt
}
