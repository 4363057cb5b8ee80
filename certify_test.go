package warpbound_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warpbound/warpbound"
	"github.com/warpbound/warpbound/launch"
)

// certificate writes the certificate of a launch, by all methods.
func certificate(t *testing.T, l *warpbound.Launch) (file string, a *warpbound.Analysis) {
	t.Helper()
	a, err := l.Analyze(context.Background(), warpbound.AnalyzeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	data, err := a.Certificate(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "bound.json")
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return file, a
}

// sum is the bound on the launch by sum.
func sum(t *testing.T, a *warpbound.Analysis) int64 {
	for _, b := range a.Whole().Bounds {
		if b.Method == "sum" {
			return b.Cycles
		}
	}
	t.Fatal("no bound by sum")
	return 0
}

// A certificate of a launch file is checked against that file, too.
func TestCertify(t *testing.T) {
	file, a := certificate(t, open(t, "examples/basic/reduce/reduce.toml"))
	c, err := warpbound.Certify(file, warpbound.CertifyOptions{})
	if err != nil || !c.Holds() || c.LaunchCycles != sum(t, a) || !c.AllInputs || c.Kernel != "reduce" || c.GPU != warpbound.DefaultGPU || c.Potentials == 0 || len(c.Trusted) == 0 {
		t.Fatalf("%+v, %v", c, err)
	}
	doc, err := c.Report()
	if err != nil || !strings.Contains(doc.Text(), "\nBOUND ") {
		t.Errorf("%s, %v", doc.Text(), err)
	}
	c, err = warpbound.Certify(file, warpbound.CertifyOptions{Launch: "examples/basic/reduce/reduce-1block.toml"})
	if err != nil || c.Holds() || !strings.HasPrefix(c.Refusal, "launch.sha256: ") || len(c.Trusted) > 0 {
		t.Errorf("%+v, %v", c, err)
	}
	if doc, err := c.Report(); err != nil || !strings.Contains(doc.Text(), "\nREFUSED ") || strings.Contains(doc.Text(), "BOUND") {
		t.Errorf("%s, %v", doc.Text(), err)
	}
	if _, err := warpbound.Certify("examples/basic/reduce/reduce.toml", warpbound.CertifyOptions{}); len(warpbound.FileErrors(err)) != 1 {
		t.Errorf("of a launch file: %v", err)
	}
}

// Of a launch that a program states there is no file, and grid and block are trusted.
func TestCertifyWithoutLaunchFile(t *testing.T) {
	l, err := warpbound.New(launch.Launch{
		Kernel: "examples/basic/arithmetic/arithmetic.ptx", Entry: "alu", Grid: [3]int{2}, Block: [3]int{64}, Args: []launch.Arg{
			{Name: "out", Kind: launch.Buffer, Type: launch.U32, Count: 128}, {Name: "n", Type: launch.S32, Bits: 5},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	file, a := certificate(t, l)
	c, err := warpbound.Certify(file, warpbound.CertifyOptions{})
	if err != nil || !c.Holds() || c.LaunchCycles != sum(t, a) || !strings.Contains(strings.Join(c.Trusted, "\n"), "grid and block, which no launch file states") {
		t.Errorf("%+v, %v", c, err)
	}
	var wrong *warpbound.OptionError
	if _, err := warpbound.Certify(file, warpbound.CertifyOptions{Launch: "examples/basic/saxpy/saxpy.toml"}); !errors.As(err, &wrong) || wrong.Option != "Launch" {
		t.Errorf("%v", err)
	}
}
