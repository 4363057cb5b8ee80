package ptxgen

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/ptxexec"
	"github.com/warpbound/warpbound/internal/verify/deviceexec"
	"github.com/warpbound/warpbound/ptx"
)

// Constructs that random programs do not hold: shared arrays that overlap,
// symbolic extents, barriers in uniform control flow, subscripts read from memory.
func TestConstructs(t *testing.T) {
	m := &maker{}
	n, w := m.variable("n", loop.Int, loop.Parameter), m.variable("w", loop.Long, loop.Parameter)
	in := m.array("in", loop.Int, nil, to(loop.Int, get(w)), get(n))
	out := m.array("out", loop.Int, get(n), get(n))
	k := m.kernel(2, 4, []loop.Param{{Var: n}, {Var: w}, {Array: in}, {Array: out}})
	x, y, z := m.array("x", loop.Int, num(4), num(2)), m.array("y", loop.Double, num(4)), m.array("z", loop.Int, num(4))
	k.Shared, k.SharedAt = []*loop.Array{x, y, z}, []int64{0, 0, 32}
	i, j, s, v := m.variable("i", loop.Int, loop.Induction), m.variable("j", loop.Int, loop.Induction), m.local("s", loop.Int), m.local("v", loop.Int)
	thread, team := get(k.ThreadIdx), get(k.TeamIdx)
	next := bin(loop.Rem, plus(thread, num(1)), num(4))
	k.Body = []device.Stmt{
		m.let(s, num(0)),
		m.up(i, num(0), get(n), 1,
			m.set(elem(x, thread, num(0)), elem(in, num(1), get(i), thread)),
			m.set(elem(x, thread, num(1)), thread),
			m.barrier(),
			m.set(get(s), plus(get(s), plus(elem(x, next, num(0)), elem(x, elem(x, thread, num(1)), num(1))))),
			m.barrier(),
			m.when(bin(loop.Gt, get(i), num(0)), []device.Stmt{m.set(elem(y, thread), to(loop.Double, get(s))), m.set(elem(z, thread), get(i)), m.barrier(),
				m.set(get(s), plus(to(loop.Int, elem(y, next)), elem(z, next))), m.barrier()}, nil),
			m.set(elem(out, plus(times(num(2), team), bin(loop.And, get(i), num(1))), thread), get(s)),
		),
		m.let(v, elem(in, num(0), num(0), team)),
		&device.For{At: m.pos(), Var: j, Lo: get(v), Hi: plus(get(v), num(2)), Cmp: loop.Le, Step: 1, Body: []device.Stmt{
			m.when(bin(loop.Eq, thread, num(0)), []device.Stmt{m.set(elem(out, times(num(2), team), bin(loop.And, get(j), num(3))), get(j))}, nil)}},
	}
	args := []deviceexec.Arg{{Value: loop.OfInt(4)}, {Value: loop.OfLong(5)},
		{Buffer: buffer(loop.Int, func(e int) uint64 { return uint64(e * 7 % 11) }, 2, 5, 4)}, {Buffer: buffer(loop.Int, func(int) uint64 { return 0 }, 4, 4)}}
	if err := agree(t, m.seal(k), args); err != nil {
		t.Fatal(err)
	}
}

// Members of structures lie where a C compiler puts them, behind one pointer.
func TestRecords(t *testing.T) {
	m := &maker{}
	a, b, out := m.array("p.a", loop.Float, num(3)), m.array("p.b", loop.Double, num(3)), m.array("out", loop.Double, num(3))
	r := &loop.Record{Name: "p", Tag: "pair", Bytes: 16, Members: []loop.Member{{Name: "a", Array: a}, {Name: "b", Array: b}}, At: here}
	a.Record, b.Record, b.Offset = r, r, 8
	k := m.kernel(1, 3, []loop.Param{{Array: a}, {Array: out}, {Array: b}})
	thread := get(k.ThreadIdx)
	k.Body = []device.Stmt{
		m.set(elem(out, thread), plus(to(loop.Double, elem(a, thread)), elem(b, minus(num(2), thread)))),
		m.barrier(),
		m.set(elem(b, thread), lit(loop.Double, 7)),
	}
	m.seal(k)
	ps := Params(k, true)
	if len(ps) != 3 || ps[0].Record != r || ps[1].Array != out || !ps[2].Token {
		t.Fatalf("parameters %+v", ps)
	}
	text, err := Generate([]*device.Entry{k}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	pairs := make([]byte, 48)
	for i := range 3 {
		binary.LittleEndian.PutUint32(pairs[16*i:], math.Float32bits(float32(i)+0.5))
		binary.LittleEndian.PutUint64(pairs[16*i+8:], math.Float64bits(float64(10*i)))
	}
	run, err := ptxexec.NewKernel(lowered(t, text, "k"), ptxexec.LaunchConfig{Grid: [3]int{1, 1, 1}, Block: [3]int{3, 1, 1}, Args: []ptxexec.Arg{
		{Name: "p", Buffer: &ptxexec.Buffer{Contents: pairs}}, {Name: "out", Buffer: &ptxexec.Buffer{Contents: make([]byte, 24)}}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := simt.Run(context.Background(), run, simt.Limits{}); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		got := math.Float64frombits(binary.LittleEndian.Uint64(run.Buffer("out")[8*i:]))
		if want := float64(i) + 0.5 + float64(20-10*i); got != want {
			t.Errorf("element %d is %v, want %v", i, got, want)
		}
		if b := math.Float64frombits(binary.LittleEndian.Uint64(run.Buffer("p")[16*i+8:])); b != 7 {
			t.Errorf("member b of %d is %v, want 7", i, b)
		}
	}
}

// Functions without an exact form are refused where they stand, or approximated.
func TestApproximations(t *testing.T) {
	for name, want := range map[string]float64{"exp": math.Exp(0.75), "log": math.Log(0.75), "sin": math.Sin(0.75), "cos": math.Cos(0.75),
		"tan": math.Tan(0.75), "tanh": math.Tanh(0.75), "pow": math.Pow(0.75, 1.5)} {
		for _, ty := range []loop.Type{loop.Float, loop.Double} {
			m := &maker{}
			out := m.array("out", ty, num(1))
			k := m.kernel(1, 1, []loop.Param{{Array: out}})
			args := []loop.Expr{lit(ty, 0.75), lit(ty, 1.5)}
			call := &loop.Call{At: loop.Pos{File: "k.c", Line: 9, Col: 5}, Fn: loop.Math(name)}
			if ty == loop.Float {
				call.Fn = loop.Math(name + "f")
			}
			call.Args = args[:call.Fn.Arity]
			k.Body = []device.Stmt{m.set(elem(out, num(0)), call)}
			m.seal(k)
			var at *loop.Error
			if _, err := Generate([]*device.Entry{k}, Options{}); !errors.As(err, &at) || at.Pos.Line != 9 || !strings.Contains(at.Msg, name) {
				t.Errorf("%s: error %v", name, err)
			}
			text, err := Generate([]*device.Entry{k}, Options{Approx: true})
			if err != nil {
				t.Fatal(err)
			}
			run := started(t, k, lowered(t, text, "k"), []deviceexec.Arg{{Buffer: buffer(ty, func(int) uint64 { return 0 }, 1)}})
			if _, err := simt.Run(context.Background(), run, simt.Limits{}); err != nil {
				t.Fatal(err)
			}
			x := readBits(ty, run.Buffer("out"))
			got := math.Float64frombits(x)
			if ty == loop.Float {
				got = float64(math.Float32frombits(uint32(x)))
			}
			if math.Abs(got-want) > 1e-5 {
				t.Errorf("%s of %s is %v, want %v", name, ty, got, want)
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	simple := func(m *maker) *device.Entry {
		k := m.kernel(1, 1, []loop.Param{{Array: m.array("out", loop.Int, num(1))}})
		k.Body = []device.Stmt{m.set(elem(k.Params[0].Array, num(0)), num(1))}
		return m.seal(k)
	}
	for _, c := range []struct {
		want string
		make func() []*device.Entry
	}{
		{"32768 teams of 1 threads with the guard, want 1 to 32767", func() []*device.Entry {
			k := simple(&maker{})
			k.Teams = 1 << 15
			return []*device.Entry{k}
		}},
		{"two kernels are named k", func() []*device.Entry { return []*device.Entry{simple(&maker{}), simple(&maker{})} }},
		{"is no identifier", func() []*device.Entry { k := simple(&maker{}); k.Name = "a b"; return []*device.Entry{k} }},
		{"1025 threads", func() []*device.Entry { k := simple(&maker{}); k.Threads = 1025; return []*device.Entry{k} }},
		{"65536 teams", func() []*device.Entry { k := simple(&maker{}); k.Teams = 65536; return []*device.Entry{k} }},
		{"not in scope", func() []*device.Entry { // what device.Check finds
			m := &maker{}
			k := simple(m)
			k.Body = append(k.Body, m.set(elem(k.Params[0].Array, num(0)), get(m.local("x", loop.Int))))
			return []*device.Entry{m.seal(k)}
		}},
	} {
		var at *loop.Error
		opt := Options{Guard: strings.Contains(c.want, "with the guard")}
		if text, err := Generate(c.make(), opt); !errors.As(err, &at) || !strings.Contains(err.Error(), c.want) || text != "" {
			t.Errorf("want %q, error is %v", c.want, err)
		}
	}
}

// The text says why a kernel has no separate phases.
func TestCompatibleKernelsSayWhy(t *testing.T) {
	m := &maker{}
	k := m.kernel(1, 1, []loop.Param{{Array: m.array("out", loop.Int, num(1))}})
	k.Body = []device.Stmt{m.set(elem(k.Params[0].Array, num(0)), num(1))}
	k.Compatible = &loop.Error{Pos: loop.Pos{File: "k.c", Line: 9, Col: 5}, Msg: "a\nreason"}
	text, err := Generate([]*device.Entry{m.seal(k)}, Options{})
	if err != nil || !strings.Contains(text, "//   no separate phases, as under cmpt: k.c:9:5: a reason\n") {
		t.Errorf("error %v, text\n%s", err, text)
	}
	lowered(t, text, "k")
}

// A name of C that begins with an underscore is one of PTX, too.
func TestKernelNames(t *testing.T) {
	for _, name := range []string{"_f_0_sdma", "__f", "_0", "f"} {
		m := &maker{}
		k := m.kernel(1, 1, []loop.Param{{Array: m.array("out", loop.Int, num(1))}})
		k.Body = []device.Stmt{m.set(elem(k.Params[0].Array, num(0)), num(1))}
		k.Name = name
		text, err := Generate([]*device.Entry{m.seal(k)}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		file, err := ptx.Parse("k.ptx", []byte(text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if _, err := ptxexec.Lower(file, name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestGenerateIsDeterministic(t *testing.T) {
	k, _ := product(8)
	u := uneven([]int64{2, 1})
	u.Name = "u"
	var first string
	for range 5 {
		text, err := Generate([]*device.Entry{k, u}, Options{Guard: true})
		if err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = text
		}
		if text != first {
			t.Fatal("two texts of the same kernels differ")
		}
	}
}

func BenchmarkGenerate(b *testing.B) {
	k, _ := product(8)
	for b.Loop() {
		if _, err := Generate([]*device.Entry{k}, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// Sums that are not affine, bounds in assigned locals, conditions of every kind.
func TestArithmeticOfAddresses(t *testing.T) {
	m := &maker{}
	w, h := m.variable("w", loop.Long, loop.Parameter), m.variable("h", loop.Int, loop.Parameter)
	in, out := m.array("in", loop.Int, num(200)), m.array("out", loop.Int, nil, get(h), get(h))
	k := m.kernel(1, 3, []loop.Param{{Var: w}, {Var: h}, {Array: in}, {Array: out}})
	i, j, n, x, y := m.variable("i", loop.Int, loop.Induction), m.variable("j", loop.Long, loop.Induction), m.local("n", loop.Int), m.local("x", loop.Int), m.local("y", loop.Int)
	thread := get(k.ThreadIdx)
	long := func(e loop.Expr) loop.Expr { return to(loop.Long, e) }
	not := func(e loop.Expr) loop.Expr { return &loop.Unary{At: here, Op: loop.Not, X: e} }
	even := bin(loop.Eq, bin(loop.And, get(i), num(1)), num(0))
	k.Body = []device.Stmt{
		m.let(n, num(2)),
		m.when(bin(loop.Gt, thread, num(0)), []device.Stmt{m.set(get(n), plus(thread, num(2)))}, nil),
		m.let(x, nil),
		m.up(i, num(0), get(n), 1,
			&device.For{At: m.pos(), Var: j, Lo: lit(loop.Long, 3), Hi: minus(long(get(n)), lit(loop.Long, 3)), Cmp: loop.Ge, Step: -2, Body: []device.Stmt{
				// A product of two parameters, of a loop's variable and a parameter, a
				// power, and a number that is assigned.
				m.let(y, elem(in, plus(plus(times(long(get(i)), get(w)), times(plus(get(j), lit(loop.Long, 2)), long(get(h)))), long(times(get(i), get(i)))))),
				m.set(elem(out, thread, get(i), bin(loop.And, get(n), num(3))), plus(get(y), elem(in, times(get(n), get(n))))),
				m.when(bin(loop.LOr, not(even), bin(loop.LAnd, bin(loop.Lt, get(y), num(9)), not(bin(loop.Ge, elem(in, plus(get(j), lit(loop.Long, 1))), num(4))))), []device.Stmt{
					m.set(elem(out, thread, num(0), get(i)), &loop.Cond{At: here, If: bin(loop.Ge, thread, num(0)), Then: to(loop.Int, get(y)), Else: num(-1)})}, nil),
				m.set(elem(out, num(0), get(i), num(0)), bin(loop.LOr, bin(loop.Gt, elem(in, num(3)), num(100)), bin(loop.Ge, thread, num(0)))),
			}}),
		m.set(get(x), plus(get(n), num(1))),
		m.set(elem(out, thread, num(4), num(4)), get(x)),
	}
	args := []deviceexec.Arg{{Value: loop.OfLong(7)}, {Value: loop.OfInt(5)}, {Buffer: buffer(loop.Int, func(e int) uint64 { return uint64(e * 5 % 17) }, 200)},
		{Buffer: buffer(loop.Int, func(int) uint64 { return 0 }, 3, 5, 5)}}
	if err := agree(t, m.seal(k), args); err != nil {
		t.Fatal(err)
	}
}
