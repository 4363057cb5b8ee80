package simt

import "fmt"

// Partition divides a grid into classes of blocks, as they are found: a block is
// of the first class that holds it.
type Partition struct {
	Grid    [3]int
	Classes []BlockClass
}

// Class is the class of a block, -1 where it has none.
func (p *Partition) Class(block [3]int64) int {
	for i := range p.Classes {
		if p.Classes[i].Holds(block) {
			return i
		}
	}
	return -1
}

// Next is the first block from i on that is in no class, the number of blocks if
// there is none.
func (p *Partition) Next(i int64) int64 {
	total := NumBlocks(p.Grid)
	for i < total {
		class, end := p.Span(i)
		if class < 0 {
			return i
		}
		i = end
	}
	return total
}

// Span is the class of block i, -1 where it has none, and the end of the blocks
// of its row that follow it and of which this is known to be true too.
func (p *Partition) Span(i int64) (class int, end int64) {
	at := BlockAt(p.Grid, i)
	row := i - at[0]
	end = int64(p.Grid[0])
	for c := range p.Classes {
		k := &p.Classes[c]
		low, high := k.Row(at)
		if every := k.Every[0]; every > 1 {
			// The members from here on are apart.
			first := at[0] + modulo(k.Representative[0]-at[0], every)
			for first < low {
				first += every * ((low - first + every - 1) / every)
			}
			if first == at[0] && first <= high {
				return c, row + at[0] + 1
			}
			low = first
		}
		if low <= at[0] && at[0] <= high {
			return c, row + min(end, high+1)
		}
		if low > at[0] && low <= high {
			end = min(end, low)
		}
	}
	return -1, row + end
}

// Find completes the partition: it follows the first block that has no class,
// until there is none. run executes a block to its end; found, where not nil, is
// called with the block's class, which it may narrow. More than limit classes
// are an error that wraps ErrNotFollowed.
func (p *Partition) Find(f Follower, limit int64, run func(Block) error, found func(i int64, c *BlockClass) error) error {
	for i := p.Next(0); i < NumBlocks(p.Grid); i = p.Next(i) {
		if int64(len(p.Classes)) == limit {
			return fmt.Errorf("%w: more than %d classes of blocks", ErrNotFollowed, limit)
		}
		b, err := f.Follow(i)
		if err != nil {
			return err
		}
		if err := run(b); err != nil {
			return err
		}
		b.Release()
		c := f.Class()
		if found != nil {
			if err := found(i, &c); err != nil {
				return err
			}
		}
		p.Classes = append(p.Classes, c)
	}
	return nil
}

// Counts is the number of blocks of each class, in a grid that the classes cover.
func (p *Partition) Counts() []int64 {
	counts := make([]int64, len(p.Classes))
	for i := int64(0); i < NumBlocks(p.Grid); {
		class, end := p.Span(i)
		counts[class] += end - i
		i = end
	}
	return counts
}

// modulo is a modulo b, not negative.
func modulo(a, b int64) int64 {
	if a %= b; a < 0 {
		a += b
	}
	return a
}
