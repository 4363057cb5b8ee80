package main

import (
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/evaluation/crouzet2024"
	"github.com/warpbound/warpbound/evaluation/forsberg2021"
	"github.com/warpbound/warpbound/evaluation/huangfu2017"
	"github.com/warpbound/warpbound/evaluation/inputs"
	"github.com/warpbound/warpbound/evaluation/internal/kit"
	"github.com/warpbound/warpbound/evaluation/jeanmougin2025"
	"github.com/warpbound/warpbound/internal/plot"
)

// evaluations are those of the page, in its order.
var evaluations = []*kit.Evaluation{&jeanmougin2025.Evaluation, &huangfu2017.Evaluation, &crouzet2024.Evaluation, &forsberg2021.Evaluation, &inputs.Evaluation}

func main() {
	tables := flag.Bool("tables", false, "write tables and figures from the data files, without measuring")
	flag.Usage = func() { usage(flag.CommandLine.Output()) }
	flag.Parse()
	chosen, err := choose(flag.Args())
	if err == nil && *tables {
		chosen = nil
	}
	if err == nil {
		err = run(".", chosen)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func usage(w io.Writer) {
	fmt.Fprintln(w, "usage: go run ./evaluation [-tables] [PAPER...]\n\nRepeats the evaluations of papers, all of them where none is named:")
	for _, e := range evaluations {
		fmt.Fprintf(w, "  %-15s %s\n", e.Name, e.Doc)
	}
}

// choose finds evaluations by name; none named are all.
func choose(names []string) ([]*kit.Evaluation, error) {
	if len(names) == 0 {
		return evaluations, nil
	}
	var out []*kit.Evaluation
	for _, name := range names {
		i := slices.IndexFunc(evaluations, func(e *kit.Evaluation) bool { return e.Name == name })
		if i < 0 {
			var known []string
			for _, e := range evaluations {
				known = append(known, e.Name)
			}
			return nil, fmt.Errorf("no evaluation %q: expected some of %s", name, strings.Join(known, ", "))
		}
		out = append(out, evaluations[i])
	}
	return out, nil
}

// run measures what was asked for, and writes all tables and figures.
func run(root string, chosen []*kit.Evaluation) error {
	b := kit.NewBench(root)
	for _, e := range chosen {
		if err := e.Measure(b); err != nil {
			return fmt.Errorf("%s: %w", e.Name, err)
		}
	}
	v, err := views(root)
	if err != nil {
		return err
	}
	for _, f := range v.Figures {
		drawn, err := f.Render(plot.SVG)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(f.File)), drawn, 0o644); err != nil {
			return err
		}
	}
	path := filepath.Join(root, filepath.FromSlash(kit.Page))
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	filled, err := kit.Fill(string(text), v.Tables)
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(filled), 0o644)
}

// views are the tables and figures of all evaluations, from what is stored.
func views(root string) (*kit.Views, error) {
	all := &kit.Views{Tables: map[string]string{}}
	for _, e := range evaluations {
		v, err := e.Views(root)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name, err)
		}
		maps.Copy(all.Tables, v.Tables)
		all.Figures = append(all.Figures, v.Figures...)
	}
	return all, nil
}
