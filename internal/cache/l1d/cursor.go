package l1d

// cursor walks through the recorded sequence of a class, program point by program
// point.
type cursor struct {
	walker
	rec     *recording
	place   *place
	ahead   int32      // the step behind the run, -1 at the end
	run     []recorded // the accesses at the current point; none behind the last one
	present bool       // blocks of the class are resident
}

// start goes to the first point of a class.
func (c *cursor) start(rec *recording, class *classRecording) {
	if c.rec == nil {
		c.rec, c.store, c.place = rec, rec.store, newPlace(rec.warps())
	}
	c.place.reset(len(rec.pcs))
	c.walk(class.sequence)
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
