package emit

import (
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/testkit/optional"
)

// What was planned for values of parameters says so in every text, but for the
// kernels of scheme base, which rest on no plan.
func TestFixedScalarsAreNamed(t *testing.T) {
	m := phased()
	m.Scalars = map[string]int64{"n": -5, "kernel": 1, "other": 2}
	const want = "// ONLY FOR n = -5: with another value they may access memory outside their arrays.\n"
	texts := func() (all [3]string) {
		var errs [3]error
		all[0], errs[0] = CUDA(m)
		all[1], errs[1] = OpenCL(m)
		all[2], errs[2] = Harness(m, HarnessOptions{})
		if err := errors.Join(errs[:]...); err != nil {
			t.Fatal(err)
		}
		return all
	}
	for i, text := range texts() {
		if strings.Count(text, want) != 1 || strings.Count(text, "ONLY FOR") != 1 {
			t.Errorf("text %d:\n%s", i, text)
		}
	}
	if notes := fixedNotes(texts()[0]); notes != want {
		t.Errorf("PTX begins %q", notes)
	}
	m.Kernels[0].Scheme = device.Base
	for i, text := range texts() {
		if strings.Contains(text, "ONLY FOR") || strings.Contains(text, "made for") {
			t.Errorf("base, text %d:\n%s", i, text)
		}
	}
}

// A host program ends with a message where an argument is not what its kernels
// were made for.
func TestHarnessRefusesOtherScalars(t *testing.T) {
	m := phased()
	m.Scalars = map[string]int64{"n": 6}
	at := program(t, m, HarnessOptions{Args: []Argument{{Name: "n", Init: Init{Off: 6}}}})
	if out, err := command(t, at, "--set", "kernel=2").CombinedOutput(); err != nil {
		t.Errorf("the value that the kernels are made for: %v\n%s", err, out)
	}
	out, err := command(t, at, "--set", "kernel=2", "--set", "n=7").CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 2 || string(out) != "n: the kernels are made for 6 only\n" {
		t.Errorf("another value: %v\n%s", err, out)
	}
}

func TestFixedScalarsInClangsPTX(t *testing.T) {
	optional.Each(t, optional.Clangs(), fixedScalarsInPTX)
}

func fixedScalarsInPTX(t *testing.T, path string) {
	m := phased()
	m.Scalars = map[string]int64{"n": 6}
	text, err := CUDA(m)
	if err != nil {
		t.Fatal(err)
	}
	ptx, err := ClangPTX(t.Context(), path, text)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(ptx, "// ONLY FOR n = 6: ") {
		t.Errorf("text is\n%s", ptx)
	}
	if _, err := parsePTX(ptx); err != nil {
		t.Error(err)
	}
}
