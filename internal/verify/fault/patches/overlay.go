package patches

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

// The package that patched files import.
const imported = `"github.com/warpbound/warpbound/internal/verify/fault"`

// The file that says whether the faults are planted, and what the overlay puts there.
const (
	plantedFile = "internal/verify/fault/planted.go"
	plantedText = "package fault\n\n// Planted says that this build has the planted faults.\nconst Planted = true\n"
)

// A Planted is a file with its faults, each behind fault.On.
type Planted struct {
	File string // from the root of the module
	Text string
}

// Plant applies all patches to the files of the module at root and gives those changed,
// in the order of their first patches.
func Plant(root string) ([]Planted, error) {
	all, err := All()
	if err != nil {
		return nil, err
	}
	byFile := map[string][]Patch{}
	var order []string
	for _, p := range all {
		if byFile[p.File] == nil {
			order = append(order, p.File)
		}
		byFile[p.File] = append(byFile[p.File], p)
	}
	var out []Planted
	for _, name := range order {
		src, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", byFile[name][0].Pos, err)
		}
		text, err := Apply(string(src), byFile[name])
		if err != nil {
			return nil, err
		}
		if text, err = withImport(text); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out = append(out, Planted{name, text})
	}
	return out, nil
}

var packageClause = regexp.MustCompile(`(?m)^package \w+\n`)

// withImport imports package fault.
func withImport(text string) (string, error) {
	at := packageClause.FindStringIndex(text)
	if at == nil {
		return "", fmt.Errorf("no package clause is on a line of its own")
	}
	return text[:at[1]] + "\nimport " + imported + "\n" + text[at[1]:], nil
}

// WriteOverlay writes the files of the module at root with all faults next to the named
// file, and there what the go command's flag -overlay wants to be told of them.
func WriteOverlay(root, name string) error {
	root, err := filepath.Abs(root)
	if err != nil {
		return err
	}
	if name, err = filepath.Abs(name); err != nil {
		return err
	}
	planted, err := Plant(root)
	if err != nil {
		return err
	}
	replace := map[string]string{}
	for _, p := range append(planted, Planted{plantedFile, plantedText}) {
		from := filepath.FromSlash(p.File)
		to := filepath.Join(filepath.Dir(name), from)
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(to, []byte(p.Text), 0o666); err != nil {
			return err
		}
		replace[filepath.Join(root, from)] = to
	}
	text, err := json.MarshalIndent(struct{ Replace map[string]string }{replace}, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(name, append(text, '\n'), 0o666)
}
