package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/warpbound/warpbound"
	"github.com/warpbound/warpbound/internal/terminal"
)

// progress shows on a terminal how far a command is, in one line, after a second;
// in a pipe it is silent.
type progress struct {
	out io.Writer // nil where nothing is shown
	now func() time.Time

	mu    sync.Mutex // the line is drawn by a goroutine of its own
	start time.Time
	at    warpbound.Progress
	drawn bool
	quit  chan struct{}
	idle  sync.WaitGroup
}

const (
	progressAfter = time.Second
	progressEvery = 200 * time.Millisecond
	progressWidth = 79 // columns
)

// newProgress begins to show a task, whose name may come later.
func newProgress(task string) *progress {
	p := &progress{now: time.Now, start: time.Now(), at: warpbound.Progress{Task: task}}
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

// watched asks the library something with options, of which tell is the field Progress,
// and shows how far it is.
func watched[O, R any](cmd *cobra.Command, opt *O, tell *func(warpbound.Progress), ask func(context.Context, O) (R, error)) (R, error) {
	bar := newProgress("")
	defer bar.close()
	*tell = bar.told
	return ask(cmd.Context(), *opt)
}

// of is an operation on several launches as one on options.
func of[O, R any](launches []*warpbound.Launch, ask func(context.Context, []*warpbound.Launch, O) (R, error)) func(context.Context, O) (R, error) {
	return func(ctx context.Context, opt O) (R, error) { return ask(ctx, launches, opt) }
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

// soon shows the line without waiting for a second to pass.
func (p *progress) soon() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.start = p.start.Add(-progressAfter)
}

// told says how far an operation of the library is.
func (p *progress) told(at warpbound.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.at.Task != "" && p.at.Task != at.Task {
		p.start = p.now() // of another task, for what is left of it
	}
	p.at = at
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
	if p.now().Sub(p.start) < progressAfter || p.at.Total == 0 && p.at.Instructions == 0 {
		return
	}
	p.drawn = true
	fmt.Fprint(p.out, "\r\x1b[K")
	fmt.Fprint(&terminal.Writer{W: p.out}, p.line())
}

// line is the line as it is now.
func (p *progress) line() string {
	elapsed, at := p.now().Sub(p.start), &p.at
	s := at.Task
	if at.Detail != "" {
		s += ", " + at.Detail
	}
	if at.Total > 0 {
		s += fmt.Sprintf(" %s / %s", terminal.Count(at.Done), terminal.Count(at.Total))
	}
	s += ", " + duration(elapsed.Seconds())
	if left := remaining(elapsed, at.Done, at.Total); left != "" {
		s += ", " + left + " left"
	}
	if at.Instructions > 0 {
		s += fmt.Sprintf(", %s instructions", terminal.Count(at.Instructions))
		if at.Cycle >= 0 {
			s += fmt.Sprintf(", cycle %s", terminal.Count(at.Cycle))
		}
		if at.Pos.Line != 0 {
			s += fmt.Sprintf(", %s:%d", filepath.Base(at.Pos.File), at.Pos.Line)
		}
	}
	if r := []rune(s); len(r) > progressWidth {
		s = string(r[:progressWidth])
	}
	return s
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
