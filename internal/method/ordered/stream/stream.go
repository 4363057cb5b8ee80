// Package stream walks a folded sequence one symbol at a time, without
// unfolding it: the memory it needs is the depth of its repetitions. Several
// warps that are advanced in turn each have a Cursor of their own.
package stream

import "github.com/warpbound/warpbound/internal/seq"

// Cursor is a place in a folded sequence. The zero Cursor is at the end of an
// empty one. It is not safe for concurrent use.
type Cursor struct {
	run   []int32 // what is left of the run of symbols in progress
	stack []frame
}

// frame is a sequence in progress: the items from next on, and then the whole
// of it again left times.
type frame struct {
	items []seq.Item
	next  int
	left  int64
}

// Reset puts the cursor at the start of s; nil counts as empty.
func (c *Cursor) Reset(s *seq.Seq) {
	c.run = nil
	c.stack = c.stack[:0]
	if s != nil && s.Len() > 0 {
		c.stack = append(c.stack, frame{items: s.Items()})
	}
}

// Next returns the next symbol and steps over it; ok is false at the end.
func (c *Cursor) Next() (symbol int32, ok bool) {
	if len(c.run) == 0 && !c.refill() {
		return 0, false
	}
	symbol = c.run[0]
	c.run = c.run[1:]
	return symbol, true
}

// Peek returns the next symbol and stays before it; ok is false at the end.
func (c *Cursor) Peek() (symbol int32, ok bool) {
	if len(c.run) == 0 && !c.refill() {
		return 0, false
	}
	return c.run[0], true
}

// refill finds the next run that is not empty.
func (c *Cursor) refill() bool {
	for len(c.stack) > 0 {
		f := &c.stack[len(c.stack)-1]
		if f.next == len(f.items) {
			if f.left == 0 {
				c.stack = c.stack[:len(c.stack)-1]
				continue
			}
			f.left--
			f.next = 0
		}
		it := &f.items[f.next]
		f.next++
		if it.Body == nil {
			c.run = it.Symbols
			return true
		}
		c.stack = append(c.stack, frame{items: it.Body.Items(), left: it.Count - 1})
	}
	return false
}
