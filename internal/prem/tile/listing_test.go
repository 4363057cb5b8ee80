package tile_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warpbound/warpbound/internal/prem/tile"
)

// listing writes a plan as the tests compare it: dimensions, nodes, boxes.
func listing(p *tile.Plan) string {
	var b strings.Builder
	fmt.Fprintf(&b, "teams %d threads %d bytes %d", p.Teams, p.Threads, p.Bytes)
	for _, d := range p.Dims {
		fmt.Fprintf(&b, " | %s %dx%d", d.Loop.Var.Name, d.Threads, d.Per)
	}
	b.WriteByte('\n')
	list(&b, "", p.Body)
	return b.String()
}

func list(b *strings.Builder, indent string, nodes []tile.Node) {
	for _, n := range nodes {
		switch n := n.(type) {
		case *tile.Plain:
			fmt.Fprintf(b, "%splain %d\n", indent, len(n.Stmts))
		case *tile.Walk:
			fmt.Fprintf(b, "%swalk %s %s .. %s\n", indent, n.Loop.Var.Name, forms(n.Lo), forms(n.Hi))
			list(b, indent+"  ", n.Body)
		case *tile.Interval:
			fmt.Fprintf(b, "%sinterval %d statements, %d bytes", indent, len(n.Stmts), n.Bytes)
			if n.Tile != nil {
				fmt.Fprintf(b, ", %d of %s %s .. %s", n.Tile.Count, n.Tile.Loop.Var.Name, forms(n.Tile.Lo), forms(n.Tile.Hi))
			}
			b.WriteByte('\n')
			for _, x := range n.Boxes {
				fmt.Fprintf(b, "%s  %s", indent, x.Array.Name)
				for _, d := range x.Dims {
					fmt.Fprintf(b, "[%s +%d x%d", form(d.Lo), d.Step, d.Count)
					if len(d.Begin) > 0 {
						fmt.Fprintf(b, ", from %s", forms(d.Begin))
					}
					if len(d.End) > 0 {
						fmt.Fprintf(b, ", to %s", forms(d.End))
					}
					b.WriteByte(']')
				}
				for _, s := range []struct {
					is   bool
					name string
				}{{x.Read, "read"}, {x.Written, "written"}, {x.Exact, "exact"}, {x.Mask >= 0, "marked"}, {len(x.After) > 0, "after"}} {
					if s.is {
						b.WriteString(" " + s.name)
					}
				}
				fmt.Fprintf(b, " @%d\n", x.Offset)
			}
		}
	}
}

// The numbers are worked out by hand in the comments.
func TestHandComputedPlans(t *testing.T) {
	for _, c := range []struct {
		name, program, size string
		kernel              int
		spm                 int64
		want                string
	}{
		{
			// 32 rows of 512: A takes (32+2)*512 floats, more than there are. A tile of V
			// columns takes 34*(V+2) floats of A and 32*V of B, at most 12288: V = 185
			// takes 12278 floats, 186 would take 12344. Two rows and columns around, not
			// five times the tile.
			"jacobi2d rows", "jacobi2d", "512", 0, 48 << 10, `
teams 1 threads 32 bytes 49120 | i 32x1
interval 1 statements, 49120 bytes, 185 of j 1 .. 511
  A[i_tile - 1 +1 x34, to 511][j_tile - 1 +1 x187, to 511] read @0
  B[i_tile +1 x32, to 510][j_tile +1 x185, to 510] written exact @25440
`},
		{
			// n iterations hold n+2 of A. 199 iterations are there for 2 teams, so that a
			// tile covers 2 block iterations of 64: 130 of A, 128 of B.
			"jacobi1d counts n+2", "jacobi1d", "201", 0, 48 << 10, `
teams 2 threads 64 bytes 1040 | i 64x2
interval 1 statements, 1040 bytes
  A[i_tile - 1 +1 x130, to 200] read @0
  B[i_tile +1 x128, to 199] written exact @528
`},
		{
			// 2 rows and 32 columns to a block iteration; C takes 64 floats, k a column of
			// A (2 floats) and a row of B (32): 34 V + 64 <= 1024 with C's 64, V = 28:
			// A 2*28 floats, B 28*32, C 64, 1016 floats.
			"gemm", "gemm", "512", 0, 4 << 10, `
teams 4 threads 64 bytes 4064 | i 2x1 | j 32x1
interval 1 statements, 256 bytes
  C[i_tile +1 x2][j_tile +1 x32] read written exact @0
interval 1 statements, 4064 bytes, 28 of k 0 .. 512
  C[i_tile +1 x2][j_tile +1 x32] read written exact @0
  A[i_tile +1 x2][k_tile +1 x28, to 511] read @256
  B[k_tile +1 x28, to 511][j_tile +1 x32] read @480
`},
		{
			// 38*34 iterations are 19*2 block iterations of 2*32, 10 for each of 4 teams: 5
			// along i, both along j. A has a row and a column more on each side of 10*34.
			"conv2d", "conv2d", "", 0, 48 << 10, `
teams 4 threads 64 bytes 3136 | i 2x5 | j 32x2
interval 3 statements, 3136 bytes
  W[0 +1 x3][0 +1 x3] read @0
  A[i_tile - 1 +1 x12, to 39][j_tile - 1 +1 x36] read @48
  B[i_tile +1 x10, to 38][j_tile +1 x34] written exact @1776
`},
		{
			// k+1..27 of 28 rows and columns: at most 27 of each. 14 block iterations of 2
			// rows are 7 for each of 2 teams. Row and column k lie outside the tile.
			"lu", "lu", "", 1, 48 << 10, `
teams 2 threads 64 bytes 1696 | i 2x7 | j 32x1
interval 1 statements, 1696 bytes
  A[i_tile +1 x14, to 27][j_tile +1 x27, to 27] read written exact @0
  A[i_tile +1 x14, to 27][k +1 x1] read @1520
  A[k +1 x1][j_tile +1 x27, to 27] read @1584
`},
		{
			// The diagonal, the part right of it and its mirror image together are the
			// square, 2304 bytes and as many of marks; X takes 32*24 floats.
			"corr marks a triangle", "corr", "", 3, 48 << 10, `
teams 1 threads 32 bytes 7680 | j 32x1
interval 2 statements, 7680 bytes
  C[j_tile +1 x24][j_tile +1 x24] written marked @0
  X[0 +1 x32][j_tile +1 x24] read @2304
`},
		{
			// Upwards, V rows of 32 columns: P and Q take (V+1)*32*8 bytes and half as many
			// of marks each, U V*34*8: 1040 V + 768 <= 16384, V = 15. Downwards, P and Q
			// V*32*8 each, V one row more and marks: 896 V + 384 <= 16384, V = 17.
			"adi in both directions", "adi", "512", 0, 16 << 10, `
teams 1 threads 32 bytes 16368 | j 32x1
interval 2 statements, 768 bytes
  P[0 +1 x1][j_tile +1 x32, to 510] written exact @0
  U[0 +1 x1][j_tile +1 x32, to 510] read @256
  Q[0 +1 x1][j_tile +1 x32, to 510] written exact @512
interval 1 statements, 16368 bytes, 15 of i 1 .. 511
  P[i_tile - 1 +1 x16][j_tile +1 x32, to 510] read written marked @0
  U[i_tile +1 x15][j_tile - 1 +1 x34, to 511] read @4096
  Q[i_tile - 1 +1 x16][j_tile +1 x32, to 510] read written marked @8176
interval 1 statements, 512 bytes
  U[511 +1 x1][j_tile +1 x32, to 510] read @0
  V[511 +1 x1][j_tile +1 x32, to 510] written exact @256
interval 1 statements, 15616 bytes, 17 of i 510 .. 0
  P[i_tile - 16 +1 x17][j_tile +1 x32, to 510] read @0
  V[i_tile - 16 +1 x18][j_tile +1 x32, to 510] read written marked @4352
  Q[i_tile - 16 +1 x17][j_tile +1 x32, to 510] read @8960
interval 1 statements, 512 bytes
  U[0 +1 x1][j_tile +1 x32, to 510] read @0
  V[0 +1 x1][j_tile +1 x32, to 510] written exact @256
`},
		{
			// A row of A for each of 32 threads takes 128*32 floats, more than there are, so
			// p is walked. Of s, 32 V + V floats and 32 of S: 132 V + 128 <= 8192, V = 61.
			"doitgen walks", "doitgen", "128", 0, 8 << 10, `
teams 4 threads 32 bytes 8192 | r 1x1 | q 32x1
walk p 0 .. 128
  interval 1 statements, 128 bytes
    S[r_tile +1 x1][q_tile +1 x32][p +1 x1] written exact @0
  interval 1 statements, 8192 bytes, 61 of s 0 .. 128
    S[r_tile +1 x1][q_tile +1 x32][p +1 x1] read written exact @0
    A[r_tile +1 x1][q_tile +1 x32][s_tile +1 x61, to 127] read @128
    B[s_tile +1 x61, to 127][p +1 x1] read @7936
interval 1 statements, 8192 bytes, 32 of p 0 .. 128
  S[r_tile +1 x1][q_tile +1 x32][p_tile +1 x32] read @0
  A[r_tile +1 x1][q_tile +1 x32][p_tile +1 x32] written exact @4096
`},
		{
			// The box around an antidiagonal of 22 rows and its neighbours is the array.
			"seidel2d", "seidel2d", "", 0, 16 << 10, `
teams 1 threads 32 bytes 4608 | i 32x1
interval 1 statements, 4608 bytes
  A[i_tile - 1 +1 x24][0 +1 x24, from w - 45, to w - 2*i_tile + 1] read written marked @0
`},
		{
			// 5 block iterations of 64 are 3 for a team: 192 floats of both, and 64*8 bytes
			// to combine the threads' results.
			"reduce", "reduce", "", 0, 2 << 10, `
teams 2 threads 64 bytes 2048 | i 64x3
interval 3 statements, 1536 bytes
  x[i_tile +1 x192, to 299] read @0
  y[i_tile +1 x192, to 299] read @768
`},
		{
			// i_tile and i_tile+1 end at i_tile+1 or 23; the walk over k is theirs together.
			"symm, bounds by thread", "symm", "", 0, 2 << 10, `
teams 4 threads 64 bytes 2048 | i 2x1 | j 32x1
plain 1
interval 1 statements, 2048 bytes, 17 of k 0 .. i_tile + 1
  A[i_tile +1 x2][k_tile +1 x17, to i_tile + 1] read @0
  B[k_tile +1 x17, to i_tile + 1][j_tile +1 x28] read @144
interval 1 statements, 2048 bytes, 17 of k i_tile + 1 .. 24
  A[k_tile +1 x17, to 23][i_tile +1 x2] read @0
  B[k_tile +1 x17, to 23][j_tile +1 x28] read @144
interval 1 statements, 224 bytes
  C[i_tile +1 x2][j_tile +1 x28] read written exact @0
`},
		{
			// Rows 2r to 2r+1 and columns 2j to 2j+1: every element once.
			"downsample", "downsample", "", 0, 2 << 10, `
teams 4 threads 64 bytes 1600 | i 2x2 | j 32x1
interval 1 statements, 1600 bytes
  A[2*i_tile +1 x8][2*j_tile +1 x40] read @0
  B[j_tile +1 x20][i_tile +1 x4] written exact @1280
`},
		{
			// The colours lie on lattices of step 2, and each half is written whole.
			"redblack", "redblack", "", 0, 16 << 10, `
teams 1 threads 32 bytes 5024 | r 32x1
interval 2 statements, 5024 bytes
  A[2*r_tile + 1 +2 x12][1 +2 x12] read written exact @0
  A[2*r_tile +2 x13][1 +2 x13] read @1152
  A[2*r_tile + 1 +2 x13][0 +2 x13] read @2512
  A[2*r_tile + 2 +2 x12][2 +2 x12] read written exact @3872
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			defines := map[string]string{}
			if c.size != "" {
				defines = sizes(c.size)
			}
			p := plan(t, example(t, c.program, defines), c.kernel, tile.Options{SPMBytes: c.spm})
			if diff := cmp.Diff(strings.TrimPrefix(c.want, "\n"), listing(p)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
