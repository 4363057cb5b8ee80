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
		order := func(int) int { return 0 }
		if i > 0 {
			rng := rand.New(rand.NewPCG(p.Seed, uint64(i)))
			order = rng.IntN
		}
		got, err := p.execute(ctx, v, order)
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

// execute runs the launch functionally and returns the digest of every warp.
// order(n) chooses which of n warps that can go on executes next.
func (p *prepared) execute(ctx context.Context, v contents, order func(n int) int) ([][]digest, error) {
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
			out[next] = make([]digest, len(b.Warps()))
			for w := range out[next] {
				out[next][w] = noDigest
			}
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
		at := ready[order(len(ready))]
		if err := at.block.Warps()[at.warp].Step(&step); err != nil {
			return nil, err
		}
		if executed++; executed > maxInstructions {
			return nil, simt.ErrInstructionLimit
		}
		if executed&0xfff == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		d := &out[at.block.Index()][at.warp]
		if t := &p.report.Timing[step.PC]; !t.NotIssued {
			*d = d.symbol(path.Symbol{PC: step.PC, Transactions: path.Transactions(&step, t, &p.machine.Desc.Memory)})
		}
		if step.Barrier >= 0 {
			*d = d.cut()
		}
	}
}

type place struct {
	block simt.Block
	warp  int
}
