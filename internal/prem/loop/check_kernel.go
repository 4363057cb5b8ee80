package loop

func (c *checker) kernelStmt(k *Nest) {
	if c.kernel != nil {
		c.fail(k.At, "kernel inside a kernel")
		return
	}
	if k.Loop == nil {
		c.fail(k.At, "kernel without a loop")
		return
	}
	for _, x := range []struct {
		e    Expr
		what string
	}{{k.NumTeams, "num_teams"}, {k.NumThreads, "num_threads"}, {k.Chunk, "schedule chunk"}} {
		if x.e == nil {
			continue
		}
		c.bound(x.e, x.what)
		if l, ok := x.e.(*IntLit); ok && l.Value <= 0 {
			c.fail(l.At, "%s of %d", x.what, l.Value)
		}
	}
	own := make(map[*Var]bool)
	named := make(map[any]bool)
	for _, r := range k.Reductions {
		c.once(named, r.Var, r.At, r.Var.Name)
		if !c.vars[r.Var] || r.Var.Kind != Local || r.Var.Const {
			c.fail(r.At, "reduction of %s, which is no assignable local in scope", r.Var.Name)
		}
		own[r.Var] = true
	}
	for _, v := range k.FirstPrivate {
		c.once(named, v, k.At, v.Name)
		if !c.vars[v] {
			c.fail(k.At, "firstprivate %s is not in scope", v.Name)
		}
		own[v] = false
	}
	for _, m := range k.Maps {
		c.mapItem(m, k.FirstPrivate, named)
	}
	c.nest(k)
	c.kernel, c.own = k, own
	c.stmts([]Stmt{k.Loop})
	c.kernel, c.own = nil, nil
}

func (c *checker) data(s *Data) {
	if c.kernel != nil {
		c.fail(s.At, "target data inside a kernel")
	}
	named := make(map[any]bool)
	outer := len(c.remote)
	for _, m := range s.Maps {
		if m.Var != nil {
			c.fail(m.At, "target data maps scalar %s", m.Var.Name)
			continue
		}
		c.mapItem(m, nil, named)
		c.remote = append(c.remote, m.Array)
	}
	within := c.region
	c.region = true
	c.stmts(s.Body)
	c.region = within
	c.remote = c.remote[:outer]
}

func (c *checker) once(named map[any]bool, key any, at Pos, name string) {
	if named[key] {
		c.fail(at, "%s stands in two clauses", name)
	}
	named[key] = true
}

func (c *checker) mapItem(m Map, private []*Var, named map[any]bool) {
	if (m.Array == nil) == (m.Var == nil) {
		c.fail(m.At, "map of neither an array nor a scalar")
		return
	}
	if m.Var != nil {
		// A reduced scalar may be mapped, too; a firstprivate one may not.
		for _, v := range private {
			if v == m.Var {
				c.fail(m.At, "%s stands in two clauses", v.Name)
			}
		}
		if !c.vars[m.Var] || len(m.Sections) > 0 {
			c.fail(m.At, "map of %s", m.Var.Name)
		}
		return
	}
	c.once(named, m.Array, m.At, m.Array.Name)
	if !c.arrays[m.Array] || len(m.Sections) > len(m.Array.Extents) {
		c.fail(m.At, "map of %s with %d sections", m.Array.Name, len(m.Sections))
	}
	if len(m.Array.Extents) > 0 && m.Array.Extents[0] == nil && len(m.Sections) == 0 {
		c.fail(m.At, "unknown bound: map of %s needs a section", m.Array.Name)
	}
	for _, s := range m.Sections {
		c.bound(s.Lo, "section start")
		c.bound(s.Len, "section length")
	}
}

// nest checks that the Collapse outermost loops are perfectly nested and that no
// bound of one depends on the variable of another.
func (c *checker) nest(k *Nest) {
	if k.Collapse < 1 {
		c.fail(k.At, "collapse(%d)", k.Collapse)
	}
	outer := map[*Var]bool{k.Loop.Var: true}
	l := k.Loop
	for d := 1; d < k.Collapse; d++ {
		body := l.Body
		for len(body) == 1 {
			b, ok := body[0].(*Block)
			if !ok {
				break
			}
			body = b.Body
		}
		var inner *For
		if len(body) == 1 {
			inner, _ = body[0].(*For)
		}
		if inner == nil {
			c.fail(l.At, "collapse(%d): the body of the loop over %s is not one loop", k.Collapse, l.Var.Name)
			return
		}
		for _, b := range []Expr{inner.Lo, inner.Hi} {
			walkExpr(b, func(x Expr) {
				if r, ok := x.(*Ref); ok && outer[r.Var] {
					c.fail(x.Position(), "collapse(%d): bound of %s depends on %s", k.Collapse, inner.Var.Name, r.Var.Name)
				}
			})
		}
		outer[inner.Var] = true
		l = inner
	}
}
