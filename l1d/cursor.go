package l1d

// cursor walks through the recorded sequence of a class, program point by program
// point.
type cursor struct {
	rec     *recording
	place   *place
	frames  []cursorFrame
	ahead   int32      // the step behind the run, -1 at the end
	run     []recorded // the accesses at the current point; none behind the last one
	present bool       // blocks of the class are resident
}

// cursorFrame is a repetition of items that is being walked through.
type cursorFrame struct {
	items []foldItem
	at    int
	done  int64 // of the repetitions of items[at], where that is a step
	left  int64 // walks through items, with this one
}

// start goes to the first point of a class.
func (c *cursor) start(rec *recording, class *classRecording) {
	if c.rec == nil {
		c.rec, c.place = rec, newPlace(rec.warps())
	}
	c.place.reset(len(rec.pcs))
	c.frames = append(c.frames[:0], cursorFrame{items: class.sequence, left: 1})
	c.ahead = c.step()
	c.advance()
}

// advance goes to the next point.
func (c *cursor) advance() {
	c.run = c.run[:0]
	for c.ahead >= 0 {
		s := &c.rec.steps[c.ahead]
		if s.move != 0 {
			if len(c.run) > 0 {
				return
			}
			c.place.point = movePoint(c.place.point, c.rec.moves[s.move])
		}
		c.apply(s)
		c.ahead = c.step()
	}
}

// apply appends the access of a step.
func (c *cursor) apply(s *step) {
	p := c.place
	p.warp += s.warp
	last, base := p.from(p.warp, s.slot)
	base += s.base
	*last, p.slot[s.slot] = base, base
	p.index[p.warp]++
	c.run = append(c.run, recorded{base: base, index: p.index[p.warp], shape: s.shape, warp: p.warp, slot: s.slot})
}

// step is the number of the next step, -1 behind the last one.
func (c *cursor) step() int32 {
	for n := len(c.frames); n > 0; n = len(c.frames) {
		f := &c.frames[n-1]
		if f.at == len(f.items) {
			if f.left--; f.left > 0 {
				f.at = 0
			} else {
				c.frames = c.frames[:n-1]
			}
			continue
		}
		it := &f.items[f.at]
		if it.code < 0 {
			f.at++
			c.frames = append(c.frames, cursorFrame{items: c.rec.store.bodies[^it.code], left: it.count})
			continue
		}
		if f.done < it.count {
			f.done++
			return it.code
		}
		f.done = 0
		f.at++
	}
	return -1
}
