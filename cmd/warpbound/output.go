package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
)

// output holds the flags that say where a report goes and in which form.
type output struct {
	json bool
	csv  bool
	file string
}

// printer collects a text report.
type printer struct{ bytes.Buffer }

func (o *output) flags(cmd *cobra.Command, csv bool) {
	cmd.Flags().BoolVar(&o.json, "json", false, "print one JSON document (docs/json.md)")
	if csv {
		cmd.Flags().BoolVar(&o.csv, "csv", false, "print comma-separated values")
		cmd.MarkFlagsMutuallyExclusive("json", "csv")
	}
	cmd.Flags().StringVarP(&o.file, "output", "o", "", "write to this file instead of standard output")
}

// write prints doc as JSON where asked for, otherwise what text writes.
func (o *output) write(cmd *cobra.Command, doc any, text func(*printer)) error {
	var p printer
	if o.json {
		enc := json.NewEncoder(&p)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		if err := enc.Encode(doc); err != nil {
			return fmt.Errorf("writing JSON: %w", err)
		}
	} else {
		text(&p)
	}
	var w io.Writer = cmd.OutOrStdout()
	if o.file != "" {
		// A report is small and complete: it is written at once or not at all.
		return os.WriteFile(o.file, p.Bytes(), 0o666)
	}
	_, err := w.Write(p.Bytes())
	return err
}
