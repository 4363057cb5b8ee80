package ptxexec

import "github.com/warpbound/warpbound/internal/simt"

// A level is what a warp executes, or not, as a whole: the kernel, a side of a fork, or
// a rest. A rest begins where no lane is certain to be there any more, although the level
// around is executed: others of its lanes have ended, returned from the function, or not
// been called, and those were perhaps the only ones there. It ends with the group of lanes
// that executes it.
type level struct {
	// One of these lanes is there, at least, where the level begins to be executed.
	lanes  uint32
	ends   int // lanes that may have ended before
	height int // of the stack, where it began
	rest   bool
	// parted says that the block may have ended in it together.
	parted bool
}

// rest ends the rests that are over, and begins one where it is due.
func (w *coverWarp) rest() error {
	w.run.step.Alike = false
	n := len(w.levels)
	for w.levels[n-1].rest && len(w.stack) < w.levels[n-1].height {
		n--
	}
	w.closeRests(n)
	l := &w.levels[n-1]
	lanes := w.top.mask
	unsure := w.loose
	if w.together != nil && w.forks == w.commons && !l.parted {
		unsure = w.strayed // the block executes the level together
	}
	if lanes&^unsure != 0 || l.ends == w.ends && l.lanes&^w.never&^lanes == 0 {
		return nil
	}
	if n >= maxForks {
		return w.refuse("lanes may have ended in more than %d places", maxForks)
	}
	w.run.sink.Fork(w.id)
	w.levels = append(w.levels, level{lanes: lanes, ends: w.ends, height: len(w.stack), rest: true})
	return nil
}

// closeRests ends the rests that are open beyond the first n levels.
func (w *coverWarp) closeRests(n int) {
	for len(w.levels) > n && w.levels[len(w.levels)-1].rest {
		w.run.sink.Next(w.id)
		w.run.sink.Join(w.id, simt.Joined{FirstEnded: w.live == 0})
		w.levels = w.levels[:len(w.levels)-1]
	}
}
