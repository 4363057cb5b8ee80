package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound/internal/version"
	"github.com/warpbound/warpbound/report"
	"github.com/warpbound/warpbound/soundness"
	"github.com/warpbound/warpbound/soundness/kernels"
)

// kernelShare is how many cases of instruction programs are tried for each
// random kernel: a kernel costs as much as some hundred of them.
const kernelShare = 50

type soundnessDocument struct {
	Warpbound version.Info       `json:"warpbound"`
	Programs  *soundness.Summary `json:"programs"`
	Kernels   *kernels.Summary   `json:"kernels"`
}

func newSoundness() *cobra.Command {
	var (
		out   output
		seeds int
		first uint64
		plant string
	)
	cmd := &cobra.Command{
		Use:   "soundness",
		Short: "Search for a violated bound",
		Long: `Draw random instruction programs (exact worst cases, adversarial schedules, loops
folded and unrolled) and random PTX kernels on random machines (cycle-level
simulation), and compare every bound that calls itself safe. Exit code 1 says
that one was violated; a reproducer is printed.`,
		Example: "  warpbound soundness --seeds 10000",
		Args:    operands(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if seeds < 1 {
				return fmt.Errorf("--seeds %d: expected 1 or more", seeds)
			}
			doc := soundnessDocument{Warpbound: version.Get()}
			bar := newProgress("programs")
			var err error
			doc.Programs, err = soundness.Run(cmd.Context(), soundness.Config{Seed: first, Cases: seeds, Progress: func(d, t int) { bar.update(int64(d), int64(t)) }})
			bar.done()
			if err != nil {
				return err
			}
			bar = newProgress("kernels")
			doc.Kernels, err = kernels.Run(cmd.Context(), kernels.Config{Seed: first, Cases: (seeds + kernelShare - 1) / kernelShare, Plant: plant, Progress: func(d, t int) { bar.update(int64(d), int64(t)) }})
			bar.done()
			if err != nil {
				return err
			}
			if err := out.write(cmd, doc, func(w *printer) { w.WriteString(doc.text()) }); err != nil {
				return err
			}
			if len(doc.Programs.Violations)+len(doc.Kernels.Violations) > 0 {
				return errFound
			}
			return nil
		},
	}
	out.flags(cmd, false)
	cmd.Flags().IntVar(&seeds, "seeds", 1000, "number of random instruction programs; one PTX kernel for every 50")
	cmd.Flags().Uint64Var(&first, "first", 1, "first seed")
	cmd.Flags().StringVar(&plant, "plant", "", "treat this unsafe method as safe in the kernel search")
	return cmd
}

func (d *soundnessDocument) text() string {
	t := report.Table{Header: []string{"what was tried", "cases", "comparisons", "skipped"}}
	for _, k := range d.Programs.Kinds {
		t.Add(k.Kind, report.Count(int64(k.Cases)), report.Count(k.Compared), report.Count(k.Skipped))
	}
	t.Add("PTX kernels, simulated", report.Count(int64(d.Kernels.Cases)), report.Count(int64(d.Kernels.Compared)), 0)
	s := t.Render(report.Text) + "\n"
	for i := range d.Programs.Violations {
		s += "VIOLATION\n" + d.Programs.Violations[i].String() + "\n"
	}
	for i := range d.Kernels.Violations {
		s += "VIOLATION\n" + d.Kernels.Violations[i].String() + "\n"
	}
	if len(d.Programs.Violations)+len(d.Kernels.Violations) == 0 {
		s += "no safe bound was violated\n"
	}
	return s
}
