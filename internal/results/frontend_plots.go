package main

import (
	"strings"

	"github.com/warpbound/warpbound/analysis"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/plot"
)

// frontFigure draws a figure of the kernels by issue policy, one above the other,
// and within each by fetch policy, with data caches and without.
func (r *results) frontFigure(title, label string, levels []plot.Level, of func(on frontMachine, kernel string, p analysis.Pair) float64) plot.Figure {
	f := plot.Figure{Title: title, Width: 900, PanelHeight: 220}
	policies := []string{"gtlrr", "gtlo", "lrr"}
	for _, issue := range policies {
		p := plot.Panel{Y: plot.Axis{Label: strings.ToUpper(issue) + " issue: " + label}, X: plot.Axis{Names: frontKernels}, Levels: levels}
		for _, on := range []frontMachine{constant, cachedDC} {
			for _, fetch := range policies {
				s := plot.Series{Name: strings.ToUpper(fetch) + " fetch, " + on.name, Style: plot.Bars}
				for i, k := range frontKernels {
					s.Points = append(s.Points, plot.Point{X: float64(i), Y: of(on, k, analysis.Pair{Fetch: fetch, Issue: issue})})
				}
				p.Series = append(p.Series, s)
			}
		}
		f.Panels = append(f.Panels, p)
	}
	return f
}

// frontFigures are Crouzet2024, Fig. 4 to 8.
func (r *results) frontFigures() []figure {
	return []figure{
		{r.frontFigure("IPC of the baseline", "IPC", nil, func(on frontMachine, k string, p analysis.Pair) float64 {
			return r.fronted(on, k, gpu.Baseline, p).ipc()
		}), dataDir + "/front-ipc.svg"},
		{r.frontFigure("Scheduling errors of the baseline", "error rate, %", nil, func(on frontMachine, k string, p analysis.Pair) float64 {
			return 100 * r.fronted(on, k, gpu.Baseline, p).errorRate()
		}), dataDir + "/front-errors.svg"},
		{r.frontFigure("IPC of SWaS over that of the baseline", "ratio", []plot.Level{{Y: 1}}, r.swasRatio), dataDir + "/front-swas.svg"},
	}
}
