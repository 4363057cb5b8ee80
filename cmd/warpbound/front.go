package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/sim/policy"
)

// frontFlags choose what selects warps in a machine with a front end.
type frontFlags struct {
	warpbound.FrontEnd
}

// frontPolicyForms are the policies that take an argument.
const frontPolicyForms = "atlrr:N or atlo:N with how many instructions a warp may be ahead"

func (f *frontFlags) flags(cmd *cobra.Command) { frontEndFlags(cmd, &f.FrontEnd) }

// frontEndFlags are the flags of a front end.
func frontEndFlags(cmd *cobra.Command, f *warpbound.FrontEnd) {
	cmd.Flags().StringVar(&f.FetchPolicy, "fetch-policy", "", "policy of the fetch stage in a front end, variant baseline (default: the description's)")
	cmd.Flags().StringVar(&f.IssuePolicy, "issue-policy", "", "policy of the issue stage in a front end, with variant swas of both stages (default: the description's)")
	cmd.Flags().StringVar(&f.Variant, "variant", "", "variant of the front end: "+gpu.Baseline+" or "+gpu.SWaS+" (default: the description's)")
	_ = cmd.RegisterFlagCompletionFunc("fetch-policy", words(frontPolicyWords()...))
	_ = cmd.RegisterFlagCompletionFunc("issue-policy", words(frontPolicyWords()...))
	_ = cmd.RegisterFlagCompletionFunc("variant", words(gpu.Baseline, gpu.SWaS))
}

// frontPolicyWords are the names of policies as they can be typed, an example for
// those with an argument.
func frontPolicyWords() []string {
	names := gpu.FrontPolicyNames()
	for i, name := range names {
		if _, err := gpu.ParseFrontPolicy(name); err != nil {
			names[i] = name + ":16"
		}
	}
	return names
}

// parseFrontPolicy reads a policy of a front end, "" being none.
func parseFrontPolicy(flag, s string) (string, error) {
	if s == "" {
		return "", nil
	}
	p, err := gpu.ParseFrontPolicy(s)
	if err == nil {
		return p.String(), nil
	}
	name, _, _ := strings.Cut(strings.ToLower(s), ":")
	if err := oneOf(flag, name, gpu.FrontPolicyNames()...); err != nil {
		return "", err
	}
	return "", fmt.Errorf("--%s %q: expected %s, and no argument for the others", flag, s, frontPolicyForms)
}

// given names a flag that was given, "" where none was.
func (f *frontFlags) given(cmd *cobra.Command) string {
	for _, name := range []string{"fetch-policy", "issue-policy", "variant"} {
		if cmd.Flags().Changed(name) {
			return name
		}
	}
	return ""
}

// model is the model of a name with what the flags say. A flag asks for the model with a
// front end where none is asked for.
func (f *frontFlags) model(cmd *cobra.Command, d *gpu.Description, name string, p policy.Policy) (sim.Model, error) {
	flag := f.given(cmd)
	if flag != "" && name == "" && d.FrontEnd != nil {
		name = sim.Frontend
	}
	switch model := cmp.Or(name, d.Model); {
	case model != sim.Frontend && flag == "":
		return sim.NamedModel(name, p)
	case d.FrontEnd == nil:
		if flag == "" {
			flag = "model " + sim.Frontend
		}
		return nil, noFrontEnd(flag, d)
	case model != sim.Frontend:
		return nil, fmt.Errorf("--%s with model %s: expected model %s, the only one with a front end", flag, model, sim.Frontend)
	case p.Name != "":
		return nil, fmt.Errorf("--policy with model %s: expected --fetch-policy and --issue-policy, as it has two schedulers", sim.Frontend)
	}
	var m sim.FrontModel
	var err error
	if m.FetchPolicy, err = parseFrontPolicy("fetch-policy", f.FetchPolicy); err != nil {
		return nil, err
	}
	if m.IssuePolicy, err = parseFrontPolicy("issue-policy", f.IssuePolicy); err != nil {
		return nil, err
	}
	if f.Variant != "" {
		if m.Variant = strings.ToLower(f.Variant); m.Variant != gpu.Baseline && m.Variant != gpu.SWaS {
			return nil, oneOf("variant", f.Variant, gpu.Baseline, gpu.SWaS)
		}
	}
	if cmp.Or(m.Variant, d.FrontEnd.Variant) == gpu.SWaS {
		if err := oneScheduler(m, d); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// oneScheduler checks what variant swas needs.
func oneScheduler(m sim.FrontModel, d *gpu.Description) error {
	if why := whyNoSWaS(d); why != "" {
		return fmt.Errorf("--variant %s: %s", gpu.SWaS, why)
	}
	issue, err := parseFrontPolicy("issue-policy", cmp.Or(m.IssuePolicy, d.FrontEnd.IssuePolicy))
	if err != nil {
		return err
	}
	if m.FetchPolicy != "" && m.FetchPolicy != issue {
		return fmt.Errorf("--fetch-policy %s: variant %s has one scheduler for both stages, whose policy is --issue-policy (%s)", m.FetchPolicy, gpu.SWaS, issue)
	}
	return nil
}

// whyNoSWaS says why a front end has no variant swas, "" where it has.
func whyNoSWaS(d *gpu.Description) string {
	switch f := d.FrontEnd; {
	case f.Kind == gpu.Stall:
		return fmt.Sprintf("the front end of %s stalls at control instructions, expected one that predicts", d.Name)
	case f.QueueEntries != f.SWaSEntries():
		return fmt.Sprintf("%s has queues of %d entries, expected fetch_cycles + 1 = %d", d.Name, f.QueueEntries, f.SWaSEntries())
	}
	return ""
}

// noFrontEnd says that a GPU has none.
func noFrontEnd(flag string, d *gpu.Description) error {
	return fmt.Errorf("--%s: %s has no table [front_end], expected a GPU with a front end such as vortex-32x32", flag, d.Name)
}
