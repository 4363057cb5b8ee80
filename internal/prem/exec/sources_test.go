package exec

import (
	"context"
	"testing"

	"github.com/warpbound/warpbound/internal/prem/cfront"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/prem/ptxgen"
	"github.com/warpbound/warpbound/internal/prem/tile"
	"github.com/warpbound/warpbound/internal/verify/loopkit"
)

// counted makes a buffer of a type with small values.
func counted(t *testing.T, elem loop.Type, shape ...int64) *loop.Buffer {
	t.Helper()
	b, err := loop.NewBuffer(elem, shape...)
	if err != nil {
		t.Fatal(err)
	}
	for i := range b.Bits {
		v, _ := loop.EvalConvert(elem, loop.Int, uint64(i*7%13))
		b.Bits[i] = v
	}
	return b
}

// What the example programs do not hold: structures, extents that are parameters,
// host statements between kernels, constants of every integer type.
func TestSources(t *testing.T) {
	for _, c := range []struct {
		name, source string
		args         func(t *testing.T) loop.Args
	}{
		{"structures", `
struct pt { float x; double w; int n; };
void kernel_s(struct pt a[restrict 40], const float s[restrict 40])
{
#pragma omp target teams distribute parallel for num_teams(2) num_threads(16) map(tofrom: a[0:40]) map(to: s[0:40])
    for (int i = 0; i < 40; i++) {
        a[i].x = a[i].x * s[i];
        a[i].n += 2;
    }
}`, func(t *testing.T) loop.Args {
			return loop.Args{Arrays: map[string]*loop.Buffer{"a.x": counted(t, loop.Float, 40), "a.w": counted(t, loop.Double, 40), "a.n": counted(t, loop.Int, 40), "s": counted(t, loop.Float, 40)}}
		}},
		{"structures by value", `
struct co { float a; long b; };
void kernel_v(struct co k, float k_a, struct co p0_k, float x[restrict 40])
{
#pragma omp target teams distribute parallel for num_teams(2) num_threads(16) map(tofrom: x[0:40])
    for (int i = 0; i < 40; i++) {
        x[i] = x[i] * k.a + k_a + (float)(k.b * i) - p0_k.a;
    }
}`, func(t *testing.T) loop.Args {
			return loop.Args{Scalars: map[string]loop.Value{"k.a": loop.OfFloat(1.5), "k.b": loop.OfLong(3), "k_a": loop.OfFloat(0.25), "p0_k.a": loop.OfFloat(7), "p0_k.b": loop.OfLong(0)},
				Arrays: map[string]*loop.Buffer{"x": counted(t, loop.Float, 40)}}
		}},
		{"extents", `
void kernel_e(int n, long m, double a[restrict n][m], double b[restrict m][n])
{
    double scale = 0.5;
    for (int t = 0; t < 3; t++) {
#pragma omp target teams distribute parallel for collapse(2) num_teams(3) num_threads(32) map(to: a[0:n][0:m]) map(tofrom: b[0:m][0:n]) firstprivate(n, m, scale)
        for (int i = 0; i < n; i++) {
            for (long j = 0; j < m; j++) {
                b[j][i] += scale * a[i][j];
            }
        }
        scale = scale * 2.0;
    }
}`, func(t *testing.T) loop.Args {
			return loop.Args{Scalars: map[string]loop.Value{"n": loop.OfInt(13), "m": loop.OfLong(21)},
				Arrays: map[string]*loop.Buffer{"a": counted(t, loop.Double, 13, 21), "b": counted(t, loop.Double, 21, 13)}}
		}},
		{"integers", `
void kernel_i(const unsigned a[restrict 64], unsigned long b[restrict 64], long c[restrict 64], int d[restrict 1])
{
    int most = 0;
    long total = 5;
#pragma omp target teams distribute parallel for num_teams(2) num_threads(32) map(to: a[0:64]) map(tofrom: b[0:64], c[0:64]) reduction(max: most) reduction(+: total)
    for (int i = 0; i < 64; i++) {
        b[i] = (b[i] ^ 0xffffffffffffffffUL) + (a[i] << 3) % 7u;
        c[i] = -9223372036854775807L + (long)(a[i] | 1u) * i;
        most = (int)a[i] > most ? (int)a[i] : most;
        total += a[i] % 5u;
    }
    d[0] = most + (int)total;
}`, func(t *testing.T) loop.Args {
			return loop.Args{Arrays: map[string]*loop.Buffer{"a": counted(t, loop.Uint, 64), "b": counted(t, loop.Ulong, 64), "c": counted(t, loop.Long, 64), "d": counted(t, loop.Int, 1)}}
		}},
	} {
		p, err := cfront.Parse(c.name+".c", c.source, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := c.args(t)
		if err := loopkit.Run(p, p.Funcs[0].Name, want); err != nil {
			t.Fatal(c.name, err)
		}
		for _, s := range schemes {
			for _, unroll := range []int{0, 3} {
				m, err := Compile(p, p.Funcs[0].Name, Options{Scheme: s, Tile: tile.Options{SPMBytes: 2 << 10}, PTX: ptxgen.Options{Unroll: unroll}})
				if err != nil {
					t.Errorf("%s, %s: %v", c.name, s, err)
					continue
				}
				got := c.args(t)
				if err := m.Run(context.Background(), got, (&Functional{}).Run); err != nil {
					t.Errorf("%s, %s: %v\n%s", c.name, s, err, m.PTX)
					continue
				}
				for name, b := range want.Arrays {
					for i, x := range b.Bits {
						if got.Arrays[name].Bits[i] != x {
							t.Fatalf("%s, %s: element %d of %s is %#x, want %#x\n%s", c.name, s, i, name, got.Arrays[name].Bits[i], x, m.PTX)
						}
					}
				}
			}
		}
	}
}
