package warpbound

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/conf"
	"github.com/warpbound/warpbound/internal/filekind"
	"github.com/warpbound/warpbound/internal/project"
	"github.com/warpbound/warpbound/internal/report"
)

// assessed is what is known of one case.
type assessed struct {
	doc   report.CaseDocument
	found []report.Finding
	wrong error // of files that cannot be read
}

// assessor assesses one case.
type assessor struct {
	assessed
	opt      *AssessOptions
	file     *project.File
	of       *project.Case
	gpu      *projectGPU
	launch   *Launch
	analysis *Analysis
	limit    int64
}

// assess assesses a case; one that was not begun before the context ended is told as that.
func (p *Project) assess(ctx context.Context, i int, opt *AssessOptions, launches *openedOnce) assessed {
	a := &assessor{opt: opt, file: p.file, of: &p.file.Cases[i], gpu: &p.gpus[p.on[i]], limit: p.file.MaxInstructions}
	if opt.MaxInstructions > 0 {
		a.limit = opt.MaxInstructions
	}
	a.begin(p.on[i])
	if ctx.Err() != nil {
		a.stopped()
		return a.assessed
	}
	var err error
	if a.launch, err = launches.open(a.of.Launch.Text); err != nil {
		a.wrongInput(err)
		return a.assessed
	}
	a.doc.Kernel = a.launch.Kernel()
	if a.doc.Inputs, err = hashes(a.inputs()); err != nil {
		a.wrongInput(err)
		return a.assessed
	}
	a.bound(ctx)
	a.simulate(ctx)
	if ctx.Err() != nil {
		// Half of a case is none.
		inputs := a.doc.Inputs
		a.begin(p.on[i])
		a.doc.Kernel, a.doc.Inputs, a.found, a.wrong = a.launch.Kernel(), inputs, nil, nil
		a.stopped()
	}
	return a.assessed
}

// begin says what the case is, of which nothing is known yet.
func (a *assessor) begin(gpu int) {
	d := a.gpu.machine.Desc
	a.doc = report.CaseDocument{
		Launch: a.of.Launch.Text, GPU: a.gpu.title(), GPUIndex: gpu, Verdict: report.VerdictNone, BudgetStatus: report.BudgetNone, AllInputs: a.of.AllInputs || a.opt.RequireAllInputs,
		Assumptions: []report.CaseAssumption{}, Figures: []report.FigureRow{}, Facts: []report.FactDocument{}, Inputs: []report.InputDocument{}, Remarks: []string{},
	}
	b := a.of.Budget
	if b == nil && a.opt.MaxCycles > 0 {
		b = project.CyclesOf(a.opt.MaxCycles)
		// A budget is a claim about every run, wherever it is stated.
		a.doc.AllInputs = a.doc.AllInputs || !a.of.AnyInput
	}
	if b != nil {
		cycles := b.Cycles(d.Clock.CoreKHz)
		a.doc.Budget, a.doc.Stated, a.doc.BudgetStatus = &cycles, b.Stated, report.BudgetUnknown
		if b.Pos.Line > 0 {
			a.doc.BudgetAt = b.Pos.String()
		}
	}
	a.doc.Commands = a.commands()
}

// commands show more of the case.
func (a *assessor) commands() []string {
	on := []string{a.of.Launch.Text, "--gpu", a.gpu.name}
	for _, s := range a.gpu.settings {
		on = append(on, "--set", s)
	}
	policies := a.opt.policiesOf(a.file, a.of)
	return []string{
		shell(slices.Concat([]string{"warpbound", "analyze"}, on, []string{"--explain", "--loops"})...),
		shell(slices.Concat([]string{"warpbound", "analyze"}, on, []string{"--by", "line"})...),
		shell(slices.Concat([]string{"warpbound", "compare"}, on, []string{"--policies", strings.Join(policies, ",")})...),
	}
}

// stopped says that the case was not assessed.
func (a *assessor) stopped() {
	a.find(report.RuleStopped, report.LevelError, conf.Pos{File: a.of.Launch.Text}, "%s was not assessed: the assessment was cut short", a.doc.Name())
}

// find adds a finding.
func (a *assessor) find(rule, level string, at conf.Pos, format string, args ...any) *report.Finding {
	f := report.Finding{Rule: rule, Level: level, Message: fmt.Sprintf(format, args...), At: report.PlaceAt(at)}
	if a.of.Launch.Pos.Line > 0 {
		f.Related = append(f.Related, report.PlaceAt(a.of.Launch.Pos))
	}
	a.found = append(a.found, f)
	return &a.found[len(a.found)-1]
}

// wrongInput says what is wrong with the files of the case.
func (a *assessor) wrongInput(err error) {
	a.doc.Verdict, a.doc.Why, a.wrong = report.VerdictInput, err.Error(), err
	files := FileErrors(err)
	for _, f := range files {
		a.find(report.RuleInput, report.LevelError, f.Pos, "%s", f.Msg)
	}
	if len(files) == 0 {
		a.find(report.RuleInput, report.LevelError, conf.Pos{File: a.of.Launch.Text}, "%v", err)
	}
}

// inputs are the files that the case is of.
func (a *assessor) inputs() []string {
	out := slices.Clone(a.launch.opened.File.Files())
	if strings.HasSuffix(a.gpu.name, ".toml") {
		out = append(out, a.gpu.name)
	}
	return out
}

// hashes are files with their SHA-256, each once.
func hashes(paths []string) ([]report.InputDocument, error) {
	out := []report.InputDocument{}
	for i, path := range paths {
		if slices.Contains(paths[:i], path) {
			continue
		}
		f, err := os.Open(path)
		if err != nil {
			return nil, &FileError{Pos: conf.Pos{File: path}, Msg: "cannot be read to be hashed: " + err.Error()}
		}
		h := sha256.New()
		var head bytes.Buffer
		n, err := io.Copy(io.MultiWriter(h, &head), f)
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, &FileError{Pos: conf.Pos{File: path}, Msg: "cannot be read to be hashed: " + err.Error()}
		}
		role := filekind.Of(path, head.Bytes()).String()
		if role == filekind.Unknown.String() {
			role = "data"
		}
		out = append(out, report.InputDocument{Path: path, Role: role, Bytes: n, SHA256: hex.EncodeToString(h.Sum(nil))})
	}
	return out, nil
}

// bound bounds the case and judges the figure.
func (a *assessor) bound(ctx context.Context) {
	for _, f := range a.launch.opened.File.Facts {
		a.doc.Facts = append(a.doc.Facts, report.FactDocument{Fact: f.String(), Position: f.Pos.String()})
	}
	opt := AnalyzeOptions{GPU: a.gpu.machine, MaxInstructions: a.limit, Loops: true}
	r, err := a.launch.Analyze(ctx, opt)
	if r == nil {
		if ctx.Err() == nil {
			a.failed(err)
		}
		return
	}
	var exit *ExitError
	if errors.As(err, &exit) {
		a.find(report.RuleKernel, report.LevelError, a.entry(), "%v", exit)
		err = nil
	}
	a.analysis = r
	if err == nil && r.Best != nil {
		a.attribute(ctx, r)
	}
	doc, form, formErr := r.forms(true)
	if formErr != nil {
		a.failed(formErr)
		return
	}
	a.doc.Analysis = doc
	a.doc.SetAnalysis(form)
	if err != nil || r.Best == nil {
		a.refused(err)
		return
	}
	a.figure(r)
	a.ledger(r.Best.Assumptions)
	a.worst(ctx, r)
	a.sources(r)
}

// sources adds the files whose lines are shown to the inputs.
func (a *assessor) sources(r *Analysis) {
	if r.Costs == nil {
		return
	}
	var shown []string
	for _, row := range r.Costs.Rows {
		// A line of another file is shown as its place says; one that is not at hand is not.
		path := a.place(conf.Pos{}, row.Pos).File
		if path != "" && !slices.Contains(shown, path) && !slices.ContainsFunc(a.doc.Inputs, func(in report.InputDocument) bool { return in.Path == path }) {
			shown = append(shown, path)
		}
	}
	slices.Sort(shown)
	list, err := hashes(shown)
	if err != nil {
		a.remark("%v", err)
		return
	}
	for _, in := range list {
		in.Role += ", whose lines are shown"
		a.doc.Inputs = append(a.doc.Inputs, in)
	}
}

// attribute lists where the cycles go, where that is known.
func (a *assessor) attribute(ctx context.Context, r *Analysis) {
	err := r.attribute(ctx, "line")
	r.annotate = true
	var option *OptionError
	switch {
	case errors.As(err, &option):
		a.remark("where the cycles of the bound go: %s", option.Msg)
	case err != nil && ctx.Err() == nil:
		a.remark("where the cycles of the bound go: %v", err)
	case err == nil && r.Costs != nil && r.Costs.Bound.Method != r.Best.Method:
		a.remark("the cycles by line are of the bound by %s, %d cycles; the smallest is by %s", r.Costs.Bound.Method, r.Costs.Bound.Cycles, r.Best.Method)
	}
}

func (a *assessor) remark(format string, args ...any) {
	a.doc.Remarks = append(a.doc.Remarks, fmt.Sprintf(format, args...))
}

// failed says that the kernel, or a fact, failed.
func (a *assessor) failed(err error) {
	a.doc.Verdict, a.doc.Why = report.VerdictFailed, err.Error()
	rule, at, text := report.RuleKernel, a.entry(), err.Error()
	var kernel *KernelError
	if errors.As(err, &kernel) {
		at = a.place(kernel.Pos, kernel.Source)
		text = strings.TrimPrefix(text, kernel.Pos.String()+": ")
	}
	files := FileErrors(err)
	switch {
	case errors.Is(err, ErrFact) || errors.Is(err, ErrLoopBound):
		rule = report.RuleFact
	case kernel == nil && len(files) > 0:
		a.wrongInput(err)
		return
	case kernel == nil: // nothing is known, and nobody's fault
		a.doc.Verdict, rule = report.VerdictRefused, report.RuleRefused
	}
	if slices.ContainsFunc(a.found, func(f report.Finding) bool { return f.Rule == rule && f.At == report.PlaceAt(at) }) {
		return // every policy finds the same
	}
	f := a.find(rule, report.LevelError, at, "%s", text)
	for _, fact := range a.launch.opened.File.Facts {
		if rule == report.RuleFact && strings.Contains(text, "("+fact.Pos.String()+")") {
			f.Related = append(f.Related, report.PlaceAt(fact.Pos))
		}
	}
}

// refused says why there is no bound.
func (a *assessor) refused(err error) {
	a.doc.Verdict = report.VerdictRefused
	var why []string
	if err != nil {
		why = append(why, err.Error())
	} else if len(a.analysis.Scopes) > 0 {
		for _, no := range a.analysis.Whole().Refused {
			if line := fmt.Sprintf("%s: %s (%s)", no.Method, no.Reason, no.Assumption); !slices.Contains(why, line) {
				why = append(why, line)
			}
		}
	}
	a.doc.Why = strings.Join(why, "\n")
	text := "no safe bound"
	if len(why) > 0 {
		text += ": " + strings.Split(why[0], "\n")[0]
	}
	a.find(report.RuleRefused, report.LevelError, a.entry(), "%s on %s: %s", a.doc.Kernel, a.doc.GPU, text)
	a.missing(report.LevelError)
}

// missing names the loops that need a bound.
func (a *assessor) missing(level string) {
	for _, m := range a.analysis.MissingBounds {
		decides := ""
		if m.Decides != "" {
			decides = ", through " + m.Decides
		}
		a.find(report.RuleLoopBound, level, a.place(m.Pos, m.Source), "data alone end this loop%s: expected a bound under [loops] of the launch file, such as %s", decides, m.Fact)
	}
}

// figure judges the smallest safe figure.
func (a *assessor) figure(r *Analysis) {
	b, d := r.Best, &a.doc
	cycles := b.Cycles
	d.Cycles, d.Nanoseconds, d.Method, d.Theorem = &cycles, nanoseconds(cycles, a.khz()), b.Method, b.Theorem
	d.Verdict = report.VerdictAllInputs
	within := r.whole.Within()
	if len(r.whole.LoopBounds) > 0 {
		if within != "" {
			within += ", and "
		}
		within += "executions within the " + r.whole.FactsText() + " of the launch file: " + strings.Join(r.whole.LoopBounds, ", ")
	}
	switch {
	case !r.AllInputs:
		d.Verdict, d.Why = report.VerdictThisInput, r.NotCovered
		a.thisInput(r)
	case within != "":
		d.Verdict = report.VerdictRanges
	}
	if r.AllInputs {
		d.Within = within
	}
	d.Model = strings.ReplaceAll(report.ModelNote(a.gpu.machine.Desc), "\n", " ")
	row := report.FigureRow{What: figureWord(r) + ", by " + b.Method, Cycles: cycles, Nanoseconds: d.Nanoseconds}
	if d.Budget == nil {
		d.Figures = append(d.Figures, row)
		return
	}
	share := shareOf(cycles, *d.Budget)
	d.Share, row.Share = share, share
	d.Figures = append(d.Figures, row)
	switch {
	case cycles > *d.Budget:
		d.BudgetStatus = report.BudgetOver
		f := a.find(report.RuleOverBudget, report.LevelError, a.costliest(), "%s on %s: %s is %d cycles, and the budget of %s allows %d: expected %d fewer", d.Kernel, d.GPU, figureWord(r), cycles, d.Stated, *d.Budget, cycles-*d.Budget)
		if b := a.of.Budget; b != nil {
			f.Related = append([]report.Place{report.PlaceAt(b.Pos)}, f.Related...)
		}
	case r.AllInputs || !d.AllInputs:
		d.BudgetStatus = report.BudgetWithin
	}
}

func figureWord(r *Analysis) string {
	if r.AllInputs {
		return "the bound"
	}
	return "the figure for this input"
}

// thisInput says that the figure is no bound.
func (a *assessor) thisInput(r *Analysis) {
	level, wanted := report.LevelWarning, ""
	if a.doc.AllInputs {
		level, wanted = report.LevelError, ", expected a bound for all inputs"
	}
	at := a.entry()
	if len(r.Dependences) > 0 {
		at = a.place(r.Dependences[0].Pos, r.Dependences[0].Source)
	}
	why := ""
	if r.NotCovered != "" {
		why = ": " + strings.Split(r.NotCovered, "\n")[0]
	}
	a.find(report.RuleThisInput, level, at, "%s on %s: %d cycles hold for this input only%s%s", a.doc.Kernel, a.doc.GPU, r.Best.Cycles, wanted, why)
	a.missing(level)
}

// ledger lists the assumptions, those that somebody answers for first, and judges them.
func (a *assessor) ledger(list []bound.Assumption) {
	texts := map[bound.ID]string{}
	for _, e := range bound.Catalogue() {
		texts[e.ID] = e.Text
	}
	for _, status := range []bound.Status{bound.Assumed, bound.Proved, bound.Enforced} {
		for _, x := range list {
			if x.Status != status {
				continue
			}
			doc := report.CaseAssumption{ID: x.ID, Name: x.Name, Status: x.Status, Text: texts[x.ID], Note: x.Note}
			if status == bound.Assumed && a.file.Judged {
				a.accept(&doc)
			}
			a.doc.Assumptions = append(a.doc.Assumptions, doc)
		}
	}
}

// accept looks whether the project accepts an assumption.
func (a *assessor) accept(doc *report.CaseAssumption) {
	for i := range a.file.Accepted {
		if x := &a.file.Accepted[i]; x.ID == doc.ID && x.Covers(a.file, a.of.Launch.Text) {
			doc.Accepted, doc.Reason = true, x.Reason
			return
		}
	}
	note := ""
	if doc.Note != "" {
		note = " (here: " + doc.Note + ")"
	}
	a.find(report.RuleAssumption, report.LevelError, a.entry(), "%s on %s: the bound assumes %s %s%s: %s", a.doc.Kernel, a.doc.GPU, doc.ID, doc.Name, note, doc.Text)
}

// worst shows a path that takes long, where data choose it.
func (a *assessor) worst(ctx context.Context, r *Analysis) {
	w, err := r.whole.Worst(ctx)
	if err != nil || w == nil {
		return
	}
	text := a.text()
	doc := &report.WorstDocument{Cycles: w.Cycles, Most: w.Most, Lines: []report.PathLine{}, Choices: []report.ChoiceOfWay{}}
	for _, l := range w.Lines {
		doc.Lines = append(doc.Lines, report.PathLine{Position: l.Pos.String(), Instructions: l.Instructions, Initiation: l.InitiationCycles, Text: text(l.Pos)})
	}
	for _, c := range w.Choices {
		doc.Choices = append(doc.Choices, report.ChoiceOfWay{Position: c.Pos.String(), Times: c.Times, Most: c.Most, Text: text(c.Pos)})
	}
	a.doc.Worst = doc
}

// text gives lines of the files of the kernel.
func (a *assessor) text() func(conf.Pos) string {
	l := newLines(filepath.Dir(a.launch.opened.File.Kernel))
	return func(p conf.Pos) string { return strings.Join(strings.Fields(l.text(p.File, p.Line)), " ") }
}

// place is where an instruction is: in the language that the kernel was written in, where
// that file is at hand, otherwise in the kernel's file.
func (a *assessor) place(pos, source conf.Pos) conf.Pos {
	if source.Line == 0 {
		return pos
	}
	beside := filepath.Dir(a.launch.opened.File.Kernel)
	for _, path := range []string{filepath.Join(beside, filepath.Base(source.File)), filepath.Join(beside, source.File), source.File} {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			source.File = path
			return source
		}
	}
	return pos
}

// entry is where the kernel begins.
func (a *assessor) entry() conf.Pos {
	p := a.launch.Program()
	if len(p.Instructions) == 0 {
		return conf.Pos{File: a.of.Launch.Text}
	}
	return a.place(p.Instructions[0].Pos, p.Instructions[0].Source)
}

// costliest is the line that most cycles of the bound belong to, where that is known.
func (a *assessor) costliest() conf.Pos {
	if c := a.analysis.Costs; c != nil {
		for _, row := range c.Rows {
			if row.Pos.Line > 0 {
				return a.place(row.Pos, row.Pos)
			}
		}
	}
	return a.entry()
}

func (a *assessor) khz() int64 { return a.gpu.machine.Desc.Clock.CoreKHz }

// nanoseconds are cycles as time, rounded up; nil where the number is too large.
func nanoseconds(cycles, khz int64) *int64 {
	ns := new(big.Int).Mul(big.NewInt(cycles), big.NewInt(1_000_000))
	ns.Add(ns, big.NewInt(khz-1)).Quo(ns, big.NewInt(khz))
	if !ns.IsInt64() {
		return nil
	}
	v := ns.Int64()
	return &v
}

func shareOf(cycles, of int64) *float64 {
	share := float64(cycles) / float64(max(of, 1))
	return &share
}
