package patches

import (
	"bytes"
	"encoding/json"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/verify/fault"
)

const root = "../../../.."

// Every patch applies to today's code, and what comes of it is Go as gofmt writes it.
func TestPatchesApply(t *testing.T) {
	planted, err := Plant(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(planted) < 50 {
		t.Errorf("faults are planted in %d files, and expected in 50 at least", len(planted))
	}
	for _, p := range planted {
		text := []byte(p.Text)
		formatted, err := format.Source(text)
		if err != nil {
			t.Errorf("%s with its faults: %v", p.File, err)
			continue
		}
		if !bytes.Equal(formatted, text) {
			t.Errorf("%s with its faults: gofmt writes it another way", p.File)
		}
	}
}

// What patches make of the code compiles, also after what they rely on has another name.
func TestPlantedCodeCompiles(t *testing.T) {
	name := filepath.Join(t.TempDir(), "overlay.json")
	if err := WriteOverlay(root, name); err != nil {
		t.Fatal(err)
	}
	planted, err := Plant(root)
	if err != nil {
		t.Fatal(err)
	}
	folders := map[string]bool{}
	for _, p := range planted {
		folders["./"+path.Dir(p.File)] = true
	}
	cmd := exec.Command("go", append([]string{"build", "-overlay", name}, slices.Sorted(maps.Keys(folders))...)...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

var asked = regexp.MustCompile(`fault\.On\(fault\.(\w+)\)`)

// Every fault of the lists is planted by a patch, and a patch names the faults that it is
// for: those that it asks about.
func TestEveryFaultHasItsPatch(t *testing.T) {
	names := map[string]bool{}    // of the lists
	idents := map[string]string{} // the name by the constant in small letters
	for _, d := range fault.All() {
		names[d.Name] = false
		idents[strings.ReplaceAll(d.Name, "-", "")] = d.Name
	}
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		for _, name := range p.Faults {
			if _, known := names[name]; !known {
				t.Errorf("%s: %s is no fault that package fault lists", p.Pos, name)
			}
		}
		for _, l := range p.Lines {
			for _, m := range asked.FindAllStringSubmatch(l.Text, -1) {
				name := idents[strings.ToLower(m[1])]
				if !slices.Contains(p.Faults, name) {
					t.Errorf("%s: it asks about fault.%s, which its head does not name", p.Pos, m[1])
				}
				if l.Mark == '+' {
					names[name] = true
				}
			}
		}
	}
	for _, d := range fault.All() {
		if !names[d.Name] {
			t.Errorf("no patch asks about %s, which package fault lists", d.Name)
		}
	}
}

// The code that faults are planted in knows nothing of them: outside of internal/verify
// only tests import package fault.
func TestCodeKnowsNoFaults(t *testing.T) {
	files := 0
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			// The go command, too, passes over names that start so: an overlay that was
			// written lies in one.
			hidden := rel != "." && (d.Name()[0] == '.' || d.Name()[0] == '_')
			if rel == "internal/verify" || d.Name() == "testdata" || hidden {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(rel, ".go") || strings.HasSuffix(rel, "_test.go") {
			return nil
		}
		files++
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, i := range f.Imports {
			if path, err := strconv.Unquote(i.Path.Value); err != nil || strconv.Quote(path) == imported || strings.HasPrefix(path, strings.Trim(imported, `"`)+"/") {
				t.Errorf("%s imports %s; plant its faults by patches in %s", rel, i.Path.Value, folder)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 300 {
		t.Errorf("%d files were looked at, and expected are 300 at least", files)
	}
}

// The overlay replaces files of the module by files that are there.
func TestOverlay(t *testing.T) {
	name := filepath.Join(t.TempDir(), "overlay.json")
	if err := WriteOverlay(root, name); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var overlay struct{ Replace map[string]string }
	if err := json.Unmarshal(text, &overlay); err != nil {
		t.Fatal(err)
	}
	planted, err := Plant(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(overlay.Replace) != len(planted)+1 {
		t.Errorf("%d files are replaced, and expected are the %d with faults and the one that says so", len(overlay.Replace), len(planted))
	}
	for from, to := range overlay.Replace {
		old, err := os.ReadFile(from)
		if err != nil {
			t.Error(err)
		}
		text, err := os.ReadFile(to)
		if err != nil {
			t.Error(err)
		}
		if bytes.Equal(old, text) {
			t.Errorf("%s is replaced by itself", from)
		}
	}
}
