// Package ptxas asks NVIDIA's assembler what it thinks of PTX, for tests. It is not a
// dependency: package optional says how tests do without it.
package ptxas

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/warpbound/warpbound/internal/testkit/optional"
)

// An Assembler is a ptxas that is installed.
type Assembler struct{ path string }

// Need finds the assembler, or skips the test.
func Need(tb testing.TB) *Assembler {
	tb.Helper()
	return &Assembler{optional.Path(tb, optional.PTXAS)}
}

// A Complaint is an error of the assembler with the line that it is about.
type Complaint struct {
	Line int
	Text string
}

var complaint = regexp.MustCompile(`(?m)^ptxas .*, line (\d+); (?:error|fatal)\s*: (.*)$`)

// Check assembles a module for an architecture, such as sm_70, and returns what is
// wrong with it, nothing where it is legal. The error is about the assembler itself.
func (a *Assembler) Check(arch, text string) ([]Complaint, error) {
	out, err := a.run(arch, map[string]string{"k.ptx": text})
	if err != nil || out == "" {
		return nil, err
	}
	var all []Complaint
	for _, m := range complaint.FindAllStringSubmatch(out, -1) {
		n, err := strconv.Atoi(m[1])
		if err != nil {
			return nil, err
		}
		all = append(all, Complaint{n, m[2]})
	}
	if len(all) == 0 {
		// Such as ptxas dying, or complaints of another form.
		return []Complaint{{0, out}}, nil
	}
	return all, nil
}

// run assembles files given by name in one process, and returns what the assembler says where one of them is not legal.
func (a *Assembler) run(arch string, files map[string]string) (string, error) {
	dir, err := os.MkdirTemp("", "ptxas")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	args := []string{"-arch=" + arch, "-O0", "-o", "k.cubin"}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(files[name]), 0o666); err != nil {
			return "", err
		}
		args = append(args, name)
	}
	var out bytes.Buffer
	cmd := exec.Command(a.path, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &out
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return "", nil
	case !errors.As(err, &exit):
		return "", err
	}
	// An assembler that dies may say nothing.
	return out.String() + "ptxas: " + err.Error(), nil
}
