package study

import (
	"fmt"
	"strings"
)

// judgePublished says of the published pessimistic figure whether it is a bound
// for this instance, and why.
func (r *runner) judgePublished() {
	s := r.study
	row := s.Row(Paper)
	if row.Kind == NoAnswer {
		return
	}
	var wide []string
	for _, k := range r.in.Kinds {
		if k.Capacity > 1 {
			wide = append(wide, fmt.Sprintf("σ of %c is %d", k.Letter, k.Capacity))
		}
	}
	why := strings.Join(wide, ", ")
	switch {
	case r.in.PublishedSafe():
		row.Kind, row.Note = PublishedSafe, "every σ is 1: equal to theorem 14"
	case row.Cycles >= s.Best.Cycles:
		row.Kind = PublishedSafe
		row.Note = fmt.Sprintf("published; not a bound in general where a σ is above 1 (%s); here no less than the bound by %s", why, s.Best.Method)
	case s.Exact != nil:
		row.Note = fmt.Sprintf("published; NOT a bound: %s, and the worst case is longer, %d", why, s.Exact.Cycles)
	default:
		row.Note = fmt.Sprintf("published; NOT a bound: %s, and the figure is proved only where every σ is 1", why)
	}
}

// estimateNote says of the published estimate why it is no bound.
func (r *runner) estimateNote(cycles int64) string {
	if e := r.study.Exact; e != nil && cycles < e.Cycles {
		return fmt.Sprintf("published; NOT a bound: the worst case is longer, %d%s", e.Cycles, r.subadditive("; "))
	}
	if why := r.subadditive(""); why != "" {
		return "published; NOT a bound: " + why
	}
	return "published; NOT a bound: T need not be subadditive (for LCL, T(2)+T(2) = 8 < T(4) = 9)"
}

// subadditive names the first exact makespans that show that T is not subadditive
// for this string, "" where none do.
func (r *runner) subadditive(before string) string {
	for sum := 2; sum <= len(r.upTo); sum++ {
		for a := 1; a <= sum/2; a++ {
			x, y, both := r.upTo[a-1], r.upTo[sum-a-1], r.upTo[sum-1]
			if x+y < both {
				return fmt.Sprintf("%sT is not subadditive here, T(%d)+T(%d) = %d < T(%d) = %d", before, a, sum-a, x+y, sum, both)
			}
		}
	}
	return ""
}
