package crouzet2024

import (
	"strings"

	"github.com/warpbound/warpbound/evaluation/internal/kit"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/plot"
)

// frontFigure draws a figure of the kernels by issue policy, one above the other,
// and within each by fetch policy, without data caches and with them. most is the
// end of the axes.
func (r *results) frontFigure(title, label string, most float64, levels []plot.Level, of func(on frontMachine, kernel string, p analysis.Pair) float64) plot.Figure {
	f := plot.Figure{Title: title, Width: 900, PanelHeight: 220}
	policies := []string{"gtlrr", "gtlo", "lrr"}
	for i, issue := range policies {
		// The names are in the first panel only, which leaves them room.
		p := plot.Panel{Y: plot.Axis{Label: strings.ToUpper(issue) + " issue: " + label, Max: most}, X: plot.Axis{Names: frontKernels}, Levels: levels}
		if i == 0 {
			p.Y.Max *= 1.7
		}
		for _, on := range []frontMachine{constant, cachedDC} {
			for _, fetch := range policies {
				s := plot.Series{Style: plot.Bars}
				if i == 0 {
					s.Name = strings.ToUpper(fetch) + " fetch, " + on.name
				}
				for j, k := range frontKernels {
					s.Points = append(s.Points, plot.Point{X: float64(j), Y: of(on, k, analysis.Pair{Fetch: fetch, Issue: issue})})
				}
				p.Series = append(p.Series, s)
			}
		}
		f.Panels = append(f.Panels, p)
	}
	return f
}

// frontFigures are Crouzet2024, Fig. 4 to 8.
func (r *results) frontFigures() []kit.Figure {
	return []kit.Figure{
		{Figure: r.frontFigure("IPC of the baseline", "IPC", 33, nil, func(on frontMachine, k string, p analysis.Pair) float64 {
			return r.fronted(on, k, gpu.Baseline, p).ipc()
		}), File: kit.DataDir + "/front-ipc.svg"},
		{Figure: r.frontFigure("Scheduling errors of the baseline", "error rate, %", 100, nil, func(on frontMachine, k string, p analysis.Pair) float64 {
			return 100 * r.fronted(on, k, gpu.Baseline, p).errorRate()
		}), File: kit.DataDir + "/front-errors.svg"},
		{Figure: r.frontFigure("IPC of SWaS over that of the baseline", "ratio", 1.15, []plot.Level{{Y: 1}}, r.swasRatio), File: kit.DataDir + "/front-swas.svg"},
	}
}
