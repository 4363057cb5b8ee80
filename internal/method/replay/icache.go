package replay

// icache is an instruction cache. Lines of a set are in the order of their last
// use, most recent first.
type icache struct {
	ICache
	lines   []int64 // by set and place; -1 none
	pending []fill  // in order of arrival
}

// fill is a line on its way.
type fill struct {
	line int64
	at   int64 // arrives
}

func newICache(c ICache) icache {
	x := icache{ICache: c}
	if !c.Perfect {
		x.lines = make([]int64, c.Sets*c.Ways)
		for i := range x.lines {
			x.lines[i] = -1
		}
	}
	return x
}

func (c *icache) set(line int64) []int64 {
	s := int(line % int64(c.Sets))
	return c.lines[s*c.Ways : (s+1)*c.Ways]
}

// arrive puts in the lines that arrive by cycle t.
func (c *icache) arrive(t int64) {
	n := 0
	for n < len(c.pending) && c.pending[n].at <= t {
		ways := c.set(c.pending[n].line)
		copy(ways[1:], ways)
		ways[0] = c.pending[n].line
		n++
	}
	c.pending = append(c.pending[:0], c.pending[n:]...)
}

// request looks a line up in cycle t. On a miss, arrives is when the line will
// be there; a line that is in flight is not requested again.
func (c *icache) request(line, t int64) (hit bool, arrives int64) {
	if c.Perfect || c.touch(line) {
		return true, 0
	}
	for i := range c.pending {
		if c.pending[i].line == line {
			return false, c.pending[i].at
		}
	}
	c.pending = append(c.pending, fill{line, t + c.MissCycles})
	return false, t + c.MissCycles
}

// touch makes a line the one used last, if it is there.
func (c *icache) touch(line int64) bool {
	if c.Perfect {
		return true
	}
	ways := c.set(line)
	for i := range ways {
		if ways[i] == line {
			copy(ways[1:i+1], ways[:i])
			ways[0] = line
			return true
		}
	}
	return false
}

// next is when the next line arrives.
func (c *icache) next() int64 {
	if len(c.pending) == 0 {
		return never
	}
	return c.pending[0].at
}
