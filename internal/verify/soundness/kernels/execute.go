package kernels

import (
	"bytes"
	"context"
	"math/rand/v2"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/verify/soundness/claims"
	"github.com/warpbound/warpbound/isa"
)

// Executed is what a drawn kernel does with its buffers, for others that execute it:
// its parameters are in, out and the number 16.
type Executed struct {
	In, Out           []byte // before
	InAfter, OutAfter []byte
}

// Execute executes the case in orders drawn at random. It returns nil where the outcome
// may not be settled: threads meet in a word of global memory that one of them writes, or
// it follows from the order of warps or from what PTX leaves open. Textures, which
// recent statements use, are none of Executed's.
func (c *Case) Execute(ctx context.Context) (*Executed, error) {
	if c.ordered || c.source.recent {
		return nil, nil
	}
	p, err := c.prepare(ctx, "")
	if err != nil {
		return nil, err
	}
	if met, err := p.threadsMeet(ctx); met || err != nil {
		return nil, err
	}
	e := &claims.Executor{Timing: p.report.Timing, Memory: p.machine.Desc.Memory, Limit: maxInstructions}
	var first *Executed
	for i := range uint64(orders) {
		rng := rand.New(rand.NewPCG(c.Seed, i))
		k, err := p.launch(contents{}, false, rng)
		if err != nil {
			return nil, err
		}
		now := &Executed{In: bytes.Clone(k.Buffer("in")), Out: bytes.Clone(k.Buffer("out"))}
		if _, err := e.AnyOrder(ctx, k, rng); err != nil {
			return nil, err
		}
		now.InAfter, now.OutAfter = k.Buffer("in"), k.Buffer("out")
		switch {
		case first == nil:
			first = now
		case !bytes.Equal(first.InAfter, now.InAfter) || !bytes.Equal(first.OutAfter, now.OutAfter):
			return nil, nil
		}
	}
	return first, nil
}

// orders are the orders of blocks and warps in which a case is executed to see whether
// its outcome depends on them.
const orders = 12

// threadsMeet says whether threads access a word of global memory that one of them
// writes.
func (p *prepared) threadsMeet(ctx context.Context) (bool, error) {
	k, err := p.launch(contents{}, false, nil)
	if err != nil {
		return false, err
	}
	type use struct {
		thread int // the first one that accesses the word
		more   bool
		writes bool
	}
	words := map[uint64]use{}
	met := false
	var executed int64
	program := k.Program()
	for i := range simt.NumBlocks(k.Grid()) {
		b, err := k.NewBlock(i)
		if err != nil {
			return false, err
		}
		observe := func(warp int, s *simt.Step) {
			if s.Space != isa.Global {
				return
			}
			store := program.Instructions[s.PC].Class.Family != isa.LoadMem
			for lane := range k.WarpSize() {
				if s.Exec&(1<<lane) == 0 {
					continue
				}
				thread := int(i)<<16 | warp*k.WarpSize() + lane
				for at := s.Addresses[lane] / 4; at <= (s.Addresses[lane]+uint64(s.WidthBytes)-1)/4; at++ {
					u, seen := words[at]
					if !seen {
						u.thread = thread
					}
					u.more = u.more || u.thread != thread
					u.writes = u.writes || store
					met = met || u.more && u.writes
					words[at] = u
				}
			}
		}
		if err := simt.RunBlock(ctx, b, simt.Limits{MaxInstructions: maxInstructions}, &executed, observe); err != nil {
			return false, err
		}
		b.Release()
	}
	return met, nil
}
