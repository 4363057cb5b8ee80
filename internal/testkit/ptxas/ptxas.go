// Package ptxas asks NVIDIA's assembler what it thinks of PTX, for tests. It is not a
// dependency: package optional says how tests do without it.
package ptxas

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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
	dir, err := os.MkdirTemp("", "ptxas")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "k.ptx"), []byte(text), 0o666); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	cmd := exec.Command(a.path, "-arch="+arch, "-O0", "-o", "k.cubin", "k.ptx")
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &out
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	if err == nil {
		return nil, nil
	}
	var all []Complaint
	for _, m := range complaint.FindAllStringSubmatch(out.String(), -1) {
		n, err := strconv.Atoi(m[1])
		if err != nil {
			return nil, err
		}
		all = append(all, Complaint{n, m[2]})
	}
	if len(all) == 0 {
		// Such as ptxas dying, or complaints of another form.
		return []Complaint{{0, out.String()}}, nil
	}
	return all, nil
}
