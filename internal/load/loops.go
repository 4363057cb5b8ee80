package load

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/warpbound/warpbound/isa"
	"github.com/warpbound/warpbound/launch"
)

// bindLoops finds the loops that [loops] names: by the label of their head, or by a
// line of the kernel's file or of its source that has an instruction of the block that
// begins or ends an iteration. The bounds are by the first instruction of the loops.
func bindLoops(f *launch.Launch, p *isa.Program) (map[int32]int64, error) {
	if len(f.Loops) == 0 {
		return nil, nil
	}
	var labels []string
	for label := range p.Labels {
		labels = append(labels, label)
	}
	slices.Sort(labels)
	heads := map[int32]bool{}
	at := map[string][]int32{} // heads, by label and line
	for fn := range p.Functions {
		c, err := isa.BuildCFG(p, fn)
		if err != nil {
			return nil, err
		}
		for _, l := range isa.Loops(c) {
			if l.Irreducible {
				continue // entered beside its head
			}
			head := c.Blocks[l.Header].First
			heads[head] = true
			for _, b := range append([]int32{l.Header}, l.Latches...) {
				for pc := c.Blocks[b].First; pc < c.Blocks[b].End; pc++ {
					for _, line := range lines(&p.Instructions[pc]) {
						if !slices.Contains(at[line], head) {
							at[line] = append(at[line], head)
						}
					}
				}
			}
		}
	}
	places := map[string]bool{}
	for i := range p.Instructions {
		for _, line := range lines(&p.Instructions[i]) {
			places[line] = true
		}
	}
	return f.BindLoops(func(place string) ([]int32, bool) {
		if pc, ok := p.Labels[place]; ok {
			if heads[pc] {
				return []int32{pc}, true
			}
			return nil, true
		}
		return at[place], places[place]
	}, labels)
}

// lines are the names of the places of an instruction: with the directories of the
// file and without.
func lines(in *isa.Instruction) []string {
	var out []string
	for _, at := range []isa.Position{in.Pos, in.Source} {
		if at.File != "" {
			out = append(out, fmt.Sprintf("%s:%d", at.File, at.Line), fmt.Sprintf("%s:%d", filepath.Base(at.File), at.Line))
		}
	}
	return out
}
