package enforced

import (
	"context"
	"fmt"

	"github.com/warpbound/warpbound/internal/cache/l1d"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/path"
	"github.com/warpbound/warpbound/internal/seq"
	"github.com/warpbound/warpbound/internal/simt"
)

// stepKind is what an executed instruction is to the reordering unit.
type stepKind uint8

const (
	plainStep  stepKind = iota
	accessStep          // an access of the order
	// heldStep is a global access instruction that turns out to access nothing
	// global: it goes by the timing table, but waits for room in its warp's channel
	// before it issues, and the warp has made enough accesses to fill it.
	heldStep
)

// streamSymbol is what one executed instruction is to timing: path.Symbol, with
// the kind of step. Transactions of an access are sectors of the L1D.
type streamSymbol struct {
	pc, transactions int32
	kind             stepKind
}

// streams records what the warps of some blocks execute, unfolded: a bound on
// accesses in an enforced order visits every instruction once.
type streams struct {
	r        *method.Facts
	k        simt.Kernel
	limits   simt.Limits
	symbols  []streamSymbol
	symbolOf map[streamSymbol]int32

	warps    []warpStream // of the blocks recorded, block by block
	executed int64
	size     int64 // symbols of the warps
}

type warpStream struct {
	sections []*seq.Seq
	open     []int32
	accesses int64
	sum      uint64 // of the accesses, in their order
}

// mostStreamSymbols bounds what is kept of the blocks that run at a time, four
// bytes each.
const mostStreamSymbols = 128 << 20

func newStreams(r *method.Facts, k simt.Kernel, limits simt.Limits) *streams {
	return &streams{r: r, k: k, limits: limits, symbolOf: map[streamSymbol]int32{}}
}

// record replaces what is kept by the streams of blocks first to last-1, which
// must follow the ones before.
func (s *streams) record(ctx context.Context, first, last int64) error {
	s.warps, s.size = s.warps[:0], 0
	for i := first; i < last; i++ {
		if err := s.block(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

func (s *streams) block(ctx context.Context, index int64) error {
	b, err := s.k.NewBlock(index)
	if err != nil {
		return err
	}
	defer b.Release()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	at := len(s.warps)
	s.warps = append(s.warps, make([]warpStream, s.r.Warps)...)
	irregular := ""
	err = simt.RunBlock(ctx, b, s.limits, &s.executed, func(warp int, step *simt.Step) {
		s.observe(&s.warps[at+warp], step)
		if step.Barrier >= 0 && !step.BarrierFull && irregular == "" {
			irregular = fmt.Sprintf("%s: barrier %d is not one of the whole block", s.r.Program.Instructions[step.PC].Pos, step.Barrier)
		}
		if s.size > mostStreamSymbols {
			cancel(path.ErrTooLarge)
		}
	})
	switch {
	case irregular != "":
		return &irregularError{irregular}
	case err != nil:
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		return err
	}
	for i := range s.r.Warps {
		s.warps[at+i].close()
	}
	return nil
}

// irregularError says which barrier does not split the warps into sections.
type irregularError struct{ reason string }

func (e *irregularError) Error() string { return e.reason }

func (s *streams) observe(w *warpStream, step *simt.Step) {
	t := &s.r.Timing[step.PC]
	if !t.NotIssued {
		in := &s.r.Program.Instructions[step.PC]
		x := streamSymbol{pc: step.PC}
		switch d := s.r.Machine.Desc; {
		case l1d.IsGlobalAccess(in, step):
			x.kind, x.transactions = accessStep, int32(step.Segments(int64(d.L1D.SectorBytes)))
			w.accesses++
			w.sum = accessSum(w.sum, x.pc, int(x.transactions))
		default:
			x.transactions = path.Transactions(step, t, &d.Memory)
			if l1d.MayAccessGlobal(in) && w.accesses >= int64(d.LDSTPath.ChannelEntries) {
				x.kind = heldStep
			}
		}
		w.open = append(w.open, s.symbol(x))
		s.size++
	}
	if step.Barrier >= 0 {
		w.close()
	}
}

func (s *streams) symbol(x streamSymbol) int32 {
	id, ok := s.symbolOf[x]
	if !ok {
		id = int32(len(s.symbols))
		s.symbols = append(s.symbols, x)
		s.symbolOf[x] = id
	}
	return id
}

// close ends a section.
func (w *warpStream) close() {
	section := seq.Must()
	if len(w.open) > 0 {
		section = seq.Must(seq.Run(w.open...))
	}
	w.sections = append(w.sections, section)
	w.open = nil
}

// accessSum continues a checksum of a warp's accesses.
func accessSum(sum uint64, pc int32, sectors int) uint64 {
	return (sum ^ uint64(pc)<<16 ^ uint64(sectors)) * 0x9e3779b97f4a7c15
}
