package formula

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/testkit/optional"
)

// random draws a form over n variables, and what it is for values, computed without it.
func random(rng *rand.Rand, c *Calc, n, depth int) (Form, func(x []int64) int64) {
	if depth == 0 {
		if k := rng.Int64N(5); rng.IntN(2) == 0 {
			return c.Constant(k), func([]int64) int64 { return k }
		}
		v := Var(rng.IntN(n))
		return c.TimesVar(v, c.Constant(1)), func(x []int64) int64 { return x[v] }
	}
	a, at := random(rng, c, n, depth-1)
	b, bt := random(rng, c, n, depth-1)
	switch rng.IntN(4) {
	case 0:
		return c.Add(a, b), func(x []int64) int64 { return at(x) + bt(x) }
	case 1:
		return c.Max(a, b), func(x []int64) int64 { return max(at(x), bt(x)) }
	case 2:
		k := rng.Int64N(4)
		return c.Times(k, a), func(x []int64) int64 { return k * at(x) }
	}
	v := Var(rng.IntN(n))
	return c.TimesVar(v, b), func(x []int64) int64 { return x[v] * bt(x) }
}

// Forms are what they are made of; where many sums became one they are no less.
func TestForms(t *testing.T) {
	if err := formsHold(); err != nil {
		t.Fatal(err)
	}
}

// noLess says that a form is what it is made of for some variables; an error where it is less.
func noLess(f Form, at func(x []int64) int64, x []int64) (equal bool, err error) {
	got, err := f.At(x)
	want := at(x)
	if err != nil || got < want {
		return false, fmt.Errorf("%v at %v is %d, %v, expected at least %d", f, x, got, err, want)
	}
	return got == want, nil
}

func formsHold() error {
	rng := rand.New(rand.NewPCG(1, 46))
	exact := 0
	const cases = 20000
	for range cases {
		var c Calc
		f, at := random(rng, &c, 3, rng.IntN(6))
		if c.Err() != nil {
			return c.Err()
		}
		same := true
		for range 5 {
			x := []int64{rng.Int64N(9), rng.Int64N(9), rng.Int64N(9)}
			equal, err := noLess(f, at, x)
			if err != nil {
				return err
			}
			same = same && equal
		}
		if same {
			exact++
		}
		for i := range f {
			for j := range f {
				if i != j && atMost(&f[i], &f[j]) {
					return fmt.Errorf("%v: sum %d is at most sum %d", f, i, j)
				}
			}
		}
	}
	if exact < cases*9/10 {
		return fmt.Errorf("of %d forms %d are exact", cases, exact)
	}
	return nil
}

// What does not fit is an error.
func TestOverflow(t *testing.T) {
	for name, f := range map[string]func(c *Calc) Form{
		"a product":  func(c *Calc) Form { return c.Times(math.MaxInt64, c.Constant(2)) },
		"a sum":      func(c *Calc) Form { return c.Add(c.Constant(math.MaxInt64), c.Constant(1)) },
		"a negative": func(c *Calc) Form { return c.Constant(-1) },
		"a times":    func(c *Calc) Form { return c.Times(-1, c.Constant(1)) },
	} {
		var c Calc
		if f(&c); !errors.Is(c.Err(), ErrOverflow) {
			t.Errorf("%s: %v", name, c.Err())
		}
	}
	var c Calc
	f := c.TimesVar(0, c.Constant(1<<40))
	if _, err := f.At([]int64{1 << 30}); !errors.Is(err, ErrOverflow) {
		t.Error(err)
	}
	arguments := []Argument{{Name: "n", Max: 1 << 30}}
	if _, err := New(arguments, []Count{{Most: 1 << 30}}, []Variable{{0, 1}}, f, 1); !errors.Is(err, ErrOverflow) {
		t.Error(err)
	}
	if _, err := New(arguments, []Count{{Most: 1}}, []Variable{{0, 0}}, f, 1); err == nil {
		t.Error("a count divided by 0")
	}
	// A quotient that may not fit says nothing.
	g, err := New(arguments, []Count{{Most: 7, Tests: [][]Quotient{{{Factors: []int64{1 << 40}, Divisor: 1 << 40}}}}}, []Variable{{0, 1}}, f, math.MaxInt64)
	if err != nil || len(g.Counts[0].Tests) != 0 {
		t.Errorf("%+v, %v", g, err)
	}
	q := Quotient{Constant: 5}
	if !q.AddLargest(-3, -4, 9) || q.Constant != 17 || q.AddLargest(2, 0, math.MaxInt64) || q.AddLargest(-1, math.MinInt64, 0) || q.AddLargest(1, 0, math.MaxInt64) {
		t.Error(q.Constant)
	}
}

// drawn is a formula in up to three arguments.
func drawn(rng *rand.Rand) *Formula { return drawnIn(rng, drawnArguments(rng)) }

func drawnArguments(rng *rand.Rand) []Argument {
	names := []string{"n", "k_param_5", "%weird", "count1", "for", "int", "largest", "grid.x", "n"}
	rng.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	var arguments []Argument
	for i := range 1 + rng.IntN(3) {
		low := rng.Int64N(1000) - 500
		arguments = append(arguments, Argument{Name: names[i], Min: low, Max: low + rng.Int64N(1<<uint(1+rng.IntN(20)))})
	}
	if rng.IntN(4) == 0 {
		arguments[0].Min = math.MinInt64
	}
	return arguments
}

// drawnTable is a table of one formula, or of some that arguments choose; two of them may be
// for the same values.
func drawnTable(rng *rand.Rand) *Table {
	if rng.IntN(3) == 0 {
		return Single(drawn(rng))
	}
	t := &Table{}
	others := drawnArguments(rng)
	t.Arguments = append(t.Arguments, others...)
	for _, name := range []string{"block.x", "cycles2"}[:rng.IntN(3)] {
		i := rng.IntN(len(t.Arguments) + 1)
		t.Arguments = slices.Insert(t.Arguments, i, Argument{Name: name, Min: 32, Max: 128, Step: 32})
	}
	for i, a := range t.Arguments {
		if a.Step > 0 {
			t.Chooses = append(t.Chooses, i)
		}
	}
	for range 1 + rng.IntN(4) {
		c := Case{Formula: Always(rng.Int64N(100))}
		if len(t.Chooses) == 0 || rng.IntN(4) > 0 {
			c.Formula = drawnIn(rng, others)
		} else {
			c.Formula.Arguments = others
		}
		c.Values = []int64{}
		for range t.Chooses {
			c.Values = append(c.Values, 32*(1+rng.Int64N(4)))
		}
		t.Cases = append(t.Cases, c)
	}
	return t
}

// A table is the largest of the formulas that its arguments choose.
func TestTable(t *testing.T) {
	if err := tablesHold(); err != nil {
		t.Fatal(err)
	}
}

func tablesHold() error {
	rng := rand.New(rand.NewPCG(4, 46))
	chosen, none := 0, 0
	for range 200 {
		of := drawnTable(rng)
		at, _ := points(rng, of)
		for _, x := range at {
			want, valid := int64(-1), true
			var others []int64
			for i, a := range of.Arguments {
				if !slices.Contains(of.Chooses, i) {
					others = append(others, x[i])
					valid = valid && x[i] >= a.Min && x[i] <= a.Max
				}
			}
			for _, c := range of.Cases {
				is := valid
				for i, v := range c.Values {
					is = is && x[of.Chooses[i]] == v
				}
				if is {
					v, err := c.Formula.At(others)
					if err != nil {
						return err
					}
					want = max(want, v)
				}
			}
			got, err := of.At(x)
			if want < 0 != (err != nil) || err == nil && got != want {
				return fmt.Errorf("%v is %d, %v, expected %d\n%s", x, got, err, want, of.Text())
			}
			if want < 0 {
				none++
			} else {
				chosen++
			}
		}
	}
	if chosen < 200 || none < 200 {
		return fmt.Errorf("%d of some formula, %d of none", chosen, none)
	}
	return nil
}

// drawnIn is a formula in arguments.
func drawnIn(rng *rand.Rand, arguments []Argument) *Formula {
	var counts []Count
	var vars []Variable
	for i := range 3 {
		c := Count{Name: "ways back to LOOP*/", Most: rng.Int64N(5000)}
		for range rng.IntN(3) {
			var test []Quotient
			for range 1 + rng.IntN(2) {
				q := Quotient{Constant: rng.Int64N(100) - 50, Divisor: 1 + rng.Int64N(4)}
				for range arguments {
					q.Factors = append(q.Factors, rng.Int64N(7)-3)
				}
				if rng.IntN(3) == 0 {
					q.Multiple = rng.Int64N(5) - 1
					for i := range arguments {
						if rng.IntN(2) == 0 {
							q.Product = append(q.Product, i)
						}
					}
				}
				if rng.IntN(3) == 0 {
					q.Divisor += 2000
					for range arguments {
						q.Per = append(q.Per, rng.Int64N(3))
					}
				}
				test = append(test, q)
			}
			c.Tests = append(c.Tests, test)
		}
		if i > 0 && rng.IntN(2) == 0 {
			q := Quotient{Constant: rng.Int64N(100) - 50, Divisor: 1 + rng.Int64N(4)}
			for range arguments {
				q.Factors = append(q.Factors, rng.Int64N(3)-1)
			}
			c.Total = &Total{Of: rng.IntN(i), Quotient: q, Step: rng.Int64N(9) - 4}
			c.Most *= 100
		}
		counts = append(counts, c)
		vars = append(vars, Variable{i, 1 + rng.Int64N(3)})
	}
	for {
		var c Calc
		value, _ := random(rng, &c, len(vars), rng.IntN(5))
		if f, err := New(arguments, counts, vars, value, 1+rng.Int64N(1<<30)); err == nil && c.Err() == nil {
			return f
		}
	}
}

// points are arguments, some of them out of range, and what a formula is there: the largest
// integer where it is not valid.
func points(rng *rand.Rand, f *Table) (at [][]int64, want []string) {
	for range 20 {
		var x []int64
		for _, a := range f.Arguments {
			if a.Step > 0 && rng.IntN(8) > 0 {
				x = append(x, a.Min+a.Step*rng.Int64N(4))
				continue
			}
			switch size := a.Max - max(a.Min, -1<<20); rng.IntN(8) {
			case 0:
				x = append(x, a.Max)
			case 1:
				x = append(x, a.Max+rng.Int64N(2))
			case 2:
				x = append(x, max(a.Min, -1<<40)-rng.Int64N(2))
			default:
				x = append(x, a.Max-rng.Int64N(size+1))
			}
		}
		v, err := f.At(x)
		if err != nil {
			v = math.MaxInt64
		}
		at, want = append(at, x), append(want, strconv.FormatInt(v, 10))
	}
	return at, want
}

func call(name string, x []int64, suffix string) string {
	var list []string
	for _, v := range x {
		list = append(list, strconv.FormatInt(v, 10)+suffix)
	}
	return name + "(" + strings.Join(list, ", ") + ")"
}

func command(t *testing.T, dir, name string, args ...string) []byte {
	t.Helper()
	c := exec.Command(name, args...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
	return out
}

// The functions in Go are the formulas, and of all arguments.
func TestGo(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 46))
	dir := t.TempDir()
	write := func(file, text string) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, file)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module formulas\n\ngo 1.21\n")
	var imports, calls strings.Builder
	var want []string
	for i := range 20 {
		f := drawnTable(rng)
		name := fmt.Sprintf("f%d", i)
		text, err := f.Go(name, []string{"", "about"})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		write(name+"/f.go", text)
		fmt.Fprintf(&imports, "import %q\n", "formulas/"+name)
		at, values := points(rng, f)
		want = append(want, values...)
		for _, x := range at {
			fmt.Fprintf(&calls, "\tfmt.Println(%s)\n", call(name+".BoundCycles", x, ""))
		}
	}
	write("main.go", "package main\n\nimport \"fmt\"\n"+imports.String()+"func main() {\n"+calls.String()+"}\n")
	got := strings.Fields(string(command(t, dir, "go", "run", ".")))
	if !slices.Equal(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
	command(t, dir, "go", "vet", "./...")
}

// The functions in C are the formulas, and of all arguments.
func TestC(t *testing.T) {
	gcc := optional.Path(t, optional.GCC)
	rng := rand.New(rand.NewPCG(3, 46))
	dir := t.TempDir()
	var text, calls strings.Builder
	text.WriteString("#include <inttypes.h>\n#include <stdio.h>\n")
	var want []string
	for i := range 20 {
		f := drawnTable(rng)
		var define, undef strings.Builder
		for _, name := range []string{"bound_cycles", "quotient", "total", "cycles1", "cycles2", "cycles3", "cycles4"} {
			fmt.Fprintf(&define, "#define %s %s_%d\n", name, name, i)
			fmt.Fprintf(&undef, "#undef %s\n", name)
		}
		text.WriteString(define.String() + f.C([]string{"", "about */"}) + undef.String())
		at, values := points(rng, f)
		want = append(want, values...)
		for _, x := range at {
			fmt.Fprintf(&calls, "\tprintf(\"%%\" PRId64 \"\\n\", %s);\n", call(fmt.Sprintf("bound_cycles_%d", i), x, "LL"))
		}
	}
	text.WriteString("int main(void) {\n" + calls.String() + "\treturn 0;\n}\n")
	if err := os.WriteFile(filepath.Join(dir, "f.c"), []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	command(t, dir, gcc, "-std=c99", "-Wall", "-Wextra", "-Werror", "-Wno-type-limits", "-fsanitize=signed-integer-overflow", "-fno-sanitize-recover", "-o", "f", "f.c")
	got := strings.Fields(string(command(t, dir, filepath.Join(dir, "f"))))
	if !slices.Equal(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
}

// Quotients are what they say, and where their parts are taken to fit they do.
func TestQuotients(t *testing.T) {
	if err := quotientsHold(); err != nil {
		t.Fatal(err)
	}
}

func quotientsHold() error {
	rng := rand.New(rand.NewPCG(4, 46))
	tested := 0
	for range 2000 {
		f := drawn(rng)
		for i := range f.Counts {
			c := &f.Counts[i]
			for range 5 {
				var x []int64
				for _, a := range f.Arguments {
					x = append(x, a.Max-rng.Int64N(min(a.Max-max(a.Min, -1<<40), 1<<30)+1))
				}
				want := big.NewInt(c.Most)
				for _, test := range c.Tests {
					largest := new(big.Int)
					for _, q := range test {
						n, err := exact(&q, x)
						if err != nil {
							return err
						}
						if n.Cmp(largest) > 0 {
							largest = n
						}
					}
					if largest.Cmp(want) < 0 {
						want = largest
					}
					tested++
				}
				if got := c.at(x); want.Cmp(big.NewInt(got)) != 0 {
					return fmt.Errorf("%+v at %v is %d, expected %v", c, x, got, want)
				}
			}
		}
	}
	if tested < 1000 {
		return fmt.Errorf("%d tests", tested)
	}
	// What may fall below 1 divides nothing.
	arguments := []Argument{{Name: "n", Max: 9}}
	for _, q := range []Quotient{{Divisor: 5, Per: []int64{-1}}, {Divisor: 0, Per: []int64{1}}, {Divisor: 1, Per: []int64{math.MaxInt64}}, {Divisor: 1, Multiple: math.MaxInt64 / 4, Product: []int{0}}} {
		if q.fits(arguments) {
			return fmt.Errorf("%+v fits", q)
		}
	}
	if q := (Quotient{Divisor: 10, Per: []int64{-1}}); !q.fits(arguments) || !q.AddLeast(-2, 0, 4) || q.Divisor != 2 || q.fits(arguments) {
		return fmt.Errorf("%+v", q)
	}
	return nil
}

// exact is a quotient in integers without limit.
func exact(q *Quotient, x []int64) (*big.Int, error) {
	over, by, product := big.NewInt(q.Constant), big.NewInt(q.Divisor), big.NewInt(q.Multiple)
	for i, n := range q.Factors {
		over.Add(over, new(big.Int).Mul(big.NewInt(n), big.NewInt(x[i])))
	}
	for i, n := range q.Per {
		by.Add(by, new(big.Int).Mul(big.NewInt(n), big.NewInt(x[i])))
	}
	for _, i := range q.Product {
		product.Mul(product, big.NewInt(x[i]))
	}
	if len(q.Product) > 0 {
		over.Add(over, product)
	}
	if !over.IsInt64() || by.Sign() <= 0 {
		return nil, fmt.Errorf("%+v at %v: %v / %v", q, x, over, by)
	}
	if over.Sign() <= 0 {
		return new(big.Int), nil
	}
	over.Add(over, by).Sub(over, big.NewInt(1))
	return over.Quo(over, by), nil
}
