package replay

import "github.com/warpbound/warpbound/internal/seq"

// cursor is a place before an instruction of a folded sequence, or its end. The
// last level is the innermost repetition; its current item is a run.
type cursor struct {
	levels []level
	pos    int // in the run
}

// level is a repetition in progress.
type level struct {
	items []seq.Item
	body  *seq.Seq
	item  int
	iter  int64 // iterations that have been completed
	count int64
}

// reset goes to the start of a sequence that is not empty.
func (c *cursor) reset(s *seq.Seq) {
	c.levels = append(c.levels[:0], level{items: s.Items(), body: s, count: 1})
	c.settle()
}

func (c *cursor) ended() bool { return len(c.levels) == 0 }

func (c *cursor) symbol() int32 {
	top := &c.levels[len(c.levels)-1]
	return top.items[top.item].Symbols[c.pos]
}

// advance steps over one instruction and reports whether a repetition started
// anew.
func (c *cursor) advance() bool {
	top := &c.levels[len(c.levels)-1]
	c.pos++
	if c.pos < len(top.items[top.item].Symbols) {
		return false
	}
	top.item++
	return c.settle()
}

// settle finds the next run.
func (c *cursor) settle() (again bool) {
	c.pos = 0
	for len(c.levels) > 0 {
		top := &c.levels[len(c.levels)-1]
		if top.item == len(top.items) {
			top.iter++
			if top.iter < top.count {
				top.item, again = 0, true
				continue
			}
			c.levels = c.levels[:len(c.levels)-1]
			if n := len(c.levels); n > 0 {
				c.levels[n-1].item++
			}
			continue
		}
		it := &top.items[top.item]
		if it.Body == nil {
			return again
		}
		c.levels = append(c.levels, level{items: it.Body.Items(), body: it.Body, count: it.Count})
	}
	return again
}

// copyFrom makes c equal to d without sharing its levels.
func (c *cursor) copyFrom(d *cursor) {
	c.levels = append(c.levels[:0], d.levels...)
	c.pos = d.pos
}

// stride compares a cursor with an earlier one of the same sequence. If what
// was executed in between is a whole number of iterations of one repetition, or
// nothing, it returns the level of that repetition and the number; ok is false
// otherwise.
func (c *cursor) stride(earlier *cursor) (at int, iterations int64, ok bool) {
	if len(c.levels) != len(earlier.levels) || c.pos != earlier.pos {
		return 0, 0, false
	}
	at = -1
	for i := range c.levels {
		a, b := &c.levels[i], &earlier.levels[i]
		if a.body != b.body || a.count != b.count || a.item != b.item {
			return 0, 0, false
		}
		if a.iter == b.iter {
			continue
		}
		if at >= 0 {
			return 0, 0, false
		}
		at, iterations = i, a.iter-b.iter
	}
	return at, iterations, true
}

// room is how many times a number of iterations fits into what is left of the
// repetition at a level, its last iteration excluded.
func (c *cursor) room(at int, iterations int64) int64 {
	l := &c.levels[at]
	return (l.count - 1 - l.iter) / iterations
}
