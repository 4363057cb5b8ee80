package warpbound_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/warpbound/warpbound"
	"github.com/warpbound/warpbound/gpu"
)

// Bounds are not below simulations, whatever is compared.
func TestCompare(t *testing.T) {
	l := open(t, "examples/basic/saxpy/saxpy.toml")
	caches, err := warpbound.GPU("gtx480")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		opt  warpbound.CompareOptions
		rows int
	}{
		{warpbound.CompareOptions{}, 2},
		{warpbound.CompareOptions{Scope: warpbound.OneBlock, Methods: []string{"gub", warpbound.Best, "turns"}, Policies: []string{"srr"}}, 3},
		{warpbound.CompareOptions{Scope: warpbound.OneWarp}, 2},
		{warpbound.CompareOptions{GPUs: []*gpu.Machine{caches}, L1Order: warpbound.L1Reorder, Policies: []string{"lrr"}}, 1},
	} {
		got, err := l.Compare(context.Background(), c.opt)
		if err != nil || len(got.Rows) != c.rows || len(got.Summaries) != c.rows {
			t.Errorf("%+v: %+v, %v", c.opt, got, err)
			continue
		}
		for _, r := range got.Rows {
			if r.Refused != "" || r.Claimed && r.Safe && r.BoundCycles < r.SimulatedCycles || r.SimulatedCycles == 0 || r.Launch != l.Path() {
				t.Errorf("%+v: %+v", c.opt, r)
			}
		}
	}
}

// Several launches on several GPUs are one comparison. Where one fails, or the context
// ends, what was finished before comes beside the error.
func TestCompareSeveral(t *testing.T) {
	const file = "examples/basic/saxpy/saxpy.toml"
	fails := written(t, "k.ptx", ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n trap;\n}\n", "k.toml", "kernel = \"k.ptx\"\ngrid = [1]\nblock = [32]\n")
	var gpus []*gpu.Machine
	for _, name := range []string{"ecrts2025-10", "ecrts2025-200"} {
		m, err := warpbound.GPU(name)
		if err != nil {
			t.Fatal(err)
		}
		gpus = append(gpus, m)
	}
	for _, c := range []struct {
		files    []string
		cancelIn int // the launch, 0 for none
		rows     int
		want     error
	}{
		{[]string{file, file}, 0, 8, nil},
		{[]string{file, fails, file}, 0, 4, warpbound.ErrTrap},
		{[]string{fails}, 0, 0, warpbound.ErrTrap},
		{[]string{file, file}, 2, 4, context.Canceled},
		{[]string{file}, 1, 0, context.Canceled},
	} {
		launches, err := warpbound.OpenAll(c.files...)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		got, err := warpbound.Compare(ctx, launches, warpbound.CompareOptions{GPUs: gpus, Progress: func(p warpbound.Progress) {
			if c.cancelIn > 0 && p.Done == int64(c.cancelIn-1) {
				cancel()
			}
		}})
		cancel()
		if !errors.Is(err, c.want) || c.want == nil && err != nil || (got == nil) != (c.rows == 0) {
			t.Errorf("%+v: %+v, %v", c, got, err)
		}
		if got == nil {
			continue
		}
		r, err := got.Report()
		if err != nil || len(got.Rows) != c.rows || got.Complete != (c.want == nil) || got.Rows[2].GPU != "ecrts2025-200" || got.Rows[0].Launch != file || strings.Count(r.CSV(), "\n") != c.rows+1 {
			t.Errorf("%+v: %+v, %v", c, got, err)
		}
	}
	if _, err := warpbound.Compare(t.Context(), nil, warpbound.CompareOptions{}); err == nil {
		t.Error("nothing was compared")
	}
	// All files are read first, and everything that is wrong with them is said.
	if _, err := warpbound.OpenAll("none.toml", file, "nor.toml"); err == nil || strings.Count(err.Error(), "no such file") != 2 {
		t.Errorf("%v", err)
	}
}

// Each comparison of several launches keeps what was finished before one failed, and
// says of which programs its figures mean nothing.
func TestComparisonsKeepWhatIsFinished(t *testing.T) {
	fails := written(t, "k.ptx", ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n trap;\n}\n", "k.toml", "kernel = \"k.ptx\"\ngrid = [1]\nblock = [32]\n")
	const file = "examples/basic/saxpy/saxpy.toml"
	launches, err := warpbound.OpenAll(file, fails)
	if err != nil {
		t.Fatal(err)
	}
	pairs, err := warpbound.ComparePairs(t.Context(), launches, warpbound.PairsOptions{Pairs: []string{"lrr-lrr"}})
	if !errors.Is(err, warpbound.ErrTrap) || pairs == nil || pairs.Complete || len(pairs.Rows) != 1 || len(pairs.Summaries) != 1 || pairs.Rows[0].Launch != file || pairs.Rows[0].Baseline.Cycles == 0 {
		t.Errorf("%+v, %v", pairs, err)
	}
	schemes, err := warpbound.CompareSchemes(t.Context(), launches, warpbound.SchemesOptions{Schemes: []string{"default", "reorder"}, WCET: true})
	if !errors.Is(err, warpbound.ErrTrap) || schemes == nil || schemes.Complete || len(schemes.Rows) != 1 || len(schemes.Summaries) != 2 || schemes.Rows[0].Launch != file {
		t.Fatalf("%+v, %v", schemes, err)
	}
	if r := schemes.Rows[0]; len(r.Runs) != 2 || r.Runs[0].Normalised != 1 || r.Predicted == nil || r.Predicted.Violation() || r.Loads.Accesses == 0 {
		t.Errorf("%+v", r)
	}
	for name, report := range map[string]func() (*warpbound.Report, error){"compare-pairs": pairs.Report, "compare-schemes": schemes.Report} {
		r, err := report()
		if err != nil || r.Kind() != name {
			t.Fatalf("%s: %v", name, err)
		}
		if text, err := r.JSON(); err != nil || !strings.Contains(string(text), `"complete": false`) || !strings.Contains(string(text), `"launch": "`+file) || !strings.Contains(string(text), `"kernel": "saxpy"`) {
			t.Errorf("%s: %s, %v", name, text, err)
		}
	}
	// Nothing was finished: there is no result.
	for name, ask := range map[string]func() (any, error){
		"pairs": func() (any, error) {
			return warpbound.ComparePairs(t.Context(), launches[1:], warpbound.PairsOptions{Pairs: []string{"lrr-lrr"}})
		},
		"schemes": func() (any, error) {
			return warpbound.CompareSchemes(t.Context(), launches[1:], warpbound.SchemesOptions{})
		},
	} {
		if _, err := ask(); !errors.Is(err, warpbound.ErrTrap) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
