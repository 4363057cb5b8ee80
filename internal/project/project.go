package project

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/conf"
)

// DefaultGPU is the preset that a launch is on where nothing names one.
const DefaultGPU = "ecrts2025-200"

// DefaultFile is the project file that is read where none is named.
const DefaultFile = "warpbound.toml"

// File is a project file.
type File struct {
	Path            string
	Name            string   // of the project, "" where the file gives none
	Policies        []Word   // to simulate, nil for the usual ones
	MaxInstructions int64    // of an execution, 0 for no limit
	Cases           []Case   // in the order of the file
	Accepted        []Accept // in the order of the file
	// Judged says that assumptions are judged by Accepted; a list of launches has none.
	Judged bool
}

// Word is a string of the file.
type Word struct {
	Text string
	Pos  conf.Pos
}

// GPU is a preset or a file, with settings as --set takes them.
type GPU struct {
	Name     string // as the file has it
	Settings []string
	Pos      conf.Pos
}

// Case is a launch on a GPU.
type Case struct {
	Launch Word // path of the launch file, as it is opened
	GPU    GPU
	Budget *Budget // nil where it has none
	// AllInputs asks for a bound for all inputs.
	AllInputs bool
	// AnyInput says that the file asks for none.
	AnyInput bool
	Policies []Word // to simulate, nil for those of the project
}

// Accept is an assumption that somebody answers for.
type Accept struct {
	ID       bound.ID
	Reason   string
	Launches []string // patterns that the paths of launches match, nil for all
	Pos      conf.Pos
}

// file is a project file as it is written.
type file struct {
	Name             string    `toml:"name,omitempty"`
	GPUs             []*node   `toml:"gpus,omitempty"`
	Policies         []*node   `toml:"policies,omitempty"`
	RequireAllInputs *bool     `toml:"require_all_inputs,omitempty"`
	MaxInstructions  int64     `toml:"max_instructions,omitempty" range:"1..9223372036854775807"`
	Launches         []entry   `toml:"launches"`
	Accepted         []account `toml:"accepted,omitempty"`
}

type node = conf.Node

type entry struct {
	Files            []*node `toml:"files"`
	GPUs             []*node `toml:"gpus,omitempty"`
	Budget           *node   `toml:"budget,omitempty"`
	RequireAllInputs *bool   `toml:"require_all_inputs,omitempty"`
	Policies         []*node `toml:"policies,omitempty"`
}

type account struct {
	Assumption *node    `toml:"assumption"`
	Reason     string   `toml:"reason"`
	Launches   []string `toml:"launches,omitempty"`
}

type gpuTable struct {
	GPU string   `toml:"gpu"`
	Set []string `toml:"set,omitempty"`
}

// Load reads a project file. Paths in it are relative to its directory. The error, where
// the file is to blame, is a conf.ErrorList.
func Load(path string) (*File, error) {
	data, err := conf.Read(path)
	if err != nil {
		return nil, fmt.Errorf("project file: %w", err)
	}
	return Parse(path, data)
}

// Parse is Load for the text of a file.
func Parse(path string, data []byte) (*File, error) {
	root, err := conf.Parse(path, data)
	if err != nil {
		return nil, err
	}
	var f file
	var errs conf.ErrorList
	conf.Bind(root, &f, "", &errs)
	if len(errs) > 0 {
		return nil, errs.Err()
	}
	r := reader{dir: filepath.Dir(path), errs: &errs}
	out := &File{Path: path, Name: f.Name, MaxInstructions: f.MaxInstructions, Judged: true}
	out.Policies = r.words("policies", f.Policies)
	byDefault := r.gpus("gpus", f.GPUs)
	r.none("gpus", root, f.GPUs)
	if len(f.Launches) == 0 {
		errs.Addf(root.Get("launches").Pos, "launches has no entry, expected at least one")
	}
	for i := range f.Launches {
		r.none(fmt.Sprintf("launches.%d.gpus", i), root.Get("launches").Items[i], f.Launches[i].GPUs)
		r.entry(fmt.Sprintf("launches.%d", i), root.Get("launches").Items[i].Pos, &f, &f.Launches[i], byDefault)
	}
	out.Cases = r.cases()
	for i := range f.Accepted {
		out.Accepted = append(out.Accepted, r.accept(fmt.Sprintf("accepted.%d", i), &f.Accepted[i]))
	}
	return out, errs.Err()
}

// reader checks what the tags of fields cannot say.
type reader struct {
	dir   string
	errs  *conf.ErrorList
	found []found
}

// found is a case with how its launch was named.
type found struct {
	Case
	pattern bool
}

// words are the strings of an array.
func (r *reader) words(where string, list []*node) []Word {
	var out []Word
	for i, n := range list {
		switch {
		case n.Kind != conf.String:
			r.errs.Addf(n.Pos, "%s.%d is %s, expected a string", where, i, n.Kind)
		case strings.TrimSpace(n.Text) == "":
			r.errs.Addf(n.Pos, "%s.%d is empty, expected a string", where, i)
		default:
			out = append(out, Word{n.Text, n.Pos})
		}
	}
	return out
}

// gpus reads a list of names and tables.
func (r *reader) gpus(where string, list []*node) []GPU {
	var out []GPU
	for i, n := range list {
		at := fmt.Sprintf("%s.%d", where, i)
		if n.Kind != conf.Table {
			for _, w := range r.words(where, []*node{n}) {
				out = append(out, GPU{Name: w.Text, Pos: w.Pos})
			}
			continue
		}
		var t gpuTable
		before := len(*r.errs)
		conf.Bind(n, &t, at, r.errs)
		if len(*r.errs) == before {
			out = append(out, GPU{Name: t.GPU, Settings: t.Set, Pos: n.Pos})
		}
	}
	return out
}

// none refuses a list without GPUs, which would be that of nothing.
func (r *reader) none(where string, in *conf.Node, list []*node) {
	if list != nil && len(list) == 0 {
		r.errs.Addf(in.Get("gpus").Pos, "%s is empty, expected GPUs, or no such key for the default", where)
	}
}

// entry finds the cases of an entry of launches.
func (r *reader) entry(where string, at conf.Pos, f *file, e *entry, byDefault []GPU) {
	gpus := byDefault
	if e.GPUs != nil {
		gpus = r.gpus(conf.Join(where, "gpus"), e.GPUs)
	}
	if gpus == nil {
		gpus = []GPU{{}}
	}
	budget := r.budget(conf.Join(where, "budget"), e.Budget)
	// A budget is a claim about every run, whatever its data.
	allInputs, anyInput := budget != nil, false
	for _, said := range []*bool{f.RequireAllInputs, e.RequireAllInputs} {
		if said != nil {
			allInputs, anyInput = *said, !*said
		}
	}
	policies := r.words(conf.Join(where, "policies"), e.Policies)
	files := r.words(conf.Join(where, "files"), e.Files)
	if len(e.Files) == 0 {
		r.errs.Addf(at, "%s.files is empty, expected launch files", where)
	}
	for _, w := range files {
		pattern := strings.ContainsAny(w.Text, `*?[`)
		for _, path := range r.matches(where, w, pattern) {
			for _, g := range gpus {
				r.add(found{Case{Launch: Word{path, w.Pos}, GPU: g, Budget: budget, AllInputs: allInputs, AnyInput: anyInput, Policies: policies}, pattern})
			}
		}
	}
}

// matches are the files that a word of an entry names.
func (r *reader) matches(where string, w Word, pattern bool) []string {
	path, dir := filepath.FromSlash(w.Text), r.dir
	if pattern {
		dir = literal(dir)
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	if !pattern {
		return []string{path}
	}
	list, err := filepath.Glob(path)
	switch {
	case errors.Is(err, filepath.ErrBadPattern):
		r.errs.Addf(w.Pos, "%s.files: %q is no pattern, expected *, ? and sets in [] that end", where, w.Text)
	case len(list) == 0:
		r.errs.Addf(w.Pos, "%s.files: no file matches %q, expected launch files relative to the project file", where, w.Text)
	}
	return list
}

// literal is a pattern that a path alone matches: the directory of the project is no pattern,
// and read as one it could match the launches of another.
func literal(path string) string {
	if filepath.Separator != '\\' {
		path = strings.ReplaceAll(path, `\`, `\\`)
	}
	return strings.NewReplacer("[", "[[]", "*", "[*]", "?", "[?]").Replace(path)
}

// add adds a case, unless another entry names it better. What is named counts for more
// than what a pattern matches; two of a kind contradict each other.
func (r *reader) add(c found) {
	for i := range r.found {
		o := &r.found[i]
		if !sameFile(o.Launch.Text, c.Launch.Text) || cmp.Or(o.GPU.Name, DefaultGPU) != cmp.Or(c.GPU.Name, DefaultGPU) || !slices.Equal(o.GPU.Settings, c.GPU.Settings) {
			continue
		}
		switch {
		case o.pattern && !c.pattern:
			*o = c
		case o.pattern == c.pattern:
			r.errs.Addf(c.Launch.Pos, "%s is there twice on the same GPU, first at %s: expected it once", c.Launch.Text, o.Launch.Pos.In(c.Launch.Pos.File))
		}
		return
	}
	r.found = append(r.found, c)
}

// sameFile compares paths, each relative or not.
func sameFile(a, b string) bool {
	if a == b {
		return true
	}
	x, err := filepath.Abs(a)
	if err != nil {
		return false
	}
	y, err := filepath.Abs(b)
	return err == nil && x == y
}

func (r *reader) cases() []Case {
	var out []Case
	for i := range r.found {
		out = append(out, r.found[i].Case)
	}
	return out
}

// accept reads an assumption that is accepted.
func (r *reader) accept(where string, a *account) Accept {
	n := a.Assumption
	out := Accept{Reason: a.Reason, Launches: a.Launches, Pos: n.Pos}
	if n.Kind != conf.String {
		r.errs.Addf(n.Pos, "%s.assumption is %s, expected the id or the name of an assumption", where, n.Kind)
		return out
	}
	var known []string
	for _, e := range bound.Catalogue() {
		if n.Text == string(e.ID) || n.Text == e.Name {
			out.ID = e.ID
		}
		known = append(known, string(e.ID), e.Name)
	}
	if out.ID == "" {
		near := conf.Near(n.Text, known)
		expected := "expected an id such as A2 or a name such as memory-interference-free (docs/methods.md)"
		if len(near) > 0 {
			expected = "did you mean " + near[0] + "?"
		}
		r.errs.Addf(n.Pos, "%s.assumption: no assumption %q, %s", where, n.Text, expected)
	}
	for _, p := range a.Launches {
		if _, err := filepath.Match(p, ""); err != nil {
			r.errs.Addf(n.Pos, "%s.launches: %q is no pattern, expected *, ? and sets in [] that end", where, p)
		}
	}
	return out
}

// Covers says whether the acceptance is for a launch, whose path is as it was opened.
func (a *Accept) Covers(f *File, launch string) bool {
	if a.Launches == nil {
		return true
	}
	name, err := filepath.Rel(filepath.Dir(f.Path), launch)
	if err != nil {
		name = launch
	}
	return slices.ContainsFunc(a.Launches, func(p string) bool {
		ok, err := filepath.Match(filepath.FromSlash(p), name)
		return err == nil && ok
	})
}

// Listed is a project of launches on GPUs, without a file.
func Listed(launches []string, gpus []GPU) *File {
	out := &File{}
	for _, l := range launches {
		for _, g := range gpus {
			out.Cases = append(out.Cases, Case{Launch: Word{Text: l}, GPU: g})
		}
	}
	return out
}
