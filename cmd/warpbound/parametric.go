package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound"
)

// codeFile checks the flags of formulas.
func codeFile(cmd *cobra.Command, file string, opt *warpbound.AnalyzeOptions) error {
	if cmd.Flags().Changed("parametric") && len(opt.Parametric) == 0 {
		return errors.New("--parametric: no name, expected scalar arguments or grid.x, grid.y and grid.z, with ranges")
	}
	if !cmd.Flags().Changed("parametric-code") {
		return nil
	}
	if len(opt.Parametric) == 0 {
		return errors.New("--parametric-code: expected --parametric with the arguments of the formula")
	}
	switch filepath.Ext(file) {
	case ".c", ".go":
		return nil
	}
	return fmt.Errorf("--parametric-code %q: expected a file that ends in .c or .go", file)
}

// writeFormula writes the formula of an analysis, if a file is named.
func writeFormula(a *warpbound.Analysis, file string) error {
	if file == "" {
		return nil
	}
	text, err := a.Formula.C(), error(nil)
	if filepath.Ext(file) == ".go" {
		text, err = a.Formula.Go("admission")
	}
	if err == nil {
		err = writeFile(file, []byte(text))
	}
	if err != nil {
		return fmt.Errorf("--parametric-code: %w", err)
	}
	return nil
}
