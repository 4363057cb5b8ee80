package analysis

import (
	"github.com/warpbound/warpbound/internal/choice"
	"github.com/warpbound/warpbound/internal/conf"
	"github.com/warpbound/warpbound/internal/path"
	"github.com/warpbound/warpbound/internal/simt/facts"
)

// covering is an execution for all inputs that relies on facts.
type covering interface {
	// UsedFacts says of each fact whether the execution would be another without it.
	UsedFacts() []bool
	// CoveredLoops is what it found of loops.
	CoveredLoops() map[int32]facts.Covered
}

// allUsed is the error of facts without which the covered paths, and what is known of
// them, would be the same.
func (r *Report) allUsed(by covering, covered *path.Recorded) error {
	if len(r.Source.Facts) == 0 {
		return nil
	}
	used := make([]bool, len(r.Source.Facts))
	if by != nil { // else the execution itself uses none
		copy(used, by.UsedFacts())
	}
	known := &choice.Limits{Limits: covered.Limits, Exclusions: covered.Exclusions}
	seen := map[*path.Warp]bool{}
	for _, class := range covered.Classes {
		for _, w := range class.Warps {
			if seen[w.Warp] || w.Warp.WholeChoice == nil {
				continue
			}
			seen[w.Warp] = true
			binds, err := known.Binds(w.Warp.WholeChoice)
			if err != nil {
				return err
			}
			for i := range known.Limits {
				used[known.Limits[i].ID] = used[known.Limits[i].ID] || binds[i]
			}
			for i := range known.Exclusions {
				id := known.Exclusions[i].ID
				used[id] = used[id] || binds[len(known.Limits)+i]
			}
		}
	}
	return unused(r.Source.Facts, used, "what the kernel may execute is the same without it")
}

// unused is the error of facts that are not used. What one line of a file states of
// several loops is used if it is for one.
func unused(list []facts.Fact, used []bool, why string) error {
	by := map[[2]int]bool{}
	for i := range list {
		by[[2]int{list[i].Statement, int(list[i].Kind)}] = by[[2]int{list[i].Statement, int(list[i].Kind)}] || used[i]
	}
	var errs conf.ErrorList
	for i := range list {
		key := [2]int{list[i].Statement, int(list[i].Kind)}
		if !by[key] {
			errs.Addf(list[i].Pos, "%s is not used: %s, expected it to be left out", list[i].Name, why)
			by[key] = true
		}
	}
	return errs.Err()
}
