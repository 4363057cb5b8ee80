package patches

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

//go:embed *.txt
var files embed.FS

// folder is where the files of patches are, from the root of the module.
const folder = "internal/verify/fault/patches"

// A Patch is one edit of one file.
type Patch struct {
	Pos    string   // file:line of its head
	File   string   // what it edits, from the root of the module
	Faults []string // their names
	Lines  []Line
}

// A Line is a line of an edit.
type Line struct {
	Mark byte // ' ' stays, '-' goes, '+' comes
	Text string
}

// All reads every patch, in the order of the files' names.
func All() ([]Patch, error) { return read(files) }

func read(files fs.FS) ([]Patch, error) {
	names, err := fs.Glob(files, "*.txt")
	if err != nil {
		return nil, err
	}
	var all []Patch
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		patches, err := parse(path.Join(folder, name), string(text))
		if err != nil {
			return nil, err
		}
		all = append(all, patches...)
	}
	return all, nil
}

// parse reads a file of patches.
func parse(name, text string) ([]Patch, error) {
	var out []Patch
	pkg, open := "", false
	for i, line := range strings.Split(text, "\n") {
		pos := fmt.Sprintf("%s:%d", name, i+1)
		switch {
		case line == "" || line[0] == '#':
			open = false
		case pkg == "":
			dir, ok := strings.CutPrefix(line, "package ")
			if !ok {
				return nil, fmt.Errorf("%s: %q, and expected \"package\" and the package's folder", pos, line)
			}
			pkg = dir
		case line[0] == '@':
			head := strings.Fields(line[1:])
			if len(head) < 2 {
				return nil, fmt.Errorf("%s: %q, and expected \"@\", a file and the names of faults", pos, line)
			}
			out = append(out, Patch{Pos: pos, File: path.Join(pkg, head[0]), Faults: head[1:]})
			open = true
		case open && (line[0] == ' ' || line[0] == '-' || line[0] == '+'):
			p := &out[len(out)-1]
			p.Lines = append(p.Lines, Line{line[0], line[1:]})
		case open:
			return nil, fmt.Errorf("%s: %q, and expected a line marked ' ', '-' or '+'", pos, line)
		default:
			return nil, fmt.Errorf("%s: %q is outside of a patch, and expected a head that starts with '@'", pos, line)
		}
	}
	return out, nil
}
