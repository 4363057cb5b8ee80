package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound/internal/report"
)

// output holds the flags that say where a report goes and in which form.
type output struct {
	json bool
	csv  bool
	file string
}

// columns is the width of the terminal that a report is read on, 0 for any.
func (o *output) columns(cmd *cobra.Command) int {
	if o.csv || o.file != "" {
		return 0
	}
	return columnsOf(cmd.OutOrStdout())
}

// columnsOf is the width of a terminal, 0 for what is none or does not say.
func columnsOf(w io.Writer) int {
	f, ok := terminal(w)
	if !ok {
		return 0
	}
	if columns := terminalColumns(f); columns > 0 {
		return columns
	}
	columns, err := strconv.Atoi(os.Getenv("COLUMNS"))
	if err != nil || columns < 0 {
		return 0
	}
	return columns
}

// printer collects a text report.
type printer struct {
	bytes.Buffer
	listings [][2]int // from where to where it is one
}

// listing is for a part of a report that stays as wide as it is: code, files, or what
// a kernel printed.
func (p *printer) listing(write func()) {
	defer report.SetWidth(report.SetWidth(0))
	from := p.Len()
	write()
	p.listings = append(p.listings, [2]int{from, p.Len()})
}

// fold is the report in a terminal of so many columns.
func (p *printer) fold(columns int, text func(*printer)) {
	defer report.SetWidth(report.SetWidth(columns))
	text(p)
	whole := bytes.Clone(p.Bytes())
	listings := append(p.listings, [2]int{len(whole), len(whole)})
	p.Reset()
	at := 0
	for _, l := range listings {
		p.WriteString(report.Fold(safe(whole[at:l[0]])))
		p.Write(whole[l[0]:l[1]])
		at = l[1]
	}
}

// outputError is a report that could not be written to standard output.
type outputError struct{ err error }

func (e *outputError) Error() string { return fmt.Sprintf("writing the report: %v", e.err) }
func (e *outputError) Unwrap() error { return e.err }

func (o *output) flags(cmd *cobra.Command, csv bool) {
	cmd.Flags().BoolVar(&o.json, "json", false, "print one JSON document (docs/json.md)")
	if csv {
		cmd.Flags().BoolVar(&o.csv, "csv", false, "print comma-separated values")
		exclusive(cmd, "csv", "json")
	}
	cmd.Flags().StringVarP(&o.file, "output", "o", "", "write to this file instead of standard output")
}

// write prints doc as JSON where asked for, otherwise what text writes. A
// command that was interrupted writes nothing.
func (o *output) write(cmd *cobra.Command, doc any, text func(*printer)) error {
	if err := cmd.Context().Err(); err != nil {
		return err
	}
	return o.writeAnyway(cmd, doc, text)
}

// writeAnyway is write for what an interrupted command has finished.
func (o *output) writeAnyway(cmd *cobra.Command, doc any, text func(*printer)) error {
	var p printer
	if o.json {
		enc := json.NewEncoder(&p)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		if err := enc.Encode(doc); err != nil {
			return fmt.Errorf("writing JSON: %w", err)
		}
	} else if columns := o.columns(cmd); columns > 0 {
		p.fold(columns, text)
	} else {
		text(&p)
	}
	if o.file != "" {
		return writeFile(o.file, p.Bytes())
	}
	if _, err := cmd.OutOrStdout().Write(p.Bytes()); err != nil {
		return &outputError{err}
	}
	return nil
}

// writeFile replaces a file by data, or leaves it as it was: nobody sees half of
// it. What is not a regular file, such as a pipe, is written as it is.
func writeFile(name string, data []byte) error {
	info, err := os.Stat(name)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return os.WriteFile(name, data, 0o666)
	case err == nil:
		if name, err = filepath.EvalSymlinks(name); err != nil {
			return err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	temporary := fmt.Sprintf("%s.%d.tmp", name, os.Getpid())
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		var at *fs.PathError
		if errors.As(err, &at) {
			at.Path = name // the name the user knows
		}
		return err
	}
	_, err = f.Write(data)
	if info != nil && err == nil {
		err = f.Chmod(info.Mode().Perm())
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(temporary, name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temporary))
	}
	return nil
}
