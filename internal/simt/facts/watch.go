package facts

import "github.com/warpbound/warpbound/internal/simt"

// Watch is a kernel around another one: its warps tell a tracker what they execute, and
// the last step of a warp of which a fact does not hold is an error.
func Watch(k simt.Kernel, t *Tracker) simt.Kernel { return &watched{k, t} }

type watched struct {
	simt.Kernel
	t *Tracker
}

// Unwrap is the kernel itself.
func (k *watched) Unwrap() simt.Kernel { return k.Kernel }

// NewBlock implements simt.Kernel.
func (k *watched) NewBlock(i int64) (simt.Block, error) {
	b, err := k.Kernel.NewBlock(i)
	if err != nil {
		return nil, err
	}
	inner := b.Warps()
	w := &watchedBlock{Block: b, seen: k.t.Block(i, len(inner)), warps: make([]watchedWarp, len(inner)), list: make([]simt.Warp, len(inner))}
	for j := range inner {
		w.warps[j] = watchedWarp{Warp: inner[j], block: w, id: j}
		w.list[j] = &w.warps[j]
	}
	return w, nil
}

type watchedBlock struct {
	simt.Block
	seen  *Block
	warps []watchedWarp
	list  []simt.Warp
}

// Warps implements simt.Block.
func (b *watchedBlock) Warps() []simt.Warp { return b.list }

// Wait implements simt.Waiter.
func (b *watchedBlock) Wait(warp int) (simt.Wait, bool) {
	if w, ok := b.Block.(simt.Waiter); ok {
		return w.Wait(warp)
	}
	return simt.Wait{}, false
}

type watchedWarp struct {
	simt.Warp
	block *watchedBlock
	id    int
}

// Step implements simt.Warp.
func (w *watchedWarp) Step(s *simt.Step) error {
	if err := w.Warp.Step(s); err != nil {
		return err
	}
	w.block.seen.Step(w.id, s)
	if w.Status() == simt.Done {
		return w.block.seen.Ended(w.id)
	}
	return nil
}
