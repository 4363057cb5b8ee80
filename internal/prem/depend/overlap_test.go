package depend_test

import (
	"fmt"
	"testing"

	"github.com/warpbound/warpbound/internal/prem/depend"
	"github.com/warpbound/warpbound/internal/prem/loop"
)

// collect gives the accesses of a source's first kernel, and its nodes by their text.
func collect(t *testing.T, source string) (*depend.Accesses, *loop.Nest, map[string]*loop.Index) {
	t.Helper()
	p, k := parse(t, source)
	a, err := depend.Collect(p, k)
	if err != nil {
		t.Fatal(err)
	}
	nodes := make(map[string]*loop.Index)
	var exprs func(e loop.Expr)
	exprs = func(e loop.Expr) {
		switch e := e.(type) {
		case *loop.Index:
			nodes[loop.ExprString(e)] = e
			for _, s := range e.Subs {
				exprs(s)
			}
		case *loop.Binary:
			exprs(e.X)
			exprs(e.Y)
		}
	}
	var stmts func(list []loop.Stmt)
	stmts = func(list []loop.Stmt) {
		for _, s := range list {
			switch s := s.(type) {
			case *loop.For:
				stmts(s.Body)
			case *loop.If:
				stmts(s.Then)
				stmts(s.Else)
			case *loop.Block:
				stmts(s.Body)
			case *loop.Assign:
				exprs(s.LHS)
				exprs(s.RHS)
			}
		}
	}
	stmts([]loop.Stmt{k.Loop})
	return a, k, nodes
}

func node(t *testing.T, nodes map[string]*loop.Index, text string) *loop.Index {
	t.Helper()
	x := nodes[text]
	if x == nil {
		t.Fatalf("no %s", text)
	}
	return x
}

func TestOverlapInAnyPairOfIterations(t *testing.T) {
	a, _, nodes := collect(t, host("\nfor (int i = k + 1; i < 100; i++)",
		"for (int j = k + 1; j <= i; j++) D[i][j] -= D[i][k] * D[j][k] + A[i] + A[i + 200] + D[k][j];"))
	for _, c := range []struct {
		x, y string
		want bool
	}{
		{"D[i][j]", "D[i][j]", true},
		{"D[i][j]", "D[i][k]", false},
		{"D[i][k]", "D[j][k]", true},
		{"D[i][j]", "D[j][k]", false},
		{"D[i][j]", "D[k][j]", false},
		{"D[i][k]", "D[k][j]", false},
		{"A[i]", "A[(i + 200)]", false},
		{"A[i]", "A[i]", true},
		{"A[i]", "D[i][j]", false},
	} {
		x, y := node(t, nodes, c.x), node(t, nodes, c.y)
		if got := a.MayOverlap(x, y, nil); got != c.want {
			t.Errorf("%s and %s overlap: %v", c.x, c.y, got)
		}
		if got := a.MayOverlap(y, x, nil); got != c.want {
			t.Errorf("%s and %s overlap: %v", c.y, c.x, got)
		}
	}
	foreign := &loop.Index{Array: node(t, nodes, "A[i]").Array, Subs: node(t, nodes, "A[i]").Subs}
	if !a.MayOverlap(foreign, node(t, nodes, "A[i]"), nil) {
		t.Error("something was proved of a node that is not in the kernel")
	}
}

// What is known of a tile excludes elements that other tiles touch.
func TestOverlapInATile(t *testing.T) {
	a, k, nodes := collect(t, one("for (int j = 0; j < 50; j++) { A[i + 200] = A[i] + A[i + 10] + D[i][j] + D[j][i + 20]; }"))
	i := loop.Of(k.Loop.Var)
	j := loop.Of(k.Loop.Body[0].(*loop.For).Var)
	origin := loop.Of(&loop.Var{Name: "origin", Type: loop.Int, Kind: loop.Parameter, ID: 1000})
	tile := func(width int64) func(s *depend.System, x, y depend.Instance) {
		return func(s *depend.System, x, y depend.Instance) {
			for _, in := range []depend.Instance{x, y} {
				s.AtMost(in.Of(origin), in.Of(i))
				s.Less(in.Of(i), plus(t, in.Of(origin), width))
			}
		}
	}
	near, far := node(t, nodes, "A[i]"), node(t, nodes, "A[(i + 10)]")
	for width, want := range map[int64]bool{1: false, 10: false, 11: true} {
		if got := a.MayOverlap(near, far, tile(width)); got != want {
			t.Errorf("overlap in a tile of %d: %v", width, got)
		}
	}
	if a.MayOverlap(near, node(t, nodes, "A[(i + 200)]"), nil) {
		t.Error("ranges 200 apart overlap")
	}
	// D[i][j] and D[j'][i' + 20] meet, but not where j is one value and i another.
	x, y := node(t, nodes, "D[i][j]"), node(t, nodes, "D[j][(i + 20)]")
	walk := func(s *depend.System, x, y depend.Instance) {
		s.Equal(x.Of(j), y.Of(j))
	}
	if !a.MayOverlap(x, y, walk) {
		t.Error("no overlap with equal j")
	}
	if a.MayOverlap(x, y, func(s *depend.System, x, y depend.Instance) { walk(s, x, y); tile(20)(s, x, y) }) {
		t.Error("overlap with equal j in a tile of 20")
	}
}

// One node executed in two iterations, and nodes in loops that do not enclose each
// other.
func TestOverlapBetweenLoops(t *testing.T) {
	a, _, nodes := collect(t, one("for (int j = 0; j < 9; j += 2) A[20 * i + j] = 1.0f; for (int j = 9; j > 0; j -= 2) B[20 * i + j] = A[20 * i + j * 1];"))
	x, y := node(t, nodes, "A[((20 * i) + j)]"), node(t, nodes, "A[((20 * i) + (j * 1))]")
	if a.MayOverlap(x, y, nil) {
		t.Error("even and odd elements overlap")
	}
	if !a.MayOverlap(x, x, nil) || !a.MayOverlap(y, y, nil) {
		t.Error("an access does not overlap itself")
	}
}

func TestBoundsOfSubscripts(t *testing.T) {
	a, k, nodes := collect(t, host("\nfor (int i = 1; i < 99; i++)",
		"if (w - 2 * i >= 1 && w - 2 * i < 50) { D[i][w - 2 * i] = D[i - 1][w - 2 * i + 1]; } for (int j = 20; j > i; j -= 3) D[j][k] += 1.0f;"))
	i := loop.Of(k.Loop.Var)
	for _, c := range []struct {
		node   string
		dim    int
		lo, hi int64
	}{
		{"D[i][(w - (2 * i))]", 0, 1, 44},
		{"D[i][(w - (2 * i))]", 1, 1, 49},
		{"D[(i - 1)][((w - (2 * i)) + 1)]", 0, 0, 43},
		{"D[(i - 1)][((w - (2 * i)) + 1)]", 1, 2, 50},
		{"D[j][k]", 0, 2, 20},
		{"D[j][k]", 1, 0, 99},
	} {
		x := node(t, nodes, c.node)
		s, in := a.Within(x)
		l, ok := loop.Affine(x.Subs[c.dim])
		if !ok {
			t.Fatalf("%s is not affine", c.node)
		}
		inRange(t, fmt.Sprintf("%s, dimension %d", c.node, c.dim), s, in.Of(l), c.lo, c.hi)
	}
	// j is above i wherever D[j][k] is executed.
	x := node(t, nodes, "D[j][k]")
	s, in := a.Within(x)
	j, _ := loop.Affine(x.Subs[0])
	above, _ := i.Scale(-1)
	if above, _ = above.Add(j); !always(s, plus(t, in.Of(above), -1)) || always(s, plus(t, in.Of(above), -2)) {
		t.Error("j > i is not known, or too much is")
	}
}

func TestCollectRefuses(t *testing.T) {
	p, k := parse(t, one("A[i] = 1.0f;"))
	_, other := parse(t, one("A[i] = 1.0f;"))
	if err := depend.Kernel(p, other); err == nil {
		t.Error("a kernel of another program was accepted")
	}
	k.Collapse = 2
	if err := depend.Kernel(p, k); err == nil {
		t.Error("a kernel with too few loops was accepted")
	}
	k.Collapse = 0
	if err := depend.Kernel(p, k); err == nil {
		t.Error("a kernel that collapses no loop was accepted")
	}
	k.Collapse = 1
	x := k.Loop.Body[0].(*loop.Assign).LHS.(*loop.Index)
	x.Subs = append(x.Subs, x.Subs[0])
	if err := depend.Kernel(p, k); err == nil {
		t.Error("a subscript too many was accepted")
	}
}
