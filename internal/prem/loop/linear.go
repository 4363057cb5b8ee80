package loop

// Add gives l + m, or false where a number leaves the range of int64.
func (l Linear) Add(m Linear) (Linear, bool) { return sum(l, m) }

// Scale gives k*l, or false where a number leaves the range of int64.
func (l Linear) Scale(k int64) (Linear, bool) { return scale(l, k) }

// Replace gives l with m substituted for v, or false where a number leaves the
// range of int64.
func (l Linear) Replace(v *Var, m Linear) (Linear, bool) {
	k := l.Coef(v)
	if k == 0 {
		return l, true
	}
	m, ok := m.Scale(k)
	if !ok {
		return Linear{}, false
	}
	out := Linear{Const: l.Const}
	for _, t := range l.Terms {
		if t.Var != v {
			out.Terms = append(out.Terms, t)
		}
	}
	return out.Add(m)
}

// Equal reports whether l and m are the same form.
func (l Linear) Equal(m Linear) bool {
	if l.Const != m.Const || len(l.Terms) != len(m.Terms) {
		return false
	}
	for i, t := range l.Terms {
		if t != m.Terms[i] {
			return false
		}
	}
	return true
}

// Of is the form that is v alone.
func Of(v *Var) Linear { return Linear{Terms: []Term{{v, 1}}} }
