package kit

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/load"
)

// Bench measures on the module below root.
type Bench struct {
	Root     string
	machines map[string]*gpu.Machine
	launches map[string]*load.Opened
}

func NewBench(root string) *Bench {
	return &Bench{Root: root, machines: map[string]*gpu.Machine{}, launches: map[string]*load.Opened{}}
}

// Machine opens a preset; overrides of its keys follow the name, after spaces.
func (b *Bench) Machine(name string) (*gpu.Machine, error) {
	if m, ok := b.machines[name]; ok {
		return m, nil
	}
	parts := strings.Fields(name)
	d, err := gpu.Open(parts[0], parts[1:])
	if err != nil {
		return nil, err
	}
	m, err := d.Machine()
	b.machines[name] = m
	return m, err
}

// Files lists launch files by pattern below examples, in order.
func (b *Bench) Files(pattern string) ([]string, error) {
	dir := filepath.Join(b.Root, "examples")
	found, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(pattern)))
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("no launch file matches %s in %s", pattern, dir)
	}
	for i := range found {
		rel, err := filepath.Rel(dir, found[i])
		if err != nil {
			return nil, err
		}
		found[i] = filepath.ToSlash(rel)
	}
	return found, nil
}

func (b *Bench) Open(launch string) (*load.Opened, error) {
	if l, ok := b.launches[launch]; ok {
		return l, nil
	}
	l, err := load.Open(filepath.Join(b.Root, "examples", filepath.FromSlash(launch)))
	if err != nil {
		return nil, err
	}
	b.launches[launch] = l
	return l, nil
}

// Evaluation repeats the evaluation of a paper.
type Evaluation struct {
	Name string // the paper's key, in lower case
	Doc  string // one line
	// Measure measures everything and stores it below Bench.Root.
	Measure func(*Bench) error
	// Views makes tables and pictures of what is stored below a root.
	Views func(root string) (*Views, error)
}

// Views are what a page shows of an evaluation: tables by the names of their
// markers, and pictures.
type Views struct {
	Tables  map[string]string
	Figures []Figure
}
