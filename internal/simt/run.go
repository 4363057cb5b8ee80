package simt

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/isa"
)

// Limits bound a functional execution.
type Limits struct {
	// MaxInstructions is the most warp instructions executed over the whole
	// run; 0 means no limit.
	MaxInstructions int64
	// Watch, if not nil, is told now and then where the execution is.
	Watch func(At)
}

// At is where an execution is.
type At struct {
	Instructions int64 // warp instructions executed so far
	Cycle        int64 // NoTime where the execution has no time
	Block        int64
	Warp         int
	PC           int32 // isa.NoPC where no warp can go on
}

// NoTime is the cycle of an execution without timing.
const NoTime int64 = -1

// Interrupted is an execution that its context ended.
type Interrupted struct {
	At
	Pos isa.Position // of the instruction at PC, where known
	Err error        // the context's
}

func (e *Interrupted) Error() string {
	s := e.Err.Error()
	if errors.Is(e.Err, context.Canceled) {
		s = "interrupted"
	}
	if e.Cycle != NoTime {
		s += fmt.Sprintf(" in cycle %d", e.Cycle)
	}
	s += fmt.Sprintf(" after %d warp instructions", e.Instructions)
	if e.PC == isa.NoPC {
		return s
	}
	if e.Pos.Line != 0 {
		s += ", at " + e.Pos.String()
	}
	return s + fmt.Sprintf(" (block %d, warp %d, pc %d)", e.Block, e.Warp, e.PC)
}

// Unwrap gives the context's error.
func (e *Interrupted) Unwrap() error { return e.Err }

// watchEvery is how many instructions lie between looks at the context, a power of
// two.
const watchEvery = 1 << 16

// Observer sees every step of a functional execution. The step is only valid
// during the call.
type Observer func(warp int, s *Step)

// RunBlock executes one block to its end: each warp runs until it waits at a
// barrier, yields or ends, in warp order, again and again. executed counts warp
// instructions over calls and is compared with limits. A context that is
// cancelled ends the run with an *Interrupted.
func RunBlock(ctx context.Context, b Block, limits Limits, executed *int64, observe Observer) error {
	warps := b.Warps()
	var step Step
	for {
		progress, live := false, false
		for i, w := range warps {
			for w.Status() == Ready {
				if limits.MaxInstructions > 0 && *executed >= limits.MaxInstructions {
					return &RuntimeError{Kind: ErrInstructionLimit, Detail: fmt.Sprintf("%d warp instructions executed", *executed), Block: b.Index(), Thread: -1, PC: w.PC()}
				}
				if err := w.Step(&step); err != nil {
					return err
				}
				progress = true
				*executed++
				if *executed%watchEvery == 0 {
					at := At{Instructions: *executed, Cycle: NoTime, Block: b.Index(), Warp: i, PC: w.PC()}
					if err := ctx.Err(); err != nil {
						return &Interrupted{At: at, Err: err}
					}
					if limits.Watch != nil {
						limits.Watch(at)
					}
				}
				if observe != nil {
					observe(i, &step)
				}
				if step.Yield {
					break
				}
			}
			live = live || w.Status() != Done
		}
		if !live {
			return nil
		}
		if !progress {
			return Deadlock(b)
		}
	}
}

// Wait is a barrier a warp waits at.
type Wait struct {
	Barrier     int32
	PC          int32 // the barrier instruction
	Pos, Source isa.Position
}

// Waiter is implemented by blocks that know where their warps wait. ok is false
// where the warp does not wait.
type Waiter interface {
	Wait(warp int) (wait Wait, ok bool)
}

// Deadlock describes a block whose live warps all wait at barriers: which warps
// wait where. The error's position is that of the first one.
func Deadlock(b Block) error {
	type group struct {
		wait  Wait
		warps []int
	}
	var groups []group
	waiter, _ := b.(Waiter)
	ended := 0
	for i, w := range b.Warps() {
		if w.Status() == Done {
			ended++
		}
		if w.Status() != Waiting {
			continue
		}
		wait := Wait{Barrier: -1, PC: w.PC()}
		if waiter != nil {
			if known, ok := waiter.Wait(i); ok {
				wait = known
			}
		}
		at := slices.IndexFunc(groups, func(g group) bool { return g.wait == wait })
		if at < 0 {
			at = len(groups)
			groups = append(groups, group{wait: wait})
		}
		groups[at].warps = append(groups[at].warps, i)
	}
	slices.SortStableFunc(groups, func(a, b group) int { return int(a.wait.PC - b.wait.PC) })
	e := &RuntimeError{Kind: ErrDeadlock, Block: b.Index(), Thread: -1, PC: isa.NoPC}
	var where []string
	for _, g := range groups {
		place := fmt.Sprintf("warps %s wait at pc %d", ranges(g.warps), g.wait.PC)
		if g.wait.Barrier >= 0 {
			place = fmt.Sprintf("warps %s wait at barrier %d, pc %d", ranges(g.warps), g.wait.Barrier, g.wait.PC)
		}
		if g.wait.Pos.Line != 0 {
			place += fmt.Sprintf(" (line %d)", g.wait.Pos.Line)
		}
		where = append(where, place)
	}
	if len(groups) > 0 {
		e.PC, e.Pos, e.Source = groups[0].wait.PC, groups[0].wait.Pos, groups[0].wait.Source
	}
	e.Detail = fmt.Sprintf("%s; %d warps have ended", strings.Join(where, "; "), ended)
	return e
}

// ranges prints ascending numbers as "0-3,5".
func ranges(xs []int) string {
	var out []string
	for i := 0; i < len(xs); {
		j := i
		for j+1 < len(xs) && xs[j+1] == xs[j]+1 {
			j++
		}
		if i == j {
			out = append(out, fmt.Sprint(xs[i]))
		} else {
			out = append(out, fmt.Sprintf("%d-%d", xs[i], xs[j]))
		}
		i = j + 1
	}
	return strings.Join(out, ",")
}

// Run executes all blocks of a launch in order and returns the number of warp
// instructions executed.
func Run(ctx context.Context, k Kernel, limits Limits) (int64, error) {
	var executed int64
	for i := int64(0); i < NumBlocks(k.Grid()); i++ {
		b, err := k.NewBlock(i)
		if err != nil {
			return executed, err
		}
		if err := RunBlock(ctx, b, limits, &executed, nil); err != nil {
			var e *RuntimeError
			if errors.As(err, &e) {
				e.Locate(k.Program())
			}
			return executed, err
		}
		b.Release()
	}
	return executed, nil
}
