package tile_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warpbound/warpbound/prem/tile"
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
	} {
		t.Run(c.name, func(t *testing.T) {
			p := plan(t, example(t, c.program, sizes(c.size)), c.kernel, tile.Options{SPMBytes: c.spm})
			if diff := cmp.Diff(strings.TrimPrefix(c.want, "\n"), listing(p)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
