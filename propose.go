package warpbound

import (
	"fmt"
	"path/filepath"

	"github.com/warpbound/warpbound/internal/conf"
	"github.com/warpbound/warpbound/internal/filekind"
	"github.com/warpbound/warpbound/internal/propose"
	"github.com/warpbound/warpbound/isa"
	"github.com/warpbound/warpbound/ptx"
)

// ProposeOptions choose what Propose writes a launch file for.
type ProposeOptions struct {
	Entry string // the kernel; may be "" where the module has a single one
	// Folder is where the launch file will lie, which names the module from there; ""
	// for the path of the module as it is.
	Folder string
}

// Propose writes a launch file for a kernel of a PTX module (docs/launch-format.md):
// every parameter with a first value, every buffer with a first size, the textures and
// samplers that the kernel fetches by, commented. What the parameters are for is guessed
// from how the kernel uses them; sizes and values are for the user to correct.
func Propose(file string, opt ProposeOptions) ([]byte, error) {
	src, err := filekind.Read(file, "PTX")
	if err != nil {
		return nil, explain(err)
	}
	m, err := ptx.Parse(file, src)
	if err == nil {
		err = ptx.Check(m)
	}
	if err != nil {
		return nil, explain(err)
	}
	entry, err := opt.entry(m)
	if err != nil {
		return nil, err
	}
	kernel := file
	if opt.Folder != "" {
		// Paths in a launch file are relative to it.
		if kernel, err = filepath.Rel(opt.Folder, file); err != nil {
			if kernel, err = filepath.Abs(file); err != nil {
				return nil, err
			}
		}
	}
	return propose.Launch(m, entry, filepath.ToSlash(kernel)), nil
}

// entry is the kernel of a module.
func (o *ProposeOptions) entry(m *ptx.File) (*ptx.Func, error) {
	var names []string
	for _, fn := range m.Entries() {
		if fn.Name == o.Entry {
			return fn, nil
		}
		names = append(names, fn.Name)
	}
	switch {
	case len(names) == 0:
		return nil, &FileError{Pos: isa.Position{File: m.Name}, Msg: "the module has no kernel (.entry), expected one"}
	case o.Entry != "":
		return nil, &OptionError{Option: "Entry", Value: o.Entry, Msg: fmt.Sprintf("%s has no such kernel, %s", m.Name, conf.Suggest(o.Entry, names))}
	case len(names) > 1:
		return nil, &OptionError{Option: "Entry", Msg: fmt.Sprintf("%s has %d kernels (%s), expected one of them", m.Name, len(names), conf.List(names))}
	}
	return m.Entries()[0], nil
}
