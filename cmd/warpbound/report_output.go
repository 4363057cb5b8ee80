package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound"
)

// check refuses forms that there are none of, before anything is computed for them.
func (o *reportOutput) check() error {
	given := o.format
	if o.json {
		given = warpbound.FormJSON
	}
	if given != "" && len(o.files) > 1 {
		return errors.New("--format with several files: their names say which form each has, expected one --output")
	}
	for _, file := range append(o.files, "")[:max(len(o.files), 1)] {
		form, err := warpbound.AssessmentForm(given, file)
		if err != nil {
			return err
		}
		o.forms = append(o.forms, form)
	}
	return nil
}

// apart refuses to write where a file lies that the project names.
func (o *reportOutput) apart(read []string) error {
	for _, file := range o.files {
		if err := apart("output", file, read); err != nil {
			return err
		}
	}
	return nil
}

// write writes what was assessed, and says what came of it. Of an error about files
// nothing is on standard output; the files have what was found of the other launches.
func (o *reportOutput) write(cmd *cobra.Command, a *warpbound.Assessment, of error) error {
	if len(o.files) == 0 {
		if of != nil && exitCode(of) == exitUsage {
			return of
		}
		if err := o.print(cmd, a); err != nil {
			return err
		}
	}
	for i, file := range o.files {
		data, err := a.Render(o.forms[i])
		if err == nil {
			err = writeFile(file, data)
		}
		if err != nil {
			return fmt.Errorf("--output %s: %w", file, err)
		}
	}
	switch {
	case of != nil || a.Passed:
		return of
	case len(o.files) == 0 && o.forms[0] == warpbound.FormText:
		return errFound // the text says what is wrong
	}
	e := &gateError{}
	for _, x := range a.Errors() {
		e.add(exitFound, "%s", x)
	}
	return e
}

// print prints the form of standard output; text fits the terminal.
func (o *reportOutput) print(cmd *cobra.Command, a *warpbound.Assessment) error {
	var out output
	if form := o.forms[0]; form != warpbound.FormText {
		data, err := a.Render(form)
		if err != nil {
			return err
		}
		return out.send(cmd, data)
	}
	doc, err := a.Report()
	if err != nil {
		return err
	}
	return out.printAnyway(cmd, doc)
}
