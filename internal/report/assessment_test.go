package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/conf"
)

// hostile is a name that is markup in every form.
const hostile = "a|b`*_[x](y)<script>alert(1)</script>]]>&\"'\n%00 #?.toml"

// assessmentOfAll is an assessment with every verdict, every rule, and a hostile name.
func assessmentOfAll() *AssessmentDocument {
	d := &AssessmentDocument{
		Project: "sub/warpbound.toml", Name: hostile, Command: "warpbound report", Complete: true,
		GPUs:  []AssessedGPU{{MachineIdentity: MachineIdentity{GPU: "g", SHA256: "00"}, CoreKHz: 1000, Parameters: []Parameter{{Table: hostile, Key: "k", Value: "1", Source: hostile}}}},
		Cases: []CaseDocument{},
	}
	verdicts := []string{VerdictAllInputs, VerdictRanges, VerdictThisInput, VerdictRefused, VerdictFailed, VerdictInput, VerdictNone}
	for i, v := range verdicts {
		c := CaseDocument{Launch: "sub/" + v + ".toml", GPU: "g", Verdict: v, BudgetStatus: BudgetNone, Assumptions: []CaseAssumption{{ID: bound.NoDataCache, Status: bound.Assumed, Text: hostile, Reason: hostile, Accepted: true}}}
		if i == 0 {
			c.Launch, c.Kernel, c.Why = hostile, hostile, hostile
		}
		if i < 3 {
			cycles, budget, share := int64(1000+i), int64(1001), float64(1000+i)/1001
			c.Cycles, c.Budget, c.Share, c.BudgetStatus, c.Stated = &cycles, &budget, &share, BudgetWithin, "1 us"
			c.Figures = []FigureRow{{What: "the bound", Cycles: cycles}, {What: "simulated, lrr", Policy: "lrr", Cycles: 900, Claimed: true, Overestimation: &share}}
		}
		d.Cases = append(d.Cases, c)
	}
	for i, r := range Rules() {
		index := int64(i % len(d.Cases))
		f := Finding{Rule: r.ID, Level: LevelError, Case: &index, Message: "wrong " + hostile, At: PlaceAt(conf.Pos{File: "sub/k.ptx", Line: i, Col: 2 * i}), Related: []Place{{File: "other/f", Line: 3}}}
		switch i {
		case 1:
			f.At.File = "sub/" + hostile
		case 2:
			f.Level, f.Case = LevelWarning, nil
		case 3:
			f.At.File = "/abs/olute dir/k.ptx"
		}
		d.Add(f)
	}
	d.Judge()
	return d
}

// SARIF is what the standard says it has to be, with paths relative to the project file.
func TestSARIF(t *testing.T) {
	d := assessmentOfAll()
	text, err := d.SARIF()
	if err != nil {
		t.Fatal(err)
	}
	sch, err := jsonschema.NewCompiler().Compile(filepath.Join("testdata", "sarif-2.1.0.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := sch.Validate(doc); err != nil {
		t.Error(err)
	}
	var log sarifLog
	if err := json.Unmarshal(text, &log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	if len(run.Results) != len(d.Findings) || len(run.Tool.Driver.Rules) != len(Rules()) {
		t.Fatalf("%d results, %d rules", len(run.Results), len(run.Tool.Driver.Rules))
	}
	seen := map[string]bool{}
	for i, r := range run.Results {
		if r.Rule != run.Tool.Driver.Rules[r.Index].ID || r.Level != d.Findings[i].Level {
			t.Errorf("%d: %+v", i, r)
		}
		print := r.Fingerprints["warpbound/v1"]
		if len(print) != 32 || seen[print] {
			t.Errorf("%s: fingerprint %q", r.Rule, print)
		}
		seen[print] = true
	}
	for i, want := range map[int]string{0: "k.ptx", 1: "a%7Cb%60%2A_%5Bx%5D%28y%29%3Cscript%3Ealert%281%29%3C/script%3E%5D%5D%3E&%22%27%0A%2500%20%23%3F.toml", 3: "file:///abs/olute%20dir/k.ptx"} {
		at := run.Results[i].Locations[0].Physical
		if got := at.Artifact.URI; !sameURI(got, want) || (at.Artifact.Base == "") != strings.HasPrefix(got, "file:") {
			t.Errorf("result %d is in %s, expected %s", i, got, want)
		}
		if (at.Region == nil) != (i == 0) {
			t.Errorf("result %d: region %+v", i, at.Region)
		}
	}
	if got := run.Results[5].Related[0].Physical.Artifact.URI; got != "../other/f" {
		t.Errorf("related place %s", got)
	}
	// The schema finds what it is for.
	for from, to := range map[string]string{`"version": "2.1.0"`: `"version": "2.0"`, `"startLine": 1,`: `"startLine": 0,`, `"level": "error"`: `"level": "fatal"`, `"ruleId"`: `"rule"`} {
		bad, err := jsonschema.UnmarshalJSON(strings.NewReader(strings.Replace(string(text), from, to, 1)))
		if err != nil {
			t.Fatal(err)
		}
		if sch.Validate(bad) == nil {
			t.Errorf("%s is taken", to)
		}
	}
}

// sameURI compares but for characters that may be escaped or not.
func sameURI(a, b string) bool {
	loose := strings.NewReplacer("%2A", "*", "%28", "(", "%29", ")", "%27", "'", "&", "&")
	return loose.Replace(a) == loose.Replace(b)
}

// JUnit is well formed, has a case for each launch, and one problem at most for each.
func TestJUnit(t *testing.T) {
	d := assessmentOfAll()
	text, err := d.JUnit()
	if err != nil {
		t.Fatal(err)
	}
	var got junitSuites
	if err := xml.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if got.Tests != len(d.Cases) || got.Errors != 2 || got.Failures != 5 || len(got.Suite.Cases) != len(d.Cases) {
		t.Errorf("%d tests, %d errors, %d failures", got.Tests, got.Errors, got.Failures)
	}
	if c := got.Suite.Cases[0]; c.Class != hostile || c.Failure == nil || c.Failure.Type != RuleViolated || !strings.Contains(c.Failure.Text, "]]>") {
		t.Errorf("%+v", c)
	}
	if c := got.Suite.Cases[len(d.Cases)-1]; c.Error == nil || c.Failure != nil {
		t.Errorf("%+v", c)
	}
	z := xml.NewDecoder(bytes.NewReader(text))
	for {
		tok, err := z.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := tok.(xml.StartElement); ok && e.Name.Local == "script" {
			t.Error("a name is markup")
		}
	}
}

// Nothing of a name is markup in Markdown, and no cell ends a row.
func TestMarkdown(t *testing.T) {
	d := assessmentOfAll()
	d.Since(&EarlierAssessment{Cases: []EarlierCase{{Launch: hostile, GPU: "g", Verdict: VerdictRefused, BudgetStatus: BudgetNone}, {Launch: "gone", GPU: "g"}}})
	text := string(d.Markdown())
	if strings.Contains(text, "<script") || regexp.MustCompile(`[^\\]\]\(y\)`).MatchString(text) {
		t.Error(text)
	}
	unescaped := regexp.MustCompile(`(^|[^\\])\|`)
	columns := 0
	for line := range strings.Lines(text) {
		n := len(unescaped.FindAllString(strings.TrimSuffix(line, "\n"), -1))
		switch {
		case !strings.HasPrefix(line, "|"):
			columns = 0
		case columns == 0:
			columns = n
		case n != columns:
			t.Errorf("%d columns, expected %d: %s", n, columns, line)
		}
	}
	for _, want := range []string{"### Errors", "### Changes", "no longer there", "BOUND for all inputs, was REFUSED", "FAIL: ", "<details>"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
}

// A case fails by an error of its own, the project by any.
func TestJudge(t *testing.T) {
	cases := func() *AssessmentDocument {
		return &AssessmentDocument{Complete: true, Cases: []CaseDocument{{Verdict: VerdictAllInputs}, {Verdict: VerdictThisInput}}}
	}
	second := int64(1)
	for _, c := range []struct {
		find   []Finding
		change func(*AssessmentDocument)
		want   []bool // of all, and of the cases
	}{
		{nil, func(*AssessmentDocument) {}, []bool{true, true, true}},
		{[]Finding{{Level: LevelWarning, Case: &second}}, func(*AssessmentDocument) {}, []bool{true, true, true}},
		{[]Finding{{Level: LevelError, Case: &second}}, func(*AssessmentDocument) {}, []bool{false, true, false}},
		{[]Finding{{Level: LevelError}}, func(*AssessmentDocument) {}, []bool{false, true, true}},
		{nil, func(d *AssessmentDocument) { d.Complete, d.Cases[0].Verdict = false, VerdictNone }, []bool{false, false, true}},
	} {
		d := cases()
		c.change(d)
		for _, f := range c.find {
			d.Add(f)
		}
		d.Judge()
		if got := []bool{d.Passed, d.Cases[0].Passed, d.Cases[1].Passed}; !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v, expected %v", c.find, got, c.want)
		}
	}
}

// Every rule has an id of its own and says what to do.
func TestRules(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Rules() {
		if seen[r.ID] || !regexp.MustCompile(`^[a-z-]+$`).MatchString(r.ID) || !strings.HasSuffix(r.Short, ".") || len(r.Help) < 20 {
			t.Errorf("%+v", r)
		}
		seen[r.ID] = true
	}
}

// Bars are as long as their values, whatever these are, and stay in the picture.
func TestBars(t *testing.T) {
	sheet := &Sheet{Columns: []Column{{ID: "what"}, {ID: "cycles", Type: Amount, Unit: "cycles"}}, Rows: [][]any{
		{"all", int64(1) << 62}, {hostile, int64(1) << 61}, {"none", nil}, {"zero", int64(0)},
	}}
	b := &bars{sheet: sheet, value: 1, mark: 1 << 60, markLabel: "budget", hatched: func(row []any) bool { return row[0] == "all" }}
	f := b.figure()
	z := xml.NewDecoder(bytes.NewReader(f.SVG))
	var widths []string
	for {
		tok, err := z.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		e, ok := tok.(xml.StartElement)
		if !ok || e.Name.Local != "rect" {
			continue
		}
		for _, a := range e.Attr {
			if a.Name.Local == "width" || a.Name.Local == "class" {
				widths = append(widths, a.Value)
			}
		}
	}
	if want := []string{"bar outlined", "419", "bar", "209", "bar", "1"}; !slices.Equal(widths, want) {
		t.Errorf("%v, expected %v", widths, want)
	}
	if !bytes.Contains(f.SVG, []byte(`class="mark" x1="314"`)) {
		t.Errorf("%s", f.SVG)
	}
}
