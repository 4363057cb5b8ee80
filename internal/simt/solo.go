package simt

// Solo is k with a single warp in every block: the given one. The block's other
// warps execute too, so that memory and barriers are as in k, but unseen: they
// run whenever the one that is seen waits at a barrier, or yields to them. It serves to time a warp
// alone.
func Solo(k Kernel, warp int) Kernel { return soloKernel{k, warp} }

type soloKernel struct {
	Kernel
	warp int
}

// BlockDim is that of a block of one warp.
func (k soloKernel) BlockDim() [3]int { return [3]int{k.WarpSize(), 1, 1} }

func (k soloKernel) NewBlock(i int64) (Block, error) {
	b, err := k.Kernel.NewBlock(i)
	if err != nil {
		return nil, err
	}
	return &soloBlock{Block: b, warps: []Warp{&soloWarp{Warp: b.Warps()[k.warp], block: b}}}, nil
}

type soloBlock struct {
	Block
	warps []Warp
}

func (b *soloBlock) Warps() []Warp { return b.warps }

type soloWarp struct {
	Warp
	block Block
	step  Step
}

// Step executes one instruction. An arrival at a barrier that the others still
// keep closed runs them until it opens, a yield runs each of them once.
func (w *soloWarp) Step(s *Step) error {
	if err := w.Warp.Step(s); err != nil {
		return err
	}
	if s.Yield {
		_, err := w.others()
		return err
	}
	for w.Warp.Status() == Waiting {
		progress, err := w.others()
		if err != nil {
			return err
		}
		if !progress {
			return Deadlock(w.block)
		}
		s.BarrierOpened = true
	}
	return nil
}

// others runs each of the other warps until it waits, yields or ends, and says
// whether any could run.
func (w *soloWarp) others() (progress bool, err error) {
	for _, other := range w.block.Warps() {
		for other != w.Warp && other.Status() == Ready {
			if err := other.Step(&w.step); err != nil {
				return progress, err
			}
			progress = true
			if w.step.Yield {
				break
			}
		}
	}
	return progress, nil
}
