package ptxexec

import (
	"errors"
	"iter"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

// In a closed covering execution the warps of a block go together through forks and loops
// with barriers inside: all take a side, or go back for an iteration, or none does. That
// they do is seen from what decides: the same function of what is the same in the whole
// block (docs/soundness/closed.md, lemma B (together)). Each warp is a coroutine, which
// leaves to the others where it waits at a barrier, and where warps have to agree.

// agreement is what a warp says where warps have to agree, and what they then agree on.
type agreement struct {
	kind agreementKind
	pc   int32
	key  string // what decides; empty where that is not known to be the same for all warps
	// Of an iteration of a loop that stands for others: what it confirms, that it did what
	// the one before it did, and how often it comes back.
	confirmed, same bool
	arrivals        int
	most            int64

	depth  int  // of the forks and loops around that warps go through together
	agreed bool // they agree
	first  bool // the warp is the first of them
}

type agreementKind uint8

const (
	onFork      agreementKind = iota // a fork begins
	onSide                           // a side of it is over
	onLoop                           // a loop is to be closed
	onIteration                      // an iteration of it is over
	onFailure                        // it cannot be closed
)

// together is a warp as a coroutine.
type together struct {
	leave func() bool // for the others; false when the execution is given up
	at    *agreement  // that it waits for
	apart bool        // what it waits for does not come
	over  bool
}

// errGivenUp ends a warp behind an error of another one.
var errGivenUp = errors.New("given up")

// hasBarriers says that the program has barriers.
func (p *Code) hasBarriers() bool {
	for pc := range p.code {
		if p.code[pc].group == gBarrier {
			return true
		}
	}
	return false
}

// executeTogether executes the warps of a block as coroutines.
func (r *coverRun) executeTogether(b *block) error {
	resume := make([]func() (error, bool), len(r.warps))
	for j := range r.warps {
		w := &r.warps[j]
		w.together = &together{}
		next, stop := iter.Pull(func(yield func(error) bool) {
			w.together.leave = func() bool { return yield(nil) }
			if err := w.whole(); err != nil {
				yield(err)
			}
		})
		defer stop()
		resume[j] = next
	}
	for {
		progress, live := false, false
		for j := range r.warps {
			w := &r.warps[j]
			t := w.together
			if t.over {
				continue
			}
			live = true
			if t.at != nil || w.status == simt.Waiting && !t.apart {
				continue
			}
			progress = true
			err, more := resume[j]()
			if err != nil {
				return err
			}
			t.over = !more
		}
		if !live {
			return nil
		}
		if !progress && !r.agree(b) {
			return simt.Deadlock(b)
		}
	}
}

// whole executes a warp to its end.
func (w *coverWarp) whole() error {
	for w.status != simt.Done {
		if err := w.wait(); err != nil {
			return err
		}
		if err := w.execute(true); err != nil {
			return err
		}
	}
	w.closeRests(1)
	return nil
}

// wait waits until the barrier opens at which the warp is, if it is at one.
func (w *coverWarp) wait() error {
	for w.status == simt.Waiting {
		if w.together == nil || w.forks > w.commons {
			return w.refuse("a wait where control depends on data")
		}
		if err := w.others(w.waitPC); err != nil {
			return err
		}
	}
	return nil
}

// others executes other warps until this one, which is at an instruction, can go on.
func (w *coverWarp) others(pc int32) error {
	t := w.together
	if !t.leave() {
		return errGivenUp
	}
	if t.apart {
		t.apart = false
		in := &w.blk.k.prog.isa.Instructions[pc]
		return &simt.NotCovered{PC: pc, Loop: isa.NoPC, Pos: in.Pos, Source: in.Source, What: in.Opcode + ": whether all warps of the block come here as often as each other is not known"}
	}
	return nil
}

// meet waits until all warps of the block agree.
func (w *coverWarp) meet(a agreement) (*agreement, error) {
	a.depth = w.commons
	w.together.at = &a
	return &a, w.others(a.pc)
}

// agree finds what warps agree on of which none can go on. It returns false where none
// waits to agree.
func (r *coverRun) agree(b *block) bool {
	var all []*together
	var first, failed *agreement
	same := true
	for j := range r.warps {
		t := r.warps[j].together
		if t.over {
			continue
		}
		all = append(all, t)
		if t.at == nil {
			same = false
			continue
		}
		if first == nil {
			first = t.at
		}
		same = same && t.at.kind == first.kind && t.at.pc == first.pc && t.at.depth == first.depth
		if t.at.kind == onFailure && (failed == nil || t.at.depth < failed.depth) {
			failed = t.at
		}
	}
	if first == nil {
		return false
	}
	if !same {
		// Those go on whose failure is that of the outermost loop; others fail, too.
		for _, t := range all {
			if at := t.at; failed == nil || at == nil || at.kind != onFailure || at.depth > failed.depth || at.pc != failed.pc {
				t.at, t.apart = nil, true
			}
		}
		return true
	}
	joint := *first
	joint.agreed = true
	for _, t := range all {
		joint.agreed = joint.agreed && t.at.key == first.key && (t.at.kind != onFork || t.at.key != "") && t.at.arrivals == first.arrivals
		joint.confirmed = joint.confirmed && t.at.confirmed
		joint.same = joint.same && t.at.same
		joint.most = min(joint.most, t.at.most)
	}
	if joint.kind == onFailure {
		clear(b.barriers[:])
	}
	r.agreements++
	for i, t := range all {
		*t.at = joint
		t.at.first = i == 0
		t.at = nil
	}
	return true
}
