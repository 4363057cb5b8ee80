package potential

import (
	"context"
	"fmt"
	"slices"

	"github.com/warpbound/warpbound/internal/method/makespan"
)

// Law is a proof that a line that bounds the makespan is the exact makespan of every
// number of warps from From on (docs/soundness/makespan.md, corollary of theorem 17
// (laws)): schedules of From, From+1, ..., From+Period−1 warps that reach it, each with
// stretches that can be repeated for Period more warps.
type Law struct {
	Line Line
	// From is the least number of warps; Period more warps take PeriodCycles more.
	From, Period, PeriodCycles int64
	Witnesses                  []Witness
}

// Witness is a schedule in counts (see Result.Moves) and the stretches of it, in
// order and apart from each other, whose repetition serves more warps.
type Witness struct {
	Moves     [][]int32
	Stretches []Stretch
}

// Stretch is the cycles Begin+1 to End, counted from 1, and how often they are
// repeated.
type Stretch struct {
	Begin, End int
	Times      int64
}

const (
	// maxPeriods is how many times the shortest period is tried.
	maxPeriods = 4
	// maxStretch is the longest stretch looked for, in cycles.
	maxStretch = 64
)

// FindLaw looks for a law among the schedules that keep the certificate's
// potential high, for at most that many warps. The line is a proved bound, the
// certificate's own or that of courses. The law has passed Check; it is nil,
// without an error, where none was found.
func FindLaw(ctx context.Context, in *makespan.Instance, c *Certificate, line Line, most int64) (*Law, error) {
	if err := matches(in, c.Kinds, c.Capacities); err != nil {
		return nil, err
	}
	if line.Slope < 1 || line.Scale < 1 {
		return nil, nil
	}
	d := gcd(line.Slope, line.Scale)
	f := &finder{ctx: ctx, in: in, certificate: c, line: line, reaching: map[int64][][][]int32{}}
	var laws [maxPeriods]Law
	for w := max(1, c.Caps[0], line.From); w <= most; w++ {
		for m := range laws {
			law := &laws[m]
			period := line.Scale / d * int64(m+1)
			if w+period > most {
				continue
			}
			witness, err := f.witness(w, period)
			if err != nil {
				return nil, err
			}
			if witness == nil {
				*law = Law{}
				continue
			}
			if len(law.Witnesses) == 0 {
				*law = Law{Line: line, From: w, Period: period, PeriodCycles: line.Slope / d * int64(m+1)}
			}
			law.Witnesses = append(law.Witnesses, *witness)
			if int64(len(law.Witnesses)) == period {
				return law, law.Check(in)
			}
		}
	}
	return nil, nil
}

type finder struct {
	ctx         context.Context
	in          *makespan.Instance
	certificate *Certificate
	line        Line
	reaching    map[int64][][][]int32 // by warps: schedules that reach the bound
}

// schedules are the dives that reach the line, one per tie rule, nil
// for those that do not.
func (f *finder) schedules(warps int64) ([][][]int32, error) {
	if s, ok := f.reaching[warps]; ok {
		return s, nil
	}
	in := f.in.WithWarps(warps)
	bound := f.line.at(warps)
	out := make([][][]int32, len(tieRules))
	for r, rule := range tieRules {
		moves, cycles, err := dive(f.ctx, f.certificate, in, rule, defaultMemoryBytes)
		if err != nil {
			return nil, err
		}
		if bound.IsInt64() && bound.Int64() == cycles {
			out[r] = moves
		}
	}
	f.reaching[warps] = out
	return out, nil
}

// witness compares schedules for a number of warps and for period more.
func (f *finder) witness(warps, period int64) (*Witness, error) {
	in := f.in.WithWarps(warps)
	short, err := f.schedules(warps)
	if err != nil {
		return nil, err
	}
	long, err := f.schedules(warps + period)
	if err != nil {
		return nil, err
	}
	for r := range tieRules {
		if short[r] == nil || long[r] == nil {
			continue
		}
		stretches, ok := insertions(short[r], long[r])
		if !ok {
			continue
		}
		w := &Witness{Moves: short[r], Stretches: stretches}
		if _, err := w.repeats(in, period); err == nil {
			return w, nil
		}
	}
	return nil, nil
}

// insertions are stretches of short that, repeated, make it long: where the two
// differ, long repeats the cycles before.
func insertions(short, long [][]int32) ([]Stretch, bool) {
	var out []Stretch
	i, j := 0, 0
	for i < len(short) || j < len(long) {
		if i < len(short) && j < len(long) && slices.Equal(short[i], long[j]) {
			i, j = i+1, j+1
			continue
		}
		found := false
		for q := 1; q <= min(maxStretch, i) && !found; q++ {
			if len(out) > 0 && out[len(out)-1].End > i-q {
				break
			}
			times := 0
			for k := j; k+q <= len(long) && slices.EqualFunc(short[i-q:i], long[k:k+q], slices.Equal); k += q {
				times++
			}
			after := j + times*q
			found = times > 0 && (i == len(short) && after == len(long) ||
				i < len(short) && after < len(long) && slices.Equal(short[i], long[after]))
			if found {
				out = append(out, Stretch{Begin: i - q, End: i, Times: int64(times)})
				j = after
			}
		}
		if !found {
			return nil, false
		}
	}
	return out, true
}

// Check proves the law for the instance's string, given that Line is a bound of its
// makespan.
func (l *Law) Check(in *makespan.Instance) error {
	if in.Code == nil {
		return fmt.Errorf("a string of %d instructions is too long for a law", in.Length)
	}
	b := l.Line
	if b.Scale < 1 || b.Slope < 1 || b.From > l.From {
		return fmt.Errorf("%v from %d warps on", b, l.From)
	}
	if l.From < 1 || l.Period < 1 || int64(len(l.Witnesses)) != l.Period {
		return fmt.Errorf("%d witnesses from %d warps on for a period of %d warps", len(l.Witnesses), l.From, l.Period)
	}
	if compareProducts(b.Slope, l.Period, b.Scale, l.PeriodCycles) != 0 {
		return fmt.Errorf("%d cycles for %d warps are not the slope of the bound", l.PeriodCycles, l.Period)
	}
	for r, w := range l.Witnesses {
		warps := l.From + int64(r)
		in := in.WithWarps(warps)
		if err := w.reaches(in, b); err != nil {
			return fmt.Errorf("witness for %d warps: %w", warps, err)
		}
		cycles, err := w.repeats(in, l.Period)
		if err != nil {
			return fmt.Errorf("witness for %d warps: %w", warps, err)
		}
		if cycles != l.PeriodCycles {
			return fmt.Errorf("witness for %d warps: its stretches add %d cycles, expected %d", warps, cycles, l.PeriodCycles)
		}
	}
	return nil
}

// reaches says whether the moves are a schedule as long as the bound.
func (w *Witness) reaches(in *makespan.Instance, l Line) error {
	s, err := makespan.FromMoves(in, w.Moves)
	if err != nil {
		return err
	}
	if err := s.Check(in); err != nil {
		return err
	}
	// Cycles behind the end are none: a stretch of them would repeat nothing.
	if int64(len(w.Moves)) != s.MakespanCycles() {
		return fmt.Errorf("%d cycles for a schedule that ends after %d", len(w.Moves), s.MakespanCycles())
	}
	if b := l.at(in.Warps); !b.IsInt64() || s.MakespanCycles() != b.Int64() {
		return fmt.Errorf("%d cycles, expected the bound %v", s.MakespanCycles(), b)
	}
	return nil
}

// repeats checks the conditions of theorem 17 (repetition) for a number of further warps and
// gives the cycles that they take.
func (w *Witness) repeats(in *makespan.Instance, more int64) (int64, error) {
	extra := make([]int64, len(in.Code)) // warps that are there beside the schedule's
	extra[0] = more
	done, cycles := 0, int64(0)
	for n, s := range w.Stretches {
		if s.Begin < done || s.End <= s.Begin || s.End > len(w.Moves) || s.Times < 1 || s.Times > in.Warps+more {
			return 0, fmt.Errorf("stretch %d, %d times cycles %d to %d of %d", n+1, s.Times, s.Begin+1, s.End, len(w.Moves))
		}
		if err := unmoved(in, w.Moves, done, s.End, extra); err != nil {
			return 0, err
		}
		for _, move := range w.Moves[s.Begin:s.End] {
			for i, e := range move {
				extra[i] -= s.Times * int64(e)
				if i+1 < len(extra) {
					extra[i+1] += s.Times * int64(e)
				}
			}
		}
		if slices.Min(extra) < 0 {
			return 0, fmt.Errorf("stretch %d takes more warps than there are", n+1)
		}
		if err := unmoved(in, w.Moves, s.Begin, s.End, extra); err != nil {
			return 0, err
		}
		done = s.End
		cycles += s.Times * int64(s.End-s.Begin)
	}
	if slices.Max(extra) > 0 {
		return 0, fmt.Errorf("the stretches leave warps behind")
	}
	return cycles, nil
}

// unmoved checks that the cycles from+1 to to execute the same with the extra warps:
// every kind that one of those waits for is saturated.
func unmoved(in *makespan.Instance, moves [][]int32, from, to int, extra []int64) error {
	executed, waited := make([]int64, len(in.Kinds)), make([]bool, len(in.Kinds))
	for i, n := range extra {
		waited[in.Code[i]] = waited[in.Code[i]] || n > 0
	}
	for t := from; t < to; t++ {
		clear(executed)
		for i, e := range moves[t] {
			executed[in.Code[i]] += int64(e)
		}
		for u, n := range executed {
			if waited[u] && n != in.Kinds[u].Capacity {
				return fmt.Errorf("cycle %d executes %d of kind %d, capacity %d, while more warps wait", t+1, n, u, in.Kinds[u].Capacity)
			}
		}
	}
	return nil
}

// String is the law in one line.
func (l *Law) String() string {
	return fmt.Sprintf("T(W) = %s for every W >= %d", l.Line.formula(), l.From)
}
