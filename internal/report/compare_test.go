package report

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/analysis"
)

func row(method, policy string, boundCycles, simulated int64, safe, claimed bool) analysis.Row {
	return analysis.Row{
		Kernel: "k", Launch: "dir/k.toml", GPU: "g", Policy: policy, Model: "abstract", Scope: bound.Kernel, Method: method,
		BoundCycles: boundCycles, SimulatedCycles: simulated, Overestimation: float64(boundCycles)/float64(simulated) - 1, Safe: safe, AllInputs: true, Claimed: claimed,
	}
}

func compared(t *testing.T, rows ...analysis.Row) *ComparisonDocument {
	t.Helper()
	d, err := gpu.Preset("ecrts2025-200")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := Comparison([]*gpu.Description{d}, rows, true)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// What a row below the simulation is called depends on what it claims.
func TestComparisonNotes(t *testing.T) {
	none := row("gub", "lrr", 0, 100, false, false)
	none.Refused, none.Overestimation = "two blocks", 0
	d := compared(t,
		row("best", "lrr", 150, 100, true, true),
		row("gub", "lrr", 90, 100, false, true),
		row("best", "srr", 90, 100, true, false),
		row("sum", "lrr", 90, 100, true, true),
		none,
	)
	text := d.Document().Text()
	for _, want := range []string{
		"k       k       lrr     best      150        100         50.00 %\n",
		"exceeded (unsafe bound)", "exceeded (not claimed for this model, policy or input)", "VIOLATED",
		"k       k       lrr     gub         -        100               -\n", "- the method gives no bound",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "THIS INPUT") {
		t.Errorf("all bounds are for all inputs:\n%s", text)
	}
	csv := strings.Split(d.Document().CSV(), "\n")
	if csv[1] != "dir/k.toml,k,g,lrr,abstract,kernel,best,150,100,0.500000,,,true" || csv[5] != "dir/k.toml,k,g,lrr,abstract,kernel,gub,,100,,no bound: two blocks,,false" {
		t.Errorf("CSV:\n%s", strings.Join(csv, "\n"))
	}
	// The violation of a method that is not summed up counts too.
	if d.Summary.Method != analysis.Best || d.Summary.Policy != "all" || d.Summary.Rows != 2 || d.Summary.Violations != 1 {
		t.Errorf("summary %+v", d.Summary)
	}
	if d.Rows[4].BoundCycles != nil || d.Rows[4].Overestimation != nil || *d.Rows[0].BoundCycles != 150 || !d.Rows[3].Violation {
		t.Errorf("rows %+v", d.Rows)
	}
}

// A figure that holds for this input only is marked where nothing worse is to say.
func TestComparisonOfThisInput(t *testing.T) {
	good, bad := row("best", "lrr", 150, 100, true, true), row("sum", "lrr", 90, 100, true, false)
	good.AllInputs, bad.AllInputs = false, false
	d := compared(t, good, bad)
	text := d.Document().Text()
	for _, want := range []string{"50.00 %  THIS INPUT\n", "exceeded (not claimed for this model, policy or input)\n", "\nTHIS INPUT: the figure holds for the input"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if d.Rows[0].AllInputs || d.Rows[1].AllInputs {
		t.Errorf("%+v", d.Rows)
	}
}

// Whatever there is, it can be written: no infinity, no null lists.
func TestComparisonOfNothing(t *testing.T) {
	none := row("gub", "lrr", 0, 1, false, false)
	none.Refused = "why"
	for _, rows := range [][]analysis.Row{nil, {none}} {
		d := compared(t, rows...)
		text, err := json.Marshal(d)
		if err != nil || strings.Contains(string(text), `"rows":null`) || strings.Contains(string(text), `"summaries":null`) {
			t.Errorf("%s, %v", text, err)
		}
		if !strings.Contains(d.Document().Text(), "method") {
			t.Error("no table")
		}
	}
}

// The identity of a machine tells settings apart.
func TestIdentity(t *testing.T) {
	plain, err := gpu.Open("ecrts2025-200", nil)
	if err != nil {
		t.Fatal(err)
	}
	set, err := gpu.Open("ecrts2025-200", []string{"sm.count=2"})
	if err != nil {
		t.Fatal(err)
	}
	a, err := identity(plain)
	if err != nil {
		t.Fatal(err)
	}
	b, err := identity(set)
	if err != nil {
		t.Fatal(err)
	}
	again, _ := identity(plain)
	if a.GPU != b.GPU || a.SHA256 == b.SHA256 || a.SHA256 != again.SHA256 || len(a.SHA256) != 64 || len(b.Settings) != 1 || a.Settings == nil {
		t.Errorf("%+v and %+v", a, b)
	}
	if got := machineName(set); got != "ecrts2025-200 with sm.count=2" {
		t.Errorf("%q", got)
	}
	if got := clock(plain); got != "1132 MHz" {
		t.Errorf("%q", got)
	}
}
