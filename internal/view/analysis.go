package view

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/warpbound/warpbound"
	"github.com/warpbound/warpbound/internal/sim/policy"
)

// answered is a report: its JSON document, and the text that the command prints.
type answered struct {
	Kind     string          `json:"kind"`
	Document json.RawMessage `json:"document"`
	Text     string          `json:"text"`
	// Millis is how long it took to compute, in milliseconds.
	Millis float64 `json:"millis"`
	// Note says what was asked for and is not there.
	Note string `json:"note,omitempty"`
}

func answeredBy(r *warpbound.Report, err error, begun time.Time) (*answered, error) {
	if err != nil {
		return nil, err
	}
	data, err := r.JSON()
	if err != nil {
		return nil, err
	}
	return &answered{Kind: r.Kind(), Document: data, Text: r.Text(), Millis: float64(time.Since(begun).Microseconds()) / 1000}, nil
}

// analyze bounds a launch, with the cost of each instruction where a bound has it.
func (s *site) analyze(r *http.Request) (any, error) {
	_, l, err := s.opened(r)
	if err != nil {
		return nil, err
	}
	m, err := s.machine(r, warpbound.DefaultGPU)
	if err != nil {
		return nil, err
	}
	opt := warpbound.AnalyzeOptions{
		GPU: m, By: "instruction", Loops: true, L1Order: r.FormValue("l1-order"), FrontEnd: warpbound.FrontEnd{Variant: r.FormValue("variant")},
	}
	opt.WhatIf = r.FormValue("what-if") != ""
	// Brief is the bounds alone, which are there at once: what belongs to lines can take
	// many times as long.
	brief := r.FormValue("brief") != ""
	if brief {
		opt.By, opt.Loops = "", false
	}
	if p, err := policy.Parse(r.FormValue("policy")); err == nil && !p.WorkConserving() {
		opt.Policy = p.String() // bounds without one hold for all others
	}
	if opt.BlocksPerSM, err = number(r, "blocks-per-sm"); err != nil {
		return nil, err
	}
	done, err := s.wait(r.Context())
	if err != nil {
		return nil, err
	}
	defer done()
	begun, note := time.Now(), ""
	a, err := l.Analyze(r.Context(), opt)
	for range 2 { // machines without costs, without loops
		var option *warpbound.OptionError
		if !errors.As(err, &option) || option.Option != "By" && option.Option != "Loops" {
			break
		}
		if option.Option == "By" {
			opt.By, note = "", option.Msg
		} else {
			opt.Loops = false
		}
		a, err = l.Analyze(r.Context(), opt)
	}
	if a == nil || len(a.Scopes) == 0 {
		return nil, err
	}
	rep, err := a.Report(!brief)
	out, err := answeredBy(rep, err, begun)
	if out != nil {
		out.Note = note
	}
	return out, err
}

// number is an integer of a request, 0 where it has none.
func number(r *http.Request, name string) (int, error) {
	text := r.FormValue(name)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, errors.New(name + ": expected a number")
	}
	return n, nil
}

// What is computed for the page at most: it is waited for.
const (
	makespanTime  = 5 * time.Second
	makespanBytes = 256 << 20
)

// makespan bounds identical warps that execute a string.
func (s *site) makespan(r *http.Request) (any, error) {
	opt := warpbound.MakespanOptions{Units: r.FormValue("units"), Schedule: true, Timeout: makespanTime, MemoryBytes: makespanBytes}
	for _, n := range []struct {
		name string
		to   *int64
	}{{"warps", &opt.Warps}, {"warp-size", &opt.WarpSize}} {
		x, err := number(r, n.name)
		if err != nil {
			return nil, err
		}
		*n.to = int64(x)
	}
	done, err := s.wait(r.Context())
	if err != nil {
		return nil, err
	}
	defer done()
	begun := time.Now()
	ctx, cancel := context.WithTimeout(r.Context(), 2*makespanTime)
	defer cancel()
	m, err := warpbound.Makespan(ctx, r.FormValue("string"), opt)
	if err != nil {
		return nil, err
	}
	rep, err := m.Report()
	return answeredBy(rep, err, begun)
}
