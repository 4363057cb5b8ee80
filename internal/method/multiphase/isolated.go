package multiphase

import (
	"context"

	"github.com/warpbound/warpbound/bound"
)

// isoKind says on which hardware a warp is timed alone.
type isoKind int

const (
	isoQueued   isoKind = iota // unbounded queues: issue does not wait for the unit
	isoBlocking                // no queue: issue waits for the unit (iso⁰)
	isoSerial                  // one initiation after the other, whatever the unit
	isoKinds
)

// isolated is the time of a section alone on an SM.
type isolated struct {
	end    int64 // completion of the latest instruction
	exec   int64 // cycles in which some unit initiates
	phases []bound.Phase
}

// idle is the number of cycles without initiation.
func (r *isolated) idle() int64 { return r.end - r.exec }

// Variables of isoMachine; units and registers follow.
const (
	isoNext  = iota // earliest issue of the next instruction
	isoBusy         // end of the latest initiation
	isoIdle         // cycles of closed idle phases
	isoEnd          // latest completion
	isoOpen         // start of the execution phase in progress
	isoFixed        // number of the variables above
)

// isoMachine is Algorithm 1 of Jeanmougin2025, corrected: an instruction waits
// for its sources also where they arrive during an execution phase, and the last
// idle phase ends with the latest completion of any instruction.
type isoMachine struct {
	p    *lowered
	kind isoKind
	x    []int64
	c    choices
	rec  recorder
}

func newIsoMachine(p *lowered, kind isoKind) *isoMachine {
	return &isoMachine{p: p, kind: kind, x: make([]int64, isoFixed+p.units+p.regs)}
}

func (m *isoMachine) vars() []int64 { return m.x }
func (m *isoMachine) log() *choices { return &m.c }
func (m *isoMachine) jumped()       { m.rec.jump(m.x[isoOpen], m.x[isoIdle]) }

func (m *isoMachine) run(insts []int32) {
	x := m.x
	units := x[isoFixed : isoFixed+m.p.units]
	regs := x[isoFixed+m.p.units:]
	on := m.c.on
	for _, id := range insts {
		in := &m.p.insts[id]
		issue := m.wait(in, x[isoNext], regs, on)
		dispatch := issue
		if free := units[in.unit]; free > dispatch {
			dispatch = free
			if on {
				m.c.add(1, free-issue)
			}
		} else if on {
			m.c.add(0, dispatch-free)
		}
		if m.kind != isoQueued {
			issue = dispatch
		}
		if busy := x[isoBusy]; issue > busy {
			// The margin keeps an empty idle phase from being listed.
			if on {
				m.c.add(1, issue-busy-1)
			}
			m.rec.idle(x[isoOpen], busy, issue)
			x[isoIdle] += issue - busy
			x[isoOpen] = issue
		} else if on {
			m.c.add(0, busy-issue)
		}
		m.finish(in, issue, dispatch, units, regs, on)
	}
}

// wait returns the issue time: the warp's next free cycle or, if later, the
// latest source.
func (m *isoMachine) wait(in *inst, issue int64, regs []int64, on bool) int64 {
	for _, r := range in.srcs {
		t := regs[r]
		if t > issue {
			if on {
				m.c.add(1, t-issue)
			}
			issue = t
		} else if on {
			m.c.add(0, issue-t)
		}
	}
	return issue
}

// finish books the initiation and the completion.
func (m *isoMachine) finish(in *inst, issue, dispatch int64, units, regs []int64, on bool) {
	x := m.x
	free := dispatch + in.init
	done := dispatch + in.lambda
	units[in.unit] = free
	if busy := x[isoBusy]; free > busy {
		if on {
			m.c.add(1, free-busy)
		}
		x[isoBusy] = free
	} else if on {
		m.c.add(0, busy-free)
	}
	if end := x[isoEnd]; done > end {
		if on {
			m.c.add(1, done-end)
		}
		x[isoEnd] = done
	} else if on {
		m.c.add(0, end-done)
	}
	for _, w := range in.writes {
		regs[w] = done
	}
	if m.kind == isoSerial {
		x[isoNext] = issue + in.init
	} else {
		x[isoNext] = issue + 1
	}
}

// isolatedTime runs a section alone.
func (a *Analyzer) isolatedTime(ctx context.Context, p *lowered, kind isoKind) (*isolated, error) {
	m := newIsoMachine(p, kind)
	m.rec.limit = a.opt.MaxPhases
	if err := a.fold(ctx, m, p.body); err != nil {
		return nil, err
	}
	busy, end := m.x[isoBusy], m.x[isoEnd]
	r := &isolated{end: end, exec: busy - m.x[isoIdle]}
	r.phases = m.rec.close(m.x[isoOpen], busy, m.x[isoIdle], end)
	return r, nil
}

// fold runs a machine over a section, from its start to its end.
func (a *Analyzer) fold(ctx context.Context, m machine, s *lseq) error {
	f := folder{ctx: ctx, m: m, steps: a.opt.MaxSteps, maxLog: a.maxLog}
	if err := f.seq(s); err != nil {
		return err
	}
	return f.check()
}
