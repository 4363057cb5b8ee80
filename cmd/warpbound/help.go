package main

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound/internal/terminal"
)

// fitHelp has the help of all commands fit what it is written to.
func fitHelp(root *cobra.Command, out io.Writer) {
	columns := columnsOf(out)
	cobra.AddTemplateFunc("flagUsages", func(f interface{ FlagUsagesWrapped(int) string }) string {
		return fold(f.FlagUsagesWrapped(columns), columns)
	})
	cobra.AddTemplateFunc("fold", func(s string) string { return fold(s, columns) })
	cobra.AddTemplateFunc("foldParagraphs", func(s string) string { return foldParagraphs(strings.TrimRight(s, " \n"), columns) })
	cobra.AddTemplateFunc("foldCommands", func(s string) string { return foldCommands(s, columns) })
	root.SetHelpTemplate(strings.Replace(root.HelpTemplate(), "trimTrailingWhitespaces", "foldParagraphs", 1))
	root.SetUsageTemplate(strings.NewReplacer(
		"Flags.FlagUsages", "Flags | flagUsages",
		"  {{rpad .Name .NamePadding }} {{.Short}}", `{{printf "  %s %s" (rpad .Name .NamePadding) .Short | fold}}`,
		"{{.Example}}", "{{.Example | foldCommands}}",
		`Use "{{.CommandPath}} [command] --help" for more information about a command.`,
		`{{printf "Use %q for more information about a command." (printf "%s [command] --help" .CommandPath) | fold}}`,
	).Replace(root.UsageTemplate()))
}

func fold(s string, columns int) string {
	defer terminal.SetWidth(terminal.SetWidth(columns))
	return terminal.Fold(s)
}

// foldParagraphs fills the lines of paragraphs that have too wide ones anew.
func foldParagraphs(s string, columns int) string {
	paragraphs := strings.Split(s, "\n\n")
	for i, p := range paragraphs {
		if fold(p, columns) != p {
			paragraphs[i] = fold(strings.Join(strings.Split(p, "\n"), " "), columns)
		}
	}
	return strings.Join(paragraphs, "\n\n")
}

// foldCommands breaks command lines that are wider than a terminal, 0 for any, as a
// shell reads them: what is copied works.
func foldCommands(s string, columns int) string {
	if columns == 0 {
		return s
	}
	var b strings.Builder
	for i, line := range strings.Split(s, "\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		for len(line) > columns {
			at := strings.LastIndexByte(line[:columns-1], ' ')
			if strings.TrimSpace(line[:max(at, 0)]) == "" {
				break
			}
			b.WriteString(line[:at] + " \\\n")
			line = "    " + line[at+1:]
		}
		b.WriteString(line)
	}
	return b.String()
}
