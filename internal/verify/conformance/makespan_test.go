package conformance

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/method/makespan"
	"github.com/warpbound/warpbound/internal/method/makespan/dp"
	"github.com/warpbound/warpbound/internal/method/makespan/potential"
	"github.com/warpbound/warpbound/internal/method/makespan/study"
	"github.com/warpbound/warpbound/internal/plot"
	"github.com/warpbound/warpbound/internal/report"
	"github.com/warpbound/warpbound/internal/testkit/golden"
)

// TestMakespanPage compares the generated parts of docs/makespan.md with what they
// should be.
func TestMakespanPage(t *testing.T) {
	file := filepath.Join(root, "docs", "makespan.md")
	old, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(old)
	text = golden.Part(t, text, "makespan-ll", witness(t, "LL", 2, 1, 4))
	text = golden.Part(t, text, "makespan-lcl", witness(t, "LCL", 1, 1, 4))
	text = golden.Part(t, text, "makespan-census", census(t))
	text = golden.Part(t, text, "makespan-anomaly", anomaly(t))
	text = golden.Part(t, text, "makespan-fig6", curve(t, "makespan-fig6.svg", capacities(t, "LLCLL", 1, 1, 600)))
	text = golden.Part(t, text, "makespan-fig7", curve(t, "makespan-fig7.svg", capacities(t, "L2CL2CL2", 1, 1, 420)))
	golden.File(t, file, text)
}

// capacities is an instance of L and C with warps of one thread.
func capacities(t *testing.T, text string, l, c, warps int64) *makespan.Instance {
	t.Helper()
	in, err := makespan.New(text, []makespan.Unit{{Letter: 'L', Count: l}, {Letter: 'C', Count: c}}, 1, warps)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func exact(t *testing.T, in *makespan.Instance, opt dp.Options) *dp.Result {
	t.Helper()
	r, err := dp.Solve(context.Background(), in, opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// witness prints a longest schedule, checked.
func witness(t *testing.T, text string, l, c, warps int64) string {
	t.Helper()
	in := capacities(t, text, l, c, warps)
	r := exact(t, in, dp.Options{Schedule: true})
	s, err := makespan.FromMoves(in, r.Moves)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Check(in); err != nil {
		t.Fatal(err)
	}
	if s.MakespanCycles() != r.Cycles {
		t.Fatalf("a schedule of %d cycles for a makespan of %d", s.MakespanCycles(), r.Cycles)
	}
	return fmt.Sprintf("```\n%s```\n\n%d cycles: `warpbound makespan %s --units L=%d,C=%d --warps %d --schedule`.\n",
		report.ScheduleText(in, s), r.Cycles, text, 32*l, 32*c, warps)
}

// makespanScreen is the output of the README's makespan command.
func makespanScreen(t *testing.T) string {
	t.Helper()
	in, err := makespan.New("LLCLL", []makespan.Unit{{Letter: 'L', Count: 32}, {Letter: 'C', Count: 32}}, 32, 600)
	if err != nil {
		t.Fatal(err)
	}
	r, err := study.Run(context.Background(), in, study.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return report.Makespan(r, nil, report.MakespanOptions{}).Document().Text()
}

// tally is how one figure compares with the exact makespans.
type tally struct {
	below, equal, all int
	sum, least, most  float64
}

func (s *tally) add(figure, exact int64) {
	ratio := float64(figure) / float64(exact)
	if s.all == 0 {
		s.least, s.most = ratio, ratio
	}
	s.all++
	s.sum += ratio
	s.least, s.most = min(s.least, ratio), max(s.most, ratio)
	switch {
	case figure < exact:
		s.below++
	case figure == exact:
		s.equal++
	}
}

// census compares every closed figure and the potential with the exact makespan of
// all short strings.
func census(t *testing.T) string {
	const length, most, warps = 6, 2, 12
	names := []string{"`paper`", "`estimate`, all x < W", "`safe`", "`potential`"}
	tallies := make([]tally, len(names))
	for n := 1; n <= length; n++ {
		for bits := range 1 << n {
			text := make([]byte, n)
			for i := range text {
				text[i] = "LC"[bits>>i&1]
			}
			for pair := range most * most {
				l, c := int64(pair%most+1), int64(pair/most+1)
				in := capacities(t, string(text), l, c, warps)
				upto := exact(t, in, dp.Options{Upto: true}).Upto
				certificate, err := potential.Derive(context.Background(), in, potential.Options{})
				if err != nil {
					t.Fatal(err)
				}
				for w := int64(1); w <= warps; w++ {
					at := in.WithWarps(w)
					figures := make([]int64, len(names))
					var err [4]error
					figures[0], err[0] = at.Published()
					if w > 1 {
						points, e := makespan.Estimates(w, upto[:w-1])
						if err[1] = e; e == nil {
							figures[1] = points[w-2].Least
						}
					}
					figures[2], err[2] = at.Safe()
					figures[3], _, err[3] = certificate.Cycles(at)
					for i, f := range figures {
						if err[i] != nil {
							t.Fatal(err[i])
						}
						if i == 1 && w == 1 {
							continue
						}
						tallies[i].add(f, upto[w-1])
					}
				}
			}
		}
	}
	var b strings.Builder
	b.WriteString("| figure | instances | below the exact value | equal to it | smallest ratio | mean ratio | largest ratio |\n|:--- | ---:| ---:| ---:| ---:| ---:| ---:|\n")
	for i, s := range tallies {
		if i >= 2 && s.below > 0 {
			t.Errorf("%s is below %d exact makespans", names[i], s.below)
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %.3f | %.3f | %.3f |\n", names[i], s.all, s.below, s.equal, s.least, s.sum/float64(s.all), s.most)
	}
	return b.String()
}

func anomaly(t *testing.T) string {
	var b strings.Builder
	b.WriteString("| LLCL or LCLL with capacities L/C | W = 1 | 2 | 3 | 4 | 5 | 6 |\n|:--- | ---:| ---:| ---:| ---:| ---:| ---:|\n")
	for _, text := range []string{"LLCL", "LCLL"} {
		for c := int64(1); c <= 2; c++ {
			fmt.Fprintf(&b, "| %s, 2/%d |", text, c)
			for _, v := range exact(t, capacities(t, text, 2, c, 6), dp.Options{Upto: true}).Upto {
				fmt.Fprintf(&b, " %d |", v)
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

// curve is the table of a figure of the paper; its picture goes into a file.
func curve(t *testing.T, picture string, in *makespan.Instance) string {
	t.Helper()
	ctx := context.Background()
	r, err := study.Run(ctx, in, study.Config{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := study.Trace(ctx, in, study.Config{}, 8)
	if err != nil {
		t.Fatal(err)
	}
	doc := report.Makespan(r, c, report.MakespanOptions{})
	svg, err := report.MakespanPlot(doc, plot.SVG)
	if err != nil {
		t.Fatal(err)
	}
	golden.File(t, filepath.Join(root, "docs", picture), svg)
	var x, exact, raw, least strings.Builder
	for _, p := range c.Points {
		fmt.Fprintf(&x, " %d |", p.X)
		fmt.Fprintf(&exact, " %d |", p.Exact)
		fmt.Fprintf(&raw, " %d |", p.Raw)
		fmt.Fprintf(&least, " %d |", p.Least)
	}
	if r.Exact == nil {
		t.Fatal("no exact makespan")
	}
	return fmt.Sprintf("| x |%s\n|:--- |%s\n| T(x) |%s\n| ⌈W/x⌉·T(x) |%s\n| least so far |%s\n\nFor %d warps: published pessimistic figure %d, safe bound %d, potential %d, **exact %d** (`%s`).\n",
		&x, strings.Repeat(" ---:|", len(c.Points)), &exact, &raw, &least,
		in.Warps, *doc.Pessimistic, *doc.Safe, *doc.Potential, r.Exact.Cycles, r.Exact.Method)
}
