package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	tablesOnly := flag.Bool("tables", false, "write the tables from the data files, without measuring")
	flag.Parse()
	if err := run(".", *tablesOnly); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run measures, unless told not to, and writes the tables into the page.
func run(root string, tablesOnly bool) error {
	if !tablesOnly {
		r, err := newBench(root).all()
		if err != nil {
			return err
		}
		if err := r.write(root); err != nil {
			return err
		}
	}
	r, err := read(root)
	if err != nil {
		return err
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
