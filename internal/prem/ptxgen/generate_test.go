package ptxgen

import (
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/testkit/golden"
	"github.com/warpbound/warpbound/internal/verify/deviceexec"
)

// product is C = alpha*A*B + beta*C by copies into the scratchpad, n x n with one
// row a team and one column a thread.
func product(n int64) (*device.Entry, []deviceexec.Arg) {
	m := &maker{}
	alpha, beta := m.variable("alpha", loop.Float, loop.Parameter), m.variable("beta", loop.Float, loop.Parameter)
	rows := m.variable("n", loop.Int, loop.Parameter)
	a, b, c := m.array("A", loop.Float, get(rows), num(n)), m.array("B", loop.Float, get(rows), num(n)), m.array("C", loop.Float, get(rows), num(n))
	sa, sb, sc := m.array("sA", loop.Float, num(n)), m.array("sB", loop.Float, num(n), num(n)), m.array("sC", loop.Float, num(n))
	k := m.kernel(n, n, []loop.Param{{Var: alpha}, {Var: beta}, {Var: rows}, {Array: a}, {Array: b}, {Array: c}})
	k.Name, k.Scheme = "product", device.SDMA
	k.Shared = []*loop.Array{sa, sb, sc}
	q, r, s, t := m.local("q", loop.Int), m.local("r", loop.Int), m.local("s", loop.Int), m.local("t", loop.Int)
	kk, u := m.local("k", loop.Int), m.local("u", loop.Int)
	thread, team := get(k.ThreadIdx), get(k.TeamIdx)
	k.Body = []device.Stmt{
		m.sync(device.Memory),
		m.up(q, thread, num(n), n, m.set(elem(sa, get(q)), elem(a, team, get(q)))),
		m.up(r, num(0), num(n), 1, m.up(s, thread, get(rows), n, m.set(elem(sb, get(r), get(s)), elem(b, get(r), get(s))))),
		m.up(t, thread, num(n), n, m.set(elem(sc, get(t)), elem(c, team, get(t)))),
		m.barrier(),
		m.sync(device.Compute),
		m.set(elem(sc, thread), times(elem(sc, thread), get(beta))),
		m.up(kk, num(0), get(rows), 1,
			m.set(elem(sc, thread), plus(elem(sc, thread), times(times(get(alpha), elem(sa, get(kk))), elem(sb, get(kk), thread))))),
		m.sync(device.Memory),
		m.up(u, thread, num(n), n, m.set(elem(c, team, get(u)), elem(sc, get(u)))),
		m.barrier(),
	}
	m.seal(k)
	f := func(e int) uint64 { return encode(loop.Float, float64(e%13)/3-1) }
	return k, []deviceexec.Arg{{Value: loop.OfFloat(1.5)}, {Value: loop.OfFloat(0.75)}, {Value: loop.OfInt(int32(n))},
		{Buffer: buffer(loop.Float, f, n, n)}, {Buffer: buffer(loop.Float, f, n, n)}, {Buffer: buffer(loop.Float, f, n, n)}}
}

// loopBody gives the instructions of the loop at a label that holds name.
func loopBody(t *testing.T, text, name string) []string {
	t.Helper()
	_, rest, ok := strings.Cut(text, name+":\n")
	if !ok {
		t.Fatalf("no label %s in\n%s", name, text)
	}
	var out []string
	for line := range strings.Lines(rest) {
		line = strings.Join(strings.Fields(line), " ")
		if strings.HasPrefix(line, "//") || strings.HasPrefix(line, ".loc") {
			continue
		}
		out = append(out, line)
		if strings.Contains(line, "bra") && strings.Contains(line, name+";") {
			return out
		}
	}
	t.Fatalf("loop %s has no end in\n%s", name, text)
	return nil
}

// The golden text also shows the code to a reader: UPDATE_GOLDEN=1 writes it anew.
func TestProduct(t *testing.T) {
	k, args := product(8)
	if err := agree(t, k, args); err != nil {
		t.Fatal(err)
	}
	for _, g := range []struct {
		file string
		opt  Options
	}{{"testdata/product.ptx", Options{}}, {"testdata/product_guard.ptx", Options{Guard: true}}} {
		text, err := Generate([]*device.Entry{k}, g.opt)
		if err != nil {
			t.Fatal(err)
		}
		golden.File(t, g.file, text)
		lowered(t, text, "product")
	}
}

// The innermost loop of a product has four accesses, three operations, two
// addresses and the test for its end.
func TestInnermostLoopsAreShort(t *testing.T) {
	k, _ := product(8)
	text, err := Generate([]*device.Entry{k}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{"_for_k": 11, "_for_s": 6} {
		if body := loopBody(t, text, name); len(body) != want {
			t.Errorf("loop %s has %d instructions an iteration, want %d:\n%s", name, len(body), want, strings.Join(body, "\n"))
		}
	}
	if strings.Contains(text, "_for_q") {
		t.Error("a loop of one iteration a thread is a loop")
	}
}
