package report

import (
	"fmt"
	"strings"

	"github.com/warpbound/warpbound/internal/plot"
)

// MakespanPlot draws the curve of a study as PNG or SVG (plot.PNG, plot.SVG): the
// published estimate by x, raw and least, with the published pessimistic figure
// and the best safe one as dashed lines (Berezovskyi2012, Fig. 6), and below, where
// the document has times, the computation time (Fig. 5 and 7).
func MakespanPlot(d *MakespanDocument, format string) ([]byte, error) {
	if len(d.Curve) == 0 {
		return nil, fmt.Errorf("no point of the curve was finished")
	}
	raw := plot.Series{Name: "published estimate from x", Style: plot.Markers}
	least := plot.Series{Name: "least of those up to x", Style: plot.Line}
	for _, p := range d.Curve {
		raw.Points = append(raw.Points, plot.Point{X: float64(p.X), Y: float64(p.Raw)})
		least.Points = append(least.Points, plot.Point{X: float64(p.X), Y: float64(p.Least)})
	}
	x := plot.Axis{Label: "warps (x)", Whole: true, Min: float64(d.Curve[0].X), Max: float64(d.Curve[len(d.Curve)-1].X)}
	estimates := plot.Panel{X: x, Y: plot.Axis{Label: "cycles", Whole: true}, Series: []plot.Series{raw, least}}
	if d.Pessimistic != nil {
		estimates.Levels = append(estimates.Levels, plot.Level{Name: "published pessimistic figure", Y: float64(*d.Pessimistic)})
	}
	best := "safe bound (" + d.Best.Method + ")"
	if d.Best.Exact {
		best = "exact (" + d.Best.Method + ")"
	}
	estimates.Levels = append(estimates.Levels, plot.Level{Name: best, Y: float64(d.Best.Cycles)})
	note := "warpbound " + d.Warpbound.Version
	if d.Launch != nil {
		note = d.Launch.Launch + " on " + d.Launch.note()
	}
	f := plot.Figure{Title: makespanTitle(d.Instance), Note: note, Panels: []plot.Panel{estimates}}
	if times := d.timePanel(); len(times.Series) > 0 {
		times.X = x
		f.Panels = append(f.Panels, times)
	}
	return f.Render(format)
}

// timePanel has a series a method that was timed.
func (d *MakespanDocument) timePanel() plot.Panel {
	p := plot.Panel{Y: plot.Axis{Label: "computation time (ms)", Log: true}, LegendLeft: true}
	for _, m := range d.timed() {
		s := plot.Series{Name: m}
		for _, at := range d.Curve {
			for _, t := range at.Times {
				if t.Method == m && t.Unfinished == "" {
					// A microsecond is the least that is told apart.
					s.Points = append(s.Points, plot.Point{X: float64(at.X), Y: max(t.Seconds*1000, 0.001)})
				}
			}
		}
		if len(s.Points) > 0 {
			p.Series = append(p.Series, s)
		}
	}
	return p
}

// makespanTitle names an instance in the title of a picture.
func makespanTitle(in *MakespanInstance) string {
	var sigma []string
	for _, k := range in.Kinds {
		sigma = append(sigma, fmt.Sprintf("σ(%s) = %d", k.Letter, k.Capacity))
	}
	text := in.Code
	if text == "" {
		text = in.Source
	}
	return fmt.Sprintf("%s, %s, W = %d", abbreviated(text), strings.Join(sigma, ", "), in.Warps)
}
