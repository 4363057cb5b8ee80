package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound"
)

func newReport() *cobra.Command {
	var (
		out     reportOutput
		machine machineFlags
		project string
		against string
		opt     warpbound.AssessOptions
	)
	cmd := command("report", "report [LAUNCH...]", "Assess launches, or a project with budgets, in a report to sign", func(cmd *cobra.Command, args []string) error {
		if err := out.check(); err != nil {
			return err
		}
		p, err := projectOf(cmd, project, args, &machine)
		if err != nil {
			return err
		}
		if err := out.apart(p.Files()); err != nil {
			return err
		}
		if against != "" {
			if opt.Against, err = os.ReadFile(against); err != nil {
				return fmt.Errorf("--against: %w", err)
			}
		}
		a, err := watched(cmd, &opt, &opt.Progress, p.Assess)
		if a == nil {
			return err
		}
		return out.write(cmd, a, err)
	})
	cmd.Args = cobra.ArbitraryArgs
	cmd.ValidArgsFunction = launchFiles
	out.flags(cmd)
	machine.flags(cmd)
	limitFlag(cmd, &opt.MaxInstructions)
	cmd.Flags().StringVar(&project, "project", "", "project file (default: "+warpbound.ProjectFile+" where no LAUNCH is named)")
	cmd.Flags().StringVar(&against, "against", "", "also list what has changed since this earlier report, in JSON")
	cmd.Flags().StringSliceVar(&opt.Policies, "policies", nil, "warp scheduling policies to simulate (default: those of the project, or lrr,gto)")
	_ = cmd.RegisterFlagCompletionFunc("policies", words(warpbound.Policies()...))
	cmd.Flags().BoolVar(&opt.RequireAllInputs, "require-all-inputs", false, "fail where a figure does not hold for all inputs")
	cmd.Flags().Int64Var(&opt.MaxCycles, "max-cycles", 0, "the budget of launches that the project gives none, in cycles")
	cmd.Flags().IntVar(&opt.Workers, "workers", 0, "launches that are assessed at the same time (0: as many as there are processors)")
	positive(cmd, "max-cycles")
	return cmd
}

// projectOf opens the project file, or makes a project of launches.
func projectOf(cmd *cobra.Command, path string, launches []string, machine *machineFlags) (*warpbound.Project, error) {
	if len(launches) > 0 {
		if path != "" {
			return nil, fmt.Errorf("--project with %s: expected one of them", launches[0])
		}
		var gpus []warpbound.ProjectGPU
		for _, name := range machine.names() {
			gpus = append(gpus, warpbound.ProjectGPU{Name: name, Settings: machine.set})
		}
		return warpbound.NewProject(launches, gpus...)
	}
	if cmd.Flags().Changed("gpu") || cmd.Flags().Changed("set") {
		return nil, errors.New("--gpu and --set: the project file names the GPUs, expected them with a LAUNCH only")
	}
	if path != "" {
		return warpbound.OpenProject(path)
	}
	if _, err := os.Stat(warpbound.ProjectFile); err != nil {
		return nil, fmt.Errorf("no LAUNCH, and no %s here: expected one of them, or --project", warpbound.ProjectFile)
	}
	return warpbound.OpenProject(warpbound.ProjectFile)
}

// reportOutput says where reports go, and in which forms.
type reportOutput struct {
	json   bool
	format string
	files  []string
	forms  []string // of files, or of standard output
}

func (o *reportOutput) flags(cmd *cobra.Command) {
	names := warpbound.AssessmentForms()
	cmd.Flags().BoolVar(&o.json, "json", false, "print one JSON document (docs/json.md)")
	cmd.Flags().StringVar(&o.format, "format", "", "form of the report: "+strings.Join(names, ", ")+" (default: by the name of the file; text on standard output)")
	_ = cmd.RegisterFlagCompletionFunc("format", words(names...))
	cmd.Flags().StringArrayVarP(&o.files, "output", "o", nil, "write to this file instead of standard output: .html, .md, .xml (JUnit), .sarif, .json or .txt (repeatable)")
	exclusive(cmd, "json", "format")
}
