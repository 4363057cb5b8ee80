package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/warpbound/warpbound"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/report"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/terminal"
	"github.com/warpbound/warpbound/isa"
)

// progress shows on a terminal how far a command is, in one line, after a second;
// in a pipe it is silent.
type progress struct {
	out io.Writer // nil where nothing is shown
	now func() time.Time

	mu          sync.Mutex // the line is drawn by a goroutine of its own
	name        string
	start       time.Time
	done, total int64
	program     *isa.Program // what at is in; nil where not known
	at          simt.At
	executing   bool         // at says where
	pos         isa.Position // of what is executed; Line 0 where not known
	drawn       bool
	quit        chan struct{}
	idle        sync.WaitGroup
}

const (
	progressAfter = time.Second
	progressEvery = 200 * time.Millisecond
	progressWidth = 79 // columns
)

func newProgress(name string) *progress {
	p := &progress{name: name, now: time.Now, start: time.Now()}
	if _, ok := screen(os.Stderr); !ok {
		return p
	}
	p.out, p.quit = os.Stderr, make(chan struct{})
	p.idle.Go(func() {
		tick := time.NewTicker(progressEvery)
		defer tick.Stop()
		for {
			select {
			case <-p.quit:
				return
			case <-tick.C:
				p.draw()
			}
		}
	})
	return p
}

// screen is the terminal that w writes to, if it does.
func screen(w io.Writer) (*os.File, bool) {
	if p, ok := w.(*terminal.Writer); ok {
		w = p.W
	}
	f, ok := w.(*os.File)
	if !ok {
		return nil, false
	}
	info, err := f.Stat()
	return f, err == nil && info.Mode()&os.ModeCharDevice != 0
}

// rename changes what stands at the beginning.
func (p *progress) rename(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.name = name
}

// soon shows the line without waiting for a second to pass.
func (p *progress) soon() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.start = p.start.Add(-progressAfter)
}

// update says how much of the whole is done.
func (p *progress) update(done, total int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done, p.total = done, total
}

// of says which program is executed from now on.
func (p *progress) of(program *isa.Program) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.program, p.executing = program, false
}

// executed says where an execution is.
func (p *progress) executed(at simt.At) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at, p.executing = at, true
}

// watch has an execution of a launch say where it is.
func (p *progress) watch(l *load.Opened, limits *simt.Limits) {
	p.of(l.Program())
	limits.Watch = p.executed
}

// simulated says where a simulation is.
func (p *progress) simulated(at sim.Progress) { p.executed(at.At) }

// told says how far an operation of the library is.
func (p *progress) told(at warpbound.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.name, p.done, p.total = at.Task, at.Done, at.Total
	p.at, p.executing, p.pos = simt.At{Instructions: at.Instructions, Cycle: at.Cycle, PC: isa.NoPC}, at.Instructions > 0, at.Pos
}

// close takes the line away.
func (p *progress) close() {
	if p.quit != nil {
		close(p.quit)
		p.idle.Wait()
		p.quit = nil
	}
	if p.drawn {
		p.drawn = false
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}

// draw writes the line over the last one.
func (p *progress) draw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.now().Sub(p.start) < progressAfter || p.total == 0 && !p.executing {
		return
	}
	p.drawn = true
	fmt.Fprint(p.out, "\r\x1b[K")
	fmt.Fprint(&terminal.Writer{W: p.out}, p.line())
}

// line is the line as it is now.
func (p *progress) line() string {
	elapsed := p.now().Sub(p.start)
	s := p.name
	if p.total > 0 {
		s += fmt.Sprintf(" %s / %s", report.Count(p.done), report.Count(p.total))
	}
	s += ", " + duration(elapsed.Seconds())
	if left := remaining(elapsed, p.done, p.total); left != "" {
		s += ", " + left + " left"
	}
	if p.executing {
		s += fmt.Sprintf(", %s instructions", report.Count(p.at.Instructions))
		if p.at.Cycle != simt.NoTime {
			s += fmt.Sprintf(", cycle %s", report.Count(p.at.Cycle))
		}
		pos := p.pos
		if pos.Line == 0 {
			pos = positionOf(p.program, p.at.PC)
		}
		if pos.Line != 0 {
			s += fmt.Sprintf(", %s:%d", filepath.Base(pos.File), pos.Line)
		}
	}
	if r := []rune(s); len(r) > progressWidth {
		s = string(r[:progressWidth])
	}
	return s
}

// positionOf is where an instruction is, line 0 where that is not known.
func positionOf(p *isa.Program, pc int32) isa.Position {
	if p == nil || pc < 0 || int(pc) >= len(p.Instructions) {
		return isa.Position{}
	}
	return p.Instructions[pc].Pos
}

// remaining is the time that the rest takes if it goes on as before; "" where
// nothing says how long.
func remaining(elapsed time.Duration, done, total int64) string {
	if done <= 0 || total <= done || elapsed <= 0 {
		return ""
	}
	return duration(elapsed.Seconds() * (float64(total)/float64(done) - 1))
}

// duration prints seconds as two of the units that fit; what nobody waits for is
// not told apart.
func duration(seconds float64) string {
	const minute, hour, day, year = 60, 3600, 86400, 365.25 * 86400
	switch {
	case seconds < minute:
		return fmt.Sprintf("%ds", int64(seconds))
	case seconds < hour:
		return fmt.Sprintf("%dm%02ds", int64(seconds)/minute, int64(seconds)%minute)
	case seconds < 2*day:
		return fmt.Sprintf("%dh%02dm", int64(seconds)/hour, int64(seconds)%hour/minute)
	case seconds < 2*year:
		return fmt.Sprintf("%d days", int64(seconds/day))
	case seconds < 1000*year:
		return fmt.Sprintf("%d years", int64(seconds/year))
	}
	return "over 1000 years"
}
