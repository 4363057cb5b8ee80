package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/warpbound/warpbound/internal/plot"
)

// what says what is measured before the tables are written.
type what struct{ bounds, schemes, frontend, prem bool }

func main() {
	tables := flag.Bool("tables", false, "write tables and figures from the data files, without measuring")
	schemes := flag.Bool("schemes", false, "measure only the comparison of schemes (Huangfu2017)")
	frontend := flag.Bool("frontend", false, "measure only the front end (Crouzet2024)")
	prem := flag.Bool("prem", false, "measure only memory and compute phases (Forsberg2021)")
	flag.Parse()
	all := !*schemes && !*frontend && !*prem
	w := what{bounds: all, schemes: all || *schemes, frontend: all || *frontend, prem: all || *prem}
	if *tables {
		w = what{}
	}
	if err := run(".", w); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run measures what it is asked to, and writes tables and figures.
func run(root string, w what) error {
	if err := measure(newBench(root), w); err != nil {
		return err
	}
	r, err := read(root)
	if err != nil {
		return err
	}
	for _, f := range r.figures() {
		drawn, err := f.Render(plot.SVG)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(f.file)), drawn, 0o644); err != nil {
			return err
		}
	}
	path := filepath.Join(root, filepath.FromSlash(page))
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	filled, err := fill(string(text), r.tables())
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(filled), 0o644)
}

func measure(b *bench, w what) error {
	if err := os.MkdirAll(filepath.Join(b.root, filepath.FromSlash(dataDir)), 0o755); err != nil {
		return err
	}
	if w.bounds {
		r, err := b.bounds()
		if err != nil {
			return err
		}
		if err := r.writeBounds(b.root); err != nil {
			return err
		}
	}
	if w.frontend {
		rows, err := b.frontends(frontShapes(), frontKernels)
		if err != nil {
			return err
		}
		if err := (&results{frontend: rows}).writeFrontend(b.root); err != nil {
			return err
		}
	}
	if w.prem {
		r, err := b.measurePrem()
		if err != nil {
			return err
		}
		if err := r.writePrem(b.root); err != nil {
			return err
		}
	}
	if !w.schemes {
		return nil
	}
	rows, err := b.schemes(append(schemeShapes(), factorShapes()...))
	if err != nil {
		return err
	}
	wcet, err := b.wcet()
	if err != nil {
		return err
	}
	return (&results{schemes: rows, wcet: wcet}).writeSchemes(b.root)
}
