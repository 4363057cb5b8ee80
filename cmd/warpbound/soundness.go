package main

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound/analysis"
	"github.com/warpbound/warpbound/internal/version"
	"github.com/warpbound/warpbound/report"
	"github.com/warpbound/warpbound/soundness"
	"github.com/warpbound/warpbound/soundness/kernels"
)

// kernelShare is how many cases of instruction programs are tried for each
// random kernel: a kernel costs as much as some hundred of them.
const kernelShare = 50

type soundnessDocument struct {
	Warpbound version.Info `json:"warpbound"`
	// Complete is false where the search was interrupted: the summaries are then
	// of what was tried, and Kernels is null where no kernel was.
	Complete bool               `json:"complete"`
	Programs *soundness.Summary `json:"programs"`
	Kernels  *kernels.Summary   `json:"kernels"`
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
that one was violated; a reproducer is printed. Where it is interrupted, what was
tried is printed.`,
		Example: "  warpbound soundness --seeds 10000",
		Args:    operands(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := atLeast("seeds", int64(seeds), 1); err != nil {
				return err
			}
			if plant != "" {
				if err := oneOf("plant", plant, analysis.Methods()...); err != nil {
					return err
				}
			}
			doc := soundnessDocument{Warpbound: version.Get()}
			err := doc.search(cmd.Context(), seeds, first, plant)
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
	cmd.Flags().IntVar(&seeds, "seeds", 1000, "number of random instruction programs; one PTX kernel for every 50")
	cmd.Flags().Uint64Var(&first, "first", 1, "first seed")
	cmd.Flags().StringVar(&plant, "plant", "", "treat this unsafe method as safe in the kernel search")
	_ = cmd.RegisterFlagCompletionFunc("plant", words(analysis.Methods()...))
	return cmd
}

// search fills the document as far as it gets.
func (d *soundnessDocument) search(ctx context.Context, seeds int, first uint64, plant string) error {
	bar := newProgress("programs")
	shown := func(done, total int) { bar.update(int64(done), int64(total)) }
	var err error
	d.Programs, err = soundness.Run(ctx, soundness.Config{Seed: first, Cases: seeds, Progress: shown})
	bar.done()
	if err != nil {
		return err
	}
	bar = newProgress("kernels")
	d.Kernels, err = kernels.Run(ctx, kernels.Config{Seed: first, Cases: (seeds + kernelShare - 1) / kernelShare, Plant: plant, Progress: shown})
	bar.done()
	return err
}

func (d *soundnessDocument) violations() int {
	n := 0
	if d.Programs != nil {
		n += len(d.Programs.Violations)
	}
	if d.Kernels != nil {
		n += len(d.Kernels.Violations)
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
	s := t.Render(report.Text) + "\n" + found.String()
	if d.violations() == 0 {
		s += "no safe bound was violated\n"
	}
	return s
}
