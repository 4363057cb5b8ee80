package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/conf"
	"github.com/warpbound/warpbound/internal/version"
)

// AssessmentDocument is the JSON form of an assessment (docs/json.md): launches on GPUs,
// what is known of the time of each, and what of it is not as it has to be.
type AssessmentDocument struct {
	Warpbound version.Info `json:"warpbound"`
	// Project is the project file, "" where launches were named instead.
	Project string `json:"project"`
	Name    string `json:"name"`
	// Command gives this assessment again.
	Command string `json:"command"`
	// Complete is false where the assessment was cut short: cases that were not finished
	// have the verdict VerdictNone.
	Complete bool `json:"complete"`
	// Passed says that no finding is an error, and that the assessment is complete.
	Passed   bool             `json:"passed"`
	Inputs   []InputDocument  `json:"inputs"` // the project file
	Accepted []AcceptDocument `json:"accepted"`
	GPUs     []AssessedGPU    `json:"gpus"`
	Cases    []CaseDocument   `json:"cases"`
	Findings []Finding        `json:"findings"`
	// Changes are those since an earlier assessment, null where there is none to compare
	// with.
	Changes *[]ChangeDocument `json:"changes"`
}

// What is known of the time of a launch, as CaseDocument.Verdict.
const (
	VerdictAllInputs = "all-inputs"    // a bound, whatever the data
	VerdictRanges    = "within-ranges" // a bound for the ranges that the launch states
	VerdictThisInput = "this-input"    // a figure for the input of the launch file
	VerdictRefused   = "refused"       // no safe bound
	VerdictFailed    = "failed"        // the kernel, or a fact of the launch
	VerdictInput     = "wrong-input"   // a file that cannot be read
	VerdictNone      = "not-assessed"  // the assessment was cut short before
)

// verdictTexts are the verdicts as people read them.
var verdictTexts = map[string]string{
	VerdictAllInputs: "BOUND for all inputs", VerdictRanges: "BOUND within what is stated", VerdictThisInput: "THIS INPUT only",
	VerdictRefused: "REFUSED: no safe bound", VerdictFailed: "FAILED", VerdictInput: "WRONG INPUT", VerdictNone: "not assessed",
}

// How a figure stands to its budget, as CaseDocument.BudgetStatus.
const (
	BudgetNone    = "none"
	BudgetWithin  = "within"
	BudgetOver    = "over"
	BudgetUnknown = "unknown" // no figure, or one that is not for all inputs although one has to be
)

// AssessedGPU is a GPU with the numbers of its description.
type AssessedGPU struct {
	MachineIdentity
	// Given is the preset or the file, as it was named.
	Given      string      `json:"given"`
	CoreKHz    int64       `json:"core_khz"`
	Parameters []Parameter `json:"parameters"`
}

// Parameter is a value of a GPU description with where it comes from.
type Parameter struct {
	Table  string `json:"table"` // "" for the top of the file
	Key    string `json:"key"`
	Value  string `json:"value"` // as the file writes it
	Source string `json:"source"`
}

// CaseDocument is what is known of a launch on a GPU.
type CaseDocument struct {
	Launch string `json:"launch"`
	Kernel string `json:"kernel"` // "" where the launch cannot be read
	GPU    string `json:"gpu"`
	// GPUIndex is that of the GPU in the list of them.
	GPUIndex int    `json:"gpu_index"`
	Verdict  string `json:"verdict"`
	// Why says why there is no bound, or none for all inputs; "" otherwise.
	Why    string `json:"why"`
	Within string `json:"within"` // the ranges for which a bound holds
	// Model says what of the GPU the bound is not of, "" where there is nothing.
	Model  string `json:"model_note"`
	Passed bool   `json:"passed"`
	// Cycles is the smallest safe figure, null where there is none.
	Cycles       *int64   `json:"cycles"`
	Nanoseconds  *int64   `json:"nanoseconds"` // rounded up
	Method       string   `json:"method"`
	Theorem      string   `json:"theorem"`
	BudgetStatus string   `json:"budget_status"`
	Budget       *int64   `json:"budget_cycles"`
	Stated       string   `json:"budget_stated"`
	BudgetAt     string   `json:"budget_position"`
	Share        *float64 `json:"budget_share"` // of the budget, that the figure takes
	// AllInputs says that a bound for all inputs was asked for.
	AllInputs   bool                `json:"all_inputs_required"`
	Commands    []string            `json:"commands"`
	Assumptions []CaseAssumption    `json:"assumptions"`
	Figures     []FigureRow         `json:"figures"`
	Facts       []FactDocument      `json:"facts"`
	Worst       *WorstDocument      `json:"worst_path"`
	Timeline    *TimelineDocument   `json:"timeline"`
	Inputs      []InputDocument     `json:"inputs"`
	Remarks     []string            `json:"remarks"` // on what is left out, and why
	Analysis    *AnalysisDocument   `json:"analysis"`
	Simulation  *SimulationDocument `json:"simulation"` // under the slowest policy
	// Memory is a simulation with the caches of the GPU, which the bounds are not of.
	Memory *SimulationDocument `json:"memory"`
	Cache  *CacheDocument      `json:"cache"`

	pages casePages
}

// casePages are the documents of a case, and the pictures.
type casePages struct {
	analysis, simulation, memory, cache *Document
	timeline                            func() ([]byte, error)
}

// CaseAssumption is an assumption that the figure of a case rests on.
type CaseAssumption struct {
	ID     bound.ID     `json:"id"`
	Name   string       `json:"name"`
	Status bound.Status `json:"status"`
	Text   string       `json:"text"`
	Note   string       `json:"note"` // what it amounts to here
	// Accepted says that the project accepts it; Reason is the reason given.
	Accepted bool   `json:"accepted"`
	Reason   string `json:"reason"`
}

// AcceptDocument is an assumption that the project accepts.
type AcceptDocument struct {
	ID       bound.ID `json:"id"`
	Name     string   `json:"name"`
	Reason   string   `json:"reason"`
	Launches []string `json:"launches"` // patterns; empty for all
	Position string   `json:"position"`
	// Used is how many cases rest on it.
	Used int64 `json:"used"`
}

// FigureRow is the bound of a case, or a simulation beside it.
type FigureRow struct {
	What        string   `json:"what"`
	Policy      string   `json:"policy"` // "" of the bound
	Model       string   `json:"model"`
	Cycles      int64    `json:"cycles"`
	Nanoseconds *int64   `json:"nanoseconds"`
	Share       *float64 `json:"budget_share"`
	// Overestimation is bound / simulated - 1, null of the bound, and where there is none.
	Overestimation *float64 `json:"overestimation"`
	Claimed        bool     `json:"claimed"`
	Violation      bool     `json:"violation"`
}

// FactDocument is a fact that the launch states.
type FactDocument struct {
	Fact     string `json:"fact"`
	Position string `json:"position"`
}

// WorstDocument is a path that takes long, where data choose it.
type WorstDocument struct {
	Cycles  int64         `json:"cycles"`
	Most    int64         `json:"most_cycles"`
	Lines   []PathLine    `json:"lines"`
	Choices []ChoiceOfWay `json:"choices"`
}

// PathLine is a line on a path.
type PathLine struct {
	Position     string `json:"position"`
	Instructions int64  `json:"instructions"`
	Initiation   int64  `json:"initiation_cycles"`
	Text         string `json:"text"`
}

// ChoiceOfWay is what data decide on a path.
type ChoiceOfWay struct {
	Position string `json:"position"`
	Times    int64  `json:"times"`
	Most     int64  `json:"most"`
	Text     string `json:"text"`
}

// TimelineDocument is what the warps of the slowest block did, in the simulation of the
// case.
type TimelineDocument struct {
	Policy string       `json:"policy"`
	Block  int64        `json:"block"`
	SM     int64        `json:"sm"`
	Start  int64        `json:"start_cycle"`
	End    int64        `json:"end_cycle"`
	Warps  int64        `json:"warps"`
	States []StateCycle `json:"states"`
}

// StateCycle is how many cycles the warps of a block were in a state, all together.
type StateCycle struct {
	State  string  `json:"state"`
	Cycles int64   `json:"cycles"`
	Share  float64 `json:"share"`
}

// InputDocument is a file that an assessment is of.
type InputDocument struct {
	Path   string `json:"path"`
	Role   string `json:"role"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// ChangeDocument is a case whose figure is another than in an earlier assessment.
type ChangeDocument struct {
	Launch string `json:"launch"`
	GPU    string `json:"gpu"`
	// Before and After are cycles, null where there is no figure, or no such case.
	Before *int64   `json:"before_cycles"`
	After  *int64   `json:"after_cycles"`
	Change *float64 `json:"change"` // after / before - 1
	Note   string   `json:"note"`
}

// Levels of findings.
const (
	LevelError   = "error" // the assessment does not pass
	LevelWarning = "warning"
	LevelNote    = "note"
)

// Finding is something that is not as it has to be, or that a reader has to know.
type Finding struct {
	Rule    string `json:"rule"` // of Rules
	Level   string `json:"level"`
	Case    *int64 `json:"case"` // index of the case, null for what is of the project
	Message string `json:"message"`
	At      Place  `json:"at"`
	// Related are further places, such as the line that states a budget.
	Related []Place `json:"related"`
}

// Place is one in a file; Line is 0 where that is not known.
type Place struct {
	File   string `json:"file"`
	Line   int64  `json:"line"`
	Column int64  `json:"column"`
}

// PlaceAt is a position as a place.
func PlaceAt(p conf.Pos) Place {
	return Place{File: p.File, Line: int64(p.Line), Column: int64(p.Col)}
}

func (p Place) String() string {
	return conf.Pos{File: p.File, Line: int(p.Line), Col: int(p.Column)}.String()
}

// Rule says what findings of a kind are about.
type Rule struct {
	ID    string
	Short string // a sentence
	Help  string // what to do about it
}

// The rules of findings.
const (
	RuleOverBudget    = "over-budget"
	RuleSimulatedOver = "simulated-over-budget"
	RuleAbove         = "simulated-above-bound"
	RuleThisInput     = "this-input-only"
	RuleRefused       = "no-safe-bound"
	RuleLoopBound     = "missing-loop-bound"
	RuleAssumption    = "assumption-not-accepted"
	RuleFact          = "fact-violated"
	RuleKernel        = "kernel-failed"
	RuleViolated      = "bound-violated"
	RuleInput         = "wrong-input"
	RuleUnused        = "acceptance-not-used"
	RuleStopped       = "not-assessed"
)

// Rules lists what can be found, in the order of severity.
func Rules() []Rule {
	return []Rule{
		{RuleViolated, "A simulation takes longer than a bound that claims to cover it.", "This is a bug of warpbound: please report it with the files of the launch. Rely on no bound of it."},
		{RuleFact, "An execution breaks a fact that the launch file states.", "The bound within the fact is none. Correct the fact, or the kernel. docs/launch-format.md says what facts mean."},
		{RuleKernel, "The kernel fails when it is executed.", "The message says where and how. warpbound run executes the launch alone."},
		{RuleOverBudget, "The smallest safe figure is larger than the budget.", "The place is the line that most cycles of the bound belong to, where that is known. warpbound analyze --by line lists all of them."},
		{RuleSimulatedOver, "A simulation takes longer than the budget.", "No bound can be within the budget: some execution takes longer than it allows."},
		{RuleAbove, "A simulation takes longer than the bound, which does not claim to cover it.", "An error: the model of the simulation, or its caches, have effects that no bound covers (docs/limits.md), and the bound assumes that they are not there (A2, A3, A4). Bound the launch on a description without them only where the hardware has none. A warning: the policy, or the order of warps, is none that the bound is for."},
		{RuleRefused, "No method gives a safe bound.", "warpbound analyze --explain says which method gives none, and why. Some need a fact of the launch, some another GPU description."},
		{RuleThisInput, "The figure holds for the input of the launch file only.", "Other data may take longer. The message says what the bound for all inputs fails on; warpbound analyze --loops says which loops need a bound."},
		{RuleLoopBound, "Data alone end a loop, and nothing bounds it.", "State the most iterations under [loops] of the launch file, as the message shows."},
		{RuleAssumption, "The bound rests on an assumption that the project does not accept.", "Whoever can answer for it adds [[accepted]] with the id and the reason to the project file. docs/report.md has an example."},
		{RuleInput, "A file is wrong.", "The message says what was found and what was expected. warpbound check says more about one file."},
		{RuleStopped, "The assessment was cut short before this launch.", "Run it again; nothing is known of this launch."},
		{RuleUnused, "The project accepts an assumption that no bound rests on.", "Take it out: an acceptance that nothing needs may outlive its reason."},
	}
}

// Add adds a finding.
func (d *AssessmentDocument) Add(f Finding) {
	f.Related = append([]Place{}, f.Related...)
	d.Findings = append(d.Findings, f)
}

// Judge says of each case, and of all, whether it passes.
func (d *AssessmentDocument) Judge() {
	d.Passed = d.Complete
	for i := range d.Cases {
		d.Cases[i].Passed = d.Cases[i].Verdict != VerdictNone
	}
	for i := range d.Findings {
		f := &d.Findings[i]
		if f.Level != LevelError {
			continue
		}
		d.Passed = false
		if f.Case != nil {
			d.Cases[*f.Case].Passed = false
		}
	}
}

// Errors are the findings that keep the assessment from passing, a line each.
func (d *AssessmentDocument) Errors() []string {
	var out []string
	for i := range d.Findings {
		if f := &d.Findings[i]; f.Level == LevelError {
			out = append(out, f.line(false))
		}
	}
	return out
}

// line is a finding as compilers write theirs, with its level or without.
func (f *Finding) line(level bool) string {
	at := f.At.String()
	if at != "" {
		at += ": "
	}
	if level {
		at += f.Level + ": "
	}
	return fmt.Sprintf("%s%s (%s)", at, f.Message, f.Rule)
}

// Name is the launch of a case and its GPU.
func (c *CaseDocument) Name() string { return c.Launch + " on " + c.GPU }

// result is whether a case passes, in a word.
func (c *CaseDocument) result() string {
	switch {
	case c.Verdict == VerdictNone:
		return "not assessed"
	case c.Passed:
		return "pass"
	}
	return "FAIL"
}

// budgetText is how a figure stands to its budget.
func budgetText(status string) string {
	switch status {
	case BudgetWithin:
		return "within"
	case BudgetOver:
		return "OVER"
	case BudgetUnknown:
		return "not shown"
	}
	return "no budget"
}

// findingsOf are the findings of a case, or of the project for nil.
func (d *AssessmentDocument) findingsOf(i *int64) []Finding {
	return slices.DeleteFunc(slices.Clone(d.Findings), func(f Finding) bool {
		return (f.Case == nil) != (i == nil) || i != nil && *f.Case != *i
	})
}

// EarlierAssessment is what of the JSON form of an earlier assessment is compared.
type EarlierAssessment struct {
	Cases []EarlierCase `json:"cases"`
}

// EarlierCase is as CaseDocument.
type EarlierCase struct {
	Launch       string `json:"launch"`
	GPU          string `json:"gpu"`
	Verdict      string `json:"verdict"`
	Cycles       *int64 `json:"cycles"`
	BudgetStatus string `json:"budget_status"`
}

// Since compares with an earlier assessment.
func (d *AssessmentDocument) Since(before *EarlierAssessment) {
	changes := []ChangeDocument{}
	type key struct{ launch, gpu string }
	old, seen := map[key]*EarlierCase{}, map[key]bool{}
	for i := range before.Cases {
		c := &before.Cases[i]
		old[key{c.Launch, c.GPU}] = c
	}
	for i := range d.Cases {
		c := &d.Cases[i]
		k := key{c.Launch, c.GPU}
		seen[k] = true
		o := old[k]
		if o == nil {
			changes = append(changes, ChangeDocument{Launch: c.Launch, GPU: c.GPU, After: c.Cycles, Note: "new"})
			continue
		}
		if change, differs := changeOf(o, c); differs {
			changes = append(changes, change)
		}
	}
	for i := range before.Cases {
		if c := &before.Cases[i]; !seen[key{c.Launch, c.GPU}] {
			changes = append(changes, ChangeDocument{Launch: c.Launch, GPU: c.GPU, Before: c.Cycles, Note: "no longer there"})
		}
	}
	d.Changes = &changes
}

// changeOf says how a case differs from what it was.
func changeOf(o *EarlierCase, c *CaseDocument) (ChangeDocument, bool) {
	out := ChangeDocument{Launch: c.Launch, GPU: c.GPU, Before: o.Cycles, After: c.Cycles}
	var notes []string
	differs := (o.Cycles == nil) != (c.Cycles == nil)
	if o.Cycles != nil && c.Cycles != nil && *o.Cycles != *c.Cycles {
		differs = true
		by := float64(*c.Cycles)/float64(max(*o.Cycles, 1)) - 1
		out.Change = &by
	}
	if o.Verdict != c.Verdict {
		differs = true
		notes = append(notes, fmt.Sprintf("%s, was %s", verdictTexts[c.Verdict], verdictTexts[o.Verdict]))
	}
	if o.BudgetStatus != c.BudgetStatus {
		differs = true
		notes = append(notes, fmt.Sprintf("budget: %s, was: %s", budgetText(c.BudgetStatus), budgetText(o.BudgetStatus)))
	}
	out.Note = strings.Join(notes, "; ")
	return out, differs
}
