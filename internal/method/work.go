package method

import "github.com/warpbound/warpbound/internal/seq"

// Stream is what one warp executes: its sections between barriers, each a
// folded sequence of indices into Ops. Streams that share the Ops slice and
// *seq.Seq values share their analysis.
type Stream struct {
	Ops      []Op
	Sections []*seq.Seq
}

// WarpClass is Count warps with the same stream on the same sub-core.
type WarpClass struct {
	Stream  *Stream
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
