package report

import (
	"fmt"
	"strings"

	"github.com/warpbound/warpbound/analysis"
	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/bound/multiphase"
	"github.com/warpbound/warpbound/internal/version"
)

// AnalysisDocument is the JSON form of an analysis (docs/json.md).
type AnalysisDocument struct {
	Warpbound     version.Info    `json:"warpbound"`
	Kernel        string          `json:"kernel"`
	Launch        string          `json:"launch"`
	Grid          [3]int          `json:"grid"`
	Block         [3]int          `json:"block"`
	GPU           string          `json:"gpu"`
	CoreKHz       int64           `json:"core_khz"`
	BlocksPerSM   int64           `json:"blocks_per_sm"`
	OccupancyLim  string          `json:"occupancy_limiter"`
	Instructions  int64           `json:"warp_instructions"`
	AllInputs     bool            `json:"holds_for_all_inputs"`
	InputDepends  []DependentSite `json:"input_dependent"`
	Bounds        []BoundDocument `json:"bounds"`
	Refused       []bound.Refusal `json:"refused"`
	Best          *BestDocument   `json:"best"`
	Warps         []WarpDocument  `json:"warps"`
	BlockSections []SectionCycles `json:"sections"`
}

// DependentSite is an instruction that depends on unknown buffers.
type DependentSite struct {
	PC       int32  `json:"pc"`
	Kind     string `json:"kind"`
	Position string `json:"position"`
	Register string `json:"register,omitempty"`
}

// BoundDocument is one bound.
type BoundDocument struct {
	Method       string             `json:"method"`
	Scope        bound.Scope        `json:"scope"`
	Cycles       int64              `json:"cycles"`
	Safe         bool               `json:"safe"`
	UnsafeReason string             `json:"unsafe_reason,omitempty"`
	Theorem      string             `json:"theorem"`
	Breakdown    map[string]int64   `json:"breakdown"`
	Assumptions  []bound.Assumption `json:"assumptions"`
}

// BestDocument names the smallest safe bound on the whole launch.
type BestDocument struct {
	Method string      `json:"method"`
	Scope  bound.Scope `json:"scope"`
	Cycles int64       `json:"cycles"`
}

// WarpDocument is a class of warps of the slowest block, alone on an SM.
type WarpDocument struct {
	Warps        int64                       `json:"warps"`
	Instructions int64                       `json:"instructions"`
	IsoCycles    int64                       `json:"isolated_cycles"`
	ExecCycles   int64                       `json:"execution_cycles"`
	IdleCycles   int64                       `json:"idle_cycles"`
	Units        map[string]int64            `json:"unit_initiation_cycles"`
	Sections     []multiphase.SectionProfile `json:"sections"`
}

// SectionCycles is the best block bound of one section between barriers.
type SectionCycles struct {
	First  int64 `json:"first"`
	Count  int64 `json:"count"`
	Cycles int64 `json:"cycles"`
}

// Analysis makes the JSON form of an analysis of the named launch file.
func Analysis(launch string, r *analysis.Report) *AnalysisDocument {
	d := &AnalysisDocument{
		Warpbound: version.Get(), Kernel: r.Kernel, Launch: launch, Grid: r.Grid, Block: r.Block,
		GPU: r.Machine.Desc.Name, CoreKHz: r.Machine.Desc.Clock.CoreKHz,
		BlocksPerSM: r.Occupancy.Blocks, OccupancyLim: r.Occupancy.Limiter,
		Instructions: r.Path.Instructions, AllInputs: len(r.InputDependent) == 0,
		InputDepends: []DependentSite{}, Refused: []bound.Refusal{}, Warps: []WarpDocument{}, BlockSections: []SectionCycles{},
	}
	for _, t := range r.InputDependent {
		d.InputDepends = append(d.InputDepends, DependentSite{PC: t.PC, Kind: t.Kind.String(), Position: t.Pos.String(), Register: t.Register})
	}
	for _, s := range r.Scopes {
		for _, b := range s.Bounds {
			doc := BoundDocument{
				Method: b.Method, Scope: b.Scope, Cycles: b.Cycles, Safe: b.Safe, UnsafeReason: b.UnsafeReason,
				Theorem: b.Theorem, Breakdown: map[string]int64{}, Assumptions: b.Assumptions,
			}
			for _, c := range b.Breakdown {
				doc.Breakdown[c.Name] = c.Cycles
			}
			d.Bounds = append(d.Bounds, doc)
		}
		d.Refused = append(d.Refused, s.Refused...)
	}
	if b := r.Best; b != nil {
		d.Best = &BestDocument{Method: b.Method, Scope: b.Scope, Cycles: b.Cycles}
	}
	block := r.Scope(bound.Block)
	if block == nil {
		return d
	}
	for _, w := range block.Warps {
		doc := WarpDocument{Warps: w.Warps, Instructions: w.Instructions, IsoCycles: w.IsoCycles, ExecCycles: w.ExecCycles, IdleCycles: w.IdleCycles, Units: map[string]int64{}, Sections: w.Sections}
		for u, cycles := range w.UnitInitCycles {
			if cycles > 0 {
				doc.Units[r.Machine.Units[u].Name] = cycles
			}
		}
		d.Warps = append(d.Warps, doc)
	}
	if best := block.BestBound(); best != nil {
		for _, s := range block.Sections[best.Method] {
			d.BlockSections = append(d.BlockSections, SectionCycles{First: s.First, Count: s.Count, Cycles: s.Cycles()})
		}
	}
	return d
}

// AnalysisText writes the one-screen report of an analysis.
func AnalysisText(launch string, r *analysis.Report, explain bool) string {
	var b strings.Builder
	d := r.Machine.Desc
	fmt.Fprintf(&b, "kernel  %s, grid %s of blocks %s (%d warps): %s\n", r.Kernel, extent(r.Grid), extent(r.Block), r.Warps, launch)
	fmt.Fprintf(&b, "GPU     %s: %d SM, %s resident per SM (limit: %s), %s warp instructions executed\n",
		d.Name, d.SM.Count, plural(r.Occupancy.Blocks, "block"), r.Occupancy.Limiter, Count(r.Path.Instructions))
	if r.Best != nil {
		fmt.Fprintf(&b, "BOUND   %s cycles = %s at %.0f MHz (%s, %s)\n", Count(r.Best.Cycles), Time(r.Best.Cycles, d.Clock.CoreKHz), float64(d.Clock.CoreKHz)/1000, r.Best.Method, wholeScope(r))
	} else {
		b.WriteString("BOUND   none of the methods is safe for this hardware\n")
	}
	if len(r.InputDependent) == 0 {
		b.WriteString("PATH    holds for all inputs: no branch, barrier or timed address depends on unknown data\n")
	} else {
		t := r.InputDependent[0]
		fmt.Fprintf(&b, "PATH    this input only: %d instruction(s) depend on unknown data, first the %s at %s\n", len(r.InputDependent), t.Kind, t.Pos)
	}
	b.WriteString("\n" + methodTable(r) + "\n")
	if block := r.Scope(bound.Block); block != nil && len(block.Warps) > 0 {
		b.WriteString(whereTable(r, block))
		b.WriteString("\n")
		if explain {
			b.WriteString(profileText(block))
		}
	}
	b.WriteString(ledgerText(r, explain))
	return b.String()
}

func wholeScope(r *analysis.Report) string {
	if r.Blocks == 1 {
		return "one block alone"
	}
	return fmt.Sprintf("whole launch on %s", plural(r.Machine.Desc.SM.Count, "SM"))
}

func methodTable(r *analysis.Report) string {
	t := Table{Header: []string{"method"}, Left: []int{}}
	for _, s := range r.Scopes {
		h := s.Scope.String()
		if s.Scope == bound.SM || s.Scope == bound.Kernel {
			h = "launch"
		}
		t.Header = append(t.Header, h+" cycles")
	}
	t.Header = append(t.Header, "")
	t.Left = append(t.Left, len(t.Header)-1)
	for _, m := range analysis.Methods() {
		row := []string{m}
		shown, note := false, ""
		for _, s := range r.Scopes {
			bd := s.Bound(m)
			if bd == nil {
				row = append(row, "-")
				continue
			}
			shown = true
			cell := Count(bd.Cycles)
			if best := s.BestBound(); best != nil && best.Method == m {
				cell = "*" + cell
			}
			if !bd.Safe {
				cell = "!" + cell
				note = "published, UNSAFE here: an initiation takes over one cycle"
			}
			row = append(row, cell)
		}
		if shown {
			t.Rows = append(t.Rows, append(row, note))
		}
	}
	return t.Render(Text) + "* smallest safe bound of its scope   ! not safe   - no theorem, or not for this scope\n"
}

// whereTable says where the cycles of the slowest block's warps go when alone.
func whereTable(r *analysis.Report, block *multiphase.Result) string {
	t := Table{Header: []string{"warps of the block, each alone", "instructions", "isolated", "execution", "idle", "cycles initiating, by unit"}, Left: []int{5}}
	const most = 6
	for i, w := range block.Warps {
		if i == most {
			t.Add(fmt.Sprintf("... %d more classes", len(block.Warps)-most), "", "", "", "", "")
			break
		}
		var units []string
		for u, cycles := range w.UnitInitCycles {
			if cycles > 0 {
				units = append(units, fmt.Sprintf("%s %s", r.Machine.Units[u].Name, Count(cycles)))
			}
		}
		t.Add(fmt.Sprintf("%d x class %d", w.Warps, w.Class), Count(w.Instructions), Count(w.IsoCycles), Count(w.ExecCycles), Count(w.IdleCycles), strings.Join(units, ", "))
	}
	s := t.Render(Text)
	best := block.BestBound()
	if best == nil {
		return s
	}
	sections := block.Sections[best.Method]
	if len(sections) > 1 {
		var parts []string
		for i, sec := range sections {
			if i == 8 {
				parts = append(parts, fmt.Sprintf("and %d more", len(sections)-8))
				break
			}
			times := ""
			if sec.Count > 1 {
				times = fmt.Sprintf(" x %d", sec.Count)
			}
			parts = append(parts, Count(sec.Cycles())+times)
		}
		s += fmt.Sprintf("sections of the block between barriers (%s): %s\n", best.Method, strings.Join(parts, ", "))
	}
	return s
}

func profileText(block *multiphase.Result) string {
	var b strings.Builder
	for _, w := range block.Warps {
		fmt.Fprintf(&b, "profile of class %d (%s)\n", w.Class, plural(w.Warps, "warp"))
		for _, s := range w.Sections {
			fmt.Fprintf(&b, "  section %d", s.First)
			if s.Count > 1 {
				fmt.Fprintf(&b, " (%d equal ones)", s.Count)
			}
			fmt.Fprintf(&b, ": isolated %s, execution %s\n", Count(s.IsoCycles), Count(s.ExecCycles))
			for _, p := range s.Phases {
				fmt.Fprintf(&b, "    %10s +%-8s %s", Count(p.StartCycles), Count(p.LengthCycles), p.Kind)
				if p.Kind == multiphase.Folded {
					fmt.Fprintf(&b, " (execution %s)", Count(p.ExecCycles))
				}
				b.WriteByte('\n')
			}
		}
	}
	return b.String() + "\n"
}

// ledgerText lists the assumptions of the best bound, those a user answers for
// first.
func ledgerText(r *analysis.Report, full bool) string {
	if r.Best == nil {
		return refusalText(r)
	}
	var b strings.Builder
	for _, status := range []bound.Status{bound.Assumed, bound.Proved, bound.Enforced} {
		var parts []string
		for _, a := range r.Best.Assumptions {
			if a.Status != status {
				continue
			}
			p := fmt.Sprintf("%s %s", a.ID, a.Name)
			if full && a.Note != "" {
				p += " (" + a.Note + ")"
			}
			parts = append(parts, p)
		}
		if len(parts) == 0 {
			continue
		}
		sep := ", "
		if full {
			sep = "\n  "
		}
		fmt.Fprintf(&b, "%s:%s%s\n", status, map[bool]string{true: "\n  ", false: " "}[full], strings.Join(parts, sep))
	}
	if full {
		b.WriteString("\n" + refusalText(r))
	}
	return b.String()
}

func refusalText(r *analysis.Report) string {
	var b strings.Builder
	for _, s := range r.Scopes {
		for _, no := range s.Refused {
			fmt.Fprintf(&b, "no %s bound for the %s: %s (%s)\n", no.Method, no.Scope, no.Reason, no.Assumption)
		}
	}
	return b.String()
}

func extent(d [3]int) string {
	switch {
	case d[2] > 1:
		return fmt.Sprintf("%dx%dx%d", d[0], d[1], d[2])
	case d[1] > 1:
		return fmt.Sprintf("%dx%d", d[0], d[1])
	}
	return fmt.Sprint(d[0])
}

func plural(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return Count(n) + " " + what + "s"
}
