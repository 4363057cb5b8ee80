package claims

import (
	"context"
	"math/rand/v2"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/path"
	"github.com/warpbound/warpbound/internal/seq"
	"github.com/warpbound/warpbound/internal/simt"
)

// Digest stands for what one warp executed: instructions, transactions, and
// where its sections end.
type Digest uint64

const noDigest Digest = 14695981039346656037

func (d Digest) add(x uint64) Digest { return (d ^ Digest(x)) * 1099511628211 }

func (d Digest) symbol(s path.Symbol) Digest {
	return d.add(uint64(s.PC)<<32 | uint64(s.Transactions)).add(1)
}

// cut marks the end of a section.
func (d Digest) cut() Digest { return d.add(1 << 62).add(2) }

// Folded is the digest of every warp of every block, from a recording.
func Folded(l *path.Recorded) [][]Digest {
	ofWarp := map[*path.Warp]Digest{}
	out := make([][]Digest, l.Blocks())
	for b := range out {
		class := &l.Classes[l.Class(int64(b))]
		out[b] = make([]Digest, len(class.Schedule))
		for w, wc := range class.Schedule {
			warp := class.Warps[wc].Warp
			d, ok := ofWarp[warp]
			if !ok {
				d = noDigest
				for i, s := range warp.Sections {
					if i > 0 {
						d = d.cut()
					}
					d = unfold(d, l.Symbols, s)
				}
				ofWarp[warp] = d
			}
			out[b][w] = d
		}
	}
	return out
}

func unfold(d Digest, symbols []path.Symbol, s *seq.Seq) Digest {
	for _, it := range s.Items() {
		for _, x := range it.Symbols {
			d = d.symbol(symbols[x])
		}
		if it.Body != nil {
			for range it.Count {
				d = unfold(d, symbols, it.Body)
			}
		}
	}
	return d
}

// Executor executes launches and digests what their warps do.
type Executor struct {
	Timing []gpu.Timing // by PC
	Memory gpu.Memory
	Limit  int64 // most warp instructions of a launch
	// Observe, if not nil, sees every step.
	Observe func(block int64, warp int, s *simt.Step)
}

// InOrder runs a launch block by block, as a recording does, and returns the
// digest of every warp of every block.
func (e *Executor) InOrder(ctx context.Context, k simt.Kernel) ([][]Digest, error) {
	out := make([][]Digest, simt.NumBlocks(k.Grid()))
	var executed int64
	for i := range out {
		b, err := k.NewBlock(int64(i))
		if err != nil {
			return nil, err
		}
		out[i] = newDigests(len(b.Warps()))
		observe := func(warp int, s *simt.Step) { e.step(&out[i][warp], int64(i), warp, s) }
		if err := simt.RunBlock(ctx, b, simt.Limits{MaxInstructions: e.Limit}, &executed, observe); err != nil {
			return nil, err
		}
		b.Release()
	}
	return out, nil
}

func newDigests(n int) []Digest {
	out := make([]Digest, n)
	for i := range out {
		out[i] = noDigest
	}
	return out
}

// step adds an executed instruction to the digest of its warp.
func (e *Executor) step(d *Digest, block int64, warp int, s *simt.Step) {
	if e.Observe != nil {
		e.Observe(block, warp, s)
	}
	if t := &e.Timing[s.PC]; !t.NotIssued {
		*d = d.symbol(path.Symbol{PC: s.PC, Transactions: path.Transactions(s, t, &e.Memory)})
	}
	if s.Barrier >= 0 {
		*d = d.cut()
	}
}

// resident is how many blocks execute at the same time when the order is drawn.
const resident = 3

// AnyOrder is InOrder with several blocks at a time, whose warps take turns at
// random: for one instruction each, or for many.
func (e *Executor) AnyOrder(ctx context.Context, k simt.Kernel, rng *rand.Rand) ([][]Digest, error) {
	out := make([][]Digest, simt.NumBlocks(k.Grid()))
	order := rng.Perm(len(out))
	var blocks []simt.Block
	var ready []place
	turn := []int{1, 1, 4, 1000}[rng.IntN(4)]
	executed := int64(0)
	var step simt.Step
	for {
		for len(blocks) < resident && len(order) > 0 {
			b, err := k.NewBlock(int64(order[0]))
			if err != nil {
				return nil, err
			}
			blocks = append(blocks, b)
			out[order[0]] = newDigests(len(b.Warps()))
			order = order[1:]
		}
		ready = ready[:0]
		kept := blocks[:0]
		for _, b := range blocks {
			live := false
			for w, x := range b.Warps() {
				live = live || x.Status() != simt.Done
				if x.Status() == simt.Ready {
					ready = append(ready, place{b, w})
				}
			}
			if live {
				kept = append(kept, b)
			} else {
				b.Release()
			}
		}
		blocks = kept
		if len(ready) == 0 {
			if len(blocks) > 0 {
				return nil, simt.Deadlock(blocks[0])
			}
			if len(order) == 0 {
				return out, nil
			}
			continue
		}
		at := ready[rng.IntN(len(ready))]
		warp := at.block.Warps()[at.warp]
		for n := 1 + rng.IntN(turn); n > 0 && warp.Status() == simt.Ready; n-- {
			if err := warp.Step(&step); err != nil {
				return nil, err
			}
			if executed++; executed > e.Limit {
				return nil, simt.ErrInstructionLimit
			}
			if executed&0xfff == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			e.step(&out[at.block.Index()][at.warp], at.block.Index(), at.warp, &step)
		}
	}
}

type place struct {
	block simt.Block
	warp  int
}

// Differ returns the first warp whose digests differ; ok is false where none
// does.
func Differ(a, b [][]Digest) (block, warp int, ok bool) {
	for i := range a {
		for j := range a[i] {
			if a[i][j] != b[i][j] {
				return i, j, true
			}
		}
	}
	return 0, 0, false
}
