package method

import (
	"fmt"

	"github.com/warpbound/warpbound/internal/choice"
	"github.com/warpbound/warpbound/internal/seq"
)

// Stream is what one warp executes: its sections between barriers, each a
// folded sequence of indices into Ops. Streams that share the Ops slice and
// *seq.Seq or *choice.Expr values share their analysis.
type Stream struct {
	Ops      []Op
	Sections []*seq.Seq
	// Choices, if not empty, takes the place of Sections, which is empty then: each
	// section is a set of sequences, of which the warp executes any one.
	Choices []*choice.Expr
	// Limits are what is known of the sequences of each section of Choices besides; nil
	// for nothing. Streams share them as they share Ops.
	Limits *choice.Limits
	// Stages, if it is not nil, says in what order, and how often, the sections come: an
	// expression over their indices. All streams of a block have the same.
	Stages *choice.Expr
}

// Len is the number of sections.
func (s *Stream) Len() int { return max(len(s.Sections), len(s.Choices)) }

// HasChoices tells whether the stream is more than one sequence.
func (s *Stream) HasChoices() bool {
	if s.Stages != nil {
		return true
	}
	for _, e := range s.Choices {
		if e != nil && e.Choices() {
			return true
		}
	}
	return false
}

// Recorded is the stream with Sections in the place of Choices; s itself where
// it has no Choices, or where they are more than one sequence.
func (s *Stream) Recorded() (*Stream, error) {
	if len(s.Choices) == 0 || s.HasChoices() {
		return s, nil
	}
	out := &Stream{Ops: s.Ops, Sections: make([]*seq.Seq, len(s.Choices))}
	for k, e := range s.Choices {
		if e == nil {
			return nil, fmt.Errorf("section %d is nil", k)
		}
		var ok bool
		if out.Sections[k], ok = e.Seq(); !ok {
			return nil, fmt.Errorf("section %d: %w", k, seq.ErrTooLong)
		}
	}
	return out, nil
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
