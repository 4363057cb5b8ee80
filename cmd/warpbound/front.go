package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/sim"
)

// frontFlags choose what selects warps in a machine with a front end.
type frontFlags struct {
	fetch, issue string
	variant      string
}

// frontPolicyForms are the policies that take an argument.
const frontPolicyForms = "atlrr:N or atlo:N with how many instructions a warp may be ahead"

func (f *frontFlags) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.fetch, "fetch-policy", "", "policy of the fetch stage in a front end, variant baseline (default: the description's)")
	cmd.Flags().StringVar(&f.issue, "issue-policy", "", "policy of the issue stage in a front end, with variant swas of both stages (default: the description's)")
	cmd.Flags().StringVar(&f.variant, "variant", "", "variant of the front end: "+gpu.Baseline+" or "+gpu.SWaS+" (default: the description's)")
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

// apply sets what the flags say. A flag asks for the model with a front end where
// none is asked for.
func (f *frontFlags) apply(cmd *cobra.Command, cfg *sim.Config) error {
	flag := f.given(cmd)
	if flag != "" && cfg.Model == "" && cfg.Machine.Desc.FrontEnd != nil {
		cfg.Model = sim.Frontend
	}
	switch model := cmp.Or(cfg.Model, cfg.Machine.Desc.Model); {
	case model != sim.Frontend && flag == "":
		return nil
	case cfg.Machine.Desc.FrontEnd == nil:
		if flag == "" {
			flag = "model " + sim.Frontend
		}
		return noFrontEnd(flag, cfg.Machine.Desc)
	case model != sim.Frontend:
		return fmt.Errorf("--%s with model %s: expected model %s, the only one with a front end", flag, model, sim.Frontend)
	case cfg.Policy.Name != "":
		return fmt.Errorf("--policy with model %s: expected --fetch-policy and --issue-policy, as it has two schedulers", sim.Frontend)
	}
	var err error
	if cfg.Front.FetchPolicy, err = parseFrontPolicy("fetch-policy", f.fetch); err != nil {
		return err
	}
	if cfg.Front.IssuePolicy, err = parseFrontPolicy("issue-policy", f.issue); err != nil {
		return err
	}
	if f.variant != "" {
		if cfg.Front.Variant = strings.ToLower(f.variant); cfg.Front.Variant != gpu.Baseline && cfg.Front.Variant != gpu.SWaS {
			return oneOf("variant", f.variant, gpu.Baseline, gpu.SWaS)
		}
	}
	d := cfg.Machine.Desc.FrontEnd
	if cmp.Or(cfg.Front.Variant, d.Variant) == gpu.SWaS {
		return oneScheduler(cfg, d)
	}
	return nil
}

// analysed is the front end that an analysis is about, nil where it is about a
// machine without one.
func (f *frontFlags) analysed(cmd *cobra.Command, m *gpu.Machine, l1Order, policy string) (*method.FrontEnd, error) {
	flag := f.given(cmd)
	switch {
	case flag == "" && (m.Desc.Model != sim.Frontend || l1Order != sim.L1None || policy != ""):
		return nil, nil
	case policy != "":
		return nil, fmt.Errorf("--%s with --policy: expected one of them, a front end has two policies of its own", flag)
	case l1Order != sim.L1None:
		return nil, fmt.Errorf("--%s with --l1-order %s: expected one of them, a replay is without caches for data", flag, l1Order)
	}
	cfg := sim.Config{Machine: m}
	if err := f.apply(cmd, &cfg); err != nil {
		return nil, err
	}
	return &method.FrontEnd{Variant: cfg.Front.Variant, FetchPolicy: cfg.Front.FetchPolicy, IssuePolicy: cfg.Front.IssuePolicy}, nil
}

// oneScheduler checks what variant swas needs.
func oneScheduler(cfg *sim.Config, d *gpu.FrontEnd) error {
	if why := whyNoSWaS(cfg.Machine.Desc); why != "" {
		return fmt.Errorf("--variant %s: %s", gpu.SWaS, why)
	}
	issue, err := parseFrontPolicy("issue-policy", cmp.Or(cfg.Front.IssuePolicy, d.IssuePolicy))
	if err != nil {
		return err
	}
	if cfg.Front.FetchPolicy != "" && cfg.Front.FetchPolicy != issue {
		return fmt.Errorf("--fetch-policy %s: variant %s has one scheduler for both stages, whose policy is --issue-policy (%s)", cfg.Front.FetchPolicy, gpu.SWaS, issue)
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
