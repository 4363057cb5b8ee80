package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/multiphase"
	"github.com/warpbound/warpbound/internal/report"
	"github.com/warpbound/warpbound/internal/verify/soundness"
	"github.com/warpbound/warpbound/internal/verify/soundness/claims"
	"github.com/warpbound/warpbound/internal/verify/soundness/kernels"
	"github.com/warpbound/warpbound/internal/version"
)

// kernelShare is how many cases of instruction programs are tried for each
// random kernel: a kernel costs as much as some hundred of them.
const kernelShare = 50

type soundnessDocument struct {
	Warpbound version.Info `json:"warpbound"`
	// Complete is false where the search was interrupted: the summaries are then
	// of what was tried, and Kernels and Claims are null where no kernel was.
	Complete bool               `json:"complete"`
	Programs *soundness.Summary `json:"programs"`
	Kernels  *kernels.Summary   `json:"kernels"`
	Claims   *claims.Summary    `json:"claims"`
	Scopes   []scopeDocument    `json:"scopes"`
	Attacks  []attackDocument   `json:"attacks"`
}

// scopeDocument is a small scope tried completely.
type scopeDocument struct {
	Scope string `json:"scope"`
	*soundness.ScopeResult
}

// attackDocument is a climb towards a violation of one bound on one machine.
type attackDocument struct {
	Method  string `json:"method"`
	Machine string `json:"machine"`
	*soundness.AttackResult
}

// soundnessPlan is what to try.
type soundnessPlan struct {
	seeds   int
	first   uint64
	plant   string
	scopes  string   // "none", "quick" or "all"
	attacks []string // methods
}

// Climbs and steps of one attack on one machine: enough to find that the
// published bound is unsafe even with unbounded queues.
const attackClimbs, attackSteps = 192, 400

// nothingSeen is the closest of an attack on a method that was never offered.
const nothingSeen = 1 << 30

func newSoundness() *cobra.Command {
	var (
		out  output
		plan soundnessPlan
	)
	cmd := &cobra.Command{
		Use:   "soundness",
		Short: "Search for a violated bound",
		Long: `Draw random instruction programs (exact worst cases, adversarial schedules,
loops folded and unrolled) and random PTX kernels on random machines
(cycle-level simulation), and compare every bound that calls itself safe. Draw
other kernels and execute those whose path is said to hold for all inputs again,
with other contents of unknown buffers, other orders of blocks and warps, and
other outcomes of what PTX leaves open. --scopes tries all programs of small
scopes against all schedules; --attack climbs towards a violation of one method,
safe or not. Exit code 1 says that a bound was violated; a reproducer is
printed. Where it is interrupted, what was tried is printed.`,
		Example: "  warpbound soundness --seeds 10000",
		Args:    operands(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := plan.check(); err != nil {
				return err
			}
			doc := soundnessDocument{Warpbound: version.Get(), Scopes: []scopeDocument{}, Attacks: []attackDocument{}}
			err := doc.search(cmd.Context(), plan)
			if err != nil && !errors.Is(err, context.Canceled) {
				return err
			}
			doc.Complete = err == nil
			if err := out.writeAnyway(cmd, doc, func(w *printer) { w.WriteString(doc.text()) }); err != nil {
				return err
			}
			if err == nil && doc.violations() > 0 {
				return errFound
			}
			return err
		},
	}
	out.flags(cmd, false)
	cmd.Flags().IntVar(&plan.seeds, "seeds", 1000, "number of random instruction programs, and of kernels executed again; one PTX kernel simulated for every 50")
	cmd.Flags().Uint64Var(&plan.first, "first", 1, "first seed")
	cmd.Flags().StringVar(&plan.plant, "plant", "", "treat this unsafe method as safe in the kernel search")
	cmd.Flags().StringVar(&plan.scopes, "scopes", "none", "small scopes to try completely: none, quick (seconds) or all (minutes)")
	cmd.Flags().StringSliceVar(&plan.attacks, "attack", nil, "methods to climb towards a violation of, on every kind of machine that offers them")
	_ = cmd.RegisterFlagCompletionFunc("plant", words(analysis.Names(method.Plain)...))
	_ = cmd.RegisterFlagCompletionFunc("attack", words(multiphase.Methods()...))
	_ = cmd.RegisterFlagCompletionFunc("scopes", words("none", "quick", "all"))
	return cmd
}

func (p *soundnessPlan) check() error {
	if err := atLeast("seeds", int64(p.seeds), 1); err != nil {
		return err
	}
	if p.plant != "" {
		if err := oneOf("plant", p.plant, analysis.Names(method.Plain)...); err != nil {
			return err
		}
	}
	for _, m := range p.attacks {
		if err := oneOf("attack", m, multiphase.Methods()...); err != nil {
			return err
		}
	}
	return oneOf("scopes", p.scopes, "none", "quick", "all")
}

// search fills the document as far as it gets.
func (d *soundnessDocument) search(ctx context.Context, p soundnessPlan) error {
	bar := newProgress("programs")
	shown := func(done, total int) { bar.update(int64(done), int64(total)) }
	var err error
	d.Programs, err = soundness.Run(ctx, soundness.Config{Seed: p.first, Cases: p.seeds, Progress: shown})
	bar.close()
	if err != nil {
		return err
	}
	bar = newProgress("kernels")
	d.Kernels, err = kernels.Run(ctx, kernels.Config{Seed: p.first, Cases: (p.seeds + kernelShare - 1) / kernelShare, Plant: p.plant, Progress: shown})
	bar.close()
	if err != nil {
		return err
	}
	bar = newProgress("claims")
	d.Claims, err = claims.Run(ctx, claims.Config{Seed: p.first, Cases: p.seeds, Progress: shown})
	bar.close()
	if err != nil {
		return err
	}
	for _, n := range soundness.Scopes() {
		if p.scopes == "none" || p.scopes == "quick" && !n.Quick {
			continue
		}
		bar = newProgress(n.Name)
		n.Scope.Progress = shown
		r, err := n.Scope.Run(ctx)
		bar.close()
		if err != nil {
			return err
		}
		d.Scopes = append(d.Scopes, scopeDocument{n.Name, r})
	}
	return d.attack(ctx, p)
}

// attack climbs against each method on every kind of machine. A machine that
// does not offer the method has nothing to attack.
func (d *soundnessDocument) attack(ctx context.Context, p soundnessPlan) error {
	for _, method := range p.attacks {
		for _, m := range soundness.Machines() {
			bar := newProgress("attacking " + method)
			r, err := soundness.Attack(ctx, soundness.AttackConfig{
				Seed: p.first, Method: method, Machine: m, Climbs: attackClimbs, Steps: attackSteps,
				Progress: func(done, total int) { bar.update(int64(done), int64(total)) },
			})
			bar.close()
			if err != nil {
				return err
			}
			if r.Closest >= nothingSeen {
				continue
			}
			d.Attacks = append(d.Attacks, attackDocument{method, m.String(), r})
		}
	}
	return nil
}

func (d *soundnessDocument) violations() int {
	n := 0
	if d.Programs != nil {
		n += len(d.Programs.Violations)
	}
	if d.Kernels != nil {
		n += len(d.Kernels.Violations)
	}
	if d.Claims != nil {
		n += len(d.Claims.Violations)
	}
	for _, s := range d.Scopes {
		n += len(s.Violations)
	}
	for _, a := range d.Attacks {
		if a.Violation != nil {
			n++
		}
	}
	return n
}

func (d *soundnessDocument) text() string {
	t := report.Table{Header: []string{"what was tried", "cases", "comparisons", "skipped"}}
	var found strings.Builder
	if d.Programs != nil {
		for _, k := range d.Programs.Kinds {
			t.Add(k.Kind, report.Count(int64(k.Cases)), report.Count(k.Compared), report.Count(k.Skipped))
		}
		for i := range d.Programs.Violations {
			found.WriteString("VIOLATION\n" + d.Programs.Violations[i].String() + "\n")
		}
	}
	if d.Kernels != nil {
		t.Add("PTX kernels, simulated", report.Count(int64(d.Kernels.Cases)), report.Count(int64(d.Kernels.Compared)), 0)
		for i := range d.Kernels.Violations {
			found.WriteString("VIOLATION\n" + d.Kernels.Violations[i].String() + "\n")
		}
	}
	if d.Claims != nil {
		t.Add("PTX kernels, executed again", report.Count(int64(d.Claims.Cases)), report.Count(int64(d.Claims.Executions)), report.Count(int64(d.Claims.Cases-d.Claims.Claimed)))
		for i := range d.Claims.Violations {
			found.WriteString("VIOLATION\n" + d.Claims.Violations[i].String() + "\n")
		}
	}
	for _, r := range d.Scopes {
		t.Add(r.Scope+", complete", report.Count(r.Blocks), report.Count(r.Compared), report.Count(r.Skipped))
		for i := range r.Violations {
			found.WriteString("VIOLATION\n" + r.Violations[i].String() + "\n")
		}
	}
	for _, a := range d.Attacks {
		t.Add("attack on "+a.Method+": "+a.Machine, report.Count(int64(a.Climbs)), fmt.Sprintf("within %d", a.Closest), "")
		if a.Violation != nil {
			found.WriteString("VIOLATION\n" + a.Violation.String() + "\n")
		}
	}
	s := t.Render(report.Text) + "\n" + found.String()
	if d.violations() == 0 {
		s += "no safe bound was violated\n"
	}
	return s
}
