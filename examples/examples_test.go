package examples

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/examples/internal/npy"
)

// everywhere are the launches of this directory but those of Vortex, ordered by launch file.
func everywhere() []Example {
	list := slices.Concat(All(), Inputs())
	slices.SortFunc(list, byLaunch)
	return list
}

// filesBelow lists the files in the suites' directories with the given extension, slash-separated, in order. The kernels and
// launches in the directory vortex are package vortex's to test.
func filesBelow(t *testing.T, ext string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && p == "vortex" && ext != ".npy" {
			return fs.SkipDir
		}
		if err == nil && !d.IsDir() && filepath.Ext(p) == ext {
			files = append(files, filepath.ToSlash(p))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestRegistryListsEveryLaunchFile(t *testing.T) {
	var listed []string
	for _, e := range everywhere() {
		listed = append(listed, e.Launch)
		if path.Dir(e.Launch) != e.Suite+"/"+e.Name {
			t.Errorf("%s is listed as suite %s, name %s", e.Launch, e.Suite, e.Name)
		}
	}
	files := slices.DeleteFunc(filesBelow(t, ".toml"), func(f string) bool { return strings.HasPrefix(f, "gpu/") })
	slices.Sort(files)
	if !slices.Equal(listed, files) {
		t.Errorf("listed are\n%s\nthe launch files are\n%s", strings.Join(listed, "\n"), strings.Join(files, "\n"))
	}
}

var (
	entryPattern = regexp.MustCompile(`(?s)\.entry (\w+)\s*\((.*?)\)`)
	paramPattern = regexp.MustCompile(`\.param (?:\.align \d+ )?\.(\w+) \w+(\[\d+\])?`)
)

// entries reads the kernels of a PTX file and their parameters' types, by pattern: a parser is not this package's matter.
func entries(t *testing.T, file string) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(filepath.FromSlash(file))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]string{}
	for _, m := range entryPattern.FindAllStringSubmatch(string(text), -1) {
		var params []string
		for _, p := range paramPattern.FindAllStringSubmatch(m[2], -1) {
			params = append(params, p[1]+p[2])
		}
		found[m[1]] = params
	}
	return found
}

func TestEveryKernelHasALaunch(t *testing.T) {
	launched := map[string]bool{}
	for _, e := range everywhere() {
		launched[strings.TrimSuffix(e.Launch, ".toml")] = true
	}
	kernels := 0
	for _, ptx := range filesBelow(t, ".ptx") {
		for entry := range entries(t, ptx) {
			kernels++
			if !launched[path.Dir(ptx)+"/"+entry] {
				t.Errorf("%s: kernel %s has no %s.toml", ptx, entry, entry)
			}
		}
	}
	if kernels < 50 {
		t.Errorf("found %d kernels, want at least 50", kernels)
	}
}

func TestLaunchFilesFitTheirKernels(t *testing.T) {
	for _, e := range everywhere() {
		l := readLaunch(t, e.Launch)
		if base := strings.TrimSuffix(path.Base(e.Launch), ".toml"); base != l.Entry && !strings.HasPrefix(base, l.Entry+"-") {
			t.Errorf("%s launches %s", e.Launch, l.Entry)
		}
		params, ok := entries(t, path.Dir(e.Launch)+"/"+l.Kernel)[l.Entry]
		if !ok {
			t.Errorf("%s: %s has no entry %s", e.Launch, l.Kernel, l.Entry)
			continue
		}
		if len(params) != len(l.Args) {
			t.Errorf("%s: %d arguments, the kernel has %d parameters", e.Launch, len(l.Args), len(params))
			continue
		}
		for i, a := range l.Args {
			want := "u64" // the address of a buffer
			if a.Bytes != "" {
				want = fmt.Sprintf("b8[%d]", len(buffers(t, e.Launch).Args[a.Name].Data))
			} else if a.Value != nil {
				want = strings.Replace(a.Type, "s", "u", 1)
			}
			if params[i] != want {
				t.Errorf("%s: argument %s is %s, the parameter %s", e.Launch, a.Name, want, params[i])
			}
		}
		blocks, threads := l.Grid[0]*l.Grid[1]*l.Grid[2], l.Block[0]*l.Block[1]*l.Block[2]
		if blocks < 1 || blocks > 16 || threads < 1 || threads > 1024 {
			t.Errorf("%s: %d blocks of %d threads, want 1 to 16 of 1 to 1024", e.Launch, blocks, threads)
		}
	}
}

func TestPTXNamesNoMachine(t *testing.T) {
	for _, ptx := range filesBelow(t, ".ptx") {
		text, err := os.ReadFile(filepath.FromSlash(ptx))
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{"/home", "/root", "/tmp", ".file ", ".loc "} {
			if strings.Contains(string(text), word) {
				t.Errorf("%s contains %q", ptx, word)
			}
		}
	}
}

func TestInputFilesAreTheGenerated(t *testing.T) {
	var generated []string
	for _, f := range npy.Files() {
		generated = append(generated, f.Path)
		committed, err := os.ReadFile(filepath.FromSlash(f.Path))
		if err != nil {
			t.Error(err)
			continue
		}
		if string(committed) != string(f.Data) {
			t.Errorf("%s differs from what go generate writes", f.Path)
		}
	}
	files := slices.Concat(filesBelow(t, ".npy"), filesBelow(t, ".bin"))
	slices.Sort(files)
	if !slices.Equal(generated, files) {
		t.Errorf("generated are\n%s\nthere are\n%s", strings.Join(generated, "\n"), strings.Join(files, "\n"))
	}
}

// TestReadmeListsEveryLaunch holds the README's table to the launch files: a row an example, in it every kernel and the
// size of each launch.
func TestReadmeListsEveryLaunch(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for line := range strings.Lines(string(readme)) {
		if cells := strings.Split(line, " | "); len(cells) == 4 {
			rows[strings.TrimPrefix(cells[0], "| ")] = cells[1]
		}
	}
	for _, e := range everywhere() {
		l := readLaunch(t, e.Launch)
		size := fmt.Sprintf("%dx%d", l.Grid[0]*l.Grid[1]*l.Grid[2], l.Block[0]*l.Block[1]*l.Block[2])
		pattern := regexp.MustCompile("`" + l.Entry + "`[^;]* " + size + `\b`)
		if row := rows[e.Suite+"/"+e.Name]; !pattern.MatchString(row) {
			t.Errorf("%s: no `%s` with size %s in the README's row %q", e.Launch, l.Entry, size, row)
		}
	}
}
