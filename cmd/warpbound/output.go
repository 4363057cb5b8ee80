package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound"
	"github.com/warpbound/warpbound/internal/terminal"
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
	f, ok := screen(w)
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
	o.fileFlag(cmd)
}

// fileFlag is the flag of a command whose report has one form.
func (o *output) fileFlag(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&o.file, "output", "o", "", "write to this file instead of standard output")
}

// forms is a report in all its forms: a warpbound.Report, or that of a search.
type forms interface {
	Text() string
	Folded(columns int) []byte
	JSON() ([]byte, error)
	CSV() string
	Picture(format string) ([]byte, error)
}

// print prints a report in the form asked for, unless err says that there is none. A
// command that was interrupted writes nothing.
func (o *output) print(cmd *cobra.Command, doc forms, err error) error {
	if err == nil {
		err = cmd.Context().Err()
	}
	if err != nil {
		return err
	}
	return o.printAnyway(cmd, doc)
}

// finished prints what an operation gave, and draws it into the file of --plot, "" being
// none. With an error that is what was finished before; with one about the command
// line or a file it is nothing.
func (o *output) finished(cmd *cobra.Command, plot string, report func() (*warpbound.Report, error), err error) error {
	if err != nil && exitCode(err) == exitUsage {
		return err
	}
	doc, docErr := report()
	if docErr == nil {
		docErr = draw(doc, plot)
	}
	if docErr == nil {
		docErr = o.printAnyway(cmd, doc)
	}
	return cmp.Or(docErr, err)
}

// reported is the error of a command that has printed its report, which says of a
// RISC-V program that it failed.
func reported(printed, of error) error {
	var exit *warpbound.ExitError
	if printed == nil && errors.As(of, &exit) {
		return errFound
	}
	return cmp.Or(printed, of)
}

// printAnyway is print for what an interrupted command has finished.
func (o *output) printAnyway(cmd *cobra.Command, doc forms) error {
	data, err := o.form(cmd, doc)
	if err != nil {
		return err
	}
	if o.file == "" && !o.json && !o.csv && terminal.Colours() {
		return o.sendTo(unescaped(cmd.OutOrStdout()), data)
	}
	return o.send(cmd, data)
}

// raw prints a text that has no other form and stays as wide as it is.
func (o *output) raw(cmd *cobra.Command, text []byte) error {
	if err := cmd.Context().Err(); err != nil {
		return err
	}
	return o.send(cmd, text)
}

// send writes where the report goes.
func (o *output) send(cmd *cobra.Command, data []byte) error {
	return o.sendTo(cmd.OutOrStdout(), data)
}

func (o *output) sendTo(w io.Writer, data []byte) error {
	if o.file != "" {
		return writeFile(o.file, data)
	}
	if _, err := w.Write(data); err != nil {
		return &outputError{err}
	}
	return nil
}

// form is a document in the form asked for.
func (o *output) form(cmd *cobra.Command, doc forms) ([]byte, error) {
	switch {
	case o.json:
		return doc.JSON()
	case o.csv:
		return []byte(doc.CSV()), nil
	}
	if columns := o.columns(cmd); columns > 0 || o.file == "" && terminal.Colours() {
		return doc.Folded(columns), nil
	}
	return []byte(doc.Text()), nil
}

// plotFormat refuses a name of --plot that no picture can have, before anything is
// computed for it; "" is none.
func plotFormat(file string) error {
	if file == "" {
		return nil
	}
	if _, err := warpbound.PictureFormat(file); err != nil {
		return fmt.Errorf("--plot: %w", err)
	}
	return nil
}

// draw draws a document into the file of --plot, "" being none.
func draw(doc forms, file string) error {
	if file == "" {
		return nil
	}
	format, err := warpbound.PictureFormat(file)
	if err != nil {
		return fmt.Errorf("--plot: %w", err)
	}
	return drawAs("plot", format, doc, file)
}

// drawAs draws a document into the file of a flag.
func drawAs(flag, format string, doc forms, file string) error {
	drawn, err := doc.Picture(format)
	if err == nil {
		err = writeFile(file, drawn)
	}
	if err != nil {
		return fmt.Errorf("--%s: %w", flag, err)
	}
	return nil
}

// writeFile replaces a file by data, or leaves it as it was: nobody sees half of
// it. What is not a regular file, such as a pipe, is written as it is.
func writeFile(name string, data []byte) error {
	f, err := replace(name)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return f.done(err)
}

// replacement is a file that is written in the place of another, which stays as it was
// until done.
type replacement struct {
	*os.File
	name string // to replace; "" for what is no regular file and is written as it is
	mode fs.FileMode
}

// replace begins to replace a file.
func replace(name string) (*replacement, error) {
	info, err := os.Stat(name)
	switch {
	case err == nil && !info.Mode().IsRegular():
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
		return &replacement{File: f}, err
	case err == nil:
		if name, err = filepath.EvalSymlinks(name); err != nil {
			return nil, err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	r := &replacement{name: name}
	r.File, err = os.OpenFile(fmt.Sprintf("%s.%d.tmp", name, os.Getpid()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		var at *fs.PathError
		if errors.As(err, &at) {
			at.Path = name // the name the user knows
		}
		return nil, err
	}
	if info != nil {
		r.mode = info.Mode().Perm()
	}
	return r, nil
}

// done puts the file into its place, or gives it up where err says that it is not
// complete. It returns err, or what else went wrong.
func (r *replacement) done(err error) error {
	if r.mode != 0 && err == nil {
		err = r.Chmod(r.mode)
	}
	if closed := r.Close(); err == nil {
		err = closed
	}
	if r.name == "" {
		return err
	}
	if err == nil {
		err = os.Rename(r.File.Name(), r.name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(r.File.Name()))
	}
	return nil
}
