package ptxgen

import (
	"context"
	"encoding/binary"
	"math"

	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/ptxexec"
	"github.com/warpbound/warpbound/internal/verify/deviceexec"
	"github.com/warpbound/warpbound/ptx"
)

// testingTB is what *testing.T and *rapid.T have in common.
type testingTB interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// maker makes nodes of kernels by hand, with numbers that no other has.
type maker struct{ vars, arrays, line int }

func (m *maker) pos() loop.Pos {
	m.line++
	return loop.Pos{File: "k.c", Line: m.line, Col: 3}
}

func (m *maker) variable(name string, t loop.Type, k loop.Kind) *loop.Var {
	m.vars++
	return &loop.Var{Name: name, Type: t, Kind: k, ID: m.vars - 1, At: m.pos()}
}

func (m *maker) local(name string, t loop.Type) *loop.Var { return m.variable(name, t, loop.Local) }

func (m *maker) array(name string, t loop.Type, extents ...loop.Expr) *loop.Array {
	m.arrays++
	return &loop.Array{Name: name, Elem: t, Extents: extents, ID: m.arrays - 1, At: m.pos()}
}

var here = loop.Pos{File: "k.c", Line: 1, Col: 1}

func num(v int64) loop.Expr { return &loop.IntLit{At: here, T: loop.Int, Value: v} }

func lit(t loop.Type, v float64) loop.Expr {
	if t.IsFloat() {
		return &loop.FloatLit{At: here, T: t, Value: v}
	}
	return &loop.IntLit{At: here, T: t, Value: int64(v)}
}

func get(v *loop.Var) loop.Expr { return &loop.Ref{At: here, Var: v} }

func bin(op loop.Op, x, y loop.Expr) loop.Expr { return &loop.Binary{At: here, Op: op, X: x, Y: y} }

func plus(x, y loop.Expr) loop.Expr  { return bin(loop.Add, x, y) }
func minus(x, y loop.Expr) loop.Expr { return bin(loop.Sub, x, y) }
func times(x, y loop.Expr) loop.Expr { return bin(loop.Mul, x, y) }

func to(t loop.Type, x loop.Expr) loop.Expr { return &loop.Convert{At: here, T: t, X: x} }

func elem(a *loop.Array, s ...loop.Expr) *loop.Index {
	return &loop.Index{At: here, Array: a, Subs: s}
}

func (m *maker) set(l, r loop.Expr) device.Stmt { return &device.Assign{At: m.pos(), LHS: l, RHS: r} }

func (m *maker) let(v *loop.Var, x loop.Expr) device.Stmt {
	return &device.Decl{At: m.pos(), Var: v, Init: x}
}

func (m *maker) up(v *loop.Var, lo, hi loop.Expr, step int64, body ...device.Stmt) device.Stmt {
	return &device.For{At: m.pos(), Var: v, Lo: lo, Hi: hi, Cmp: loop.Lt, Step: step, Body: body}
}

func (m *maker) when(c loop.Expr, then, els []device.Stmt) device.Stmt {
	return &device.If{At: m.pos(), Cond: c, Then: then, Else: els}
}

func (m *maker) sync(p device.Phase) device.Stmt { return &device.Sync{At: m.pos(), Phase: p} }
func (m *maker) barrier() device.Stmt            { return &device.Barrier{At: m.pos()} }

func (m *maker) kernel(teams, threads int64, params []loop.Param, body ...device.Stmt) *device.Entry {
	return &device.Entry{Name: "k", At: here, Teams: teams, Threads: threads, Params: params, Body: body,
		ThreadIdx: m.variable("thread", loop.Int, loop.Parameter), TeamIdx: m.variable("team", loop.Int, loop.Parameter)}
}

// seal sets what is known at the end only.
func (m *maker) seal(k *device.Entry) *device.Entry {
	k.NumVars = m.vars
	return k
}

func bytesOf(b *loop.Buffer) []byte {
	out := make([]byte, 0, int64(len(b.Bits))*b.Elem.Size())
	for _, x := range b.Bits {
		if b.Elem.Size() == 4 {
			out = binary.LittleEndian.AppendUint32(out, uint32(x))
		} else {
			out = binary.LittleEndian.AppendUint64(out, x)
		}
	}
	return out
}

func readBits(t loop.Type, data []byte) uint64 {
	switch {
	case t == loop.Int:
		return uint64(int64(int32(binary.LittleEndian.Uint32(data))))
	case t.Size() == 4:
		return uint64(binary.LittleEndian.Uint32(data))
	}
	return binary.LittleEndian.Uint64(data)
}

func sameBits(t loop.Type, x, y uint64) bool {
	switch t {
	case loop.Float:
		a, b := math.Float32frombits(uint32(x)), math.Float32frombits(uint32(y))
		return x == y || a != a && b != b
	case loop.Double:
		a, b := math.Float64frombits(x), math.Float64frombits(y)
		return x == y || a != a && b != b
	}
	return x == y
}

// lowered takes generated text through parser, checker and lowering.
func lowered(tb testingTB, text, entry string) *ptxexec.Code {
	tb.Helper()
	f, err := ptx.Parse("k.ptx", []byte(text))
	if err == nil {
		err = ptx.Check(f)
	}
	if err != nil {
		tb.Fatalf("%v\n%s", err, text)
	}
	p, err := ptxexec.Lower(f, entry)
	if err != nil {
		tb.Fatalf("%v\n%s", err, text)
	}
	return p
}

// started binds a kernel's entry to arguments as deviceexec.Run takes them; members
// of one record must not be among them.
func started(tb testingTB, k *device.Entry, p *ptxexec.Code, args []deviceexec.Arg) *ptxexec.Kernel {
	tb.Helper()
	l := ptxexec.LaunchConfig{Grid: [3]int{int(k.Teams), 1, 1}, Block: [3]int{int(k.Threads), 1, 1}}
	for i, q := range k.Params {
		a := ptxexec.Arg{}
		if q.Array != nil {
			a.Name = q.Array.Name
			a.Buffer = &ptxexec.Buffer{Contents: bytesOf(args[i].Buffer)}
		} else {
			a.Bytes = binary.LittleEndian.AppendUint64(nil, args[i].Value.Bits)[:q.Var.Type.Size()]
		}
		l.Args = append(l.Args, a)
	}
	started, err := ptxexec.NewKernel(p, l)
	if err != nil {
		tb.Fatal(err)
	}
	return started
}

func copied(args []deviceexec.Arg) []deviceexec.Arg {
	out := make([]deviceexec.Arg, len(args))
	for i, a := range args {
		out[i] = a
		if a.Buffer != nil {
			b := *a.Buffer
			b.Bits = append([]uint64(nil), b.Bits...)
			out[i].Buffer = &b
		}
	}
	return out
}

// agree runs a kernel both ways and compares all buffers; it gives the error of
// deviceexec.Run, after which there is nothing to compare.
func agree(tb testingTB, k *device.Entry, args []deviceexec.Arg) error {
	tb.Helper()
	return agreeWith(tb, k, args, Options{})
}

func agreeWith(tb testingTB, k *device.Entry, args []deviceexec.Arg, opt Options) error {
	tb.Helper()
	want := copied(args)
	if err := deviceexec.Run(k, want, deviceexec.Options{}); err != nil {
		return err
	}
	text, err := Generate([]*device.Entry{k}, opt)
	if err != nil {
		tb.Fatal(err)
	}
	run := started(tb, k, lowered(tb, text, k.Name), args)
	if _, err := simt.Run(context.Background(), run, simt.Limits{MaxInstructions: 1 << 26}); err != nil {
		tb.Fatalf("%v\n%s\n%s", err, deviceexec.Print(k), text)
	}
	for i, q := range k.Params {
		if q.Array == nil {
			continue
		}
		data, size := run.Buffer(q.Array.Name), q.Array.Elem.Size()
		for e, w := range want[i].Buffer.Bits {
			if got := readBits(q.Array.Elem, data[int64(e)*size:]); !sameBits(q.Array.Elem, got, w) {
				tb.Fatalf("%s element %d is %#x, want %#x\n%s\n%s", q.Array.Name, e, got, w, deviceexec.Print(k), text)
			}
		}
	}
	return nil
}

// buffer makes a buffer whose element e holds f(e).
func buffer(t loop.Type, f func(e int) uint64, shape ...int64) *loop.Buffer {
	b, err := loop.NewBuffer(t, shape...)
	if err != nil {
		panic(err)
	}
	for e := range b.Bits {
		b.Bits[e] = f(e)
	}
	return b
}

// encode gives the bits of a small number in a type.
func encode(t loop.Type, v float64) uint64 {
	switch t {
	case loop.Float:
		return loop.OfFloat(float32(v)).Bits
	case loop.Double:
		return loop.OfDouble(v).Bits
	case loop.Uint:
		return uint64(uint32(int64(v)))
	}
	return uint64(int64(v))
}
