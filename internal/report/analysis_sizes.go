package report

import (
	"fmt"
	"strings"

	"github.com/warpbound/warpbound/internal/formula"
)

// BlockSizeDocument is the bound of a launch with one size of block.
type BlockSizeDocument struct {
	Block  [3]int `json:"block"`
	Cycles int64  `json:"cycles"`
	// Formula is the bound as one, absent where nobody asks for it.
	Formula *FormulaDocument `json:"formula,omitempty"`
}

// AddSizes adds the bounds of each size of block; ranges are what the sizes are of.
func (d *AnalysisDocument) AddSizes(sizes []BlockSizeDocument, ranges []formula.Argument) {
	d.BlockSizes, d.sizeRanges = sizes, ranges
}

// sizesText says what the sizes are of, "" where there is one.
func (d *AnalysisDocument) sizesText() string {
	if len(d.BlockSizes) == 0 {
		return ""
	}
	var of []string
	for _, a := range d.sizeRanges {
		text := fmt.Sprintf("%s from %d to %d", a.Name, a.Min, a.Max)
		if a.Step > 1 {
			text += fmt.Sprintf(" by %d", a.Step)
		}
		of = append(of, text)
	}
	return fmt.Sprintf("SIZES   %s of block, %s; this is the slowest, and no other has a larger bound\n", plural(int64(len(d.BlockSizes)), "size"), strings.Join(of, ", "))
}

// sizeSection is the bound for each size.
func (d *AnalysisDocument) sizeSection() Section {
	return Section{ID: "block_sizes", Sheet: NewSheet("block_sizes[]", d.BlockSizes, []Of[BlockSizeDocument]{
		{Column{ID: "block", Heading: "block"}, func(s *BlockSizeDocument) any {
			return fmt.Sprintf("%d%s", s.Block[0]*s.Block[1]*s.Block[2], extent(s.Block))
		}},
		{Column{ID: "cycles", Heading: "bound", Unit: "cycles", Type: Amount}, func(s *BlockSizeDocument) any { return s.Cycles }},
	})}
}
