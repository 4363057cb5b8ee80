package frontend

import (
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/sim/fifo"
	"github.com/warpbound/warpbound/isa"
)

// instructionCache holds the tags of an instruction cache, and the lines on their
// way to it. A set lists its lines, the one used last first.
type instructionCache struct {
	perfect bool
	line    []int64 // by instruction
	tags    []int64 // by set and place, -1 none
	ways    int
	mask    int64 // of the set
	miss    int64
	coming  fifo.Queue[lineArrival]
}

// lineArrival is a line on its way and when it arrives.
type lineArrival struct{ cycle, line int64 }

func newInstructionCache(prog *isa.Program, f *gpu.FrontEnd) instructionCache {
	c := &f.ICache
	x := instructionCache{perfect: c.Perfect, ways: c.Ways, mask: int64(c.Sets - 1), miss: c.MissCycles}
	for pc := range prog.Instructions {
		x.line = append(x.line, f.Line(prog, int32(pc)))
	}
	if !x.perfect {
		x.tags = make([]int64, c.Sets*c.Ways)
		for i := range x.tags {
			x.tags[i] = -1
		}
	}
	return x
}

func (c *instructionCache) set(line int64) []int64 {
	first := int(line&c.mask) * c.ways
	return c.tags[first : first+c.ways]
}

// touch tells whether a line is here, and makes it the one used last.
func (c *instructionCache) touch(line int64) bool {
	if c.perfect {
		return true
	}
	set := c.set(line)
	for i, tag := range set {
		if tag == line {
			copy(set[1:i+1], set[:i])
			set[0] = line
			return true
		}
	}
	return false
}

// request asks in cycle t for a line that is not here. A line that is on its way
// is not asked for again.
func (c *instructionCache) request(line, t int64) {
	for i := range c.coming.Len() {
		if c.coming.At(i).line == line {
			return
		}
	}
	c.coming.Push(lineArrival{t + c.miss, line})
}

// insert puts a line in place of the one used longest ago.
func (c *instructionCache) insert(line int64) {
	set := c.set(line)
	copy(set[1:], set)
	set[0] = line
}
