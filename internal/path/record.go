package path

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/choice"
	"github.com/warpbound/warpbound/internal/seq"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/facts"
	"github.com/warpbound/warpbound/isa"
)

// Symbol is what one executed instruction is to timing.
type Symbol struct {
	PC           int32 // static instruction
	Transactions int32 // memory transactions made; 1 where the GPU does not count them
	// Back says that the warp goes back to the head of a loop by it (covered paths, where
	// a fact counts that).
	Back bool
}

// Warp is the folded stream of all warps that execute it.
type Warp struct {
	Sections     []*seq.Seq // split at barriers of the whole block
	Whole        *seq.Seq   // the sections one after another
	Instructions int64      // warp instructions
	Barriers     int64      // arrivals at barriers
	// Choices, if not empty, takes the place of Sections, which is empty then: the
	// warp takes any path of each expression. WholeChoice takes that of Whole, and may
	// be nil: then the warp is only known by its sections. Instructions is that of the
	// longest path.
	Choices     []*choice.Expr
	WholeChoice *choice.Expr
	// Stages, if it is not nil, says in what order, and how often, the Choices come: it is
	// an expression over their indices, the same for all warps of a block. Barriers is
	// that of the longest path then.
	Stages *choice.Expr
}

// HasChoices tells whether the warp is known by sets of paths.
func (w *Warp) HasChoices() bool { return len(w.Choices) > 0 }

// Class is the class of a block.
func (r *Recorded) Class(block int64) int32 {
	if r.ClassOf == nil {
		return 0
	}
	return r.ClassOf[block]
}

// single forgets the classes of blocks where there is one.
func (r *Recorded) single() {
	if len(r.Classes) == 1 {
		r.ClassOf = nil
	}
}

// Blocks is the number of blocks.
func (r *Recorded) Blocks() int64 {
	n := int64(0)
	for i := range r.Classes {
		n += r.Classes[i].Blocks
	}
	return n
}

// WarpClass is a number of warps of one block that execute the same stream.
type WarpClass struct {
	Warp  *Warp
	IDs   []int // warp numbers in the block, ascending
	Count int64
}

// BlockClass is a number of blocks with the same warps.
type BlockClass struct {
	Warps  []WarpClass
	First  int64 // number of the first such block
	Blocks int64
	// Schedule gives the class of each warp of a block, by warp number.
	Schedule []int
}

// Recorded is what a whole launch executed.
type Recorded struct {
	Symbols      []Symbol // index: symbol of the sequences
	Classes      []BlockClass
	ClassOf      []int32 // class of each block; nil where there is a single one
	Instructions int64   // warp instructions of all blocks
	// Executed is the number of blocks that were executed to know this; the others
	// take their paths.
	Executed int64
	// Stepped is the number of warp instructions that were, and Skipped those of the
	// same blocks that were not: iterations of loops that provably repeat others.
	Stepped, Skipped int64
	// Irregular is empty where the warps of a block start together and every
	// barrier is one of the whole block. Otherwise it names the instruction that
	// violates this: a barrier, and then sections mean nothing; with Spawns, one
	// that starts warps or awaits their end; with Timed, one that looks at other
	// warps.
	Irregular string
	// Spawns says that Irregular is so only because warps start one another.
	Spawns bool
	// Counts are those of closed loops that are less for some scalar arguments in ranges;
	// tags of expressions name them, from 1.
	Counts []LoopCount
	// Uncounted are the heads of closed loops of which, for some warp, Counts says nothing.
	Uncounted []int32
	// Limits and Exclusions are what facts say of the paths of covered warps.
	Limits     []choice.Limit
	Exclusions []choice.Exclusion
	// Timed says that Irregular is that timing decides which path is taken: what
	// was recorded is one of many.
	Timed bool
}

// Options of Record.
type Options struct {
	Limits simt.Limits
	// Progress is called after each block with the number of finished blocks.
	Progress func(done, total int64)
	// MaxItems bounds what is kept, in items of four bytes, of which a warp
	// instruction that does not repeat takes one to five; 0 means 36 Mi, less
	// than 1 GB in all. Beyond it Record ends with ErrTooLarge.
	MaxItems int64
	// Most, if not 0, ends the execution of every block after so many instructions, with
	// ErrTooMuch.
	Most int64
	// EveryBlock asks for the execution of every block, even where that gives
	// no more information.
	EveryBlock bool
	// EveryIteration asks for the execution of every iteration of loops, likewise.
	EveryIteration bool
	// Facts are what the launch states of all executions: Cover says what they mean for
	// the paths covered.
	Facts []facts.Fact
	// Watch, if not nil, sees what Record executes.
	Watch *facts.Executions
}

// Record returns what the warps of a launch execute. Where blocks provably take
// the path of another one, whatever memory holds (docs/soundness/paths.md, theorem 27
// (classes of blocks) and its corollary), it executes one block of each class and leaves
// k as it is. Otherwise it executes every block of k, in order. timing is indexed by PC
// and says which accesses are counted by transactions; machine gives the memory geometry
// to count them.
func Record(ctx context.Context, k simt.Kernel, m *gpu.Machine, timing []gpu.Timing, opt Options) (*Recorded, error) {
	if n := len(k.Program().Instructions); len(timing) != n {
		return nil, fmt.Errorf("timing for %d of %d instructions", len(timing), n)
	}
	if !opt.EveryBlock {
		out, err := recordClasses(ctx, k, m, timing, opt)
		if err == nil || !errors.Is(err, simt.ErrNotFollowed) {
			return out, err
		}
	}
	r := newRecorder(k, m, timing, opt)
	total := simt.NumBlocks(k.Grid())
	if n := int64(simt.NumWarps(k.BlockDim(), k.WarpSize())); opt.Most > 0 && total > opt.Most/fewInstructions/n {
		return nil, fmt.Errorf("%w: %d blocks of %d warps", ErrTooMuch, total, n)
	}
	for i := int64(0); i < total; i++ {
		b, err := k.NewBlock(i)
		if err != nil {
			return nil, err
		}
		class, err := r.block(ctx, b, opt.limits())
		b.Release()
		switch {
		case errors.Is(err, simt.ErrInstructionLimit) && opt.limits().MaxInstructions != opt.Limits.MaxInstructions:
			return nil, fmt.Errorf("%w: %d warp instructions in %d of %d blocks", ErrTooMuch, r.executed, i, total)
		case err != nil:
			return nil, err
		}
		r.out.Classes[class].Blocks++
		r.out.ClassOf = append(r.out.ClassOf, class)
		if opt.Progress != nil {
			opt.Progress(i+1, total)
		}
	}
	r.out.Executed, r.out.Stepped, r.out.Instructions = total, r.executed, r.executed
	r.out.single()
	switch {
	case r.timed != "":
		r.out.Irregular, r.out.Timed = r.timed, true
	case r.spawn != "" && r.out.Irregular == "":
		r.out.Irregular, r.out.Spawns = r.spawn, true
	}
	return r.out, nil
}

// fewInstructions is what hardly a warp executes less than.
const fewInstructions = 8

// limits are those of an execution of every block.
func (o *Options) limits() simt.Limits {
	out := o.Limits
	if o.Most > 0 && (out.MaxInstructions == 0 || o.Most < out.MaxInstructions) {
		out.MaxInstructions = o.Most
	}
	return out
}

// ErrTooMuch says that the launch executes more than was asked for.
var ErrTooMuch = errors.New("the launch executes too many instructions to be followed")

// ErrTooLarge says that what the warps execute does not repeat and is too much
// to keep.
var ErrTooLarge = errors.New("the instruction streams do not repeat and are too long to keep")

// maxItems bounds what is kept, in items of four bytes: with what is built from
// it, less than 1 GB.
const maxItems = 36 << 20

type recorder struct {
	maxItems int64
	cancel   context.CancelCauseFunc // of the block that is executed
	executed int64                   // warp instructions
	skipped  int64                   // of them: in iterations that repeat others
	k        simt.Kernel
	timing   []gpu.Timing
	mem      gpu.Memory
	st       *store
	plain    []int32 // symbol of a PC with one transaction, -1 while unused
	symbolOf map[Symbol]int32
	warpOf   map[string]*Warp
	blockOf  map[string]int32
	warps    []warpState
	watch    *facts.Executions
	spawn    string // where warps start one another
	timed    string // where the path depends on how far other warps are
	out      *Recorded
}

func newRecorder(k simt.Kernel, m *gpu.Machine, timing []gpu.Timing, opt Options) *recorder {
	r := &recorder{
		maxItems: cmp.Or(opt.MaxItems, maxItems),
		k:        k, timing: timing, mem: m.Desc.Memory, watch: opt.Watch,
		st: newStore(), symbolOf: map[Symbol]int32{}, warpOf: map[string]*Warp{}, blockOf: map[string]int32{},
		plain: make([]int32, len(timing)), out: &Recorded{},
	}
	for i := range r.plain {
		r.plain[i] = -1
	}
	return r
}

type warpState struct {
	fold         *folder
	sections     []int32
	instructions int64
	barriers     int64
}

// block executes a block and returns its class.
func (r *recorder) block(ctx context.Context, b simt.Block, limits simt.Limits) (class int32, err error) {
	n := len(b.Warps())
	for len(r.warps) < n {
		r.warps = append(r.warps, warpState{fold: newFolder(r.st, func(s int32) int32 { return r.out.Symbols[s].PC })})
	}
	for i := range r.warps[:n] {
		r.warps[i].sections = r.warps[i].sections[:0]
		r.warps[i].instructions, r.warps[i].barriers = 0, 0
	}
	waits := waitsAtStart(b)
	r.watch.Begin(b.Index(), n)
	ctx, r.cancel = context.WithCancelCause(ctx)
	defer r.cancel(nil)
	if err := simt.RunBlock(ctx, b, limits, &r.executed, r.observe); err != nil {
		if cause := context.Cause(ctx); errors.Is(cause, ErrTooLarge) {
			err = cause
		}
		return 0, err
	}
	if err := r.watch.End(); err != nil {
		return 0, err
	}
	if waits && r.spawn == "" {
		r.spawn = "a warp of the block waits from its start on"
	}
	return r.endBlock(b.Index(), n)
}

// waitsAtStart says that a warp of a block that has not run waits for others.
func waitsAtStart(b simt.Block) bool {
	for _, w := range b.Warps() {
		if w.Status() == simt.Waiting {
			return true
		}
	}
	return false
}

func (r *recorder) observe(warp int, s *simt.Step) {
	r.watch.Step(warp, s)
	w := &r.warps[warp]
	t := &r.timing[s.PC]
	if !t.NotIssued {
		w.fold.add(r.symbol(s, t), s.PC, s.NextPC)
		w.instructions++
		r.tooLarge()
	}
	if s.Barrier < 0 && s.BarrierOpened && r.spawn == "" {
		// At an exit only the warps wait that arrived at a barrier before it.
		if in := &r.k.Program().Instructions[s.PC]; in.Kind != isa.Exit {
			r.spawn = fmt.Sprintf("%s: %s starts warps of the block, which do not start together", in.Pos, in.Opcode)
		}
	}
	if s.Yield && r.timed == "" {
		in := &r.k.Program().Instructions[s.PC]
		r.timed = fmt.Sprintf("%s: how warp %d goes on after %s depends on how far other warps are, so that timing decides which path is taken", in.Pos, warp, in.Opcode)
	}
	if s.Barrier >= 0 {
		if !s.BarrierFull && r.out.Irregular == "" {
			r.out.Irregular = fmt.Sprintf("%s: barrier %d is not one of the whole block", r.k.Program().Instructions[s.PC].Pos, s.Barrier)
		}
		w.barriers++
		w.sections = append(w.sections, w.fold.finish())
	}
}

// tooLarge ends the execution where too much is kept.
func (r *recorder) tooLarge() {
	if r.st.size > r.maxItems {
		r.cancel(fmt.Errorf("%w: after %d warp instructions", ErrTooLarge, r.executed))
		r.maxItems = math.MaxInt64 // said once
	}
}

func (r *recorder) symbol(s *simt.Step, t *gpu.Timing) int32 {
	return r.counted(s.PC, Transactions(s, t, &r.mem))
}

// counted is the symbol of an instruction with so many transactions.
func (r *recorder) counted(pc, n int32) int32 {
	if n == 1 {
		if id := r.plain[pc]; id >= 0 {
			return id
		}
	}
	id := r.numbered(Symbol{PC: pc, Transactions: n})
	if n == 1 {
		r.plain[pc] = id
	}
	return id
}

// numbered is the number of a symbol.
func (r *recorder) numbered(sym Symbol) int32 {
	id, ok := r.symbolOf[sym]
	if !ok {
		id = int32(len(r.out.Symbols))
		r.out.Symbols = append(r.out.Symbols, sym)
		r.symbolOf[sym] = id
	}
	return id
}

// Transactions counts the memory transactions of one executed instruction by
// the rule of its timing, whatever space a generic address turned out to be in;
// at least 1.
func Transactions(s *simt.Step, t *gpu.Timing, mem *gpu.Memory) int32 {
	n := 1
	switch t.Transactions {
	case gpu.Banks:
		n = s.BankConflicts(mem.SharedBanks, mem.BankWordBytes)
	case gpu.Segments:
		n = s.Segments(mem.SegmentBytes)
	}
	return int32(max(n, 1))
}

// endBlock returns the class of the block recorded.
func (r *recorder) endBlock(index int64, n int) (class int32, err error) {
	classOf := map[*Warp]int{}
	var classes []WarpClass
	schedule := make([]int, n)
	key := make([]byte, 0, 8*n)
	for i := range r.warps[:n] {
		ws := &r.warps[i]
		ws.sections = append(ws.sections, ws.fold.finish())
		w, err := r.warp(ws)
		if err != nil {
			return 0, err
		}
		c, ok := classOf[w]
		if !ok {
			c = len(classes)
			classOf[w] = c
			classes = append(classes, WarpClass{Warp: w})
		}
		schedule[i] = c
		classes[c].IDs = append(classes[c].IDs, i)
		classes[c].Count++
		for _, s := range ws.sections {
			key = binary.AppendVarint(key, int64(s))
		}
		key = binary.AppendVarint(key, -1)
	}
	c, ok := r.blockOf[string(key)]
	if !ok {
		c = int32(len(r.out.Classes))
		r.blockOf[string(key)] = c
		r.out.Classes = append(r.out.Classes, BlockClass{Warps: classes, First: index, Schedule: schedule})
	}
	return c, nil
}

func (r *recorder) warp(ws *warpState) (*Warp, error) {
	key := make([]byte, 0, 4*len(ws.sections))
	for _, s := range ws.sections {
		key = binary.AppendVarint(key, int64(s))
	}
	if w, ok := r.warpOf[string(key)]; ok {
		return w, nil
	}
	w := &Warp{Instructions: ws.instructions, Barriers: ws.barriers}
	for _, id := range ws.sections {
		s, err := r.st.sequence(id)
		if err != nil {
			return nil, err
		}
		w.Sections = append(w.Sections, s)
	}
	var err error
	if w.Whole, err = r.st.sequence(r.st.concatenate(ws.sections)); err != nil {
		return nil, err
	}
	r.warpOf[string(key)] = w
	return w, nil
}
