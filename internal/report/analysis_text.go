package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/method/replay"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/sim/policy"
	"github.com/warpbound/warpbound/internal/simt"
)

// What the one-screen report lists of long lists; --explain and --json say the
// rest.
const (
	mostClasses  = 6
	mostSections = 8
)

// launchText says what was analysed, on what, and what came of it.
func launchText(launch string, r *analysis.Report, explain bool) string {
	var b strings.Builder
	d := r.Machine.Desc
	threads := int64(r.Block[0]) * int64(r.Block[1]) * int64(r.Block[2])
	fmt.Fprintf(&b, "kernel  %s, %s%s%s of %s%s = %s (%s)\n", r.Kernel, upTo(r),
		plural(r.Blocks, "block"), extent(r.Grid), plural(threads, "thread"), extent(r.Block), plural(int64(r.Warps), "warp"), launch)
	fmt.Fprintf(&b, "GPU     %s: %s at %s, at most %s resident per SM (limit: %s)\n",
		machineName(d), plural(d.SM.Count, "SM"), clock(d), plural(r.Occupancy.Blocks, "block"), r.Occupancy.Limiter)
	if explain {
		fmt.Fprintf(&b, "        %d registers a thread (%s)\n", r.Registers, r.RegisterRule)
	}
	if len(r.Scopes) == 0 {
		return b.String() + "BOUND   none\n" + notCoveredText(r)
	}
	if r.Best != nil {
		fmt.Fprintf(&b, "%s%s cycles = %s for %s, by %s (%s)\n", headline(r), Count(r.Best.Cycles), Time(r.Best.Cycles, d.Clock.CoreKHz), wholeScope(r), r.Best.Method, r.Best.Theorem)
	} else {
		b.WriteString("BOUND   none: no method asked for is safe for the launch on this GPU\n")
	}
	if r.Path.Instructions > 0 {
		b.WriteString(pathText(r, explain))
	}
	if r.Question.Policy != "" {
		fmt.Fprintf(&b, "POLICY  %s, and no other%s\n", r.Question.Policy, turnsText(r))
	}
	if f := r.FrontEnd; f != nil {
		fmt.Fprintf(&b, "POLICY  %s, and no other%s\n", frontText(f.Variant, f.FetchPolicy, f.IssuePolicy), anyPolicyText(r))
	} else if note := ModelNote(d); note != "" {
		b.WriteString("MODEL   " + strings.ReplaceAll(note, "\n", "\n        ") + "\n")
	}
	return b.String()
}

// ModelNote says what of a GPU no bound without its front end is of, in lines; "" where
// there is nothing.
func ModelNote(d *gpu.Description) string {
	switch {
	case d.FrontEnd != nil && d.SM.Schedulers > 1:
		return fmt.Sprintf("the bound is for a machine that always has the next instruction at hand; this one fetches one a cycle for\n"+
			"%d schedulers and may take longer. No bound covers that; simulate --model frontend measures it (docs/frontend.md)", d.SM.Schedulers)
	case d.FrontEnd != nil:
		return "the bound is for a machine that always has the next instruction at hand; --variant is for the front end of this one"
	case d.Model != sim.Abstract:
		return fmt.Sprintf("the bound is for the abstract SM of this description; its %s model has effects no bound covers (docs/limits.md)", d.Model)
	}
	return ""
}

// upTo says that the grid is the largest of a range.
func upTo(r *analysis.Report) string {
	if ranged(r) {
		return "up to "
	}
	return ""
}

func ranged(r *analysis.Report) bool {
	return slices.ContainsFunc(r.Ranges, func(x simt.Range) bool { return x.Axis > 0 })
}

// headline names the figure of a report: a bound is one for all inputs.
func headline(r *analysis.Report) string {
	if r.AllInputs() {
		return "BOUND   "
	}
	return "THIS INPUT  "
}

// figureName is what the text calls a figure of a report.
func figureName(r *analysis.Report) string {
	if r.AllInputs() {
		return "bound"
	}
	return "figure"
}

// ofInput is what a figure that is no bound for all inputs is for.
func ofInput(r *analysis.Report) string {
	if r.AllInputs() {
		return ""
	}
	return " for this input"
}

// pathText says for which inputs the bound holds.
func pathText(r *analysis.Report, explain bool) string {
	if r.ThisInput != nil {
		return coveredText(r, explain)
	}
	if r.Unrecorded != "" {
		return unrecordedText(r)
	}
	if len(r.InputDependent) == 0 {
		s := fmt.Sprintf("PATH    %s warp instructions, the same whatever the buffers not marked known contain;\n"+
			"        for this grid, block, scalar arguments and known buffers\n", Count(r.Path.Instructions))
		s += withinText(r)
		if n := r.Path.Executed; explain && n > 0 && n < r.Blocks {
			s += fmt.Sprintf("        %s of %s blocks executed: the others provably take their paths, whatever any buffer contains (theorem 27)\n", Count(n), Count(r.Blocks))
		}
		if explain && r.Path.Skipped > 0 {
			s += fmt.Sprintf("        %s warp instructions executed: iterations that provably repeat are not (theorem 37)\n", Count(r.Path.Stepped))
		}
		return s
	}
	t := r.InputDependent[0]
	if t.Kind == simt.TaintUnfollowed {
		return fmt.Sprintf("PATH    THIS INPUT ONLY: the program changes its own instructions at %s, and nothing is followed from there on;\n"+
			"        other contents, or another order of warps, may take longer (%s warp instructions as recorded)\n", t.Pos, Count(r.Path.Instructions))
	}
	depend := "depend"
	if len(r.InputDependent) == 1 {
		depend = "depends"
	}
	s := fmt.Sprintf("PATH    THIS INPUT ONLY: %s %s on buffers not marked known or on the order of warps, first the %s at %s;\n"+
		"        other contents, or another order of warps, may take longer (%s warp instructions as recorded)\n",
		plural(int64(len(r.InputDependent)), "instruction"), depend, t.Kind, t.Pos, Count(r.Path.Instructions))
	s += notCoveredText(r)
	if !explain {
		return s
	}
	return s + dependText(r)
}

// notCoveredText says why there is no bound for all inputs, a line for each loop that needs
// one.
func notCoveredText(r *analysis.Report) string {
	if r.NotCovered == "" {
		return ""
	}
	return "        no bound for all inputs: " + strings.ReplaceAll(r.NotCovered, "\n", "\n        ") + "\n"
}

// dependText lists what depends on data.
func dependText(r *analysis.Report) string {
	var b strings.Builder
	for _, t := range r.InputDependent {
		fmt.Fprintf(&b, "        %s: %s", t.Pos, t.Kind)
		if t.Register != "" {
			b.WriteString(" by " + t.Register)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// coveredText says what a bound for all inputs covers, where the path depends on them.
func coveredText(r *analysis.Report, explain bool) string {
	t := r.InputDependent[0]
	depend := "depend"
	if len(r.InputDependent) == 1 {
		depend = "depends"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "PATH    every way that data can take: %s %s on buffers not marked known or on the order of warps,\n"+
		"        first the %s at %s; for this grid, block, scalar arguments and known buffers\n",
		plural(int64(len(r.InputDependent)), "instruction"), depend, t.Kind, t.Pos)
	b.WriteString(withinText(r))
	if r.Closed && explain {
		b.WriteString("        one block stands for all, and one iteration of a loop (theorem 45)\n")
	}
	if len(r.LoopBounds) > 0 {
		fmt.Fprintf(&b, "        within the %s of the launch file: %s\n", r.FactsText(), strings.Join(r.LoopBounds, ", "))
	}
	if len(r.Unknown) > 0 {
		fmt.Fprintf(&b, "        %s taken for unknown, since warps or blocks change what others read\n", strings.Join(r.Unknown, ", "))
	}
	if best := r.OfThisInput[len(r.OfThisInput)-1].BestBound(); best != nil {
		fmt.Fprintf(&b, "        for this input alone %s cycles, by %s (%s warp instructions as recorded)\n", Count(best.Cycles), best.Method, Count(r.ThisInput.Instructions))
	}
	if explain {
		b.WriteString(dependText(r))
	}
	return b.String()
}

// unrecordedText says what a bound for all inputs covers of which none was executed.
func unrecordedText(r *analysis.Report) string {
	grid := "grid, "
	if ranged(r) {
		grid = ""
	}
	s := "PATH    every way that data can take; one block stands for all, and one iteration of a loop (theorem 45);\n" +
		"        no input was executed: " + r.Unrecorded + ";\n" +
		"        for this " + grid + "block, scalar arguments and known buffers\n" +
		withinText(r)
	if len(r.LoopBounds) > 0 {
		s += fmt.Sprintf("        within the %s of the launch file: %s\n", r.FactsText(), strings.Join(r.LoopBounds, ", "))
	}
	return s
}

// withinText says for which ranges of arguments and elements the bound holds.
func withinText(r *analysis.Report) string {
	if s := r.Within(); s != "" {
		return "        and for " + s + "\n"
	}
	return ""
}

// anyPolicyText says which bound with a front end is for more than its policies.
func anyPolicyText(r *analysis.Report) string {
	for _, s := range r.Scopes {
		if s.Bound(replay.AnyPolicy) != nil {
			return "; " + replay.AnyPolicy + " is for every policy that is work conserving"
		}
	}
	return ""
}

// turnsText says what the policy of a report makes of the figures.
func turnsText(r *analysis.Report) string {
	if p, err := policy.Parse(r.Question.Policy); err == nil && p.WorkConserving() {
		return ": it passes over warps that are not ready, and the figures claim nothing"
	}
	return ""
}

func wholeScope(r *analysis.Report) string {
	if r.Blocks == 1 {
		return "the launch, one block alone"
	}
	return fmt.Sprintf("the launch, %s on %s", plural(r.Blocks, "block"), plural(r.Machine.Desc.SM.Count, "SM"))
}

// clock is the frequency that turns cycles into time.
func clock(d *gpu.Description) string {
	s := fmt.Sprintf("%.3f", float64(d.Clock.CoreKHz)/1000)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".") + " MHz"
}

// slowestFirst orders warps by their isolated time, equals by class.
func slowestFirst(warps []bound.WarpProfile) []bound.WarpProfile {
	sorted := slices.Clone(warps)
	slices.SortStableFunc(sorted, func(a, b bound.WarpProfile) int { return cmp.Compare(b.IsoCycles, a.IsoCycles) })
	return sorted
}

// sectionsText lists the block's bound between barriers.
func sectionsText(block *bound.Result) string {
	best := block.BestBound()
	if best == nil || len(block.Sections[best.Method]) < 2 {
		return ""
	}
	sections := block.Sections[best.Method]
	var parts []string
	for i, sec := range sections {
		if i == mostSections {
			parts = append(parts, fmt.Sprintf("and %d more", len(sections)-mostSections))
			break
		}
		times := ""
		if sec.Count > 1 {
			times = fmt.Sprintf(" x %d", sec.Count)
		}
		parts = append(parts, Count(sec.Cycles())+times)
	}
	return fmt.Sprintf("cycles of the block alone, barrier to barrier (%s): %s\n", best.Method, strings.Join(parts, ", "))
}

// profileText lists the phases of the warps that take longest alone.
func profileText(block *bound.Result) string {
	w := &slowestFirst(block.Warps)[0]
	var b strings.Builder
	fmt.Fprintf(&b, "phases of a warp of class %d, alone", w.Class)
	if n := len(block.Warps) - 1; n > 0 {
		fmt.Fprintf(&b, " (the other %d in --json)", n)
	}
	b.WriteString("\n")
	for _, s := range w.Sections {
		fmt.Fprintf(&b, "  section %d", s.First)
		if s.Count > 1 {
			fmt.Fprintf(&b, ", %d times", s.Count)
		}
		fmt.Fprintf(&b, ": %s cycles, %s executing\n", Count(s.IsoCycles), Count(s.ExecCycles))
		writePhases(&b, s.Phases)
	}
	return b.String()
}

// writePhases lists phases, an executing one and the idle one behind it on one
// line.
func writePhases(b *strings.Builder, phases []bound.Phase) {
	for i := 0; i < len(phases); i++ {
		p := &phases[i]
		fmt.Fprintf(b, "    %10s  ", Count(p.StartCycles))
		switch {
		case p.Kind == bound.Folded:
			fmt.Fprintf(b, "%s cycles of repetitions, %s of them executing\n", Count(p.LengthCycles), Count(p.ExecCycles))
		case p.Kind == bound.Exec && i+1 < len(phases) && phases[i+1].Kind == bound.Idle:
			i++
			fmt.Fprintf(b, "%5s executing %5s idle\n", Count(p.LengthCycles), Count(phases[i].LengthCycles))
		case p.Kind == bound.Exec:
			fmt.Fprintf(b, "%5s executing\n", Count(p.LengthCycles))
		default:
			fmt.Fprintf(b, "                %5s idle\n", Count(p.LengthCycles))
		}
	}
}

var statusTexts = map[bound.Status]string{
	bound.Assumed:  "assumed; whoever uses the bound answers for it",
	bound.Proved:   "proved for this kernel",
	bound.Enforced: "enforced by the GPU description",
}

// ledgerText lists assumptions, those a user answers for first.
func ledgerText(assumptions []bound.Assumption, full bool) string {
	var b strings.Builder
	for _, status := range []bound.Status{bound.Assumed, bound.Proved, bound.Enforced} {
		var parts []string
		for _, a := range assumptions {
			if a.Status != status {
				continue
			}
			p := fmt.Sprintf("%s %s", a.ID, a.Name) + shortNote(a)
			if full {
				p = fmt.Sprintf("%-3s %s\n", a.ID, a.Name) + wrap(strings.Fields(assumptionText(a.ID)), "", "     ")
				if a.Note != "" {
					p += wrap(strings.Fields("Here: "+a.Note), "", "     ")
				}
			}
			parts = append(parts, p)
		}
		switch {
		case len(parts) == 0:
		case full:
			fmt.Fprintf(&b, "%s:\n  %s", statusTexts[status], strings.Join(parts, "  "))
		default:
			fmt.Fprintf(&b, "%s:\n%s", statusTexts[status], wrap(parts, ",", " "))
		}
	}
	return b.String()
}

// shortNote is what a property named by an assumption is here, such as "not kept".
func shortNote(a bound.Assumption) string {
	const longest = 20
	note, _, _ := strings.Cut(a.Note, ":")
	if a.Status != bound.Enforced || note == "" || len(note) > longest {
		return ""
	}
	return " (" + note + ")"
}

func assumptionText(id bound.ID) string {
	for _, e := range bound.Catalogue() {
		if e.ID == id {
			return e.Text
		}
	}
	return ""
}

// wrap joins words in lines indented by one space more than indent, each word
// but the last followed by mark.
func wrap(words []string, mark, indent string) string {
	var b strings.Builder
	line := indent
	for i, w := range words {
		if i < len(words)-1 {
			w += mark
		}
		if len(line) > len(indent) && len(line)+1+len(w) > wrapWidth() {
			b.WriteString(line + "\n")
			line = indent
		}
		line += " " + w
	}
	b.WriteString(line + "\n")
	return b.String()
}

// refusalText says which methods give no bound, and why; methods refused for one
// reason share a line.
func refusalText(r *analysis.Report) string {
	var b strings.Builder
	for _, s := range r.Scopes {
		for i, no := range s.Refused {
			same := func(other bound.Refusal) bool { return other.Reason == no.Reason }
			if slices.ContainsFunc(s.Refused[:i], same) {
				continue
			}
			var methods []string
			for _, other := range s.Refused[i:] {
				if same(other) {
					methods = append(methods, other.Method)
				}
			}
			fmt.Fprintf(&b, "no bound for %s by %s: %s (%s)\n", scopeText(s.Scope), strings.Join(methods, ", "), no.Reason, no.Assumption)
		}
	}
	return b.String()
}

func scopeText(s bound.Scope) string {
	switch s {
	case bound.Warp:
		return "one warp alone"
	case bound.Block:
		return "one block alone"
	}
	return "the launch"
}

// extent is the shape of what has more than one dimension.
func extent(d [3]int) string {
	switch {
	case d[2] > 1:
		return fmt.Sprintf(" (%dx%dx%d)", d[0], d[1], d[2])
	case d[1] > 1:
		return fmt.Sprintf(" (%dx%d)", d[0], d[1])
	}
	return ""
}

func plural(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return Count(n) + " " + what + "s"
}
