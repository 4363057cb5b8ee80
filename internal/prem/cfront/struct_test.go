package cfront_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/prem/cfront"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/verify/loopkit"
)

// The members of structures are arrays and variables of their own when a program
// runs; the same loop is written out here with Go's structures.
func TestStructuresCompute(t *testing.T) {
	const file = "testdata/golden/structs.c"
	p, err := cfront.Parse(file, read(t, file), nil)
	if err != nil {
		t.Fatal(err)
	}
	type particle struct {
		mass float32
		x, v float64
		kind int32
	}
	const n = 16
	P, Q, G, out := make([]particle, n), make([]particle, n), make([]particle, 2*n), make([]float32, n)
	for i := range n {
		f := float64(i)
		P[i] = particle{float32(f) / 3, f / 7, 1 - f, int32(i)}
		Q[i] = particle{float32(f) / 5, f * f, 2, int32(-i)}
	}
	args := loop.Args{Arrays: map[string]*loop.Buffer{}, Scalars: map[string]loop.Value{
		"n": loop.OfInt(n), "r.lo": loop.OfInt(3), "r.hi": loop.OfLong(12)}}
	bits := func(list []particle) map[string][]uint64 {
		m := make(map[string][]uint64)
		for _, x := range list {
			m["mass"] = append(m["mass"], uint64(math.Float32bits(x.mass)))
			m["x"] = append(m["x"], math.Float64bits(x.x))
			m["v"] = append(m["v"], math.Float64bits(x.v))
			m["kind"] = append(m["kind"], uint64(int64(x.kind)))
		}
		return m
	}
	types := map[string]loop.Type{"mass": loop.Float, "x": loop.Double, "v": loop.Double, "kind": loop.Int}
	for name, list := range map[string][]particle{"P": P, "Q": Q, "G": G} {
		shape := []int64{n}
		if name == "G" {
			shape = []int64{2, n}
		}
		for member, b := range bits(list) {
			args.Arrays[name+"."+member] = &loop.Buffer{Elem: types[member], Shape: shape, Bits: b}
		}
	}
	args.Arrays["out"] = &loop.Buffer{Elem: loop.Float, Shape: []int64{n}, Bits: make([]uint64, n)}
	if err := loopkit.Run(p, "f", args); err != nil {
		t.Fatal(err)
	}
	for i := 1; i < 12; i++ {
		q := Q[i]
		step := P[i].v * 0.1
		P[i].x += step
		P[i].kind = q.kind + 3 + 14
		G[n+i] = P[i]
		G[i] = q
		out[i] = float32(P[i].x)
	}
	P[0] = P[1]
	for name, list := range map[string][]particle{"P": P, "Q": Q, "G": G} {
		for member, want := range bits(list) {
			for i, got := range args.Arrays[name+"."+member].Bits {
				if got != want[i] {
					t.Errorf("%s.%s, element %d: %#x, want %#x", name, member, i, got, want[i])
				}
			}
		}
	}
	for i, got := range loopkit.Floats(args.Arrays["out"]) {
		if got != out[i] {
			t.Errorf("out[%d] is %v, want %v", i, got, out[i])
		}
	}
}

// The layout is that of the ABI of x86-64.
func TestStructureLayout(t *testing.T) {
	p, err := cfront.Parse("a.c", `
struct s { int a; double b; float c; long d; unsigned e; };
typedef struct { float f; } one;
struct s S[3];
one T[2][2];
void f(one *restrict u) {
#pragma omp target teams distribute parallel for map(u[0:3])
  for (int i = 0; i < 3; i++) { S[i].e = 1; T[0][0].f = u[i].f; }
}`, nil)
	if err != nil {
		t.Fatal(err)
	}
	offsets := []int64{0, 8, 16, 24, 32, 0}
	for i, a := range p.Arrays {
		if a.Offset != offsets[i] || i < 5 && (a.Record.Bytes != 40 || a.Record.Tag != "s" || a.Record.Members[i].Array != a) {
			t.Errorf("%s at %d of %+v", a.Name, a.Offset, a.Record)
		}
	}
	for _, r := range []*loop.Record{p.Arrays[5].Record, p.Funcs[0].Params[0].Array.Record} {
		if r.Tag != "one" || r.Bytes != 4 {
			t.Errorf("record %+v", r)
		}
	}
}

// A private variable is an iteration's own: what another has left there is not read.
func TestPrivateVariables(t *testing.T) {
	const head = `void f(int a[restrict 4]) {
  int t = 7;
#pragma omp target teams distribute parallel for private(t)
  for (int i = 0; i < 4; i++) { `
	run := func(body string) ([]int32, error) {
		p, err := cfront.Parse("a.c", head+body+" }\n  a[0] += t;\n}\n", nil)
		if err != nil {
			t.Fatal(err)
		}
		b := &loop.Buffer{Elem: loop.Int, Shape: []int64{4}, Bits: make([]uint64, 4)}
		err = loopkit.Run(p, "f", loop.Args{Arrays: map[string]*loop.Buffer{"a": b}})
		return loopkit.Ints(b), err
	}
	if got, err := run("t = i * i; a[i] = t + 1;"); err != nil || !slices.Equal(got, []int32{8, 2, 5, 10}) {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := run("if (i == 0) t = 1; a[i] = t;"); err == nil || !strings.Contains(err.Error(), "read before it is set") {
		t.Errorf("the value of another iteration is read: %v", err)
	}
}
