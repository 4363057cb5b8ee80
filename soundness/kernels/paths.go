package kernels

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/seq"
	"github.com/warpbound/warpbound/path"
	"github.com/warpbound/warpbound/simt"
)

// pathMethod names violations of the claim that a path holds for all inputs.
const pathMethod = "path-covers-execution"

// digest stands for what one warp executed: instructions, transactions, and
// where its sections end.
type digest uint64

const noDigest digest = 14695981039346656037

func (d digest) add(x uint64) digest { return (d ^ digest(x)) * 1099511628211 }

func (d digest) symbol(s path.Symbol) digest {
	return d.add(uint64(s.PC)<<32 | uint64(s.Transactions)).add(1)
}

// cut marks the end of a section.
func (d digest) cut() digest { return d.add(1 << 62).add(2) }

// checkPaths compares what was recorded and folded with what other executions
// of the launch do: the same one, which must always agree, and, where the
// analysis claims its path for all inputs, others with other contents of buffers
// that are not known and other orders of blocks and warps.
func (p *prepared) checkPaths(ctx context.Context, out *Outcome) error {
	folded := p.folded()
	variants := []contents{{}}
	if len(p.report.InputDependent) == 0 {
		variants = append(variants, contents{1}, contents{p.Seed + 2})
	}
	for i, v := range variants {
		var got [][]digest
		var err error
		if i == 0 {
			got, err = p.executeInOrder(ctx, v)
		} else {
			got, err = p.execute(ctx, v, rand.New(rand.NewPCG(p.Seed, uint64(i))))
		}
		if err != nil {
			return fmt.Errorf("contents %d: %w", v.variant, err)
		}
		out.Paths++
		for b := range folded {
			for w := range folded[b] {
				if folded[b][w] != got[b][w] {
					out.Violations = append(out.Violations, Violation{
						Case: *p.Case, Method: pathMethod, Scope: bound.Warp,
						Policy: fmt.Sprintf("warp %d of block %d took another with contents %d, order %d", w, b, v.variant, i),
					})
					return nil
				}
			}
		}
	}
	return nil
}

// folded is the digest of every warp of every block, from the recording.
func (p *prepared) folded() [][]digest {
	l := p.report.Path
	ofWarp := map[*path.Warp]digest{}
	out := make([][]digest, len(l.ClassOf))
	for b, c := range l.ClassOf {
		class := &l.Classes[c]
		out[b] = make([]digest, len(class.Schedule))
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

func unfold(d digest, symbols []path.Symbol, s *seq.Seq) digest {
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

// resident is how many blocks execute at the same time when the order is drawn.
const resident = 3

// executeInOrder runs the launch functionally, as a recording does, and returns
// the digest of every warp.
func (p *prepared) executeInOrder(ctx context.Context, v contents) ([][]digest, error) {
	k, err := p.kernel(v, false)
	if err != nil {
		return nil, err
	}
	out := make([][]digest, simt.NumBlocks(k.Grid()))
	var executed int64
	for i := range out {
		b, err := k.NewBlock(int64(i))
		if err != nil {
			return nil, err
		}
		out[i] = newDigests(len(b.Warps()))
		observe := func(warp int, s *simt.Step) { p.step(&out[i][warp], s) }
		if err := simt.RunBlock(ctx, b, simt.Limits{MaxInstructions: maxInstructions}, &executed, observe); err != nil {
			return nil, err
		}
		b.Release()
	}
	return out, nil
}

func newDigests(n int) []digest {
	out := make([]digest, n)
	for i := range out {
		out[i] = noDigest
	}
	return out
}

// step adds an executed instruction to the digest of its warp.
func (p *prepared) step(d *digest, s *simt.Step) {
	if t := &p.report.Timing[s.PC]; !t.NotIssued {
		*d = d.symbol(path.Symbol{PC: s.PC, Transactions: path.Transactions(s, t, &p.machine.Desc.Memory)})
	}
	if s.Barrier >= 0 {
		*d = d.cut()
	}
}

// execute is executeInOrder with several blocks at a time, whose warps take
// turns at random.
func (p *prepared) execute(ctx context.Context, v contents, rng *rand.Rand) ([][]digest, error) {
	k, err := p.kernel(v, false)
	if err != nil {
		return nil, err
	}
	out := make([][]digest, simt.NumBlocks(k.Grid()))
	var blocks []simt.Block
	var ready []place
	next, executed := int64(0), 0
	var step simt.Step
	for {
		for len(blocks) < resident && next < int64(len(out)) {
			b, err := k.NewBlock(next)
			if err != nil {
				return nil, err
			}
			blocks = append(blocks, b)
			out[next] = newDigests(len(b.Warps()))
			next++
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
			if next == int64(len(out)) {
				return out, nil
			}
			continue
		}
		at := ready[rng.IntN(len(ready))]
		if err := at.block.Warps()[at.warp].Step(&step); err != nil {
			return nil, err
		}
		if executed++; executed > maxInstructions {
			return nil, simt.ErrInstructionLimit
		}
		if executed&0xfff == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		p.step(&out[at.block.Index()][at.warp], &step)
	}
}

type place struct {
	block simt.Block
	warp  int
}
