package ptxgen

import (
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/verify/deviceexec"
	"pgregory.net/rapid"
)

// copying copies rows lo to hi of a 40 x 8 array to the scratchpad and on to
// another array, column by thread.
func copying(m *maker, lo, hi loop.Expr, cmp loop.Op, step int64, n *loop.Var, guarded bool) *device.Entry {
	in, out, buf := m.array("in", loop.Int, num(40), num(8)), m.array("out", loop.Int, num(40), num(8)), m.array("buf", loop.Int, num(40), num(8))
	k := m.kernel(1, 6, []loop.Param{{Var: n}, {Array: in}, {Array: out}})
	k.Shared = []*loop.Array{buf}
	row := func(to, from *loop.Array) device.Stmt {
		r, c := m.variable("row", loop.Int, loop.Induction), m.variable("col", loop.Int, loop.Induction)
		s := m.up(c, get(k.ThreadIdx), num(5), 6, m.set(elem(to, get(r), get(c)), elem(from, get(r), get(c))),
			m.set(elem(to, get(r), num(7)), elem(from, get(r), num(7))))
		if guarded {
			s = m.when(bin(loop.Ne, get(r), num(3)), []device.Stmt{s}, nil)
		}
		return &device.For{At: m.pos(), Var: r, Lo: lo, Hi: hi, Cmp: cmp, Step: step, Body: []device.Stmt{s}}
	}
	k.Body = []device.Stmt{row(buf, in), m.barrier(), row(out, buf)}
	return m.seal(k)
}

// Unrolled copy loops move the same elements for every number of iterations.
func TestUnrolledCopies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &maker{}
		n := m.variable("n", loop.Int, loop.Parameter)
		step := int64(rapid.SampledFrom([]int{1, 1, 2, 3}).Draw(t, "step"))
		lo, hi := rapid.Int64Range(0, 20).Draw(t, "lo"), rapid.Int64Range(0, 39).Draw(t, "hi")
		from, end := num(lo), num(hi)
		if rapid.Bool().Draw(t, "unknown") {
			end = &loop.Cond{At: here, If: bin(loop.Lt, get(n), end), Then: get(n), Else: end}
		}
		cmp := rapid.SampledFrom([]loop.Op{loop.Lt, loop.Le}).Draw(t, "cmp")
		if rapid.Bool().Draw(t, "down") {
			// From hi down to lo, or where that is unknown to the greater of lo and n.
			from, end, step = num(hi), num(lo), -step
			if rapid.Bool().Draw(t, "unknown") {
				end = &loop.Cond{At: here, If: bin(loop.Gt, get(n), end), Then: get(n), Else: end}
			}
			cmp = rapid.SampledFrom([]loop.Op{loop.Gt, loop.Ge}).Draw(t, "cmp")
		}
		k := copying(m, from, end, cmp, step, n, rapid.Bool().Draw(t, "guarded"))
		args := []deviceexec.Arg{{Value: loop.OfInt(rapid.Int32Range(-3, 39).Draw(t, "n"))},
			{Buffer: buffer(loop.Int, func(e int) uint64 { return uint64(e + 1) }, 40, 8)}, {Buffer: buffer(loop.Int, func(int) uint64 { return 0 }, 40, 8)}}
		opt := Options{Unroll: rapid.IntRange(0, 9).Draw(t, "unroll")}
		if err := agreeWith(t, k, args, opt); err != nil {
			t.Fatal(err)
		}
	})
}

// All loads of a batch come first; a bound near the end of its type leaves the
// loop alone, and so does a body that computes.
func TestUnrolling(t *testing.T) {
	longest := func(k *device.Entry) int {
		text, err := Generate([]*device.Entry{k}, Options{Unroll: 4})
		if err != nil {
			t.Fatal(err)
		}
		most, now := 0, 0
		for line := range strings.Lines(text) {
			switch {
			case strings.Contains(line, "ld.global"):
				now++
				most = max(most, now)
			case strings.Contains(line, "st."):
				now = 0
			}
		}
		return most
	}
	m := &maker{}
	n := m.variable("n", loop.Int, loop.Parameter)
	if got := longest(copying(m, num(0), num(20), loop.Lt, 1, n, false)); got != 8 {
		t.Errorf("%d loads before a store, want 8", got)
	}
	m = &maker{}
	n = m.variable("n", loop.Int, loop.Parameter)
	if got := longest(copying(m, num(0), get(n), loop.Lt, 1, n, false)); got != 1 {
		t.Errorf("%d loads before a store with an unbounded end, want 1", got)
	}
	k, _ := product(8)
	text, err := Generate([]*device.Entry{k}, Options{Unroll: 4})
	if err != nil {
		t.Fatal(err)
	}
	if body := loopBody(t, text, "_for_k"); len(body) != 11 {
		t.Errorf("the loop over k has %d instructions", len(body))
	}
	for _, u := range []int{-1, MaxUnroll + 1} {
		if _, err := Generate([]*device.Entry{k}, Options{Unroll: u}); err == nil {
			t.Errorf("unrolling by %d is taken", u)
		}
	}
}
