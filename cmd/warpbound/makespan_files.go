package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/warpbound/warpbound"
)

// makespanFiles are the files that the command writes beside its report.
type makespanFiles struct {
	gantt, plot, export string
	program             bytes.Buffer // for export
}

// options asks for what the files hold, and refuses those that cannot be written before
// anything is computed for them.
func (f *makespanFiles) options(opt *warpbound.MakespanOptions) error {
	if f.gantt != "" && !strings.EqualFold(filepath.Ext(f.gantt), ".svg") {
		return fmt.Errorf("--gantt %s: expected a name that ends in .svg", f.gantt)
	}
	for _, of := range []struct{ flag, name string }{{"gantt", f.gantt}, {"plot", f.plot}, {"export", f.export}} {
		if of.name == "" {
			continue
		}
		if info, err := os.Stat(filepath.Dir(of.name)); err != nil || !info.IsDir() {
			return fmt.Errorf("--%s %s: no such directory", of.flag, of.name)
		}
		if info, err := os.Stat(of.name); err == nil && info.IsDir() {
			return fmt.Errorf("--%s %s: a directory, expected the name of a file", of.flag, of.name)
		}
	}
	if f.plot != "" && opt.Curve == 0 {
		return fmt.Errorf("--plot %s: no curve to draw, expected --curve too", f.plot)
	}
	if opt.Gantt = f.gantt != ""; f.export != "" {
		opt.Export = &f.program
	}
	return plotFormat(f.plot)
}

// write writes the programme and, of what was not interrupted, the pictures. Nothing of
// the command line is wrong where there is none to draw, which is an errFound, unlike a
// file that cannot be written.
func (f *makespanFiles) write(r *warpbound.MakespanReport, whole bool) error {
	if f.export != "" {
		if err := writeFile(f.export, f.program.Bytes()); err != nil {
			return fmt.Errorf("--export: %w", err)
		}
	}
	if !whole {
		return nil
	}
	curve := func() ([]byte, error) {
		doc, err := r.Report()
		if err != nil {
			return nil, err
		}
		format, err := warpbound.PictureFormat(f.plot)
		if err != nil {
			return nil, err
		}
		return doc.Picture(format)
	}
	for _, of := range []struct {
		flag, name string
		draw       func() ([]byte, error)
	}{{"gantt", f.gantt, r.Gantt}, {"plot", f.plot, curve}} {
		if of.name == "" {
			continue
		}
		drawn, err := of.draw()
		if err != nil {
			return fmt.Errorf("--%s: %w%w", of.flag, err, errFound)
		}
		if err := writeFile(of.name, drawn); err != nil {
			return fmt.Errorf("--%s: %w", of.flag, err)
		}
	}
	return nil
}
