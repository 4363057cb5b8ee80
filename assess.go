package warpbound

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/conf"
	"github.com/warpbound/warpbound/internal/project"
	"github.com/warpbound/warpbound/internal/report"
	"github.com/warpbound/warpbound/internal/report/page"
	"github.com/warpbound/warpbound/internal/version"
)

// AssessOptions choose how a project is assessed. The zero value is as the project says.
type AssessOptions struct {
	// Policies are simulated, in place of those of the project; nil for those, or for lrr
	// and gto where it names none.
	Policies []string
	// RequireAllInputs asks for a bound for all inputs, of every launch.
	RequireAllInputs bool
	// MaxCycles is the budget of every launch that the project gives none; 0 for none. As
	// every budget it asks for a bound for all inputs, unless the project asks for none.
	MaxCycles int64
	// MaxInstructions ends the execution of a kernel; 0 for what the project says.
	MaxInstructions int64
	// Against is the JSON form of an earlier assessment, to compare with; nil for none.
	Against []byte
	// Workers is how many launches are assessed at the same time, 0 for as many as there
	// are processors. What is found is the same.
	Workers  int
	Progress func(Progress) // told now and then how far it is; may be nil
}

// The forms of [Assessment.Render].
const (
	FormHTML     = "html"  // one file with all of it, to be read, printed and signed
	FormMarkdown = "md"    // a short form for pull requests
	FormJUnit    = "junit" // a test case for each launch on each GPU
	FormSARIF    = "sarif" // SARIF 2.1.0: findings at source lines
	FormJSON     = "json"  // docs/json.md
	FormText     = "text"  // the summary, for a terminal
)

// assessmentForms are the forms with the end of the name of a file that has it.
var assessmentForms = []struct{ form, end string }{
	{FormHTML, ".html"}, {FormMarkdown, ".md"}, {FormJUnit, ".xml"}, {FormSARIF, ".sarif"}, {FormJSON, ".json"}, {FormText, ".txt"},
}

// AssessmentForms names the forms of [Assessment.Render].
func AssessmentForms() []string {
	var out []string
	for _, f := range assessmentForms {
		out = append(out, f.form)
	}
	return out
}

// AssessmentForm is the form of [Assessment.Render] for a file: the one named, or for ""
// the one that the name of the file asks for by its end; of no file it is FormText.
func AssessmentForm(name, file string) (string, error) {
	switch {
	case name != "":
		return name, oneOf("Format", name, AssessmentForms()...)
	case file == "":
		return FormText, nil
	}
	var ends []string
	for _, f := range assessmentForms {
		if strings.EqualFold(filepath.Ext(file), f.end) {
			return f.form, nil
		}
		ends = append(ends, f.end)
	}
	return "", &OptionError{Option: "Output", Value: file, Msg: "the name does not say which form, expected " + conf.List(ends)}
}

// Assessment is what is known of the time of the launches of a project, and what of it is
// not as it has to be.
type Assessment struct {
	// Complete is false where the assessment was cut short.
	Complete bool
	// Passed says that it is complete, and that no finding is an error.
	Passed   bool
	Findings []Finding

	project *Project
	whole   *report.AssessmentDocument
	form    *report.Document
}

// Finding is something that is not as it has to be, or that a reader has to know.
type Finding struct {
	Rule    string // stable: over-budget, assumption-not-accepted, ... (docs/report.md)
	Level   string // error, warning or note
	Message string
	// Launch and GPU are those that it is about, "" for the project.
	Launch, GPU string
	// File, Line and Column say where; Line is 0 where the file is all that is known.
	File         string
	Line, Column int
}

// String is the finding as compilers write theirs.
func (f Finding) String() string {
	at := conf.Pos{File: f.File, Line: f.Line, Col: f.Column}.String()
	if at != "" {
		at += ": "
	}
	return fmt.Sprintf("%s%s (%s)", at, f.Message, f.Rule)
}

// Errors are the findings that keep the assessment from passing.
func (a *Assessment) Errors() []Finding {
	return slices.DeleteFunc(slices.Clone(a.Findings), func(f Finding) bool { return f.Level != report.LevelError })
}

// Report is the assessment as the command report prints it.
func (a *Assessment) Report() (*Report, error) { return &Report{a.form}, nil }

// Render writes the assessment in one of [AssessmentForms]. The same project gives the same
// bytes.
func (a *Assessment) Render(form string) ([]byte, error) {
	switch form {
	case FormHTML:
		return page.Write(a.form)
	case FormMarkdown:
		return a.whole.Markdown(), nil
	case FormJUnit:
		return a.whole.JUnit()
	case FormSARIF:
		return a.whole.SARIF()
	case FormJSON:
		return a.form.EncodeJSON()
	case FormText:
		return []byte(a.form.Text()), nil
	}
	return nil, oneOf("Form", form, AssessmentForms()...)
}

// Assess bounds and simulates each launch of the project on each of its GPUs, and says
// which bounds are over their budgets, which assumptions nobody accepts, and which facts
// do not hold. What goes wrong with one launch is a finding, and the others are assessed.
//
// Where the context ends, the Assessment has what was finished before, beside the error.
// An error beside a complete Assessment lists files that cannot be read ([FileErrors]).
func (p *Project) Assess(ctx context.Context, opt AssessOptions) (*Assessment, error) {
	before, err := opt.check()
	if err != nil {
		return nil, err
	}
	d := &report.AssessmentDocument{
		Warpbound: version.Get(), Project: p.file.Path, Name: p.file.Name, Command: p.command(&opt),
		Inputs: []report.InputDocument{}, Accepted: []report.AcceptDocument{}, GPUs: []report.AssessedGPU{}, Cases: []report.CaseDocument{}, Findings: []report.Finding{},
	}
	for i := range p.gpus {
		g, err := report.NewAssessedGPU(p.gpus[i].name, p.gpus[i].machine.Desc)
		if err != nil {
			return nil, err
		}
		d.GPUs = append(d.GPUs, *g)
	}
	if p.file.Path != "" {
		if d.Inputs, err = hashes([]string{p.file.Path}); err != nil {
			return nil, explain(err)
		}
	}
	assessed := p.all(ctx, &opt)
	d.Complete = ctx.Err() == nil
	var wrong []error
	for i := range assessed {
		c := &assessed[i]
		d.Cases = append(d.Cases, c.doc)
		for _, f := range c.found {
			index := int64(i)
			f.Case = &index
			d.Add(f)
		}
		wrong = append(wrong, c.wrong)
	}
	p.acceptances(d)
	d.Judge()
	if before != nil {
		d.Since(before)
	}
	a := &Assessment{Complete: d.Complete, Passed: d.Passed, project: p, whole: d, form: d.Document()}
	for i := range d.Findings {
		a.Findings = append(a.Findings, findingOf(d, &d.Findings[i]))
	}
	return a, errors.Join(ctx.Err(), joined(wrong))
}

// joined is each error once: launches are assessed on several GPUs.
func joined(list []error) error {
	var out []error
	seen := map[string]bool{}
	for _, err := range list {
		if err != nil && !seen[err.Error()] && len(out) < conf.MaxErrors {
			seen[err.Error()] = true
			out = append(out, err)
		}
	}
	return errors.Join(out...)
}

// check checks the options, and reads the earlier assessment, nil for none.
func (o *AssessOptions) check() (*report.EarlierAssessment, error) {
	errs := []error{
		atLeast("MaxCycles", o.MaxCycles, 0), atLeast("MaxInstructions", o.MaxInstructions, 0), atLeast("Workers", int64(o.Workers), 0),
	}
	if o.Policies != nil {
		_, err := (&CompareOptions{Policies: o.Policies}).policies()
		errs = append(errs, err)
	}
	var before *report.EarlierAssessment
	if o.Against != nil {
		before = &report.EarlierAssessment{}
		if err := json.Unmarshal(o.Against, before); err != nil {
			errs = append(errs, &OptionError{Option: "Against", Msg: fmt.Sprintf("%v, expected the JSON form of an assessment", err)})
		} else if before.Cases == nil {
			errs = append(errs, &OptionError{Option: "Against", Msg: "no cases, expected the JSON form of an assessment"})
		}
	}
	return before, errors.Join(errs...)
}

// all assesses the cases, several at a time, in the order of the project.
func (p *Project) all(ctx context.Context, opt *AssessOptions) []assessed {
	out := make([]assessed, len(p.file.Cases))
	tell := newTeller("assessing launches", nil, opt.Progress)
	launches := openedOnce{of: map[string]func() (*Launch, error){}}
	workers := opt.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	next := make(chan int)
	var (
		running sync.WaitGroup
		mu      sync.Mutex
		done    int64
	)
	for range min(workers, len(out)) {
		running.Go(func() {
			for i := range next {
				out[i] = p.assess(ctx, i, opt, &launches)
				mu.Lock()
				done++
				tell.done(done, int64(len(out)))
				mu.Unlock()
			}
		})
	}
	tell.done(0, int64(len(out)))
	for i := range out {
		next <- i
	}
	close(next)
	running.Wait()
	return out
}

// openedOnce opens each launch file once.
type openedOnce struct {
	mu sync.Mutex
	of map[string]func() (*Launch, error)
}

func (o *openedOnce) open(path string) (*Launch, error) {
	o.mu.Lock()
	f := o.of[path]
	if f == nil {
		f = sync.OnceValues(func() (*Launch, error) { return Open(path) })
		o.of[path] = f
	}
	o.mu.Unlock()
	return f()
}

// acceptances lists what the project accepts, with how many cases rest on it.
func (p *Project) acceptances(d *report.AssessmentDocument) {
	for i := range p.file.Accepted {
		a := &p.file.Accepted[i]
		doc := report.AcceptDocument{ID: a.ID, Name: bound.Assume(a.ID, bound.Assumed, "").Name, Reason: a.Reason, Launches: append([]string{}, a.Launches...), Position: a.Pos.String()}
		for j := range d.Cases {
			c := &d.Cases[j]
			if slices.ContainsFunc(c.Assumptions, func(x report.CaseAssumption) bool { return x.ID == a.ID && x.Status == bound.Assumed }) && a.Covers(p.file, c.Launch) {
				doc.Used++
			}
		}
		d.Accepted = append(d.Accepted, doc)
		if doc.Used == 0 && d.Complete {
			d.Add(report.Finding{Rule: report.RuleUnused, Level: report.LevelWarning, Message: fmt.Sprintf("%s (%s) is accepted, and no bound rests on it: expected it to be left out", a.ID, doc.Name), At: report.PlaceAt(a.Pos)})
		}
	}
}

func findingOf(d *report.AssessmentDocument, f *report.Finding) Finding {
	out := Finding{Rule: f.Rule, Level: f.Level, Message: f.Message, File: f.At.File, Line: int(f.At.Line), Column: int(f.At.Column)}
	if f.Case != nil {
		out.Launch, out.GPU = d.Cases[*f.Case].Launch, d.Cases[*f.Case].GPU
	}
	return out
}

// command is the command line that gives the assessment again.
func (p *Project) command(opt *AssessOptions) string {
	words := []string{"warpbound", "report"}
	if p.file.Path != "" {
		words = append(words, "--project", p.file.Path)
	} else {
		seen := map[string]bool{}
		for i := range p.file.Cases {
			if path := p.file.Cases[i].Launch.Text; !seen[path] {
				seen[path] = true
				words = append(words, path)
			}
		}
		words = append(words, p.gpuWords()...)
	}
	if opt.Policies != nil {
		words = append(words, "--policies", strings.Join(opt.Policies, ","))
	}
	if opt.RequireAllInputs {
		words = append(words, "--require-all-inputs")
	}
	if opt.MaxCycles > 0 {
		words = append(words, "--max-cycles", fmt.Sprint(opt.MaxCycles))
	}
	if opt.MaxInstructions > 0 {
		words = append(words, "--max-instructions", fmt.Sprint(opt.MaxInstructions))
	}
	return shell(append(words, "-o", "report.html")...)
}

// gpuWords are the flags that name the GPUs of a project without a file, which all have
// the same settings.
func (p *Project) gpuWords() []string {
	var names []string
	for i := range p.gpus {
		names = append(names, p.gpus[i].name)
	}
	out := []string{"--gpu", strings.Join(names, ",")}
	for _, s := range p.gpus[0].settings {
		out = append(out, "--set", s)
	}
	return out
}

// shell writes words so that a shell reads them as they are.
func shell(words ...string) string {
	var out []string
	for _, w := range words {
		if w == "" || strings.ContainsFunc(w, func(r rune) bool {
			return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_=+,./:@%", r))
		}) {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		out = append(out, w)
	}
	return strings.Join(out, " ")
}

// policiesOf are the policies that a case is simulated under.
func (o *AssessOptions) policiesOf(f *project.File, c *project.Case) []string {
	if o.Policies != nil {
		return o.Policies
	}
	list := c.Policies
	if list == nil {
		list = f.Policies
	}
	if list == nil {
		return []string{"lrr", "gto"}
	}
	var out []string
	for _, w := range list {
		out = append(out, w.Text)
	}
	return out
}
