package warpbound

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/conf"
	"github.com/warpbound/warpbound/internal/project"
	"github.com/warpbound/warpbound/launch"
)

// ProjectFile is the project file that the command report reads where none is named.
const ProjectFile = project.DefaultFile

// Project is what is to be assessed: launches on GPUs, with budgets and with the
// assumptions that somebody answers for.
type Project struct {
	file *project.File
	gpus []projectGPU // each once, in the order in which they are first named
	on   []int        // of each case
}

// projectGPU is a GPU with how it was named.
type projectGPU struct {
	name     string // a preset, or the path as it is opened
	settings []string
	machine  *gpu.Machine
}

// title tells the GPU from the others of the project.
func (g *projectGPU) title() string {
	d := g.machine.Desc
	if len(d.Overrides) == 0 {
		return d.Name
	}
	return d.Name + " with " + strings.Join(d.Overrides, ", ")
}

// ProjectGPU names a GPU: a preset or the path of a description, with settings as [GPU]
// takes them.
type ProjectGPU struct {
	Name     string
	Settings []string
}

// OpenProject reads a project file (docs/report.md) and the GPU descriptions that it
// names. The launches are read when they are assessed.
func OpenProject(path string) (*Project, error) {
	f, err := project.Load(path)
	if err != nil {
		return nil, explain(err)
	}
	return opened(&Project{file: f})
}

// NewProject is OpenProject for launch files on GPUs, none for [DefaultGPU], without a
// file: there are no budgets, and nobody judges assumptions.
func NewProject(launches []string, gpus ...ProjectGPU) (*Project, error) {
	if len(launches) == 0 {
		return nil, &OptionError{Option: "Launches", Msg: "no launch, expected at least one"}
	}
	on := []project.GPU{{}}
	if len(gpus) > 0 {
		on = nil
	}
	for _, g := range gpus {
		on = append(on, project.GPU{Name: g.Name, Settings: g.Settings})
	}
	return opened(&Project{file: project.Listed(launches, on)})
}

func opened(p *Project) (*Project, error) {
	if err := p.open(); err != nil {
		return nil, err
	}
	return p, nil
}

// open opens the GPUs and checks the names of policies.
func (p *Project) open() error {
	var errs []error
	failed := map[conf.Pos]bool{}
	for i := range p.file.Cases {
		c := &p.file.Cases[i]
		j, err := p.gpu(&c.GPU)
		if err != nil && !failed[c.GPU.Pos] {
			failed[c.GPU.Pos] = true
			errs = append(errs, placed(c.GPU.Pos, err))
		}
		p.on = append(p.on, j)
		for _, w := range c.Policies {
			if _, err := parsePolicy("policies", w.Text); err != nil && !failed[w.Pos] {
				failed[w.Pos] = true
				errs = append(errs, placed(w.Pos, err))
			}
		}
	}
	for _, w := range p.file.Policies {
		if _, err := parsePolicy("policies", w.Text); err != nil {
			errs = append(errs, placed(w.Pos, err))
		}
	}
	return errors.Join(errs[:min(len(errs), conf.MaxErrors)]...)
}

// placed gives an error its place in the project file, where it has none of its own.
func placed(pos conf.Pos, err error) error {
	if pos.Line == 0 || len(FileErrors(err)) > 0 {
		return err
	}
	return &FileError{Pos: pos, Msg: err.Error()}
}

// gpu opens a GPU that is not open yet.
func (p *Project) gpu(g *project.GPU) (int, error) {
	name := g.Name
	switch file := strings.HasSuffix(name, ".toml") || strings.ContainsAny(name, `/\`); {
	case name == "":
		name = DefaultGPU
	case file && p.file.Path != "" && !filepath.IsAbs(name):
		name = filepath.Join(filepath.Dir(p.file.Path), filepath.FromSlash(name))
	}
	for i := range p.gpus {
		if p.gpus[i].name == name && slices.Equal(p.gpus[i].settings, g.Settings) {
			return i, nil
		}
	}
	m, err := GPU(name, g.Settings...)
	if err != nil {
		return 0, err
	}
	more := projectGPU{name: name, settings: g.Settings, machine: m}
	for i := range p.gpus {
		if p.gpus[i].title() == more.title() {
			return 0, &OptionError{Option: "GPUs", Value: more.title(), Msg: fmt.Sprintf("%s and %s have this name, and would not be told apart", p.gpus[i].name, name)}
		}
	}
	p.gpus = append(p.gpus, more)
	return len(p.gpus) - 1, nil
}

// Path is that of the project file, "" for a project without one.
func (p *Project) Path() string { return p.file.Path }

// Files are the files that the project names: its own, the GPU descriptions and the
// launch files, with all that these name where they can be read. None of them must be
// written while the project is assessed.
func (p *Project) Files() []string {
	var out []string
	add := func(path string) {
		if path != "" && !slices.Contains(out, path) {
			out = append(out, path)
		}
	}
	add(p.file.Path)
	for i := range p.gpus {
		if g := &p.gpus[i]; filepath.Ext(g.name) == ".toml" {
			add(g.name)
		}
	}
	for i := range p.file.Cases {
		path := p.file.Cases[i].Launch.Text
		add(path)
		// What is wrong with it the assessment says.
		if data, err := conf.Read(path); err == nil {
			if l, err := launch.Parse(path, data, filepath.Dir(path)); err == nil {
				for _, f := range l.Files() {
					add(f)
				}
			}
		}
	}
	return out
}
