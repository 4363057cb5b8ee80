package choice

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/warpbound/warpbound/internal/seq"
)

// set is the paths of an expression by their text, made as the definitions say
// and without any normal form.
type set map[string]bool

// text of a path; paths are concatenated as texts.
func text(path ...int32) string {
	var b strings.Builder
	for _, s := range path {
		fmt.Fprintf(&b, "%d ", s)
	}
	return b.String()
}

func (a set) then(b set) set {
	out := set{}
	for x := range a {
		for y := range b {
			out[x+y] = true
		}
	}
	return out
}

func (a set) or(b set) set {
	out := set{}
	for x := range a {
		out[x] = true
	}
	for x := range b {
		out[x] = true
	}
	return out
}

// anyOf is every selection of the sets, in every order.
func anyOf(parts []set) set {
	out := set{"": true}
	for i, p := range parts {
		rest := slices.Delete(slices.Clone(parts), i, i+1)
		out = out.or(p.then(anyOf(rest)))
	}
	return out
}

// draw makes an expression and the set of its paths side by side.
func draw(t *rapid.T, b *Builder, depth int) (*Expr, set) {
	kinds := []Kind{Empty, Run}
	if depth > 0 {
		kinds = append(kinds, Concat, Any, One, Repeat, AtMost)
	}
	parts := func() (list []*Expr, sets []set) {
		for range rapid.IntRange(1, 3).Draw(t, "parts") {
			e, s := draw(t, b, depth-1)
			list, sets = append(list, e), append(sets, s)
		}
		return
	}
	var e *Expr
	var err error
	s := set{"": true}
	switch rapid.SampledFrom(kinds).Draw(t, "kind") {
	case Empty:
		e = b.Empty()
	case Run:
		run := rapid.SliceOfN(rapid.Int32Range(0, 3), 0, 2).Draw(t, "run")
		e, err = b.Run(run...)
		s = set{text(run...): true}
	case Concat:
		list, sets := parts()
		e, err = b.Concat(list...)
		for _, x := range sets {
			s = s.then(x)
		}
	case Any:
		list, sets := parts()
		e, err = b.Any(list...)
		s = anyOf(sets)
	case One:
		list, sets := parts()
		e, err = b.One(list...)
		s = set{}
		for _, x := range sets {
			s = s.or(x)
		}
	case Repeat:
		n := rapid.Int64Range(0, 2).Draw(t, "count")
		body, set := draw(t, b, depth-1)
		e, err = b.Repeat(n, body)
		for range n {
			s = s.then(set)
		}
	case AtMost:
		n := rapid.Int64Range(0, 2).Draw(t, "count")
		body, set := draw(t, b, depth-1)
		e, err = b.AtMostOf(rapid.Int32Range(0, 2).Draw(t, "tag"), n, body)
		for range n {
			s = s.or(s.then(set))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(s) > 3000 {
		return b.Empty(), set{text(): true} // too many
	}
	return e, s
}

func TestNormalFormKeepsThePaths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := NewBuilder()
		e, want := draw(t, b, 3)
		got := set{}
		longest, heaviest, tried := int64(0), int64(math.MinInt64), 0
		weights := rapid.SliceOfN(rapid.Int64Range(-3, 9), 4, 4).Draw(t, "weights")
		symbols := map[int32]bool{}
		for path := range e.Paths() {
			if tried++; tried > 200_000 {
				return // too many repeated ones
			}
			got[text(path...)] = true
			longest = max(longest, int64(len(path)))
			w := int64(0)
			for _, s := range path {
				w += weights[s]
				symbols[s] = true
			}
			heaviest = max(heaviest, w)
		}
		for p := range want {
			if !got[p] {
				t.Fatalf("%s: lacks the path %q", e, p)
			}
		}
		for p := range got {
			if !want[p] {
				t.Fatalf("%s: has the path %q, which it should not", e, p)
			}
		}
		if e.Len() != longest {
			t.Fatalf("%s: length %d, the longest path has %d", e, e.Len(), longest)
		}
		if w, err := e.MaxWeight(func(s int32) int64 { return weights[s] }); err != nil || w != heaviest {
			t.Fatalf("%s: heaviest path %d, %v, want %d", e, w, err, heaviest)
		}
		if !e.Choices() && len(want) > 1 {
			t.Fatalf("%s: %d paths and no choice", e, len(want))
		}
		if s := e.Symbols(); len(s) != len(symbols) || !slices.IsSorted(s) {
			t.Fatalf("%s: symbols %v, want %v", e, s, symbols)
		}
		s, ok := e.Seq()
		if ok == e.Choices() {
			t.Fatalf("%s: as a sequence %v, choices %v", e, ok, e.Choices())
		}
		if ok && !want[text(slices.Collect(s.All())...)] {
			t.Fatalf("%s: as a sequence it is %s", e, s)
		}
	})
}

// made makes expressions from texts without errors.
type made struct {
	t *testing.T
	*Builder
}

func (m made) must(e *Expr, err error) *Expr {
	m.t.Helper()
	if err != nil {
		m.t.Fatal(err)
	}
	return e
}

func TestEqualExpressionsAreOne(t *testing.T) {
	b := made{t, NewBuilder()}
	x, y := b.must(b.Run(1, 2)), b.must(b.Run(3))
	for name, pair := range map[string][2]*Expr{
		"concat flattens":        {b.must(b.Concat(b.must(b.Concat(x, b.must(b.AtMost(2, y)))), x)), b.must(b.Concat(x, b.must(b.AtMost(2, y)), x))},
		"runs join":              {b.must(b.Concat(x, b.Empty(), y)), b.must(b.Run(1, 2, 3))},
		"any in any order":       {b.must(b.Any(x, y)), b.must(b.Any(y, b.Empty(), x))},
		"any of one is optional": {b.must(b.Any(x)), b.must(b.One(b.Empty(), x))},
		"any of equals":          {b.must(b.Any(x, x)), b.must(b.AtMost(2, x))},
		"one of equals":          {b.must(b.One(x, x)), x},
		"one of one of":          {b.must(b.One(b.must(b.One(x, y)), y)), b.must(b.One(y, x))},
		"one with nothing":       {b.must(b.One(x, b.Empty(), y)), b.must(b.AtMost(1, b.must(b.One(x, y))))},
		"repeat once":            {b.must(b.Repeat(1, x)), x},
		"repeat of repeat":       {b.must(b.Repeat(3, b.must(b.Repeat(4, x)))), b.must(b.Repeat(12, x))},
		"repeat of at most":      {b.must(b.Repeat(3, b.must(b.AtMost(4, x)))), b.must(b.AtMost(12, x))},
		"at most of at most":     {b.must(b.AtMost(3, b.must(b.AtMost(4, x)))), b.must(b.AtMost(12, x))},
		"nothing repeated":       {b.must(b.Repeat(9, b.Empty())), b.Empty()},
		"a sequence":             {b.must(b.FromSeq(seq.Must(seq.Run(1), seq.Repeat(5, seq.Must(seq.Run(2)))))), b.must(b.Concat(b.must(b.Run(1)), b.must(b.Repeat(5, b.must(b.Run(2))))))},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: %s and %s are two nodes", name, pair[0], pair[1])
		}
	}
	if b.must(b.AtMost(3, b.must(b.Repeat(2, x)))) == b.must(b.AtMost(6, x)) {
		t.Error("up to three pairs are not up to six single ones")
	}
	if got := b.must(b.Concat(b.must(b.Any(x, y)), b.must(b.Repeat(2, b.must(b.One(x, y)))))).String(); got != "{1 2 | 3} ((1 2 | 3))*2" {
		t.Errorf("printed as %q", got)
	}
}

// TestHeaviest: the counts are those of a path, and weigh what the heaviest does.
func TestHeaviest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := NewBuilder()
		e, paths := draw(t, b, 3)
		weights := rapid.SliceOfN(rapid.Int64Range(0, 9), 4, 4).Draw(t, "weights")
		weight := func(s int32) int64 { return weights[s] }
		counts, total, err := e.Heaviest(4, weight)
		if err != nil {
			t.Fatal(err)
		}
		most, err := e.MaxWeight(weight)
		if err != nil || total != most {
			t.Fatalf("%s: %d, heaviest path %d, %v", e, total, most, err)
		}
		sum := int64(0)
		for s, n := range counts {
			sum += n * weights[s]
		}
		if sum != total {
			t.Fatalf("%s: counts %v weigh %d, not %d", e, counts, sum, total)
		}
		for p := range paths {
			of := make([]int64, 4)
			for _, s := range strings.Fields(p) {
				of[s[0]-'0']++
			}
			if slices.Equal(of, counts) {
				return
			}
		}
		t.Fatalf("%s: no path has counts %v", e, counts)
	})
}

// TestReplace: the paths of what is made are those of the expression with paths in the
// place of symbols.
func TestReplace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e, _ := draw(t, NewBuilder(), 2)
		b := NewBuilder()
		with := map[int32]*Expr{}
		sets := map[int32]set{}
		for s := range int32(4) {
			with[s], sets[s] = draw(t, b, 1)
		}
		got, err := b.Replace(e, func(s int32) *Expr { return with[s] })
		if err != nil {
			t.Fatal(err)
		}
		want, tried := set{}, 0
		for path := range e.Paths() {
			one := set{"": true}
			for _, s := range path {
				one = one.then(sets[s])
			}
			want = want.or(one)
			if tried += len(one); tried > 5000 || len(want) > 3000 {
				return // too many
			}
		}
		seen := set{}
		for path := range got.Paths() {
			if tried++; tried > 200_000 {
				return // too many repeated ones
			}
			seen[text(path...)] = true
		}
		for p := range want {
			if !seen[p] {
				t.Fatalf("%v in %s: %s lacks the path %q", with, e, got, p)
			}
		}
		for p := range seen {
			if !want[p] {
				t.Fatalf("%v in %s: %s has the path %q, which it should not", with, e, got, p)
			}
		}
	})
}

func TestRefused(t *testing.T) {
	b := made{t, NewBuilder()}
	x := b.must(b.Run(1, 2))
	other := made{t, NewBuilder()}
	huge := b.must(b.Repeat(math.MaxInt64/2, x))
	for name, make := range map[string]func() (*Expr, error){
		"-1, expected at least 0":     func() (*Expr, error) { return b.Run(0, -1) },
		"-2 times":                    func() (*Expr, error) { return b.Repeat(-2, x) },
		"-3 times":                    func() (*Expr, error) { return b.AtMost(-3, x) },
		"no parts":                    func() (*Expr, error) { return b.One() },
		"not an expression of this b": func() (*Expr, error) { return b.Any(x, other.Empty()) },
		"part 1 is not":               func() (*Expr, error) { return b.Concat(x, nil) },
	} {
		if e, err := make(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: made %v, error %v", name, e, err)
		}
	}
	for name, make := range map[string]func() (*Expr, error){
		"repeat":           func() (*Expr, error) { return b.Repeat(math.MaxInt64, x) },
		"at most":          func() (*Expr, error) { return b.AtMost(math.MaxInt64, x) },
		"repeat of repeat": func() (*Expr, error) { return b.Repeat(3, huge) },
		"concat":           func() (*Expr, error) { return b.Concat(huge, x) },
		"any":              func() (*Expr, error) { return b.Any(huge, x) },
	} {
		if e, err := make(); !errors.Is(err, seq.ErrTooLong) {
			t.Errorf("%s: made %v, error %v", name, e, err)
		}
	}
	if _, _, err := b.must(b.Concat(huge, b.must(b.Run(1)))).Heaviest(3, func(int32) int64 { return 2 }); !errors.Is(err, ErrOverflow) {
		t.Errorf("heaviest beyond int64: %v", err)
	}
	if _, err := huge.MaxWeight(func(int32) int64 { return 2 }); !errors.Is(err, ErrOverflow) {
		t.Errorf("weight beyond int64: %v", err)
	}
	if w, err := b.must(b.AtMost(math.MaxInt64/2, x)).MaxWeight(func(int32) int64 { return -1 }); err != nil || w != 0 {
		t.Errorf("nothing weighs %d, %v", w, err)
	}
}

// TestSharedPiecesStaySmall doubles an expression sixty times: nodes and runs
// must not double with it.
func TestSharedPiecesStaySmall(t *testing.T) {
	b := made{t, NewBuilder()}
	for name, e := range map[string]*Expr{"run": b.must(b.Run(1, 2)), "choice": b.must(b.AtMost(1, b.must(b.Run(3))))} {
		for range 60 {
			e = b.must(b.Concat(e, e))
		}
		n := 0
		_ = e.visit(func(x *Expr) error { n += 1 + len(x.symbols) + len(x.parts); return nil })
		if n > 50_000 {
			t.Errorf("%s: %d nodes, symbols and parts", name, n)
		}
		if w, err := e.MaxWeight(func(int32) int64 { return 1 }); err != nil || w != e.Len() {
			t.Errorf("%s: weight %d, %v, length %d", name, w, err, e.Len())
		}
		if s, ok := e.Seq(); ok && s.Len() != e.Len() {
			t.Errorf("%s: a sequence of %d, length %d", name, s.Len(), e.Len())
		}
	}
}
