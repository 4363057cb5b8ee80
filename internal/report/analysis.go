package report

import (
	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/formula"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/version"
)

// AnalysisDocument is the JSON form of an analysis (docs/json.md).
type AnalysisDocument struct {
	Warpbound version.Info `json:"warpbound"`
	Kernel    string       `json:"kernel"`
	Launch    string       `json:"launch"`
	Grid      [3]int       `json:"grid"`
	Block     [3]int       `json:"block"`
	MachineIdentity
	// Model is the model of the simulator that the bounds cover.
	Model string `json:"model"`
	// L1Order is how global accesses reach the L1 data cache.
	L1Order string `json:"l1_order"`
	// Policy is the one that the bounds are for, absent where it is any that is work
	// conserving.
	Policy string `json:"policy,omitempty"`
	// FrontEnd is the one that the best bound is for, null where bounds are of a
	// machine without one.
	FrontEnd     *FrontEndUse `json:"front_end"`
	CoreKHz      int64        `json:"core_khz"`
	BlocksPerSM  int64        `json:"blocks_per_sm"`
	OccupancyLim string       `json:"occupancy_limiter"`
	Instructions int64        `json:"warp_instructions"`
	AllInputs    bool         `json:"holds_for_all_inputs"`
	// Ranges are those of scalar arguments, and of elements of buffers that are relied on,
	// for which the bounds hold.
	Ranges       []RangeDocument `json:"ranges"`
	InputDepends []DependentSite `json:"input_dependent"`
	// ThisInput is the smallest figure for the recorded input where the bounds are for
	// all inputs although the path depends on them; null otherwise.
	ThisInput *FigureDocument `json:"this_input"`
	// NotCovered says why the figures are not for all inputs, "" where they are.
	NotCovered string `json:"not_covered"`
	// MissingBounds are the loops without a bound that are the reason.
	MissingBounds []MissingDocument `json:"missing_bounds"`
	Bounds        []BoundDocument   `json:"bounds"`
	// PartNames says what the summands of the bounds are.
	PartNames     map[bound.PartID]string `json:"breakdown_names"`
	Refused       []bound.Refusal         `json:"refused"`
	Best          *BestDocument           `json:"best"`
	Warps         []WarpDocument          `json:"warps"`
	BlockSections []SectionCycles         `json:"sections"`
	ExitCode      *int32                  `json:"exit_code"` // of a RISC-V program, null for PTX
	// Loops are the loops of the kernel, absent where nobody asks for them.
	Loops *[]LoopDocument `json:"loops,omitempty"`
	// Formula is the bound as one, absent where nobody asks for it.
	Formula *FormulaDocument `json:"formula,omitempty"`
	// BlockSizes are the bounds for each size of block, absent where there is one; what
	// else is here is of the slowest.
	BlockSizes []BlockSizeDocument `json:"block_sizes,omitempty"`

	// Costs are the cycles of a bound by what they belong to, absent where nobody asks.
	Costs *CostsDocument `json:"costs,omitempty"`
	// WhatIf is what becomes of the bound where one thing is changed, likewise.
	WhatIf *WhatIfDocument `json:"what_if,omitempty"`

	formula    *formula.Table
	sizeRanges []formula.Argument
}

// RangeDocument is what an argument, or each element of a buffer, may be.
type RangeDocument struct {
	Argument string `json:"argument"`
	Elements bool   `json:"elements"`
	Min      int64  `json:"min"`
	Max      int64  `json:"max"`
}

// FrontEndUse says how a front end is used.
type FrontEndUse struct {
	Variant     string `json:"variant"`
	FetchPolicy string `json:"fetch_policy"`
	IssuePolicy string `json:"issue_policy"`
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
	Method       string                 `json:"method"`
	Scope        bound.Scope            `json:"scope"`
	Cycles       int64                  `json:"cycles"`
	Safe         bool                   `json:"safe"`
	UnsafeReason string                 `json:"unsafe_reason,omitempty"`
	Theorem      string                 `json:"theorem"`
	Breakdown    map[bound.PartID]int64 `json:"breakdown"`
	Assumptions  []bound.Assumption     `json:"assumptions"`
}

// BestDocument names the smallest safe bound on the whole launch.
type BestDocument struct {
	Method string      `json:"method"`
	Scope  bound.Scope `json:"scope"`
	Cycles int64       `json:"cycles"`
	// AllInputs is false where the figure holds for this input only.
	AllInputs bool `json:"holds_for_all_inputs"`
}

// FigureDocument is a figure by a method.
type FigureDocument struct {
	Method string      `json:"method"`
	Scope  bound.Scope `json:"scope"`
	Cycles int64       `json:"cycles"`
}

// WarpDocument is a class of warps of the slowest block, alone on an SM.
type WarpDocument struct {
	Warps        int64                  `json:"warps"`
	Instructions int64                  `json:"instructions"`
	IsoCycles    int64                  `json:"isolated_cycles"`
	ExecCycles   int64                  `json:"execution_cycles"`
	IdleCycles   int64                  `json:"idle_cycles"`
	Units        map[string]int64       `json:"unit_initiation_cycles"`
	Sections     []bound.SectionProfile `json:"sections"`
}

// SectionCycles is the best block bound of one section between barriers.
type SectionCycles struct {
	First  int64 `json:"first"`
	Count  int64 `json:"count"`
	Cycles int64 `json:"cycles"`
}

// Analysis makes the JSON form of an analysis of the named launch file.
func Analysis(launch string, r *analysis.Report) (*AnalysisDocument, error) {
	id, err := identity(r.Machine.Desc)
	if err != nil {
		return nil, err
	}
	d := &AnalysisDocument{
		Warpbound: version.Get(), Kernel: r.Kernel, Launch: launch, Grid: r.Grid, Block: r.Block,
		MachineIdentity: id, Model: sim.Abstract, L1Order: r.L1Order(), Policy: r.Question.Policy, CoreKHz: r.Machine.Desc.Clock.CoreKHz, Bounds: []BoundDocument{}, PartNames: map[bound.PartID]string{},
		BlocksPerSM: r.Occupancy.Blocks, OccupancyLim: r.Occupancy.Limiter,
		Instructions: r.Path.Instructions, AllInputs: r.AllInputs(),
		InputDepends: []DependentSite{}, Ranges: []RangeDocument{}, MissingBounds: []MissingDocument{}, Refused: []bound.Refusal{}, Warps: []WarpDocument{}, BlockSections: []SectionCycles{},
	}
	if f := r.FrontEnd; f != nil {
		d.Model, d.FrontEnd = sim.Frontend, &FrontEndUse{f.Variant, f.FetchPolicy, f.IssuePolicy}
	}
	for _, x := range r.Ranges {
		if r.AllInputs() && (!x.Buffer || r.Closed) {
			d.Ranges = append(d.Ranges, RangeDocument{Argument: x.Name, Elements: x.Buffer, Min: x.Min, Max: x.Max})
		}
	}
	d.NotCovered = r.NotCovered
	d.addMissing(r)
	if n := len(r.OfThisInput); n > 0 {
		if b := r.OfThisInput[n-1].BestBound(); b != nil {
			d.ThisInput = &FigureDocument{Method: b.Method, Scope: b.Scope, Cycles: b.Cycles}
		}
	}
	for _, t := range r.InputDependent {
		d.InputDepends = append(d.InputDepends, DependentSite{PC: t.PC, Kind: t.Kind.String(), Position: t.Pos.String(), Register: t.Register})
	}
	for _, s := range r.Scopes {
		for _, b := range s.Bounds {
			doc := BoundDocument{
				Method: b.Method, Scope: b.Scope, Cycles: b.Cycles, Safe: b.Safe, UnsafeReason: b.UnsafeReason,
				Theorem: b.Theorem, Breakdown: map[bound.PartID]int64{}, Assumptions: b.Assumptions,
			}
			for _, c := range b.Breakdown {
				doc.Breakdown[c.ID], d.PartNames[c.ID] = c.Cycles, c.Name
			}
			d.Bounds = append(d.Bounds, doc)
		}
		d.Refused = append(d.Refused, s.Refused...)
	}
	if b := r.Best; b != nil {
		d.Best = &BestDocument{Method: b.Method, Scope: b.Scope, Cycles: b.Cycles, AllInputs: r.AllInputs()}
	}
	block := r.Scope(bound.Block)
	if block == nil {
		return d, nil
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
	return d, nil
}
