package path

import (
	"fmt"
	"slices"

	"github.com/warpbound/warpbound/internal/choice"
	"github.com/warpbound/warpbound/internal/simt"
)

// LoopCount is how often lanes go back to the head of a closed loop, at most: Most, and for
// given scalar arguments at most the largest of each list of Tests.
type LoopCount struct {
	Head  int32
	Most  int64
	Tests [][]simt.Quotient
}

// iterations is a body as often as a warp comes back to the head of a loop, at most.
func (r *coverRecorder) iterations(how *simt.LoopEnd, body *choice.Expr) *choice.Expr {
	return r.made(r.build.AtMostOf(r.tag(how), how.Most, body))
}

// tag is the tag of a count: that of the count in Recorded.Counts, plus 1, where arguments
// say more than its most.
func (r *coverRecorder) tag(how *simt.LoopEnd) int32 {
	if len(how.Counts) == 0 {
		if !slices.Contains(r.out.Uncounted, how.Head) {
			r.out.Uncounted = append(r.out.Uncounted, how.Head)
		}
		return 0
	}
	key := fmt.Sprint(how.Head, how.Most, how.Counts)
	tag, ok := r.counts[key]
	if !ok {
		r.out.Counts = append(r.out.Counts, LoopCount{how.Head, how.Most, slices.Clone(how.Counts)})
		tag = int32(len(r.out.Counts))
		r.counts[key] = tag
	}
	return tag
}
