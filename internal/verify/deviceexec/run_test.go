package deviceexec

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/verify/loopkit"
)

// What only an execution can find, with the position, the team and the thread.
func TestRunFaults(t *testing.T) {
	f := newFixture()
	thread := func() loop.Expr { return get(f.thread) }
	right := func() loop.Expr {
		return bin(loop.Rem, bin(loop.Add, thread(), num(1)), num(4))
	}
	fill := set(2, elem(f.buf, thread()), thread())
	for _, c := range []struct {
		want string
		k    *device.Entry
	}{
		{"k.c:1:3: team 0, thread 0: buf[0] is read, but the team has not written it", f.kernel(set(2, elem(f.out, f.own()), elem(f.buf, num(0))))},
		// The second team may not read what the first one left.
		{"team 1, thread 0: buf[0] is read, but the team has not", f.kernel(
			&device.If{At: pos(2), Cond: bin(loop.Eq, get(f.team), num(0)), Then: []device.Stmt{fill}},
			&device.Barrier{At: pos(3)}, set(4, elem(f.out, f.own()), elem(f.buf, num(0))))},
		{"team 0, thread 3: subscript 0 of buf is 4, outside [0, 4)", f.kernel(set(2, elem(f.buf, bin(loop.Add, thread(), num(1))), num(0)))},
		{"team 0, thread 0: subscript 0 of in is -1, outside [0, 8)", f.kernel(&device.Decl{At: pos(2), Var: f.x, Init: elem(f.in, num(-1))})},
		{"team 0, thread 1: race: buf[1] is read here and written by thread 0", f.kernel(fill, &device.Barrier{At: pos(3)},
			set(6, elem(f.buf, right()), elem(f.buf, thread())))},
		{"team 0, thread 1: race: buf[1] is written here and read by thread 0", f.kernel(fill, &device.Barrier{At: pos(3)},
			&device.Decl{At: pos(4), Var: f.x, Init: elem(f.buf, right())}, fill)},
		{"team 0, thread 1: race: buf[0] is written here and by thread 0", f.kernel(set(2, elem(f.buf, num(0)), thread()))},
		{"team 0, thread 1: race: out[0] is written here and by thread 0", f.kernel(set(2, elem(f.out, num(0)), num(0)))},
		{"team 1, thread 0: race: out[0] is written here and by team 0", f.kernel(set(2, elem(f.out, thread()), num(0)))},
		{"team 0, thread 3: race: buf[0] is read here and written by thread 0", f.kernel(set(2, elem(f.buf, num(0)), num(0)),
			&device.If{At: pos(3), Cond: bin(loop.Eq, thread(), num(3)), Then: []device.Stmt{&device.Decl{At: pos(3), Var: f.x, Init: elem(f.buf, num(0))}}})},
		{"k.c:1:3: team 0, thread 0: x is read before it is set", f.kernel(&device.Decl{At: pos(2), Var: f.x}, set(3, elem(f.out, f.own()), get(f.x)))},
		{"signed overflow", f.kernel(&device.Decl{At: pos(2), Var: f.x, Init: bin(loop.Add, num(math.MaxInt32), thread())})},
		{"division by zero", f.kernel(&device.Decl{At: pos(2), Var: f.x, Init: bin(loop.Div, num(1), thread())})},
		{"more statements than MaxSteps", f.kernel(&device.For{At: pos(2), Var: f.i, Lo: num(0), Hi: num(1 << 30), Cmp: loop.Lt, Step: 1, Body: nil})},
	} {
		err := Run(c.k, f.args(), Options{Races: true, MaxSteps: 1 << 16})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %s", err, c.want)
			continue
		}
		var e *loop.Error
		if !errors.As(err, &e) || e.Pos.Line == 0 {
			t.Errorf("error %v has no position", err)
		}
		if raced := strings.Contains(c.want, "race"); raced && Run(c.k, f.args(), Options{}) != nil {
			t.Errorf("without Races the kernel is refused still: %s", c.want)
		}
	}
}

// Accesses that look like races and are none: reads together, one value stored by
// all threads, a thread's own accesses, and accesses with a barrier between.
func TestNoRace(t *testing.T) {
	f := newFixture()
	thread := func() loop.Expr { return get(f.thread) }
	body := []device.Stmt{
		set(2, elem(f.buf, num(0)), num(7)),
		&device.Barrier{At: pos(3)},
		&device.Decl{At: pos(4), Var: f.x, Init: bin(loop.Add, elem(f.buf, num(0)), elem(f.in, num(0)))},
		&device.Barrier{At: pos(5)},
		set(6, elem(f.buf, thread()), get(f.x)),
		set(7, elem(f.buf, thread()), bin(loop.Add, elem(f.buf, thread()), thread())),
		&device.Barrier{At: pos(8)},
		set(9, elem(f.out, f.own()), elem(f.buf, bin(loop.Sub, num(3), thread()))),
	}
	args := f.args()
	if err := Run(f.kernel(body...), args, Options{Races: true}); err != nil {
		t.Fatal(err)
	}
	if got, want := loopkit.Ints(args[2].Buffer), []int32{11, 10, 9, 8, 11, 10, 9, 8}; !slices.Equal(got, want) {
		t.Errorf("out is %v, want %v", got, want)
	}
}

// Shared arrays may have bytes in common: what is written to one is gone from the
// other, of doubles at either half, and counts as an access of the same place.
func TestOverlappingSharedArrays(t *testing.T) {
	f := newFixture()
	thread := get(f.thread)
	wide := &loop.Array{Name: "wide", Elem: loop.Double, Extents: []loop.Expr{num(4)}, ID: 3, At: pos(1)}
	zero := &loop.FloatLit{At: pos(1), T: loop.Double}
	int64s := func(v ...int64) []int64 { return v }
	for _, c := range []struct {
		want string
		at   []int64
		body []device.Stmt
	}{
		{"", int64s(0, 16), []device.Stmt{set(2, elem(f.buf, thread), num(1)), set(3, elem(wide, thread), zero), set(4, elem(f.out, f.own()), elem(f.buf, thread))}},
		{"", int64s(0, 0), []device.Stmt{set(2, elem(f.buf, thread), num(1)), &device.Barrier{At: pos(3)}, set(4, elem(wide, thread), zero), &device.Barrier{At: pos(5)}, set(6, elem(f.buf, thread), num(1)), &device.Barrier{At: pos(7)}, set(8, elem(f.out, f.own()), elem(f.buf, thread))}},
		{"buf[3] is read, but", int64s(0, 0), []device.Stmt{set(2, elem(f.buf, thread), num(1)), &device.Barrier{At: pos(3)}, set(4, elem(wide, thread), zero), &device.Barrier{At: pos(5)}, set(6, elem(f.out, f.own()), elem(f.buf, thread))}},
		{"wide[1] is read, but", int64s(12, 0), []device.Stmt{set(2, elem(wide, thread), zero), &device.Barrier{At: pos(3)}, set(4, elem(f.buf, thread), num(0)), &device.Barrier{At: pos(5)},
			&device.If{At: pos(6), Cond: elem(wide, num(1)), Then: []device.Stmt{set(7, elem(f.out, f.own()), num(0))}}}},
		{"thread 0: race: wide[0] is written here and by thread 1", int64s(4, 0), []device.Stmt{
			&device.If{At: pos(2), Cond: bin(loop.Eq, thread, num(1)), Then: []device.Stmt{set(2, elem(f.buf, num(0)), num(0))}, Else: []device.Stmt{
				&device.If{At: pos(3), Cond: bin(loop.Eq, thread, num(0)), Then: []device.Stmt{set(4, elem(wide, num(0)), zero)}}}}}},
	} {
		k := f.kernel(c.body...)
		k.Shared, k.SharedAt = append(k.Shared, wide), c.at
		err := Run(k, f.args(), Options{Races: true, Reverse: true})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("offsets %v: error %v, want %s", c.at, err, c.want)
		}
	}
	k := f.kernel()
	k.Shared = append(k.Shared, wide, &loop.Array{Name: "tail", Elem: loop.Int, Extents: []loop.Expr{num(1)}, At: pos(1)},
		&loop.Array{Name: "more", Elem: loop.Double, Extents: []loop.Expr{num(1)}, At: pos(1)})
	if at, bytes := k.Layout(); !slices.Equal(at, int64s(0, 16, 48, 56)) || bytes != 64 {
		t.Errorf("one after the other the arrays lie at %v in %d bytes", at, bytes)
	}
	k.SharedAt = int64s(32, 0, 32, 8)
	if at, bytes := k.Layout(); !slices.Equal(at, k.SharedAt) || bytes != 48 {
		t.Errorf("the arrays lie at %v in %d bytes", at, bytes)
	}
	if text := Print(k); !strings.Contains(text, "shared wide double[4] at(0) @1:3") {
		t.Errorf("Print gives\n%s", text)
	}
}

// Control flow around barriers: a tree reduction over the threads.
func TestBarriersInLoops(t *testing.T) {
	f := newFixture()
	thread, i := get(f.thread), get(f.i)
	below := func(x loop.Expr) loop.Expr { return bin(loop.Lt, thread, x) }
	k := f.kernel(
		set(2, elem(f.buf, thread), elem(f.in, f.own())),
		&device.Barrier{At: pos(3)},
		&device.For{At: pos(4), Var: f.i, Lo: num(2), Hi: num(1), Cmp: loop.Ge, Step: -1, Body: []device.Stmt{
			&device.If{At: pos(5), Cond: below(i), Then: []device.Stmt{
				set(6, elem(f.buf, thread), bin(loop.Add, elem(f.buf, thread), elem(f.buf, bin(loop.Add, thread, i))))}},
			&device.If{At: pos(7), Cond: bin(loop.Ge, get(f.n), num(8)), Then: []device.Stmt{&device.Barrier{At: pos(8)}}, Else: []device.Stmt{set(9, elem(f.buf, num(9)), num(0))}},
		}},
		&device.If{At: pos(9), Cond: bin(loop.Eq, thread, num(0)), Then: []device.Stmt{set(10, elem(f.out, get(f.team)), elem(f.buf, num(0)))}})
	args := f.args()
	if err := Run(k, args, Options{Races: true}); err != nil {
		t.Fatal(err)
	}
	if got := loopkit.Ints(args[2].Buffer); got[0] != 10 || got[1] != 26 {
		t.Errorf("the sums are %v, want 10 and 26", got[:2])
	}
}

// Check refuses such kernels; execution must notice by itself, too.
func TestBarrierNotMetByAll(t *testing.T) {
	f := newFixture()
	odd := bin(loop.Rem, get(f.thread), num(2))
	for _, k := range []*device.Entry{
		f.kernel(&device.If{At: pos(2), Cond: odd, Then: []device.Stmt{&device.Barrier{At: pos(3)}}}),
		f.kernel(&device.For{At: pos(2), Var: f.i, Lo: num(0), Hi: odd, Cmp: loop.Lt, Step: 1, Body: []device.Stmt{&device.Barrier{At: pos(3)}}}),
	} {
		err := compile(k).Run(f.args(), Options{})
		if err == nil || !strings.Contains(err.Error(), "team 0, thread 1: a barrier is not met by all threads") {
			t.Errorf("error %v", err)
		}
	}
	late := f.kernel(&device.Decl{At: pos(2), Var: f.x, Init: elem(f.in, num(0))}, &device.Sync{At: pos(3), Phase: device.Memory})
	if err := compile(late).Run(f.args(), Options{}); err == nil || !strings.Contains(err.Error(), "access to in[0] outside the memory phase") {
		t.Errorf("error %v", err)
	}
}

func TestArgumentsRefused(t *testing.T) {
	f := newFixture()
	k := f.kernel()
	good := f.args()
	square := &loop.Buffer{Elem: loop.Int, Shape: []int64{2, 4}, Bits: make([]uint64, 8)}
	short := &loop.Buffer{Elem: loop.Int, Shape: []int64{8}, Bits: make([]uint64, 7)}
	for _, c := range []struct {
		want string
		args []Arg
	}{
		{"2 arguments for 3", good[:2]},
		{"argument n: want a value of type int", []Arg{{Value: loop.OfLong(8)}, good[1], good[2]}},
		{"argument in: want a buffer", []Arg{good[0], {}, good[2]}},
		{"argument in: want a buffer", []Arg{good[0], {Buffer: square}, good[2]}},
		{"argument out: want a buffer", []Arg{good[0], good[1], {Buffer: short}}},
		{"argument out: a buffer of another array", []Arg{good[0], good[1], good[1]}},
	} {
		if err := Run(k, c.args, Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
	f.out.Extents = []loop.Expr{num(1), get(f.n)}
	wide := &loop.Buffer{Elem: loop.Int, Shape: []int64{1, 7}, Bits: make([]uint64, 7)}
	if err := Run(k, []Arg{good[0], good[1], {Buffer: wide}}, Options{}); err == nil || !strings.Contains(err.Error(), "dimension 1 is 7, want 8") {
		t.Errorf("error %v", err)
	}
}

// The header's own invariants.
func TestCheckRefusesHeaders(t *testing.T) {
	for _, c := range []struct {
		want  string
		spoil func(f *fixture, k *device.Entry)
	}{
		{"0 teams of 4 threads", func(_ *fixture, k *device.Entry) { k.Teams = 0 }},
		{"2 teams of -1 threads", func(_ *fixture, k *device.Entry) { k.Threads = -1 }},
		{"variable of type int", func(_ *fixture, k *device.Entry) { k.ThreadIdx = nil }},
		{"variable of type int", func(f *fixture, _ *device.Entry) { f.team.Type = loop.Long }},
		{"variable team: number 1 is taken", func(f *fixture, _ *device.Entry) { f.team.ID = 1 }},
		{"variable team: number 9 is taken or out of range", func(f *fixture, _ *device.Entry) { f.team.ID = 9 }},
		{"variable n has no type", func(f *fixture, _ *device.Entry) { f.n.Type = loop.NoType }},
		{"neither a scalar nor an array", func(_ *fixture, k *device.Entry) { k.Params = append(k.Params, loop.Param{}) }},
		{"array in is named twice", func(f *fixture, k *device.Entry) { k.Shared = append(k.Shared, f.in) }},
		{"array buf: element type int, rank 0", func(f *fixture, _ *device.Entry) { f.buf.Extents = nil }},
		{"shared array buf: dimension 0 has no constant extent", func(f *fixture, _ *device.Entry) { f.buf.Extents[0] = get(f.n) }},
		{"shared array buf: dimension 0 has no constant extent", func(f *fixture, _ *device.Entry) { f.buf.Extents[0] = num(0) }},
		{"0 offsets of 1 shared", func(_ *fixture, k *device.Entry) { k.SharedAt = []int64{} }},
		{"shared array buf at offset 6", func(_ *fixture, k *device.Entry) { k.SharedAt = []int64{6} }},
		{"shared array buf at offset -4", func(_ *fixture, k *device.Entry) { k.SharedAt = []int64{-4} }},
		{"array in: dimension 1 has no extent", func(f *fixture, _ *device.Entry) { f.in.Extents = []loop.Expr{num(8), nil} }},
		{"team is not in scope", func(f *fixture, _ *device.Entry) { f.in.Extents = []loop.Expr{num(8), get(f.team)} }},
		{"reduction without a parameter", func(f *fixture, k *device.Entry) {
			k.Reductions = []device.Reduction{{Op: loop.RedAdd, Var: f.x, Partial: f.buf}}
		}},
		{"reduction without a parameter", func(f *fixture, k *device.Entry) {
			k.Reductions = []device.Reduction{{Op: loop.RedAdd, Var: &loop.Var{Name: "s", Type: loop.Float}, Partial: f.out}}
		}},
	} {
		f := newFixture()
		k := f.kernel(&device.Barrier{At: pos(2)})
		if err := device.Check(k); err != nil {
			t.Fatal(err)
		}
		c.spoil(f, k)
		if err := device.Check(k); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
}

// BenchmarkRun executes 64 passes over the scratchpad with barriers.
func BenchmarkRun(b *testing.B) {
	f := newFixture()
	thread := get(f.thread)
	k := f.kernel(
		set(2, elem(f.buf, thread), num(0)),
		&device.For{At: pos(3), Var: f.i, Lo: num(0), Hi: num(64), Cmp: loop.Lt, Step: 1, Body: []device.Stmt{
			set(4, elem(f.buf, thread), bin(loop.Add, elem(f.buf, thread), elem(f.in, thread))),
			&device.Barrier{At: pos(5)},
		}})
	c, err := Compile(k)
	if err != nil {
		b.Fatal(err)
	}
	args := f.args()
	b.ReportAllocs()
	for b.Loop() {
		if err := c.Run(args, Options{Races: true}); err != nil {
			b.Fatal(err)
		}
	}
}
