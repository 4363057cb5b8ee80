package soc

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/warpbound/warpbound/guard"
	"github.com/warpbound/warpbound/internal/sim/clock"
	"github.com/warpbound/warpbound/internal/sim/soc"
)

// Offsets of the words of the token, in bytes (package guard, and for the teams
// package ptxgen), and the least size of the buffer that holds them.
const (
	requestBytes = 32 * 4
	grantBytes   = 64 * 4
	arrivalBytes = 96 * 4
	TokenBytes   = 97 * 4
)

// maxTeams is the most teams that the arrival word can count.
const maxTeams = 1<<15 - 1

// Config of a Guard, in cycles of the GPU.
type Config struct {
	// Budgets are the lengths of the phases that the CPU enforces, and of the retry
	// after a miss.
	Budgets guard.Budgets
	// ResponseCycles is from the expiry of the timer to its handler looking at the
	// request, and SyncCycles from there to the grant.
	ResponseCycles, SyncCycles int64
	// Teams is the number of blocks of the launch that meet at the end of each phase,
	// all of them resident; 0 for a kernel that does not count them.
	Teams int
	// KeepPhases keeps every phase for Guard.Phases.
	KeepPhases bool
}

// ErrConfig is wrapped by the errors about a Config.
var ErrConfig = errors.New("soc: invalid guard")

// maxCycles keeps sums of times inside int64.
const maxCycles = 1 << 60

// Check returns an error that names what is wrong with c.
func (c *Config) Check() error {
	if err := c.Budgets.Check(); err != nil {
		return fmt.Errorf("%w: %w", ErrConfig, err)
	}
	for _, x := range []struct {
		name        string
		value, most int64
	}{{"cycles of response", c.ResponseCycles, maxCycles}, {"cycles of a synchronisation", c.SyncCycles, maxCycles}, {"teams", int64(c.Teams), maxTeams}} {
		if x.value < 0 || x.value > x.most {
			return fmt.Errorf("%w: %d %s, expected 0 to %d", ErrConfig, x.value, x.name, x.most)
		}
	}
	return nil
}

// A Guard is the CPU's side of the protocol beside one simulated launch. It is a
// soc.Watcher; one serves one run.
type Guard struct {
	config Config
	token  []byte
	cores  *soc.Cores
	host   guard.Host

	doing   work
	at      int64      // not before this cycle
	request guard.Word // that is being granted

	open   Phase
	seen   guard.Word // the request when it was last looked at
	stats  Stats
	phases []Phase
}

// work is what a Guard is about to do.
type work uint8

const (
	nothing work = iota
	look         // at the request, the timer having fired
	grant        // what was requested
	drain        // the cores are held, and the grant waits for their accesses
)

// NewGuard makes the guard of a token that lies in the memory of the kernel: the
// bytes themselves, TokenBytes or more of them, not a copy.
func NewGuard(token []byte, c Config) (*Guard, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	if len(token) < TokenBytes {
		return nil, fmt.Errorf("%w: a token of %d bytes, expected at least %d", ErrConfig, len(token), TokenBytes)
	}
	return &Guard{config: c, token: token}, nil
}

// Attach implements soc.Agent: the cores are held, and the launch is granted.
func (g *Guard) Attach(cores *soc.Cores) error {
	if g.cores != nil {
		return fmt.Errorf("%w: one guard for two runs", ErrConfig)
	}
	g.cores = cores
	binary.LittleEndian.PutUint32(g.token[requestBytes:], 0)
	if g.config.Teams > 0 {
		binary.LittleEndian.PutUint32(g.token[arrivalBytes:], uint32(g.config.Teams)<<16)
	}
	if err := g.step(guard.Event{Kind: guard.EventBegin}); err != nil {
		return err
	}
	return g.step(guard.Event{Kind: guard.EventHeld})
}

// Next implements soc.Agent.
func (g *Guard) Next() int64 {
	switch {
	case g.doing == nothing, g.doing == drain && g.cores.InFlight() > 0:
		return clock.Never
	}
	return g.at
}

// Step implements soc.Agent.
func (g *Guard) Step(t int64) error {
	switch g.doing {
	case look:
		return g.look(t)
	case grant:
		return g.step(guard.Event{Kind: guard.EventTimer, NowNanos: t, Request: g.request})
	case drain:
		return g.step(guard.Event{Kind: guard.EventHeld, NowNanos: t})
	}
	return nil
}

// look is the handler of the timer. What it finds out takes effect at once where
// that costs no synchronisation: a miss, and holding the cores.
func (g *Guard) look(t int64) error {
	e := guard.Event{Kind: guard.EventTimer, NowNanos: t, Request: g.word(requestBytes)}
	next, _, err := g.host.Step(&g.config.Budgets, e)
	if err != nil {
		return err
	}
	switch {
	case next.State == guard.Overrun:
		if g.open.Misses++; g.open.Misses == 1 {
			g.stats.Misses++
		}
		return g.step(e)
	case next.State == guard.Holding:
		if err := g.step(e); err != nil {
			return err
		}
		g.at = t + g.config.SyncCycles
		return nil
	}
	g.request, g.doing, g.at = e.Request, grant, t+g.config.SyncCycles
	return nil
}

// step passes an event to the host and carries out its actions.
func (g *Guard) step(e guard.Event) error {
	next, actions, err := g.host.Step(&g.config.Budgets, e)
	if err != nil {
		return err
	}
	g.host = next
	t := e.NowNanos
	for _, a := range actions.Slice() {
		switch a.Op {
		case guard.OpHold:
			g.cores.HoldAll(t)
		case guard.OpRelease:
			g.cores.ReleaseAll(t)
		case guard.OpGrant:
			binary.LittleEndian.PutUint32(g.token[grantBytes:], uint32(a.Token))
			g.granted(a.Token, t)
		}
	}
	g.stats.HandOvers = next.HandOvers
	switch next.State {
	case guard.Armed, guard.Overrun:
		g.doing, g.at = look, next.DeadlineNanos+g.config.ResponseCycles
	case guard.Holding:
		g.doing, g.at = drain, t
	default:
		g.doing = nothing
	}
	return nil
}

func (g *Guard) word(at int) guard.Word {
	return guard.Word(binary.LittleEndian.Uint32(g.token[at:]))
}

// Watch implements soc.Watcher: it notes when the GPU asks for its next phase.
func (g *Guard) Watch(t int64) {
	if w := g.word(requestBytes); w != g.seen {
		g.seen = w
		if g.open.RequestCycle < 0 {
			g.open.RequestCycle = t
		}
	}
}
