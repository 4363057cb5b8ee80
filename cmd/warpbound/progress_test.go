package main

import (
	"bytes"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/warpbound/warpbound"
	"github.com/warpbound/warpbound/isa"
)

// fakeProgress is a line on a terminal whose clock stands until it is moved.
func fakeProgress() (p *progress, shown *bytes.Buffer, clock *time.Time) {
	clock, shown = new(time.Time), new(bytes.Buffer)
	*clock = time.Unix(1000, 0)
	return &progress{out: shown, start: *clock, now: func() time.Time { return *clock }}, shown, clock
}

func TestProgressLine(t *testing.T) {
	at := func(done, total int64) warpbound.Progress {
		return warpbound.Progress{Task: "blocks", Done: done, Total: total, Cycle: -1}
	}
	of := func(p warpbound.Progress) *warpbound.Progress { return &p }
	executing := func(instructions, cycle int64, pos isa.Position) *warpbound.Progress {
		p := at(0, 1)
		p.Instructions, p.Cycle, p.Pos = instructions, cycle, pos
		return &p
	}
	for _, c := range []struct {
		after time.Duration
		tell  *warpbound.Progress
		want  string
	}{
		{999 * time.Millisecond, of(at(1, 2)), ""},
		{time.Minute, nil, ""},
		{time.Second, of(at(1, 2)), "blocks 1 / 2, 1s, 1s left"},
		{90 * time.Second, of(at(0, 1)), "blocks 0 / 1, 1m30s"},
		{90 * time.Second, of(at(16, 16)), "blocks 16 / 16, 1m30s"},
		{10 * time.Second, of(at(1879, 140735340806145)), "blocks 1,879 / 140,735,340,806,145, 10s, over 1000 years left"},
		{time.Hour, of(at(math.MaxInt64-1, math.MaxInt64)), "blocks 9,223,372,036,854,775,806 / 9,223,372,036,854,775,807, 1h00m, 0s left"},
		{1000 * time.Hour, of(at(1, math.MaxInt64)), "blocks 1 / 9,223,372,036,854,775,807, 41 days, over 1000 years left"},
		{4 * time.Hour, of(at(10, 110)), "blocks 10 / 110, 4h00m, 40h00m left"},
		{4 * time.Hour, of(at(10, 10010)), "blocks 10 / 10,010, 4h00m, 166 days left"},
		{24 * time.Hour, of(at(1, 10001)), "blocks 1 / 10,001, 24h00m, 27 years left"},
		{2 * time.Second, executing(12345678, -1, isa.Position{File: "some/where/spin.ptx", Line: 7, Col: 2}), "blocks 0 / 1, 2s, 12,345,678 instructions, spin.ptx:7"},
		{2 * time.Second, executing(5, 4000, isa.Position{}), "blocks 0 / 1, 2s, 5 instructions, cycle 4,000"},
		{2 * time.Second, &warpbound.Progress{Task: "blocks", Instructions: 5}, "blocks, 2s, 5 instructions, cycle 0"},
		{2 * time.Second, &warpbound.Progress{Task: "running", Detail: "f: sdma", Done: 1, Total: 5, Cycle: -1}, "running, f: sdma 1 / 5, 2s, 8s left"},
		{2 * time.Second, &warpbound.Progress{Task: strings.Repeat("long ", 20), Total: 1}, strings.Repeat("long ", 20)[:progressWidth]},
	} {
		p, shown, clock := fakeProgress()
		if c.tell != nil {
			p.told(*c.tell)
		}
		*clock = clock.Add(c.after)
		p.draw()
		want := ""
		if c.want != "" {
			want = "\r\x1b[K" + c.want
		}
		if shown.String() != want {
			t.Errorf("after %v: %q, want %q", c.after, shown, want)
		}
		shown.Reset()
		p.close()
		if took := shown.String(); took != "" != (c.want != "") {
			t.Errorf("%q: taken away by %q", c.want, took)
		}
	}
}

// Durations never fall, and are never negative, whatever is left.
func TestRemaining(t *testing.T) {
	for _, c := range []struct {
		elapsed     time.Duration
		done, total int64
	}{{0, 1, 2}, {time.Second, 0, 2}, {time.Second, 2, 2}, {time.Second, 3, 2}, {time.Second, 0, 0}, {time.Second, -1, 5}} {
		if got := remaining(c.elapsed, c.done, c.total); got != "" {
			t.Errorf("%+v: %q", c, got)
		}
	}
	for done := int64(1); done > 0; done *= 3 {
		for _, elapsed := range []time.Duration{1, time.Second, math.MaxInt64} {
			if got := remaining(elapsed, done, math.MaxInt64); strings.Contains(got, "-") || got == "" {
				t.Errorf("%v for %d: %q", elapsed, done, got)
			}
		}
	}
}

// Standard error is a file here: nothing is drawn, however long it takes.
func TestProgressIsSilentInAPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	old := os.Stderr
	os.Stderr = w
	p := newProgress("testing")
	p.soon()
	p.told(warpbound.Progress{Done: 1, Total: 2})
	p.close()
	os.Stderr = old
	w.Close()
	var seen bytes.Buffer
	if _, err := seen.ReadFrom(r); err != nil || seen.Len() > 0 || p.out != nil || p.quit != nil {
		t.Errorf("%q, %v", &seen, err)
	}
	if _, ok := screen(&seen); ok {
		t.Error("a buffer is a terminal")
	}
}

// On a terminal the line is drawn by itself, and taken away.
func TestProgressDrawsItself(t *testing.T) {
	tty, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0) // a character device
	if err != nil {
		t.Fatal(err)
	}
	defer tty.Close()
	old := os.Stderr
	os.Stderr = tty
	p := newProgress("testing")
	os.Stderr = old
	p.soon()
	p.told(warpbound.Progress{Done: 1, Total: 2})
	drawn := func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.drawn
	}
	for end := time.Now().Add(10 * time.Second); !drawn(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("never drawn")
		}
	}
	p.close()
	p.close() // again does nothing
	if drawn() {
		t.Error("still drawn")
	}
}
