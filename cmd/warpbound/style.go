package main

import (
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound/internal/conf"
	"github.com/warpbound/warpbound/internal/terminal"
)

// The values of --color.
const (
	colourAuto   = "auto"
	colourAlways = "always"
	colourNever  = "never"
)

var colourings = []string{colourAuto, colourAlways, colourNever}

// colourFlag is the flag of all commands that says whether reports have colours.
func colourFlag(root *cobra.Command) {
	root.PersistentFlags().String("color", colourAuto, "colours in reports: "+conf.List(colourings)+" (on a terminal, unless NO_COLOR is set)")
	_ = root.RegisterFlagCompletionFunc("color", words(colourings...))
}

// setStyle makes reports for what they are written to.
func setStyle(cmd *cobra.Command) error {
	asked, err := cmd.Flags().GetString("color")
	if err != nil {
		return err
	}
	if !slices.Contains(colourings, asked) {
		return fmt.Errorf("--color %s: %s", asked, conf.Suggest(asked, colourings))
	}
	out := cmd.OutOrStdout()
	terminal.SetStyle(terminal.Style{Bars: columnsOf(out) > 0, Colours: asked == colourAlways || asked == colourAuto && hasColours(out)})
	return nil
}

// hasColours says that w is a terminal that shows colours, and nobody wants none
// (https://no-color.org).
func hasColours(w io.Writer) bool {
	if _, ok := screen(w); !ok || os.Getenv("NO_COLOR") != "" {
		return false
	}
	kind := os.Getenv("TERM")
	return kind != "" && kind != "dumb"
}

// unescaped is w without what makes control characters visible, for a text in which they
// are: its colours have to pass.
func unescaped(w io.Writer) io.Writer {
	if p, ok := w.(*terminal.Writer); ok {
		return p.W
	}
	return w
}
