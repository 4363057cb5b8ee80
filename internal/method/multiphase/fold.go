package multiphase

import (
	"context"
	"errors"
	"slices"

	"github.com/warpbound/warpbound/bound"
)

// ErrSteps reports a section whose loops do not become periodic within the steps
// allowed.
var ErrSteps = errors.New("loops do not become periodic within the step limit")

// machine executes instructions over a vector of integer variables. Each step
// chooses among affine updates by comparing variables, and logs every choice
// with its margin while logging is on.
type machine interface {
	run(insts []int32)
	vars() []int64
	log() *choices
	// jumped tells that the variables were just advanced by a jump over
	// repetitions.
	jumped()
}

// never is a variable that has no value yet (minus infinity).
const never = -maxTime

// choices is the log: which branch each comparison took, and by how much. A
// branch stays the same for as long as its margin is not negative.
type choices struct {
	on     bool
	branch []int32
	margin []int64
}

func (c *choices) add(branch int32, margin int64) {
	c.branch = append(c.branch, branch)
	c.margin = append(c.margin, margin)
}

// Entries that are not comparisons have negative branches: jumps of an inner
// loop, whose margin is the number of groups jumped and must be equal. The
// period is part of the branch.
const jumpBranch = int32(-1)

// maxPeriod is the longest period looked for, in iterations.
const maxPeriod = 8

// maxLog bounds the entries of a log, 12 bytes each; beyond it, the search for
// periods starts again.
const maxLog = 8 << 20

// folder runs a machine over a folded sequence.
//
// After each iteration of a loop it asks whether the last two groups of p
// iterations took the same branches and advanced every variable by the same
// amount. If so both applied the same affine map, the map carries its own
// advance into itself, and every margin changes by a constant from group to
// group. So each following group does the same as long as no margin becomes
// negative, which is computed, and that many groups are jumped. The proof,
// nested loops included, is docs/soundness/blocks.md, section "Loops".
type folder struct {
	ctx     context.Context
	m       machine
	levels  []*level
	depth   int
	steps   int64 // left
	pending int64 // since the last check of the variables
	maxLog  int
	// lifts says that a loop that took more than patience steps is lifted over the rest
	// of its iterations. Only for machines of which lift says that it is safe.
	lifts    bool
	patience int64
}

// level is the history of one loop in progress: where in the log each iteration
// began, and the variables there.
type level struct {
	pos  []int
	vars [][]int64
	free [][]int64
}

func (f *folder) seq(s *lseq) error {
	for i := range s.items {
		it := &s.items[i]
		var err error
		switch {
		case it.body == nil:
			err = f.run(it.insts)
		default:
			err = f.loop(it.count, func() error { return f.seq(it.body) })
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// runChunk bounds the growth of a variable between two checks: 2^12 steps of at
// most 2^33 cycles each.
const runChunk = 1 << 12

func (f *folder) run(insts []int32) error {
	for len(insts) > 0 {
		n := min(len(insts), runChunk)
		f.m.run(insts[:n])
		insts = insts[n:]
		if len(f.m.log().branch) > f.maxLog {
			f.forget()
		}
		f.pending += int64(n)
		if f.pending >= runChunk {
			if err := f.check(); err != nil {
				return err
			}
		}
	}
	return nil
}

// left is the number of steps left.
func (f *folder) left() int64 { return f.steps - f.pending }

func (f *folder) check() error {
	f.steps -= f.pending
	f.pending = 0
	if f.steps < 0 {
		return ErrSteps
	}
	for _, v := range f.m.vars() {
		if v > maxTime {
			return bound.ErrOverflow
		}
	}
	return f.ctx.Err()
}

// loop runs a body count times.
func (f *folder) loop(count int64, body func() error) error {
	if count >= 4 {
		return f.repeat(count, body)
	}
	for range count {
		if err := body(); err != nil {
			return err
		}
	}
	return nil
}

func (f *folder) repeat(count int64, body func() error) error {
	if f.depth == len(f.levels) {
		f.levels = append(f.levels, &level{})
	}
	lv := f.levels[f.depth]
	start := f.left()
	log := f.m.log()
	outer := log.on
	log.on = true
	f.depth++
	lv.clear()
	lv.mark(log, f.m.vars())
	var err error
	for i := int64(1); i <= count; i++ {
		if err = body(); err != nil {
			break
		}
		lv.mark(log, f.m.vars())
		if period, groups := lv.periodic(log, count-i); groups > 0 {
			if err = f.jump(lv, period, groups); err != nil {
				break
			}
			i += groups * int64(period)
		} else if f.lifts && start-f.left() > f.patience {
			var lifted int64
			if lifted, err = f.lift(lv, count-i); err != nil {
				break
			}
			i += lifted
		}
	}
	f.depth--
	if !outer {
		log.on = false
		log.branch, log.margin = log.branch[:0], log.margin[:0]
	}
	return err
}

func (lv *level) clear() {
	lv.free = append(lv.free, lv.vars...)
	lv.pos, lv.vars = lv.pos[:0], lv.vars[:0]
}

// mark notes the border between two iterations.
func (lv *level) mark(log *choices, vars []int64) {
	if len(lv.pos) > 2*maxPeriod {
		lv.free = append(lv.free, lv.vars[0])
		copy(lv.pos, lv.pos[1:])
		copy(lv.vars, lv.vars[1:])
		lv.pos, lv.vars = lv.pos[:len(lv.pos)-1], lv.vars[:len(lv.vars)-1]
	}
	var v []int64
	if n := len(lv.free); n > 0 {
		v, lv.free = lv.free[n-1], lv.free[:n-1]
	}
	lv.pos = append(lv.pos, len(log.branch))
	lv.vars = append(lv.vars, append(v[:0], vars...))
}

// periodic returns the smallest period that repeats and for how many further
// groups it does, at most left iterations in all; 0 groups if none.
func (lv *level) periodic(log *choices, left int64) (period int, groups int64) {
	n := len(lv.pos) - 1
	for p := 1; p <= maxPeriod && 2*p <= n && int64(p) <= left; p++ {
		a, b, end := lv.pos[n-2*p], lv.pos[n-p], lv.pos[n]
		if b-a != end-b || !lv.sameAdvance(n, p) {
			continue
		}
		if g := repeats(log, a, b, end, left/int64(p)); g > 0 {
			return p, g
		}
	}
	return 0, 0
}

// sameAdvance tells whether the last two groups of p iterations advanced every
// variable by the same amount.
func (lv *level) sameAdvance(n, p int) bool {
	x, y, z := lv.vars[n-2*p], lv.vars[n-p], lv.vars[n]
	for i := range x {
		if y[i]-x[i] != z[i]-y[i] {
			return false
		}
	}
	return true
}

// repeats compares the logs [a,b) and [b,end) of two groups and returns for how
// many further groups, at most limit, the branches stay the same.
func repeats(log *choices, a, b, end int, limit int64) int64 {
	ba, bb := log.branch[a:b], log.branch[b:end]
	ma, mb := log.margin[a:b], log.margin[b:end]
	if !slices.Equal(ba, bb) {
		return 0
	}
	for i := range ma {
		d := mb[i] - ma[i]
		switch {
		case bb[i] < 0:
			if d != 0 {
				return 0
			}
		case d < 0:
			limit = min(limit, mb[i]/-d)
		}
	}
	return limit
}

// jump advances the variables by further groups of a period, and the history
// with them, as if the groups had been executed and the last one logged.
func (f *folder) jump(lv *level, period int, groups int64) error {
	log, vars := f.m.log(), f.m.vars()
	n := len(lv.pos) - 1
	before, now := lv.vars[n-period], lv.vars[n]
	for i := range vars {
		d, ok := mulSigned(groups, now[i]-before[i])
		if ok {
			vars[i], ok = addSigned(vars[i], d)
		}
		if !ok || vars[i] > maxTime {
			return bound.ErrOverflow
		}
	}
	f.m.jumped()
	// Entries of the last jumped group: the margins went on changing as they did
	// between the two groups compared.
	a, b, end := lv.pos[n-2*period], lv.pos[n-period], lv.pos[n]
	log.add(jumpBranch-int32(period), groups)
	base := len(log.branch)
	for i := b; i < end; i++ {
		m, ok := log.margin[i], true
		if log.branch[i] >= 0 {
			if m, ok = mulSigned(groups, log.margin[i]-log.margin[a+i-b]); ok {
				m, ok = addSigned(log.margin[i], m)
			}
		}
		if !ok {
			return bound.ErrOverflow
		}
		log.add(log.branch[i], m)
	}
	// The history continues from the jumped groups: one period of them.
	for i := 0; i <= period; i++ {
		j := n - period + i
		lv.pos[j] += base - b
		v := lv.vars[j]
		for k := range v {
			v[k] = vars[k] - (now[k] - v[k])
		}
	}
	lv.drop(n - period)
	return nil
}

// drop forgets the first k borders.
func (lv *level) drop(k int) {
	lv.free = append(lv.free, lv.vars[:k]...)
	lv.pos = slices.Delete(lv.pos, 0, k)
	lv.vars = slices.Delete(lv.vars, 0, k)
}

// forget empties the log and the history of every loop in progress: the search
// for periods starts again at their next border.
func (f *folder) forget() {
	log := f.m.log()
	log.branch, log.margin = log.branch[:0], log.margin[:0]
	for _, lv := range f.levels[:f.depth] {
		lv.clear()
	}
}
