package milp

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/testkit/golden"
)

// mixed has every kind of column, row and bound that WriteLP tells apart.
func mixed() *Problem {
	p := &Problem{Name: "mixed", Maximize: true, Constant: 2.5}
	a := p.AddBinary("a")
	b := p.AddInteger("b", 1, 1)
	c := p.AddInteger("c", -7, 12)
	d := p.AddInteger("d", 0, math.Inf(1))
	e := p.AddContinuous("e2x", math.Inf(-1), math.Inf(1))
	f := p.AddContinuous("f", math.Inf(-1), -0.125)
	g := p.AddContinuous("constant_one", 2, 2)
	for col, cost := range []float64{1, -1, 3, 0, 0.1, -2.5, math.Copysign(0, -1)} {
		p.SetCost(col, cost)
	}
	p.AddRow("le", []Term{{a, 1}, {b, -1}, {c, 1000000}}, LessEqual, 1e6)
	p.AddRow("ge", []Term{{d, 1}, {e, 1e-7}}, GreaterEqual, -3)
	p.AddRow("eq", []Term{{f, -1}, {g, 1.0 / 3}}, Equal, 1e16)
	p.AddRange("between", -1, []Term{{a, 1}, {c, 1}}, 1)
	p.AddRange("between_upper", -2, []Term{{a, 1}}, 2)
	p.AddRange("free_row", math.Inf(-1), []Term{{a, 1}}, math.Inf(1))
	p.AddRow("empty", nil, LessEqual, 0)
	var long []Term
	for i := range 12 {
		long = append(long, Term{p.AddBinary("a_column_with_a_long_name_" + strings.Repeat("z", 4*i)), float64(i + 1)})
	}
	p.AddRow("long", long, LessEqual, 99)
	return p
}

func TestWriteLPGolden(t *testing.T) {
	var got bytes.Buffer
	if err := WriteLP(&got, mixed()); err != nil {
		t.Fatal(err)
	}
	golden.File(t, "testdata/mixed.lp", got.Bytes())
	for i, line := range strings.Split(got.String(), "\n") {
		if len(line) >= 255 {
			t.Errorf("line %d has %d bytes", i+1, len(line))
		}
	}
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestWriteLPErrors(t *testing.T) {
	if err := WriteLP(failingWriter{}, mixed()); err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("error %v, want the writer's", err)
	}
	if err := WriteLP(&bytes.Buffer{}, &Problem{}); !errors.Is(err, ErrInvalid) {
		t.Errorf("error %v, want ErrInvalid", err)
	}
}

func TestValidate(t *testing.T) {
	if err := mixed().Validate(); err != nil {
		t.Fatal(err)
	}
	nan := math.NaN()
	for _, c := range []struct {
		name, want string
		edit       func(p *Problem)
	}{
		{"no name", "no name", func(p *Problem) { p.Columns[0].Name = "" }},
		{"digit first", "not starting with a digit", func(p *Problem) { p.Columns[0].Name = "1a" }},
		{"operator", "letters, digits", func(p *Problem) { p.Rows[0].Name = "a+b" }},
		{"not ASCII", "letters, digits", func(p *Problem) { p.Rows[0].Name = "größe" }},
		{"exponent", "reads as an exponent", func(p *Problem) { p.Columns[0].Name = "E12" }},
		{"bare e", "reads as an exponent", func(p *Problem) { p.Columns[0].Name = "e" }},
		{"reserved", "word of the LP format", func(p *Problem) { p.Columns[0].Name = "Binary" }},
		{"too long", "at most 100", func(p *Problem) { p.Columns[0].Name = strings.Repeat("n", 101) }},
		{"same column", `both named "b"`, func(p *Problem) { p.Columns[0].Name = "b" }},
		{"same row", `both named "ge"`, func(p *Problem) { p.Rows[0].Name = "ge" }},
		{"NaN bound", "NaN", func(p *Problem) { p.Columns[2].Lower = nan }},
		{"infinite lower", "hold no number", func(p *Problem) { p.Columns[2].Lower = math.Inf(1) }},
		{"NaN side", "NaN", func(p *Problem) { p.Rows[0].Upper = nan }},
		{"NaN cost", "cost is NaN", func(p *Problem) { p.Columns[2].Cost = nan }},
		{"infinite constant", "constant is +Inf", func(p *Problem) { p.Constant = math.Inf(1) }},
		{"NaN coefficient", `coefficient of "a" is NaN`, func(p *Problem) { p.Rows[0].Terms[0].Coef = nan }},
		{"huge coefficient", "magnitude", func(p *Problem) { p.Rows[0].Terms[0].Coef = 1e15 }},
		{"tiny coefficient", "magnitude", func(p *Problem) { p.Rows[0].Terms[0].Coef = 1e-10 }},
		{"index", "column index 99", func(p *Problem) { p.Rows[0].Terms[0].Col = 99 }},
		{"negative index", "column index -1", func(p *Problem) { p.Rows[0].Terms[0].Col = -1 }},
		{"twice", `column "b" appears twice`, func(p *Problem) { p.Rows[0].Terms[0].Col = 1 }},
	} {
		p := mixed()
		c.edit(p)
		if err := p.Validate(); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

func TestStatusString(t *testing.T) {
	got := []string{Failed.String(), Optimal.String(), Feasible.String(), BoundOnly.String(), Infeasible.String(), Unbounded.String()}
	if s := strings.Join(got, ", "); s != "failed, optimal, feasible, bound only, infeasible, unbounded" {
		t.Error(s)
	}
}
