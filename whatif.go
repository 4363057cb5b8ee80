package warpbound

import (
	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/isa"
)

// WhatIf is what becomes of the best bound on a launch where one thing is changed. Each row
// is another analysis.
type WhatIf struct {
	Bound *bound.Bound // that is changed
	Rows  []Change

	of *analysis.WhatIf
}

// Change is an analysis with one thing changed.
type Change struct {
	// Kind is "setting" for a number of the GPU description, "class" for the timing of one
	// class of instructions, "access" for where an access to memory goes to, or how,
	// "barrier" for one that no warp waits at, which changes what the kernel computes, and
	// "occupancy" for the blocks that are resident on an SM.
	Kind string
	Name string       // of what is changed
	Pos  isa.Position // of an instruction; zero otherwise
	// From and To are the number that is changed, before and after; both 0 where it is none.
	From, To int64
	Text     string // what is changed, to read
	// Setting is the one of [gpu.Open] that does the same, "" where there is none.
	Setting string
	// Bound is the best one then; nil where there is none, and NoBound says why.
	Bound   *bound.Bound
	NoBound string
}

func newWhatIf(of *analysis.WhatIf) *WhatIf {
	out := &WhatIf{Bound: of.Bound, of: of}
	for _, r := range of.Rows {
		out.Rows = append(out.Rows, Change{Kind: r.Kind, Name: r.Name, Pos: r.Pos, From: r.From, To: r.To, Text: r.Change, Setting: r.Setting, Bound: r.Bound, NoBound: r.NoBound})
	}
	return out
}
