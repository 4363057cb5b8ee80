package facts

import "github.com/warpbound/warpbound/internal/simt"

// Executions tells a tracker what blocks execute, one at a time. A nil one tells nobody.
type Executions struct {
	Tracker *Tracker

	block *Block
	warps int
}

// Begin begins a block of so many warps.
func (e *Executions) Begin(index int64, warps int) {
	if e != nil {
		e.block, e.warps = e.Tracker.Block(index, warps), warps
	}
}

// Step is a step of a warp of the block.
func (e *Executions) Step(warp int, s *simt.Step) {
	if e != nil {
		e.block.Step(warp, s)
	}
}

// Repeat is that a warp executes an iteration that it has executed again and again.
func (e *Executions) Repeat(l *simt.Loop) {
	if e != nil {
		e.block.Repeat(l.Warp, l.Steps, l.Times)
	}
}

// End ends the block. The error is a *simt.RuntimeError where a fact did not hold.
func (e *Executions) End() error {
	if e == nil {
		return nil
	}
	for i := range e.warps {
		if err := e.block.Ended(i); err != nil {
			return err
		}
	}
	return nil
}
