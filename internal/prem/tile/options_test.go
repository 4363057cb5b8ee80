package tile_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/examples/prem"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/prem/tile"
)

// kernel wraps statements over i (64 iterations) in a function; head are the clauses.
func kernel(head, body string) string {
	return fmt.Sprintf(`void f(int n, int m, const float A[restrict 64], float B[restrict 64], float C[restrict 64][64], float D[restrict 80][80], float E[restrict n * m])
{
#pragma omp target teams distribute parallel for %s
    for (int i = 0; i < 64; i++) {
%s
    }
}
`, head, body)
}

func TestRefusals(t *testing.T) {
	const sum = "        for (int j = 0; j < 64; j++) { B[i] += C[i][j] * A[j]; }"
	for _, c := range []struct {
		name, text string
		opt        tile.Options
		want       string // of the error, with its position
	}{
		{"num_threads no constant", kernel("num_threads(n)", sum), tile.Options{SPMBytes: 4096},
			"f.c:3:62: num_threads(n) is no constant"},
		{"num_teams no constant", kernel("num_teams(n + 1)", sum), tile.Options{SPMBytes: 4096},
			"num_teams((n + 1)) is no constant"},
		{"too many threads", kernel("num_threads(1025)", sum), tile.Options{SPMBytes: 4096},
			"f.c:3:62: num_threads of 1025, not in 1..1024"},
		{"default threads", kernel("", sum), tile.Options{SPMBytes: 4096, Threads: -1}, "f.c:3:9: num_threads of -1"},
		{"default teams", kernel("", sum), tile.Options{SPMBytes: 4096, Teams: 1 << 40}, "f.c:3:9: num_teams of 1099511627776"},
		{"negative scratchpad", kernel("", sum), tile.Options{SPMBytes: -1}, "f.c:3:9: scratchpad of -1 bytes"},
		// B and C take a float for each of 32 threads, A one: 128, 128 and 16 with alignment.
		{"no scratchpad", kernel("num_threads(32)", sum), tile.Options{},
			"f.c:5:9: a tile of 1 iterations of the loop over j takes 272 bytes of scratchpad, 272 more than the 0 there are; B takes 128 of them"},
		{"scratchpad too small", kernel("num_threads(32)", sum), tile.Options{SPMBytes: 271},
			"f.c:5:9: a tile of 1 iterations of the loop over j takes 272 bytes of scratchpad, 1 more than the 271 there are"},
		{"a statement too large", kernel("num_threads(32)", "        B[i] = A[i];"), tile.Options{SPMBytes: 200},
			"f.c:5:9: one statement takes 256 bytes of scratchpad, 56 more than the 200 there are; A takes 128 of them"},
		{"reduction too large", `void f(const float A[restrict 64], float B[restrict 1])
{
    float s = 0.0f;
#pragma omp target teams distribute parallel for num_threads(64) map(tofrom: s) reduction(+: s)
    for (int i = 0; i < 64; i++) {
        s += A[i];
    }
    B[0] = s;
}
`, tile.Options{SPMBytes: 500}, "f.c:4:9: the reduction takes 512 bytes of scratchpad, 12 more than the 500 there are"},
		{"unknown loop", kernel("", sum), tile.Options{SPMBytes: 4096, Override: map[string]int64{"k": 2}},
			"f.c:3:9: tile size for k, which is no loop of the kernel"},
		{"tile size 0", kernel("", sum), tile.Options{SPMBytes: 4096, Override: map[string]int64{"j": 0}}, "f.c:3:9: tile size 0 for j, not in 1..1048576"},
		{"tile size beyond sense", kernel("", sum), tile.Options{SPMBytes: 4096, Override: map[string]int64{"j": 1 << 62}},
			"f.c:3:9: tile size 4611686018427387904 for j, not in 1..1048576"},
		// 30 columns of C for 32 rows are 3840 bytes, B 128, A 120: 4096 with alignment.
		{"tile size too large", kernel("num_threads(32)", sum), tile.Options{SPMBytes: 4095, Override: map[string]int64{"j": 30}},
			"f.c:5:9: a tile of 30 iterations of the loop over j takes 4096 bytes of scratchpad, 1 more than the 4095 there are"},
		{"SIMT tile size too large", kernel("num_threads(16)", "        B[i] = A[i];"), tile.Options{SPMBytes: 300, Override: map[string]int64{"i": 3}},
			"f.c:4:5: a tile of 48 iterations takes 384 bytes of scratchpad, 84 more than the 300 there are"},
		{"tile sizes at both levels", kernel("num_threads(16)", sum), tile.Options{SPMBytes: 9000, Override: map[string]int64{"i": 2, "j": 3}},
			"f.c:3:9: tile sizes both for the loops of the SIMT space and for loops inside it"},
		{"tile in a tile", kernel("num_threads(16)", "        for (int j = 0; j < 64; j++) { for (int k = 0; k < 64; k++) { B[i] += C[j][k]; } }"),
			tile.Options{SPMBytes: 9000, Override: map[string]int64{"j": 2, "k": 3}},
			"f.c:5:9: a tile of 2 iterations of the loop over j cannot hold tiles of a loop inside it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := parse(t, "f.c", c.text, nil)
			_, err := tile.Make(p, p.Funcs[0], p.Funcs[0].Kernels()[0], c.opt)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v, want %s", err, c.want)
			}
			var at *loop.Error
			if !errors.As(err, &at) {
				t.Errorf("%T has no position", err)
			}
		})
	}
}

func TestCompatible(t *testing.T) {
	for _, c := range []struct {
		name, body string
		spm        int64
		want       string
	}{
		{"a subscript of memory", "        B[i] = C[i][(int)A[i]];", 4096,
			"f.c:5:21: subscript 1 of C, int(A[i]), is not an affine expression"},
		{"a product of variables", "        for (int j = 0; j < 4; j++) { B[i] += A[i * j]; }", 4096,
			"f.c:5:51: subscript 0 of A, (i * j), is not an affine expression"},
		{"a bound that is no linear form", "        for (int j = 0; j < n / 2; j++) { B[i] += A[j]; }", 4096,
			"f.c:5:31: the bound (n / 2) of the loop over j is not an affine expression"},
		{"an extent that is no linear form", "        E[i] = A[i];", 4096,
			"f.c:5:9: the extent (n * m) of E is not an affine expression"},
		{"a loop under a condition", "        if (A[i] > 0.0f) { for (int j = 0; j < 64; j++) { B[i] += C[i][j]; } }", 4096,
			"f.c:5:28: the loop over j would have to be tiled, but it stands under a condition"},
		{"steps from different places", "        for (int j = i; j < 64; j += 2) { B[i] += C[i][j]; }", 4096,
			"f.c:5:22: the loop over j has to be tiled, but its first value i differs from thread to thread and its step is 2"},
		// Whatever m is: D[i][m] may be D[i+1][n], and the box for both may be all of D.
		{"elements that may be the same", "        D[i][m] = D[i + 1][n];", 4096,
			"f.c:5:19: D[(i + 1)][n] and D[i][m] may be one element, and a box for both takes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := parse(t, "f.c", kernel("num_threads(32)", c.body), nil)
			pl := plan(t, p, 0, tile.Options{SPMBytes: c.spm})
			if pl.Compatible == nil || !strings.Contains(pl.Compatible.Error(), c.want) {
				t.Fatalf("got %v, want %s", pl.Compatible, c.want)
			}
			n, ok := pl.Body[0].(*tile.Interval)
			if len(pl.Body) != 1 || !ok || len(n.Stmts) == 0 || n.Boxes != nil || pl.Bytes != 0 {
				t.Errorf("body of a compatible plan:\n%s", listing(pl))
			}
			if s := tile.Explain(pl); !strings.Contains(s, c.want) {
				t.Errorf("not explained:\n%s", s)
			}
		})
	}
}

// TestCompatibleReduction: the threads' results are combined in the scratchpad
// even where nothing else lies there.
func TestCompatibleReduction(t *testing.T) {
	const text = `void f(const int at[restrict 64], const float A[restrict 64], float B[restrict 1])
{
    float s = 0.0f;
#pragma omp target teams distribute parallel for num_threads(64) map(tofrom: s) reduction(+: s)
    for (int i = 0; i < 64; i++) {
        s += A[at[i]];
    }
    B[0] = s;
}
`
	pl := plan(t, parse(t, "f.c", text, nil), 0, tile.Options{SPMBytes: 4096})
	if pl.Compatible == nil || pl.Reduce != 0 || pl.Bytes != 512 {
		t.Errorf("%v, reductions at %d of %d", pl.Compatible, pl.Reduce, pl.Bytes)
	}
}

// TestOverride gives the tile sizes that the search found, and smaller ones.
func TestOverride(t *testing.T) {
	p := example(t, "gemm", sizes("512"))
	free := plan(t, p, 0, tile.Options{SPMBytes: 4096})
	given := plan(t, p, 0, tile.Options{SPMBytes: 4096, Override: map[string]int64{"k": 28}})
	if listing(free) != listing(given) {
		t.Errorf("with k = 28 given:\n%s", listing(given))
	}
	p = example(t, "gemm", nil)
	f := p.Funcs[0]
	for _, over := range []map[string]int64{{"k": 1}, {"k": 5}, {"k": 100}, {"i": 2}, {"j": 3}, {"i": 1, "j": 1, "k": 7}} {
		pl, err := check(t, p, f, f.Kernels()[0], tile.Options{SPMBytes: 48 << 10, Override: over}, nil, false)
		if err != nil {
			t.Fatal(err)
		}
		if n, ok := over["i"]; ok && pl.Dims[0].Per != n {
			t.Errorf("%v: %s", over, listing(pl))
		}
		if n, ok := over["k"]; ok && pl.Body[1].(*tile.Interval).Tile.Count != n {
			t.Errorf("%v: %s", over, listing(pl))
		}
	}
}

// TestTilesAreTheLargest takes every tiled loop of the examples whose variable
// names no other loop of the kernel, and asks for one iteration more: that must
// not fit, or be more than the loop has.
func TestTilesAreTheLargest(t *testing.T) {
	tested := 0
	for _, x := range prem.All() {
		p := example(t, x.Name, sizes("300"))
		for _, f := range p.Funcs {
			for n, k := range f.Kernels() {
				for _, spm := range []int64{48 << 10, 16 << 10, 2 << 10} {
					pl, err := tile.Make(p, f, k, tile.Options{SPMBytes: spm})
					if err != nil {
						continue
					}
					for _, l := range tiled(pl.Body) {
						if l.Loop.Var.Name == "" || names(k)[l.Loop.Var.Name] > 1 || l.Count >= 300 {
							continue
						}
						tested++
						_, err := tile.Make(p, f, k, tile.Options{SPMBytes: spm, Override: map[string]int64{l.Loop.Var.Name: l.Count + 1}})
						if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("a tile of %d iterations of the loop over %s takes", l.Count+1, l.Loop.Var.Name)) {
							t.Errorf("%s, kernel %d, %d bytes: %s = %d, but with %d: %v", x.Name, n, spm, l.Loop.Var.Name, l.Count, l.Count+1, err)
						}
					}
				}
			}
		}
	}
	if tested < 50 {
		t.Errorf("%d tiles tested", tested)
	}
}

func tiled(nodes []tile.Node) []*tile.TileLoop {
	var out []*tile.TileLoop
	for _, n := range nodes {
		switch n := n.(type) {
		case *tile.Walk:
			out = append(out, tiled(n.Body)...)
		case *tile.Interval:
			if n.Tile != nil {
				out = append(out, n.Tile)
			}
		}
	}
	return out
}

// names counts the loops of a kernel by variable.
func names(k *loop.Nest) map[string]int {
	out := make(map[string]int)
	var visit func(list []loop.Stmt)
	visit = func(list []loop.Stmt) {
		for _, s := range list {
			switch s := s.(type) {
			case *loop.For:
				out[s.Var.Name]++
				visit(s.Body)
			case *loop.If:
				visit(s.Then)
				visit(s.Else)
			case *loop.Block:
				visit(s.Body)
			}
		}
	}
	visit([]loop.Stmt{k.Loop})
	return out
}

// TestParametersAsSizes plans a kernel of which no size is a constant: tiles need
// none, and where the value is known the trip counts are.
func TestParametersAsSizes(t *testing.T) {
	const text = `void f(int n, const float A[restrict n][n], const float x[restrict n], float *restrict y)
{
#pragma omp target teams distribute parallel for num_threads(8) map(to: A[0:n][0:n], x[0:n]) map(tofrom: y[0:n])
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            y[i] += A[i][j] * x[j];
        }
    }
}
`
	p := parse(t, "f.c", text, nil)
	// 8 of y, 9 floats for each j and up to 16 bytes of alignment: 36 V + 32 <= 1024.
	want := `teams 1 threads 8 bytes 1008 | i 8x1
interval 1 statements, 1008 bytes, 27 of j 0 .. n
  y[i_tile +1 x8, to n - 1] read written exact @0
  A[i_tile +1 x8, to n - 1][j_tile +1 x27, to n - 1] read @32
  x[j_tile +1 x27, to n - 1] read @896
`
	if got := listing(plan(t, p, 0, tile.Options{SPMBytes: 1024})); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	// 10 of everything: 10*10 + 10 + 10 floats.
	want = `teams 1 threads 8 bytes 496 | i 8x2
interval 1 statements, 496 bytes
  y[i_tile +1 x10, to n - 1] read written exact @0
  A[i_tile +1 x10, to n - 1][0 +1 x10] read @48
  x[0 +1 x10] read @448
`
	if got := listing(plan(t, p, 0, tile.Options{SPMBytes: 1024, Scalars: map[string]int64{"n": 10}})); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	f := p.Funcs[0]
	for _, n := range []int64{1, 7, 8, 29, 40} {
		if _, err := check(t, p, f, f.Kernels()[0], tile.Options{SPMBytes: 1024}, map[*loop.Var]int64{f.Params[0].Var: n}, false); err != nil {
			t.Error(err)
		}
	}
}

// TestTilesOfABand: threads run over different ranges of j, so that the last tile
// of the loop over all of them begins behind the last tile of one. A ends where
// the last thread does.
func TestTilesOfABand(t *testing.T) {
	const text = `void f(const float A[restrict 9], float B[restrict 4])
{
#pragma omp target teams distribute parallel for num_threads(2) map(to: A[0:9]) map(tofrom: B[0:4])
    for (int i = 0; i < 4; i++) {
        for (int j = i; j < i + 6; j++) {
            B[i] += A[j];
        }
    }
}
`
	p := parse(t, "f.c", text, nil)
	f := p.Funcs[0]
	for n := int64(1); n <= 8; n++ {
		opt := tile.Options{SPMBytes: 4096, Override: map[string]int64{"j": n}}
		if _, err := check(t, p, f, f.Kernels()[0], opt, nil, false); err != nil {
			t.Error(err)
		}
	}
}
