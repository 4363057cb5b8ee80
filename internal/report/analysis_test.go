package report

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/path"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

// made is a report of a launch that never was, with more classes and sections
// than a screen shows.
func made(t *testing.T) *analysis.Report {
	t.Helper()
	d, err := gpu.Open("ecrts2025-200", []string{"sm.count=2"})
	if err != nil {
		t.Fatal(err)
	}
	m, err := d.Machine()
	if err != nil {
		t.Fatal(err)
	}
	block := &bound.Result{
		Scope: bound.Block,
		Bounds: []bound.Bound{
			{Method: "gub", Scope: bound.Block, Cycles: 900, UnsafeReason: "two initiations overlap", Theorem: "published"},
			{Method: "sum", Scope: bound.Block, Cycles: 1000, Safe: true, Theorem: "docs/soundness.md, theorem 2"},
		},
		Best:     1,
		Refused:  []bound.Refusal{{Method: "path", Scope: bound.Block, Reason: "no queue", Assumption: bound.QueueKind}, {Method: "ref", Scope: bound.Block, Reason: "no queue", Assumption: bound.QueueKind}},
		Sections: map[string][]bound.SectionBound{"sum": nil},
	}
	for i := range int64(10) {
		w := bound.WarpProfile{Class: int(i), Warps: 1, Instructions: 10, IsoCycles: 100 + i%4, ExecCycles: 40, IdleCycles: 60 + i%4, UnitInitCycles: make([]int64, len(m.Units))}
		w.UnitInitCycles[0] = 40
		w.Sections = []bound.SectionProfile{{Count: 2, IsoCycles: 50, ExecCycles: 20, Phases: []bound.Phase{
			{Kind: bound.Idle, LengthCycles: 5},
			{Kind: bound.Exec, StartCycles: 5, LengthCycles: 10, ExecCycles: 10}, {Kind: bound.Idle, StartCycles: 15, LengthCycles: 20},
			{Kind: bound.Folded, StartCycles: 35, LengthCycles: 12, ExecCycles: 7},
			{Kind: bound.Exec, StartCycles: 47, LengthCycles: 3, ExecCycles: 3},
		}}}
		block.Warps = append(block.Warps, w)
		block.Sections["sum"] = append(block.Sections["sum"], bound.SectionBound{First: i, Count: 1 + i%2, OwnCycles: 50, OthersCycles: 1000})
	}
	whole := &bound.Result{Scope: bound.Kernel, Bounds: []bound.Bound{{
		Method: "sum", Scope: bound.Kernel, Cycles: 4000, Safe: true, Theorem: "docs/soundness.md, theorem 5",
		Breakdown:   []bound.Component{bound.Part(bound.EarlierBlocksOfSlot, 3000), bound.Part(bound.OtherBlocks, 0), bound.Part(bound.LastBlock, 1000)},
		Assumptions: []bound.Assumption{bound.Assume(bound.WarpOrderPerUnit, bound.Enforced, "not kept: charged"), bound.Assume(bound.PathCovers, bound.Proved, "no branch")},
	}}}
	return &analysis.Report{
		Facts: &method.Facts{
			Kernel: "k", Grid: [3]int{4, 2, 1}, Block: [3]int{8, 8, 2}, Warps: 4, Blocks: 8, Machine: m,
			Occupancy: gpu.Occupancy{Blocks: 3, Limiter: "warps"}, Path: &path.Recorded{Instructions: 12345},
		},
		Scopes: []*bound.Result{block, whole}, Best: &whole.Bounds[0],
	}
}

func analysisText(t *testing.T, launch string, r *analysis.Report, explain bool) string {
	t.Helper()
	d, err := Analysis(launch, r)
	if err != nil {
		t.Fatal(err)
	}
	return d.Document(r, nil, explain, nil).Text()
}

func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("no %q in\n%s", p, text)
		}
	}
}

func TestAnalysisText(t *testing.T) {
	r := made(t)
	text := analysisText(t, "dir/k.toml", r, false)
	contains(t, text,
		"kernel  k, 8 blocks (4x2) of 128 threads (8x8x2) = 4 warps (dir/k.toml)\n",
		"GPU     ecrts2025-200 with sm.count=2: 2 SMs at 1132 MHz, at most 3 blocks resident per SM (limit: warps)\n",
		"BOUND   4,000 cycles = 3.534 µs for the launch, 8 blocks on 2 SMs, by sum (docs/soundness.md, theorem 5)\n",
		"PATH    12,345 warp instructions, the same whatever the buffers not marked known contain;\n",
		"gub                            !900           -\n",
		"sum                          *1,000      *4,000\n",
		"! gub is NOT SAFE here: two initiations overlap\n",
		"earlier blocks of the slot, alone   3,000  75.00 %\n",
		"INT 40\n1 of class 7                          10       103         40    63  INT 40\n1 of class 2 ", // the slowest first
		"... 4 more classes\n",
		"cycles of the block alone, barrier to barrier (sum): 1,050, 1,050 x 2, 1,050, 1,050 x 2, 1,050, 1,050 x 2, 1,050, 1,050 x 2, and 2 more\n",
		"proved for this kernel:\n  A11 path-covers-execution\n",
		"  A7 warp-order-kept-per-unit (not kept)\n",
	)
	if strings.Contains(text, "nothing") || strings.Contains(text, "phases of a warp") || strings.Contains(text, "no bound for one block") {
		t.Errorf("more than a screen:\n%s", text)
	}
	contains(t, analysisText(t, "k.toml", r, true),
		"phases of a warp of class 3, alone (the other 9 in --json)\n", // the first of the slowest
		"  section 0, 2 times: 50 cycles, 20 executing\n",
		"             0                      5 idle\n",
		"             5     10 executing    20 idle\n",
		"            35  12 cycles of repetitions, 7 of them executing\n",
		"            47      3 executing\n",
		"      Here: not kept: charged\n",
		"no bound for one block alone by path, ref: no queue (A6)\n",
	)
}

// What ties a bound to one input, and a launch without a bound, are not to be
// overlooked.
func TestAnalysisTextWarns(t *testing.T) {
	r := made(t)
	r.InputDependent = []simt.Taint{
		{PC: 3, Kind: simt.TaintBranch, Pos: isa.Position{File: "k.ptx", Line: 7, Col: 2}, Register: "%p1"},
		{PC: 5, Kind: simt.TaintOrder, Pos: isa.Position{File: "k.ptx", Line: 9, Col: 2}},
	}
	contains(t, analysisText(t, "k.toml", r, false), "PATH    THIS INPUT ONLY: 2 instructions depend on buffers not marked known or on the order of warps, first the branch at k.ptx:7:2;\n")
	contains(t, analysisText(t, "k.toml", r, true), "        k.ptx:7:2: branch by %p1\n        k.ptx:9:2: order\n")
	text := analysisText(t, "k.toml", r, false)
	contains(t, text, "\nTHIS INPUT  4,000 cycles = ", "\nfigure in cycles for this input by ", "\n* smallest safe figure of its scope for this input", "\nthe figure is the sum of ")
	if strings.Contains(text, "BOUND") || strings.Contains(text, "the bound is the sum") {
		t.Errorf("a figure for this input only is called a bound:\n%s", text)
	}
	if d, err := Analysis("k.toml", r); err != nil || d.AllInputs || d.Best.AllInputs {
		t.Errorf("%+v, %v", d, err)
	}

	r.Best = nil
	r.Scopes[1].Bounds, r.Scopes[1].Best = nil, -1
	contains(t, analysisText(t, "k.toml", r, false), "BOUND   none: no method asked for is safe for the launch on this GPU\n", "no bound for one block alone by path, ref: no queue (A6)\n")

	r.InputDependent = []simt.Taint{{Kind: simt.TaintUnfollowed}}
	contains(t, analysisText(t, "k.toml", r, true), "the program changes its own instructions at ")
	r.Machine.Desc.Model = "pipeline"
	contains(t, analysisText(t, "k.toml", r, false), "MODEL   the bound is for the abstract SM of this description")
	r.Machine.Desc.FrontEnd = &gpu.FrontEnd{}
	contains(t, analysisText(t, "k.toml", r, false), "MODEL   the bound is for a machine that always has the next instruction at hand; --variant is for the front end of this one\n")
	// With a front end the bound is for that, under its policies.
	r.FrontEnd = &method.FrontEnd{Variant: "baseline", FetchPolicy: "lrr", IssuePolicy: "gtlo"}
	contains(t, analysisText(t, "k.toml", r, false), "POLICY  baseline, fetch policy LRR, issue policy GTLO, and no other\n")
	r.FrontEnd.Variant = "swas"
	contains(t, analysisText(t, "k.toml", r, false), "POLICY  swas, policy GTLO for fetch and issue, and no other\n")
	if d, err := Analysis("k.toml", r); err != nil || d.Model != "frontend" || *d.FrontEnd != (FrontEndUse{"swas", "lrr", "gtlo"}) {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestAnalysisDocument(t *testing.T) {
	r := made(t)
	d, err := Analysis("k.toml", r)
	if err != nil {
		t.Fatal(err)
	}
	if d.Best.Cycles != 4000 || d.Best.Scope != bound.Kernel || len(d.Bounds) != 3 || len(d.Refused) != 2 || len(d.Warps) != 10 || len(d.BlockSections) != 10 || !d.AllInputs || !d.Best.AllInputs {
		t.Errorf("%+v", d)
	}
	if d.Bounds[2].Breakdown[bound.EarlierBlocksOfSlot] != 3000 || d.PartNames[bound.EarlierBlocksOfSlot] != "earlier blocks of the slot, alone" || d.Warps[0].Units[r.Machine.Units[0].Name] != 40 || len(d.Warps[0].Units) != 1 || d.BlockSections[1].Cycles != 1050 {
		t.Errorf("%+v", d)
	}
	// Nothing known leaves empty lists, not null.
	r.Scopes, r.Best = nil, nil
	if d, err = Analysis("k.toml", r); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(d)
	if err != nil || strings.Contains(strings.NewReplacer(`"best":null`, "", `"this_input":null`, "", `"front_end":null`, "", `"exit_code":null`, "").Replace(string(text)), "null") {
		t.Errorf("%s, %v", text, err)
	}
}
