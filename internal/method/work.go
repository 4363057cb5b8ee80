package method

import "github.com/warpbound/warpbound/internal/seq"

// Program is what one warp executes: its sections between barriers, each a
// folded sequence of indices into Ops. Programs that share the Ops slice and
// *seq.Seq values share their analysis.
type Program struct {
	Ops      []Op
	Sections []*seq.Seq
}

// WarpClass is Count warps with the same program on the same sub-core.
type WarpClass struct {
	Program *Program
	Count   int64
	SubCore int
}

// Block is a thread block as its classes of warps.
type Block struct {
	Classes []WarpClass
}

// BlockClass is Count equal blocks.
type BlockClass struct {
	Block *Block
	Count int64
}
