package main

import (
	"embed"
	"strings"

	"github.com/spf13/cobra"
)

// helpTexts hold the long help of commands, help/PAGE.txt each, with the examples
// below a line of their own.
//
//go:embed help/*.txt
var helpTexts embed.FS

const examplesLine = "\n\nExamples:\n"

// command makes a command of its page of help. The words of use behind its name are
// its operands.
func command(page, use, short string, run func(cmd *cobra.Command, args []string) error) *cobra.Command {
	// A page that is not there leaves a command without help, which a test finds.
	text, _ := helpTexts.ReadFile("help/" + page + ".txt")
	long, examples, _ := strings.Cut(strings.TrimSuffix(string(text), "\n"), examplesLine)
	names := strings.Fields(use)[1:]
	cmd := &cobra.Command{Use: use, Short: short, Long: long, Example: examples, Args: operands(names...), RunE: run}
	if len(names) > 0 && strings.HasPrefix(names[0], "LAUNCH") {
		cmd.ValidArgsFunction = launchFiles
	}
	return cmd
}
