package simt

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/isa"
	"pgregory.net/rapid"
)

func drawStep(t *rapid.T) *Step {
	s := &Step{Exec: Mask(rapid.Uint32().Draw(t, "exec")), WidthBytes: int32(rapid.SampledFrom([]int{1, 2, 4, 8, 16}).Draw(t, "width"))}
	for i := range s.Addresses {
		s.Addresses[i] = uint64(rapid.IntRange(0, 1000).Draw(t, "address")) * uint64(s.WidthBytes)
	}
	return s
}

// lanes visits each byte that an executing lane accesses.
func bytesOf(s *Step, visit func(at uint64)) {
	for i, a := range s.Addresses {
		if s.Exec>>i&1 != 0 {
			for b := range uint64(s.WidthBytes) {
				visit(a + b)
			}
		}
	}
}

func TestSegmentsCountsDistinctBlocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawStep(t)
		size := int64(rapid.SampledFrom([]int{32, 64, 128}).Draw(t, "segment"))
		seen := map[uint64]bool{}
		bytesOf(s, func(at uint64) { seen[at/uint64(size)] = true })
		if got := s.Segments(size); got != len(seen) {
			t.Fatalf("%d segments, want %d", got, len(seen))
		}
	})
}

func TestBankConflictsIsTheFullestBank(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawStep(t)
		words := map[uint64]bool{}
		bytesOf(s, func(at uint64) { words[at/4] = true })
		perBank := map[uint64]int{}
		worst := 0
		for w := range words {
			perBank[w%32]++
			worst = max(worst, perBank[w%32])
		}
		if got := s.BankConflicts(32, 4); got != worst {
			t.Fatalf("%d conflicts, want %d", got, worst)
		}
	})
}

func TestKnownAccessPatterns(t *testing.T) {
	step := func(stride uint64) *Step {
		s := &Step{Exec: ^Mask(0), WidthBytes: 4}
		for i := range s.Addresses {
			s.Addresses[i] = uint64(i) * stride
		}
		return s
	}
	for stride, want := range map[uint64][2]int{0: {1, 1}, 4: {4, 1}, 8: {8, 2}, 128: {32, 32}, 132: {32, 1}} {
		s := step(stride)
		if got := [2]int{s.Segments(32), s.BankConflicts(32, 4)}; got != want {
			t.Errorf("stride %d: segments and conflicts %v, want %v", stride, got, want)
		}
	}
	none := &Step{}
	if none.Segments(32) != 0 || none.BankConflicts(32, 4) != 0 {
		t.Error("a step without lanes touches memory")
	}
}

func TestRuntimeErrorText(t *testing.T) {
	e := &RuntimeError{Kind: ErrOutOfBounds, Detail: "byte 4 of x", Block: 3, Thread: 17, PC: 5, Pos: isa.Position{File: "k.ptx", Line: 9, Col: 2}, Source: isa.Position{File: "k.cu", Line: 4, Col: 1}}
	if got, want := e.Error(), "k.ptx:9:2: out of bounds access: byte 4 of x (block 3, thread 17, pc 5, source k.cu:4:1)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if !errors.Is(e, ErrOutOfBounds) {
		t.Error("the kind is not wrapped")
	}
	e = &RuntimeError{Kind: ErrDeadlock, Detail: "x", Thread: -1, PC: isa.NoPC}
	if got, want := e.Error(), "barrier deadlock: x (block 0)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestTaintText(t *testing.T) {
	taint := Taint{PC: 7, Kind: TaintBranch, Pos: isa.Position{File: "k.ptx", Line: 9, Col: 2}, Register: "%p1"}
	if got, want := taint.String(), "k.ptx:9:2: branch at pc 7 depends on input data through %p1"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// script is a warp that executes a number of steps, waiting at some of them
// until all warps of its block wait or have ended.
type script struct {
	block  *scripted
	steps  int
	waits  map[int]bool
	at     int
	status Status
}

func (w *script) PC() int32      { return int32(w.at) }
func (w *script) Status() Status { return w.status }

func (w *script) Step(s *Step) error {
	if w.status != Ready {
		return errors.New("step of a warp that is not ready")
	}
	*s = Step{PC: int32(w.at), Barrier: -1}
	w.block.log = append(w.block.log, w)
	if w.waits[w.at] {
		w.status = Waiting
	}
	w.at++
	if w.at == w.steps && w.status == Ready {
		w.status = Done
	}
	w.block.open()
	return nil
}

type scripted struct {
	warps   []*script
	never   bool // barriers never open
	log     []*script
	release int
}

func (b *scripted) Index() int64 { return 4 }
func (b *scripted) Release()     { b.release++ }

func (b *scripted) Warps() []Warp {
	out := make([]Warp, len(b.warps))
	for i, w := range b.warps {
		out[i] = w
	}
	return out
}

func (b *scripted) open() {
	for _, w := range b.warps {
		if w.status == Ready || b.never {
			return
		}
	}
	for _, w := range b.warps {
		if w.status == Waiting {
			w.status = Ready
		}
	}
}

func newScripted(lengths ...int) *scripted {
	b := &scripted{}
	for _, n := range lengths {
		b.warps = append(b.warps, &script{block: b, steps: n, waits: map[int]bool{1: true}})
	}
	return b
}

func TestRunBlockRespectsBarriers(t *testing.T) {
	b := newScripted(4, 3, 5)
	var n int64
	order := ""
	err := RunBlock(context.Background(), b, Limits{}, &n, func(warp int, s *Step) { order += string(rune('a' + warp)) })
	if err != nil || n != 12 || order != "aabbccccc"+"aab" {
		t.Errorf("%v, %d steps in order %s", err, n, order)
	}
}

func TestRunBlockReportsDeadlock(t *testing.T) {
	b := newScripted(4, 1, 3)
	b.never = true
	var n int64
	err := RunBlock(context.Background(), b, Limits{}, &n, nil)
	var e *RuntimeError
	if !errors.As(err, &e) || !errors.Is(err, ErrDeadlock) || e.Block != 4 || !strings.Contains(e.Detail, "warps 0,2 wait at pc 2; 1 warps have ended") {
		t.Errorf("error %v", err)
	}
}

func TestRunBlockLimits(t *testing.T) {
	var n int64
	err := RunBlock(context.Background(), newScripted(4, 4), Limits{MaxInstructions: 5}, &n, nil)
	if !errors.Is(err, ErrInstructionLimit) || n != 5 {
		t.Errorf("limit: %v after %d", err, n)
	}
	n = 0
	if err := RunBlock(context.Background(), newScripted(4, 4), Limits{MaxInstructions: 8}, &n, nil); err != nil {
		t.Errorf("a limit that suffices: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	n = 0xffff
	if err := RunBlock(ctx, newScripted(100), Limits{}, &n, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled run: %v", err)
	}
}

func TestCounting(t *testing.T) {
	if NumBlocks([3]int{3, 4, 5}) != 60 || NumWarps([3]int{7, 5, 1}, 32) != 2 || NumWarps([3]int{32, 2, 1}, 32) != 2 || NumWarps([3]int{5, 1, 1}, 4) != 2 {
		t.Error("wrong number of blocks or warps")
	}
	for _, s := range []Status{Ready, Waiting, Done} {
		if s.String() == "" {
			t.Error("a status has no name")
		}
	}
	if got := ranges([]int{0, 1, 2, 5, 7, 8}); got != "0-2,5,7-8" {
		t.Errorf("ranges %q", got)
	}
}
