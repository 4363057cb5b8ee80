package ordered

import (
	"errors"
	"fmt"
	"slices"

	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/seq"
)

// Limits of the input. Together with the check of every time against maxTime
// they keep each step far from overflow.
const (
	maxCycles   = int64(1) << 32
	maxCount    = 1 << 20
	maxLines    = 1 << 10
	maxUnits    = 64
	maxStages   = 16
	maxRegister = 1 << 20
	maxTime     = int64(1) << 60
)

// Check says what is wrong with the machine.
func (m *CachedSM) Check() error {
	for _, f := range []struct {
		name  string
		value int64
	}{
		{"barrier delay", m.BarrierDelayCycles}, {"start delay", m.StartDelayCycles},
		{"arrival", m.ArriveCycles}, {"hit", m.HitCycles}, {"miss", m.MissCycles},
		{"service", m.ServiceCycles}, {"queue", m.QueueCycles}, {"fill", m.FillCycles},
	} {
		if f.value < 0 || f.value > maxCycles {
			return fmt.Errorf("%s: %d cycles, expected 0 to %d", f.name, f.value, maxCycles)
		}
	}
	for i, s := range m.Stages {
		switch {
		case s.Places < 1 || s.Places > maxCount:
			return fmt.Errorf("stage %d: %d places, expected 1 to %d", i, s.Places, maxCount)
		case s.ReachCycles < 0 || s.ReachCycles > maxCycles || s.ServiceCycles < 0 || s.ServiceCycles > maxCycles:
			return fmt.Errorf("stage %d: reached in %d cycles, served in %d, expected 0 to %d", i, s.ReachCycles, s.ServiceCycles, maxCycles)
		}
	}
	switch {
	case len(m.Stages) > maxStages:
		return fmt.Errorf("%d stages, expected at most %d", len(m.Stages), maxStages)
	case len(m.Stages) > 0 && (m.ServiceCycles != 0 || m.QueueCycles != 0):
		return errors.New("stages of the memory and a service of requests, expected one of them")
	case m.Queue < method.Unbounded || m.Queue > method.Pooled:
		return fmt.Errorf("queue kind %d is not known", int(m.Queue))
	case m.Channel != NeverFull && m.Channel != Credits:
		return fmt.Errorf("channel kind %d is not known", int(m.Channel))
	case m.Channels < 1 || m.Channels > maxCount:
		return fmt.Errorf("%d channels, expected 1 to %d", m.Channels, maxCount)
	case m.ChannelEntries < 1 || m.ChannelEntries > maxCount:
		return fmt.Errorf("%d channel entries, expected 1 to %d", m.ChannelEntries, maxCount)
	case m.MSHRs < 1 || m.MSHRs > maxCount:
		return fmt.Errorf("%d MSHRs, expected 1 to %d", m.MSHRs, maxCount)
	}
	return nil
}

// check validates everything but the order, which is checked as it is walked.
func (in *Input) check(m *CachedSM) error {
	switch {
	case len(in.Accesses) != len(in.Ops):
		return fmt.Errorf("accesses marked for %d of %d ops", len(in.Accesses), len(in.Ops))
	case len(in.Warps) == 0:
		return errors.New("no warps")
	case len(in.Warps) > m.Channels:
		return fmt.Errorf("%d warps are resident, with a channel for %d", len(in.Warps), m.Channels)
	case in.Order == nil:
		return errors.New("no order of accesses")
	}
	for i := range in.Ops {
		if err := checkOp(&in.Ops[i]); err != nil {
			return fmt.Errorf("op %d: %w", i, err)
		}
	}
	for i := range in.Warps {
		for j, s := range in.Warps[i].Sections {
			if s == nil {
				return fmt.Errorf("warp %d, section %d is nil", i, j)
			}
			if err := checkSymbols(s, len(in.Ops)); err != nil {
				return fmt.Errorf("warp %d, section %d: %w", i, j, err)
			}
		}
	}
	return nil
}

func checkOp(op *method.Op) error {
	switch {
	case op.Unit < 0 || op.Unit >= maxUnits:
		return fmt.Errorf("unit %d, expected 0 to %d", op.Unit, maxUnits-1)
	case op.InitCycles < 1 || op.InitCycles > maxCycles:
		return fmt.Errorf("initiation of %d cycles, expected 1 to %d", op.InitCycles, maxCycles)
	case op.LatencyCycles < 0 || op.LatencyCycles > maxCycles:
		return fmt.Errorf("latency of %d cycles, expected 0 to %d", op.LatencyCycles, maxCycles)
	}
	for _, r := range slices.Concat(op.Reads, op.Writes) {
		if r < 0 || r > maxRegister {
			return fmt.Errorf("register %d, expected 0 to %d", r, maxRegister)
		}
	}
	return nil
}

func checkSymbols(s *seq.Seq, ops int) error {
	for _, it := range s.Items() {
		for _, sym := range it.Symbols {
			if int(sym) >= ops {
				return fmt.Errorf("symbol %d is outside the table of %d ops", sym, ops)
			}
		}
		if it.Body != nil {
			if err := checkSymbols(it.Body, ops); err != nil {
				return err
			}
		}
	}
	return nil
}

// check validates one access of the order.
func (a *Access) check(place int64, warps int, m *CachedSM) error {
	switch {
	case a.Warp < 0 || a.Warp >= warps:
		return fmt.Errorf("warp %d, expected 0 to %d", a.Warp, warps-1)
	case a.TagCycles < 1 || a.TagCycles > maxCycles:
		return fmt.Errorf("%d tag cycles, expected 1 to %d", a.TagCycles, maxCycles)
	case a.Entries < 1:
		return fmt.Errorf("%d channel entries, expected at least 1", a.Entries)
	case a.Entries > m.ChannelEntries:
		return fmt.Errorf("%d channel entries, and a channel has %d", a.Entries, m.ChannelEntries)
	case a.Hits < 0 || a.Requests < 0 || a.Hits > maxLines || a.Requests > maxLines:
		return fmt.Errorf("%d hits and %d requests, expected 0 to %d", a.Hits, a.Requests, maxLines)
	case a.Fills < 0 || a.Fills > a.Requests:
		return fmt.Errorf("%d fills of %d requests", a.Fills, a.Requests)
	case a.SelfWaits < 0 || a.SelfWaits > a.Hits+a.Requests:
		return fmt.Errorf("waits %d times for itself, with %d hits and %d requests", a.SelfWaits, a.Hits, a.Requests)
	case a.Fills > m.MSHRs:
		return fmt.Errorf("%d fills, with %d MSHRs", a.Fills, m.MSHRs)
	}
	if len(m.Stages) > 0 {
		if err := a.checkPlaces(m); err != nil {
			return err
		}
	}
	for _, p := range [2]int64{a.FilledBy, a.WaitsFor} {
		if p < NoEarlier || p > place {
			return fmt.Errorf("refers to place %d, which is not earlier", p-1)
		}
	}
	return nil
}

func (a *Access) checkPlaces(m *CachedSM) error {
	switch {
	case a.HeldCycles < 0 || a.HeldCycles > maxCycles:
		return fmt.Errorf("held for %d cycles, expected 0 to %d", a.HeldCycles, maxCycles)
	case len(a.Places) != a.Requests*len(m.Stages):
		return fmt.Errorf("%d places of %d requests in %d stages", len(a.Places), a.Requests, len(m.Stages))
	}
	for i, p := range a.Places {
		if n := m.Stages[i%len(m.Stages)].Places; p < Elsewhere || int(p) >= n {
			return fmt.Errorf("place %d of stage %d, which has %d", p, i%len(m.Stages), n)
		}
	}
	return nil
}
