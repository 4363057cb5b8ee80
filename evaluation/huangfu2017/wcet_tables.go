package huangfu2017

import (
	"fmt"
	"math"

	"github.com/warpbound/warpbound/evaluation/internal/kit"
	"github.com/warpbound/warpbound/internal/plot"
	"github.com/warpbound/warpbound/internal/report"
)

// A predictor is one way to predict the time of a launch.
type predictor struct {
	name string
	of   func(*prediction) int64
}

var predictors = []predictor{
	{"eq. 3, no miss rate", func(f *prediction) int64 { return f.Unknown }},
	{"eq. 4, with miss rate", func(f *prediction) int64 { return f.Estimated }},
	{"safe bound, hits and misses known", func(f *prediction) int64 { return f.Bound }},
	{"of it without other SMs' requests", func(f *prediction) int64 { return f.Bound - f.OtherSMs }},
}

// over is the overestimation of the prediction, NaN where there is none.
func (s *predictor) over(f *prediction) float64 {
	if n := s.of(f); n > 0 {
		return kit.Over(n, f.Simulated)
	}
	return math.NaN()
}

// predictionsOn are the rows of a machine and a cache.
func (r *results) predictionsOn(gpu string, kb int64) []prediction {
	var out []prediction
	for _, x := range r.wcet {
		if x.GPU == gpu && x.KB == kb {
			out = append(out, x)
		}
	}
	return out
}

// wcetPerLaunch is Huangfu2017, Fig. 16, launch by launch.
func (r *results) wcetPerLaunch() string {
	t := report.Table{Header: []string{"launch"}}
	for _, kb := range []int64{firstKB, sizesKB[len(sizesKB)-1]} {
		t.Header = append(t.Header, fmt.Sprintf("simulated, %d kB", kb))
		for _, s := range predictors {
			t.Header = append(t.Header, s.name)
		}
	}
	small, large := r.predictionsOn(fermi, firstKB), r.predictionsOn(fermi, sizesKB[len(sizesKB)-1])
	for i := range small {
		cells := []any{kit.Base(small[i].Launch)}
		for _, f := range []*prediction{&small[i], &large[i]} {
			cells = append(cells, report.Count(f.Simulated))
			for _, s := range predictors {
				cells = append(cells, kit.Points(s.over(f)))
			}
		}
		t.Add(cells...)
	}
	return t.Render(report.Markdown)
}

// wcetMeans sums up the predictions by machine and cache.
func (r *results) wcetMeans() string {
	t := report.Table{Header: []string{"simulated by", "predicted by", "cache", "launches", "mean", "median", "largest", "below the simulation"}, Left: []int{1, 2}}
	for _, gpu := range predictedGPUs {
		for _, s := range predictors {
			for _, kb := range sizesKB {
				rows := r.predictionsOn(gpu, kb)
				var has []prediction
				below, most := 0, math.Inf(-1)
				for _, x := range rows {
					o := s.over(&x)
					if math.IsNaN(o) {
						continue
					}
					has, most = append(has, x), max(most, o)
					if o < 0 {
						below++
					}
				}
				model := "pipeline"
				if gpu == fermiAbstract {
					model = "abstract model"
				}
				t.Add(model, s.name, fmt.Sprintf("%d kB", kb), len(has), kit.Points(kit.Mean(has, s.over)), kit.Points(kit.Median(has, s.over)), kit.Points(most), below)
			}
		}
	}
	return t.Render(report.Markdown)
}

// wcetCorrelations are Spearman's, of overestimations with the properties of
// launches.
func (r *results) wcetCorrelations() string {
	t := report.Table{Header: []string{"property of a launch"}}
	for _, s := range predictors {
		t.Header = append(t.Header, s.name)
	}
	launches, rows := r.trios(fermi, 1, firstKB), r.predictionsOn(fermi, firstKB)
	for _, p := range append(properties[:len(properties)-3:len(properties)-3], property{"hits an instruction", (*trio).hits}) {
		cells := []any{p.name}
		for _, s := range predictors {
			var xs, ys []float64
			for i := range rows {
				xs, ys = append(xs, p.value(&launches[i])), append(ys, s.over(&rows[i]))
			}
			cells = append(cells, fmt.Sprintf("%.2f", kit.Correlation(kit.Ranks(xs), kit.Ranks(ys))))
		}
		t.Add(cells...)
	}
	return t.Render(report.Markdown)
}

// hits is the number of requests that hit, over the instructions.
func (t *trio) hits() float64 {
	return float64(t.reordered.Requests-t.reordered.Misses) / float64(t.reordered.WarpInstructions)
}

// wcetFigure is Huangfu2017, Fig. 16.
func (r *results) wcetFigure() plot.Figure {
	f := plot.Figure{Title: "Overestimation with the reordering unit on 15 SMs, 16 kB", Width: 1250, PanelHeight: 220}
	rows := r.predictionsOn(fermi, firstKB)
	for from := 0; from < len(rows); from += namesOfPanel {
		in := rows[from:min(from+namesOfPanel, len(rows))]
		p := plot.Panel{Y: plot.Axis{Label: "overestimation, %", Whole: true}}
		for i := range in {
			p.X.Names = append(p.X.Names, kit.Base(in[i].Launch))
		}
		for _, s := range predictors {
			drawn := plot.Series{Name: s.name, Style: plot.Bars}
			for i := range in {
				if y := s.over(&in[i]); !math.IsNaN(y) {
					drawn.Points = append(drawn.Points, plot.Point{X: float64(i), Y: 100 * y})
				}
			}
			p.Series = append(p.Series, drawn)
		}
		f.Panels = append(f.Panels, p)
	}
	return f
}
