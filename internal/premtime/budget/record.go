package budget

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/cache/l1d"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

// The barriers that end a phase and begin the next one, by number.
const (
	EnterMem  = 1
	EnterComp = 2
)

// PhaseError says where a kernel does not keep to its phases.
type PhaseError struct {
	Pos  isa.Position
	What string
}

func (e *PhaseError) Error() string { return e.Pos.String() + ": " + e.What }

// recorder is a kernel that sees in which phase its warps do what.
type recorder struct {
	simt.Kernel
	code   []isa.Instruction
	shift  uint // of an L1D sector; accesses are not kept without caches
	line   uint // of an L1D line
	caches bool

	teams []*team
	now   map[uint64]use // sectors of the phase being recorded
	runs  []uint64       // of an access
	kept  int64          // bytes
	most  int64
	plain []bool // by PC: a global access that was none when executed
}

// team is what is known of a block.
type team struct {
	barriers []int32  // their numbers, in order
	traffic  []string // by phase, encoded (encode)
}

// use is what a team does with a sector in a phase. runs are the accesses that
// come to its line by it.
type use struct{ loads, stores, atomics, runs int64 }

func (u *use) add(x use) {
	u.loads += x.loads
	u.stores += x.stores
	u.atomics += x.atomics
	u.runs += x.runs
}

func newRecorder(k simt.Kernel, d *gpu.Description, caches bool, most int64) *recorder {
	r := &recorder{Kernel: k, code: k.Program().Instructions, caches: caches, most: most, now: map[uint64]use{}}
	r.plain = make([]bool, len(r.code))
	if caches {
		r.shift, r.line = log2(d.L1D.SectorBytes), log2(d.L1D.LineBytes)
	}
	return r
}

// NewBlock implements simt.Kernel.
func (r *recorder) NewBlock(i int64) (simt.Block, error) {
	b, err := r.Kernel.NewBlock(i)
	if err != nil {
		return nil, err
	}
	t := &team{}
	r.teams = append(r.teams, t)
	out := &recordedBlock{Block: b, r: r, team: t}
	ws := b.Warps()
	out.warps, out.list = make([]recordedWarp, len(ws)), make([]simt.Warp, len(ws))
	for j := range ws {
		out.warps[j] = recordedWarp{Warp: ws[j], block: out}
		out.list[j] = &out.warps[j]
	}
	return out, nil
}

type recordedBlock struct {
	simt.Block
	r     *recorder
	team  *team
	warps []recordedWarp
	list  []simt.Warp
	phase int32 // EnterMem, EnterComp, or 0 before the first
}

type recordedWarp struct {
	simt.Warp
	block    *recordedBlock
	barriers int
}

// Warps implements simt.Block.
func (b *recordedBlock) Warps() []simt.Warp { return b.list }

// Wait implements simt.Waiter.
func (b *recordedBlock) Wait(warp int) (simt.Wait, bool) {
	if w, ok := b.Block.(simt.Waiter); ok {
		return w.Wait(warp)
	}
	return simt.Wait{}, false
}

// Release implements simt.Block.
func (b *recordedBlock) Release() {
	b.Block.Release()
	b.endPhase()
}

// Step implements simt.Warp.
func (w *recordedWarp) Step(s *simt.Step) error {
	if err := w.Warp.Step(s); err != nil {
		return err
	}
	b := w.block
	r := b.r
	in := &r.code[s.PC]
	switch {
	case s.Barrier >= 0:
		return w.arrive(in, s)
	case s.BarrierOpened && len(b.team.barriers) > 0:
		// The end of a warp has opened the barrier that the others wait at.
		return b.opened(in, b.team.barriers[len(b.team.barriers)-1])
	}
	if r.caches && b.phase == EnterMem && in.Kind == isa.Fence && in.Class.Family == isa.FenceMem {
		return &PhaseError{in.Pos, fmt.Sprintf("a fence within a phase of block %d", b.Index())}
	}
	if !l1d.MayAccessGlobal(in) {
		return nil
	}
	if !l1d.IsGlobalAccess(in, s) {
		r.plain[s.PC] = true
		return nil
	}
	if b.phase != EnterMem {
		where := "in a compute phase"
		if b.phase == 0 {
			where = "before the first phase"
		}
		return &PhaseError{in.Pos, fmt.Sprintf("block %d accesses global memory %s", b.Index(), where)}
	}
	if !r.caches {
		return nil
	}
	return r.access(in, s)
}

// arrive notes a barrier. A warp waits at one that ends the phase until all others
// have arrived, so that phases of a team do not mix.
func (w *recordedWarp) arrive(in *isa.Instruction, s *simt.Step) error {
	b := w.block
	t := b.team
	if !s.BarrierFull {
		return &PhaseError{in.Pos, fmt.Sprintf("barrier %d is not one of the whole block, so that it cuts the block into no sections", s.Barrier)}
	}
	switch {
	case w.barriers == len(t.barriers):
		t.barriers = append(t.barriers, s.Barrier)
	case t.barriers[w.barriers] != s.Barrier:
		return &PhaseError{in.Pos, fmt.Sprintf("a warp of block %d comes to barrier %d where another one comes to %d", b.Index(), s.Barrier, t.barriers[w.barriers])}
	}
	w.barriers++
	if !s.BarrierOpened {
		return nil
	}
	return b.opened(in, s.Barrier)
}

// opened notes that a barrier has opened.
func (b *recordedBlock) opened(in *isa.Instruction, barrier int32) error {
	if barrier != EnterMem && barrier != EnterComp {
		return nil
	}
	if b.phase == barrier {
		return &PhaseError{in.Pos, fmt.Sprintf("block %d enters the phase of barrier %d from one of the same kind", b.Index(), barrier)}
	}
	b.endPhase()
	b.phase = barrier
	if b.r.kept > b.r.most {
		return fmt.Errorf("%w: more than %d bytes", ErrTooLarge, b.r.most)
	}
	return nil
}

// access notes the sectors of a global access.
func (r *recorder) access(in *isa.Instruction, s *simt.Step) error {
	r.runs = segments(r.runs[:0], s, r.shift)
	line := ^uint64(0)
	for _, sector := range r.runs {
		u := r.now[sector]
		switch in.Kind {
		case isa.Store:
			u.stores++
		case isa.Atomic:
			u.atomics++
		default:
			u.loads++
			if in.Uncached {
				// Whether it passes the L1D depends on what is around the GPU.
				u.atomics++
			}
		}
		if l := sector << r.shift >> r.line; in.Kind != isa.Atomic && l != line {
			u.runs++
			line = l
		}
		r.now[sector] = u
	}
	return nil
}

// segments appends the distinct segments of 1<<shift bytes that a step touches, as
// numbers, in the order of its lanes.
func segments(list []uint64, s *simt.Step, shift uint) []uint64 {
	width := uint64(max(s.WidthBytes, 1))
	for lane, a := range s.Addresses {
		if s.Exec>>lane&1 == 0 {
			continue
		}
		for g := a >> shift; g <= (a+width-1)>>shift; g++ {
			if n := len(list); n > 0 && list[n-1] == g || slices.Contains(list, g) {
				continue
			}
			list = append(list, g)
		}
	}
	return list
}

func (b *recordedBlock) endPhase() {
	r := b.r
	text := encode(r.now)
	r.kept += int64(len(text)) + 16
	b.team.traffic = append(b.team.traffic, text)
	clear(r.now)
}

// encode writes uses by ascending sector.
func encode(uses map[uint64]use) string {
	sectors := make([]uint64, 0, len(uses))
	for s := range uses {
		sectors = append(sectors, s)
	}
	slices.Sort(sectors)
	var out []byte
	last := uint64(0)
	for _, s := range sectors {
		u := uses[s]
		out = binary.AppendUvarint(out, s-last)
		for _, n := range [...]int64{u.loads, u.stores, u.atomics, u.runs} {
			out = binary.AppendVarint(out, n)
		}
		last = s
	}
	return string(out)
}

// decode adds what encode wrote to uses.
func decode(text string, uses map[uint64]use) error {
	in := bytes.NewReader([]byte(text))
	sector := uint64(0)
	for in.Len() > 0 {
		gap, err := binary.ReadUvarint(in)
		if err != nil {
			return err
		}
		sector += gap
		var n [4]int64
		for i := range n {
			if n[i], err = binary.ReadVarint(in); err != nil {
				return err
			}
		}
		u := uses[sector]
		u.add(use{n[0], n[1], n[2], n[3]})
		uses[sector] = u
	}
	return nil
}
