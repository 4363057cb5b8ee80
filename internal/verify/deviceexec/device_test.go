package deviceexec

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/verify/loopkit"
)

func TestPhasedKernel(t *testing.T) {
	f := newFixture()
	for _, reverse := range []bool{false, true} {
		args := f.args()
		var seen []Access
		if err := Run(f.phased(), args, Options{Races: true, Reverse: reverse, Observe: func(a Access) { seen = append(seen, a) }}); err != nil {
			t.Fatal(err)
		}
		if got, want := loopkit.Ints(args[2].Buffer), []int32{4, 3, 2, 1, 8, 7, 6, 5}; !slices.Equal(got, want) {
			t.Errorf("out is %v, want %v", got, want)
		}
		if len(seen) != 16 {
			t.Fatalf("%d accesses, want 16", len(seen))
		}
		first := Access{At: pos(1), Array: f.in, Phase: 1}
		last := Access{At: pos(10), Array: f.out, Element: 7, Write: true, Team: 1, Thread: 3, Phase: 3}
		if reverse {
			first, last = Access{At: pos(1), Array: f.in, Element: 7, Team: 1, Thread: 3, Phase: 1},
				Access{At: pos(10), Array: f.out, Write: true, Phase: 3}
		}
		if seen[0] != first || seen[15] != last {
			t.Errorf("reverse %t: the accesses run from %+v to %+v", reverse, seen[0], seen[15])
		}
	}
}

func TestPrint(t *testing.T) {
	f := newFixture()
	want := `kernel k base teams(2) threads(4) @1:3
  param n int @1:3
  param in const int[n] @1:3
  param out int[n] @1:3
  shared buf int[4] @1:3
  EnterMem @2:3
  for i int = 0; i < 1; +1 @3:3
    buf[thread] = in[((4 * team) + thread)] @4:3
    barrier @5:3
    EnterComp @6:3
    var x int = buf[(3 - thread)] @7:3
    barrier @7:3
    buf[thread] = x @8:3
    EnterMem @9:3
    out[((4 * team) + thread)] = buf[thread] @10:3
    barrier @11:3
`
	if got := Print(f.phased()); got != want {
		t.Errorf("Print gives\n%s\nwant\n%s", got, want)
	}
}

// Each kernel is refused by Check, with the position and the words.
func TestCheckRefuses(t *testing.T) {
	f := newFixture()
	thread := func() loop.Expr { return get(f.thread) }
	dbl := &loop.FloatLit{At: pos(1), T: loop.Double, Value: 1}
	loopOver := func(lo, hi loop.Expr, body ...device.Stmt) *device.For {
		return &device.For{At: pos(2), Var: f.i, Lo: lo, Hi: hi, Cmp: loop.Lt, Step: 1, Body: body}
	}
	for _, c := range []struct {
		want string
		k    *device.Entry
	}{
		{"k.c:1:3: x is not in scope", f.kernel(set(2, elem(f.out, num(0)), get(f.x)))},
		{"k.c:1:3: x is not in scope", f.kernel(&device.If{At: pos(2), Cond: num(1), Then: []device.Stmt{&device.Decl{At: pos(2), Var: f.x, Init: num(0)}}}, &device.If{At: pos(3), Cond: get(f.x)})},
		{"variable x: number 4 is taken", f.kernel(&device.Decl{At: pos(2), Var: f.x, Init: num(0)}, &device.Decl{At: pos(3), Var: f.x, Init: num(0)})},
		{"k.c:2:3: x is int, its initialiser double", f.kernel(&device.Decl{At: pos(2), Var: f.x, Init: dbl})},
		{"k.c:2:3: assignment of double to int", f.kernel(set(2, elem(f.out, num(0)), dbl))},
		{"operator + on int and double", f.kernel(set(2, elem(f.out, num(0)), bin(loop.Add, num(1), dbl)))},
		{"2 subscripts of out, which has rank 1", f.kernel(set(2, elem(f.out, num(0), num(0)), num(0)))},
		{"array in is not in scope", f.kernel(set(2, elem(newFixture().in, num(0)), num(0)))},
		{"assignment to const array in", f.kernel(set(2, elem(f.in, num(0)), num(0)))},
		{"assignment to n, a parameter", f.kernel(set(2, get(f.n), num(0)))},
		{"assignment to thread, a parameter", f.kernel(set(2, thread(), num(0)))},
		{"assignment to i, a parameter or a loop's", f.kernel(loopOver(num(0), num(1), set(3, get(f.i), num(0))))},
		{"assignment to an expression", f.kernel(set(2, num(0), num(0)))},
		{"the loop over i assigns x", f.kernel(&device.Decl{At: pos(2), Var: f.x, Init: num(3)}, loopOver(num(0), get(f.x), set(3, get(f.x), num(2))))},
		{"bound in[0] reads memory", f.kernel(loopOver(num(0), elem(f.in, num(0))))},
		{"barrier that not every thread may meet: (thread < 2)", f.kernel(&device.If{At: pos(2), Cond: bin(loop.Lt, thread(), num(2)), Then: []device.Stmt{&device.Barrier{At: pos(3)}}})},
		{"k.c:3:3: barrier that not every thread may meet: in[0]", f.kernel(&device.If{At: pos(2), Cond: elem(f.in, num(0)), Else: []device.Stmt{&device.Barrier{At: pos(3)}}})},
		{"barrier that not every thread may meet: x", f.kernel(&device.Decl{At: pos(2), Var: f.x, Init: num(0)},
			loopOver(num(0), thread(), set(3, get(f.x), num(1))), &device.If{At: pos(4), Cond: get(f.x), Then: []device.Stmt{&device.Barrier{At: pos(5)}}})},
		{"barrier that not every thread may meet: x", f.kernel(&device.Decl{At: pos(2), Var: f.x}, set(2, get(f.x), num(0)),
			loopOver(num(0), num(2), &device.If{At: pos(4), Cond: get(f.x), Then: []device.Stmt{&device.Sync{At: pos(5), Phase: device.Memory}}}, set(6, get(f.x), thread())))},
		{"EnterComp where the team may not come", f.kernel(&device.Sync{At: pos(2), Phase: device.Compute})},
		{"k.c:3:3: EnterMem where the team may not come", f.kernel(&device.Sync{At: pos(2), Phase: device.Memory}, &device.Sync{At: pos(3), Phase: device.Memory})},
		{"EnterMem where the team may not come", f.kernel(loopOver(num(0), num(2), &device.Sync{At: pos(2), Phase: device.Memory}))},
		{"access to in outside the memory phase", f.kernel(&device.Decl{At: pos(2), Var: f.x, Init: elem(f.in, num(0))}, &device.Sync{At: pos(3), Phase: device.Memory})},
		{"access to out outside the memory phase", f.kernel(&device.Sync{At: pos(2), Phase: device.Memory}, &device.Sync{At: pos(3), Phase: device.Compute}, set(4, elem(f.out, num(0)), num(0)))},
		{"access to in outside the memory phase", f.kernel(&device.Sync{At: pos(2), Phase: device.Memory},
			loopOver(num(0), num(2), &device.If{At: pos(3), Cond: elem(f.in, num(0))}, &device.Sync{At: pos(4), Phase: device.Compute}))},
		{"without a position", f.kernel(&device.Barrier{})},
		{"expression missing", f.kernel(&device.If{At: pos(2)})},
		{"statement that is nil", f.kernel(nil)},
		{"declaration of nothing", f.kernel(&device.Decl{At: pos(2)})},
		{"loop without a variable", f.kernel(&device.For{At: pos(2)})},
		{"loop over i: step -1 with <", f.kernel(&device.For{At: pos(2), Var: f.i, Lo: num(0), Hi: num(1), Cmp: loop.Lt, Step: -1, Body: nil})},
		{"Sync into phase 7", f.kernel(&device.Sync{At: pos(2), Phase: 7})},
	} {
		err := device.Check(c.k)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %s", err, c.want)
			continue
		}
		var e *loop.Error
		if !errors.As(err, &e) {
			t.Errorf("error %v has no position", err)
		}
		if Run(c.k, f.args(), Options{}) == nil {
			t.Errorf("Run accepts what Check refuses: %v", err)
		}
	}
}
