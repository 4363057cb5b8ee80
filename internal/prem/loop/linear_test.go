package loop

import (
	"math"
	"testing"
)

func TestLinearArithmetic(t *testing.T) {
	i, j := &Var{Name: "i", ID: 1}, &Var{Name: "j", ID: 2}
	l, _ := Of(i).Scale(3)
	l, _ = l.Add(Of(j))
	l, _ = l.Add(Linear{Const: 5}) // 3i + j + 5
	if l.Coef(i) != 3 || l.Coef(j) != 1 || l.Const != 5 {
		t.Fatalf("3i + j + 5 is %+v", l)
	}
	m, ok := l.Replace(i, Linear{Const: 2, Terms: []Term{{j, -1}}}) // 3(2 - j) + j + 5
	if want := (Linear{Const: 11, Terms: []Term{{j, -2}}}); !ok || !m.Equal(want) {
		t.Errorf("replaced: %+v, want %+v", m, want)
	}
	if m, ok := l.Replace(j, Linear{Const: -5}); !ok || !m.Equal(Linear{Terms: []Term{{i, 3}}}) {
		t.Errorf("replaced: %+v, want 3i", m)
	}
	if m, ok := Of(i).Replace(j, Of(i)); !ok || !m.Equal(Of(i)) {
		t.Errorf("a variable that does not occur: %+v", m)
	}
	if Of(i).Equal(Of(j)) || Of(i).Equal(l) {
		t.Error("different forms are equal")
	}
	for _, f := range []func() (Linear, bool){
		func() (Linear, bool) { return Linear{Const: math.MaxInt64}.Add(Linear{Const: 1}) },
		func() (Linear, bool) { return Linear{Terms: []Term{{i, math.MinInt64}}}.Scale(-1) },
		func() (Linear, bool) { return l.Replace(i, Linear{Const: math.MaxInt64}) },
	} {
		if got, ok := f(); ok {
			t.Errorf("%+v came out of an overflow", got)
		}
	}
}
