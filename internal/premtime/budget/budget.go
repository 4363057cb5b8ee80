package budget

import (
	"context"
	"errors"
	"fmt"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

// ErrTooLarge says that the addresses of a launch are too many to keep.
var ErrTooLarge = errors.New("the accesses of the launch are too many to keep")

// Kind is what a phase does.
type Kind uint8

// The kinds.
const (
	Setup   Kind = iota // before the first phase
	Memory              // behind barrier EnterMem
	Compute             // behind barrier EnterComp
)

var kindNames = [...]string{"setup", "memory", "compute"}

// String is setup, memory or compute.
func (k Kind) String() string { return kindNames[k] }

// MarshalText gives the kind its name in JSON.
func (k Kind) MarshalText() ([]byte, error) { return []byte(kindNames[k]), nil }

// Options of Phases. The zero value is fixed latencies and every method.
type Options struct {
	// Caches bounds memory phases with the caches and the DRAM of the description
	// instead of the latencies of its timing table.
	Caches bool
	// Guarded is the program of the same kernel with its guard, if teams that have
	// ended a phase before others poll the token meanwhile, as they do in a
	// simulation with caches. Nil means that waiting costs nothing. It needs
	// Caches.
	Guarded *isa.Program
	// BlocksPerSM is the number of teams resident on an SM; 0 means the occupancy.
	BlocksPerSM int64
	// Methods are those of internal/method/multiphase and internal/method/serial; nil means all. With
	// caches, memory phases know SUM, FUA and serial.
	Methods []string
	Limits  simt.Limits
	// MaxBytes bounds what is kept of the addresses with caches; 0 means 1 GiB.
	MaxBytes int64
}

// Phase is what the teams execute at the same time between two synchronisations,
// or several such phases that are bounded alike.
type Phase struct {
	Kind  Kind  `json:"kind"`
	First int   `json:"first"` // number of the first one, the setup being 0
	Count int64 `json:"count"`
	Teams int64 `json:"teams"` // that take part in the first one
	SM    int   `json:"sm"`    // the slowest one
	// Cycles is the bound, from the later of the release of all teams and the
	// completion of everything before, to the completion of everything of the phase.
	Cycles    int64             `json:"cycles"`
	Method    string            `json:"method"`
	Theorem   string            `json:"theorem"`
	Breakdown []bound.Component `json:"breakdown"`
	// Requests are what the teams send to the memory, at most; without caches none.
	Requests Requests `json:"requests"`
}

// Requests counts sectors of the L1D.
type Requests struct {
	Loads   int64 `json:"loads"`
	Stores  int64 `json:"stores"`
	Atomics int64 `json:"atomics"`
}

// Result is what is known of the phases of a launch on a machine.
type Result struct {
	Kernel      string `json:"kernel"`
	Teams       int64  `json:"teams"`
	BlocksPerSM int64  `json:"blocks_per_sm"`
	SMs         int    `json:"sms"`
	Caches      bool   `json:"caches"`
	// Phases are the distinct ones in the order of their first occurrence, and Order
	// names, for each phase of the launch, which of them it is.
	Phases []Phase `json:"phases"`
	Order  []int32 `json:"-"`
	// InputDependent are the observations that tie the phases to the contents of
	// buffers that are not known; empty where the bounds hold for all inputs.
	InputDependent []simt.Taint       `json:"-"`
	Assumptions    []bound.Assumption `json:"assumptions"`

	coreKHz int64
}

// Worst is the distinct phase of a kind with the largest bound, nil where there is
// none.
func (r *Result) Worst(k Kind) *Phase {
	var worst *Phase
	for i := range r.Phases {
		if p := &r.Phases[i]; p.Kind == k && (worst == nil || p.Cycles > worst.Cycles) {
			worst = p
		}
	}
	return worst
}

// Phases bounds the phases of a launch. The kernel is executed once, all blocks in
// order, without a guard: its barriers say where phases begin.
//
// Errors: *PhaseError where the kernel does not keep to its phases, ErrTooLarge,
// launches whose blocks are not all resident, and those of the kernel itself.
func Phases(ctx context.Context, k simt.Tainted, m *gpu.Machine, opt Options) (*Result, error) {
	d := m.Desc
	if opt.Caches && !d.HasCaches() {
		return nil, fmt.Errorf("GPU %s has no tables [l1d], [l2] and [dram]", d.Name)
	}
	if opt.Guarded != nil && !opt.Caches {
		return nil, errors.New("a guard that polls memory needs the caches")
	}
	if opt.MaxBytes == 0 {
		opt.MaxBytes = 1 << 30
	}
	rec := newRecorder(k, d, opt.Caches, opt.MaxBytes)
	rep, err := analysis.Record(ctx, k, rec, m, opt.Limits)
	if err != nil {
		return nil, err
	}
	if rep.Path.Irregular != "" {
		return nil, errors.New(rep.Path.Irregular)
	}
	b, err := newBudgeter(rep, rec, opt)
	if err != nil {
		return nil, err
	}
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	return b.out, nil
}

// span is the sections that a team executes in a phase.
type span struct {
	slot  int // of its SM
	block int // its number
	class int // in path.Recorded.Classes
	lo    int // sections [lo, hi)
	hi    int
}

// budgeter bounds phase after phase.
type budgeter struct {
	rep   *method.Facts
	rec   *recorder
	opt   Options
	out   *Result
	teams [][]span // by team: its phases
	kinds []Kind   // by phase
	plain *sections
	cache *cached // nil without caches
	index map[string]int32
}

func newBudgeter(rep *method.Facts, rec *recorder, opt Options) (*budgeter, error) {
	d := rep.Machine.Desc
	slots := opt.BlocksPerSM
	if slots == 0 {
		slots = rep.Occupancy.Blocks
	}
	if slots < 1 || rep.Blocks > slots*d.SM.Count {
		return nil, fmt.Errorf("%d blocks, of which %d x %d are resident at a time: expected all, since their phases happen at the same time", rep.Blocks, d.SM.Count, slots)
	}
	b := &budgeter{
		rep: rep, rec: rec, opt: opt, index: map[string]int32{},
		out: &Result{
			Kernel: rep.Kernel, Teams: rep.Blocks, BlocksPerSM: slots, SMs: int(min(d.SM.Count, rep.Blocks)), Caches: opt.Caches,
			InputDependent: rep.InputDependent, coreKHz: d.Clock.CoreKHz,
		},
	}
	var err error
	if b.plain, err = newSections(rep, slots, rep.Ops(), opt.Methods); err != nil {
		return nil, err
	}
	if opt.Caches {
		if b.cache, err = newCached(b, slots); err != nil {
			return nil, err
		}
	}
	return b, b.cut()
}

// cut cuts the teams into their phases.
func (b *budgeter) cut() error {
	sms := b.out.SMs
	for i, t := range b.rec.teams {
		s := span{slot: i / sms, block: i, class: int(b.rep.Path.Class(int64(i)))}
		var phases []span
		kind := Setup
		add := func(hi int) error {
			k := len(phases)
			if k == len(b.kinds) {
				b.kinds = append(b.kinds, kind)
			}
			if b.kinds[k] != kind {
				return fmt.Errorf("phase %d is a %v phase of block %d and a %v phase of an earlier one", k, kind, i, b.kinds[k])
			}
			s.hi = hi
			phases = append(phases, s)
			s.lo = hi
			return nil
		}
		for j, number := range t.barriers {
			if number != EnterMem && number != EnterComp {
				continue
			}
			if err := add(j + 1); err != nil {
				return err
			}
			kind = Memory
			if number == EnterComp {
				kind = Compute
			}
		}
		if err := add(len(t.barriers) + 1); err != nil {
			return err
		}
		b.teams = append(b.teams, phases)
	}
	if len(b.kinds) == 1 {
		return fmt.Errorf("kernel %s has no phases: no barrier %d or %d of the whole block", b.rep.Kernel, EnterMem, EnterComp)
	}
	return nil
}

func (b *budgeter) run(ctx context.Context) error {
	for k := range b.kinds {
		if err := ctx.Err(); err != nil {
			return err
		}
		p, err := b.phase(ctx, k)
		if err != nil {
			return fmt.Errorf("phase %d: %w", k, err)
		}
		key := fmt.Sprint(p.Kind, p.Teams, p.SM, p.Cycles, p.Method, p.Breakdown, p.Requests)
		i, ok := b.index[key]
		if !ok {
			i = int32(len(b.out.Phases))
			b.index[key] = i
			b.out.Phases = append(b.out.Phases, p)
		}
		b.out.Phases[i].Count++
		b.out.Order = append(b.out.Order, i)
	}
	b.out.Assumptions = b.ledger()
	return nil
}

// phase bounds phase k: the slowest SM counts.
func (b *budgeter) phase(ctx context.Context, k int) (Phase, error) {
	out := Phase{Kind: b.kinds[k], First: k, SM: -1}
	sms := b.out.SMs
	onSM := make([][]span, sms)
	for i, phases := range b.teams {
		if k < len(phases) {
			onSM[i%sms] = append(onSM[i%sms], phases[k])
			out.Teams++
		}
	}
	withCaches := b.cache != nil && out.Kind == Memory
	if withCaches {
		var err error
		if out.Requests, err = b.cache.load(k, onSM); err != nil {
			return out, err
		}
	}
	for sm, spans := range onSM {
		if len(spans) == 0 {
			continue
		}
		var t *timed
		var err error
		// All other teams may wait, or be leaving.
		beside := (b.out.Teams - 1 - int64(sm)) / int64(sms)
		if withCaches || b.opt.Guarded != nil && out.Kind == Compute && beside > 0 {
			t, err = b.cache.time(ctx, out.Kind, sm, spans, beside, b.out.Teams-1-beside)
		} else {
			t, err = b.plain.time(ctx, spans)
		}
		if err != nil {
			return out, err
		}
		if t.cycles > out.Cycles || out.SM < 0 {
			out.SM, out.Cycles, out.Method, out.Theorem, out.Breakdown = sm, t.cycles, t.method, t.theorem, t.parts
		}
	}
	if out.Kind == Setup {
		if delay := b.rep.Machine.Desc.Dispatch.StartDelayCycles; delay > 0 {
			out.Breakdown = append(out.Breakdown[:len(out.Breakdown):len(out.Breakdown)], bound.Part(bound.BlockStartDelay, delay))
			out.Cycles += delay
		}
	}
	return out, nil
}
