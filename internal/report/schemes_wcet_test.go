package report

import (
	"strings"
	"testing"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/cache"
)

// Rows of every kind: claimed, violated, without a bound, without figures, without
// the scheme.
func TestSchemesWithWCET(t *testing.T) {
	d, err := gpu.Open("gtx480", nil)
	if err != nil {
		t.Fatal(err)
	}
	config := cache.Config{Sets: 32, Ways: 4, LineBytes: 128, SectorBytes: 128}
	row := func(launch string, w *analysis.SchemeWCET) analysis.SchemeRow {
		runs := []analysis.SchemeRun{{Scheme: "default", Normalised: 1, Ratio: 1}, {Scheme: "reorder", Normalised: 1, Ratio: 1}}
		return analysis.SchemeRow{Launch: launch + ".toml", Kernel: "k", Config: config, Runs: runs, WCET: w}
	}
	bounded := func(cycles int64, claimed bool) *analysis.SchemeWCET {
		return &analysis.SchemeWCET{SimulatedCycles: 1000, UnknownCycles: 3000, EstimatedCycles: 900, Bound: &bound.Bound{Method: "ordered", Cycles: cycles, Safe: true}, Claimed: claimed}
	}
	rows := []analysis.SchemeRow{
		row("holds", bounded(1500, true)), row("violated", bounded(999, true)), row("other", bounded(999, false)),
		row("none", &analysis.SchemeWCET{SimulatedCycles: 1000, UnknownCycles: 2000, EstimatedCycles: 1000, NoBound: "no channel"}),
		row("nothing", &analysis.SchemeWCET{SimulatedCycles: 1000, NoFigure: "no", NoBound: "no"}), row("plain", nil),
	}
	doc, err := SchemesOf(d, rows, false, true)
	if err != nil {
		t.Fatal(err)
	}
	text := doc.Document().Text()
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == ' ' }), " ")
	for _, want := range []string{
		"holds 16/4 1,000 3,000 200.00 % 900 -10.00 % 1,500 50.00 %\n",
		"999 -0.10 % VIOLATED\n", "999 -0.10 % bound not claimed\n", "0.00 % - - no bound: no channel\n", "nothing 16/4 1,000 - - - - - - no bound: no\n",
		"\n16/4 4 175.00 % 0 -7.50 % 3 3 16.60 % 2 1\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	csv := strings.Split(doc.Document().CSV(), "\n")
	for line, want := range map[int]string{1: ",,,,,,", 2: ",,3000,900,1500,true,", 6: ",,3000,900,999,false,", 10: ",,,,,false,", 12: ",,,,,,"} {
		if !strings.HasSuffix(csv[line], want) {
			t.Errorf("line %d: %q, want it to end in %q", line, csv[line], want)
		}
	}
	picture, err := SchemesPlot(doc, "svg")
	if err != nil || !strings.Contains(string(picture), "eq. 4 (estimate)") {
		t.Errorf("%v: no bars", err)
	}
	doc, err = SchemesOf(d, rows[5:], false, true)
	if err != nil {
		t.Fatal(err)
	}
	if text := doc.Document().Text(); strings.Contains(text, "eq. 3") || len(doc.WCET) > 0 || doc.WCET == nil {
		t.Errorf("%s\n%v", text, doc.WCET)
	}
}
