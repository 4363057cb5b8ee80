package huangfu2017

import (
	"fmt"

	"github.com/warpbound/warpbound/evaluation/internal/kit"

	"github.com/warpbound/warpbound/internal/plot"
)

// namesOfPanel is how many launches a panel has room to name.
const namesOfPanel = 10

// timesFigure is Huangfu2017, Fig. 12, with grids as they are and launched over.
func (r *results) timesFigure() plot.Figure {
	f := plot.Figure{Title: "Cycles on 15 SMs over those of the default, 16 kB", Width: 1250, PanelHeight: 220}
	few := r.everywhere(1)
	for from := 0; from < len(few); from += namesOfPanel {
		in := few[from:min(from+namesOfPanel, len(few))]
		p := plot.Panel{Y: plot.Axis{Label: "normalised cycles"}}
		for _, t := range in {
			p.X.Names = append(p.X.Names, kit.Base(t.dynamic.Launch))
		}
		for _, layers := range []int64{1, midLayers} {
			of := r.everywhere(layers)[from : from+len(in)]
			for _, scheme := range []string{strict, reordered} {
				s := plot.Series{Name: scheme + ", " + gridName(layers), Style: plot.Bars}
				for i := range of {
					s.Points = append(s.Points, plot.Point{X: float64(i), Y: of[i].times(of[i].of(scheme))})
				}
				p.Series = append(p.Series, s)
			}
		}
		f.Panels = append(f.Panels, p)
	}
	return f
}

// missFigure is Huangfu2017, Fig. 15.
func (r *results) missFigure() plot.Figure {
	simulated := plot.Series{Name: "simulated, reordered", Style: plot.Bars}
	estimated := plot.Series{Name: "estimated", Style: plot.Bars}
	p := plot.Panel{X: plot.Axis{Label: "size in kB / ways; x15: grids 15 times over"}, Y: plot.Axis{Label: "mean miss rate, %"}}
	for i, s := range schemeShapes() {
		m := r.missesOf(s)
		name := fmt.Sprintf("%d/%d", s.kb, s.ways)
		if s.layers > 1 {
			name += fmt.Sprintf(" x%d", s.layers)
		}
		p.X.Names = append(p.X.Names, name)
		simulated.Points = append(simulated.Points, plot.Point{X: float64(i), Y: 100 * m.simulated})
		estimated.Points = append(estimated.Points, plot.Point{X: float64(i), Y: 100 * m.estimated})
	}
	p.Series = []plot.Series{simulated, estimated}
	return plot.Figure{Title: "Miss rates on 15 SMs", Width: 900, PanelHeight: 260, Panels: []plot.Panel{p}}
}

// warpsFigure plots the gain of launches over the warps of an SM.
func (r *results) warpsFigure() plot.Figure {
	each := plot.Panel{
		X: plot.Axis{Label: "mean number of warps of an SM", Whole: true}, Y: plot.Axis{Label: "srr - reorder, % of default", Whole: true},
		Levels: []plot.Level{{Name: "mean of Huangfu2017", Y: paperGain}},
	}
	means := plot.Panel{X: each.X, Y: plot.Axis{Label: "mean, % of default", Whole: true}, Levels: each.Levels, LegendLeft: true}
	lines := []struct {
		name string
		of   func(*trio) float64
	}{
		{"srr loses", func(t *trio) float64 { return t.strictTimes() - 1 }},
		{"reorder loses", func(t *trio) float64 { return t.reorderedTimes() - 1 }},
		{"difference", (*trio).gain},
	}
	for _, l := range lines {
		means.Series = append(means.Series, plot.Series{Name: l.name})
	}
	for _, layers := range layerCounts {
		of := r.everywhere(layers)
		s := plot.Series{Name: gridName(layers), Style: plot.Markers}
		for i := range of {
			s.Points = append(s.Points, plot.Point{X: of[i].warps(), Y: 100 * of[i].gain()})
		}
		each.Series = append(each.Series, s)
		x := kit.Mean(of, (*trio).warps)
		for i, l := range lines {
			means.Series[i].Points = append(means.Series[i].Points, plot.Point{X: x, Y: 100 * kit.Mean(of, l.of)})
		}
	}
	return plot.Figure{Title: "Reordering against strict turns on 15 SMs, 16 kB, launch by launch", Width: 800, PanelHeight: 300, Panels: []plot.Panel{each, means}}
}

// figures are the pictures of the page.
func (r *results) figures() []kit.Figure {
	return []kit.Figure{
		{Figure: r.timesFigure(), File: kit.DataDir + "/schemes.svg"},
		{Figure: r.missFigure(), File: kit.DataDir + "/missrates.svg"},
		{Figure: r.warpsFigure(), File: kit.DataDir + "/warps.svg"},
		{Figure: r.wcetFigure(), File: kit.DataDir + "/wcet.svg"},
	}
}
