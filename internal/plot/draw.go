package plot

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// palette is the one of Okabe and Ito without its yellow, which is hard to see on
// white, from the darkest contrast on.
var palette = []color.RGBA{
	{0x00, 0x72, 0xb2, 0xff}, {0xd5, 0x5e, 0x00, 0xff}, {0x00, 0x9e, 0x73, 0xff},
	{0xcc, 0x79, 0xa7, 0xff}, {0xe6, 0x9f, 0x00, 0xff}, {0x56, 0xb4, 0xe9, 0xff}, {0x00, 0x00, 0x00, 0xff},
}

var glyphs = []draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.CrossGlyph{}, draw.RingGlyph{}, draw.BoxGlyph{}, draw.PlusGlyph{},
}

var grey = color.RGBA{0x60, 0x60, 0x60, 0xff}

// dashes tell levels apart.
var dashes = [][]vg.Length{{7, 4}, {2, 3}, {9, 3, 2, 3}}

const (
	defaultWidth  = 560 // points
	defaultHeight = 300 // points, of a panel
	barWidth      = 12  // points
	pngDPI        = 144
)

// Render draws the figure in a format, PNG or SVG. The same figure gives the same
// bytes.
func (f *Figure) Render(format string) ([]byte, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	width, height := vg.Length(f.Width), vg.Length(f.PanelHeight)
	if width == 0 {
		width = defaultWidth
	}
	if height == 0 {
		height = defaultHeight
	}
	height *= vg.Length(len(f.Panels))
	note := noteLines(f.Note, width-16)
	height += vg.Length(len(note)) * noteLine
	var canvas vg.CanvasWriterTo
	switch format {
	case PNG:
		canvas = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(pngDPI))}
	case SVG:
		canvas = vgsvg.NewWith(vgsvg.UseWH(width, height))
	default:
		return nil, fmt.Errorf("format %q, expected %s or %s", format, PNG, SVG)
	}
	c := draw.NewCanvas(canvas, width, height)
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	if err := f.draw(drawNote(c, note)); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if _, err := canvas.WriteTo(&out); err != nil {
		return nil, fmt.Errorf("drawing %q: %w", f.Title, err)
	}
	if format == SVG {
		return fit(out.Bytes()), nil
	}
	return out.Bytes(), nil
}

func (f *Figure) draw(c draw.Canvas) error {
	var rows [][]*plot.Plot
	for i := range f.Panels {
		p, err := f.Panels[i].plot()
		if err != nil {
			return err
		}
		if i == 0 {
			p.Title.Text = f.Title
		}
		rows = append(rows, []*plot.Plot{p})
	}
	tiles := draw.Tiles{
		Rows: len(rows), Cols: 1, PadY: 8,
		PadTop: 6, PadBottom: 6, PadLeft: 6, PadRight: 14,
	}
	for i, row := range plot.Align(rows, tiles, c) {
		rows[i][0].Draw(row[0])
	}
	return nil
}

func (p *Panel) plot() (*plot.Plot, error) {
	out := plot.New()
	sans(out)
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = color.Gray{0xe4}, color.Gray{0xe4}
	out.Add(grid)
	if err := p.series(out); err != nil {
		return nil, err
	}
	p.X.set(&out.X)
	p.Y.set(&out.Y)
	if p.bars() > 0 && len(p.X.Names) == 0 {
		out.X.Min, out.X.Max = out.X.Min-0.5, out.X.Max+0.5
	}
	if len(p.X.Names) > 0 {
		out.NominalX(p.X.Names...)
		out.X.Min, out.X.Max = -0.5, float64(len(p.X.Names))-0.5
	}
	for i, l := range p.Levels {
		// A dashed line of its own, not of the axes' range: it reaches over the panel.
		line, err := plotter.NewLine(plotter.XYs{{X: out.X.Min, Y: l.Y}, {X: out.X.Max, Y: l.Y}})
		if err != nil {
			return nil, err
		}
		line.Color, line.Width, line.Dashes = grey, 1.2, dashes[i%len(dashes)]
		out.Add(line)
		if l.Name != "" {
			out.Legend.Add(l.Name, line)
		}
	}
	if p.LegendLeft {
		out.Legend.Left, out.Legend.XOffs = true, 4
	}
	p.room(out)
	return out, nil
}

// room leaves space above the highest value, where the legend is.
func (p *Panel) room(out *plot.Plot) {
	if p.Y.Max > p.Y.Min {
		return
	}
	if p.Y.Log {
		out.Y.Min = math.Pow(10, math.Floor(math.Log10(out.Y.Min)))
		out.Y.Max = math.Pow(10, math.Floor(math.Log10(out.Y.Max))+1)
		return
	}
	span := out.Y.Max - out.Y.Min
	if span == 0 {
		span = math.Max(1, math.Abs(out.Y.Max))
	}
	if !p.fromZero() {
		out.Y.Min -= span / 20
	}
	out.Y.Max += span / 20 * float64(1+2*(len(p.Series)+len(p.Levels)))
}

func (p *Panel) fromZero() bool {
	return slices.ContainsFunc(p.Series, func(s Series) bool { return len(s.Points) > 0 && (s.Style == Bars || s.Style == Layers) })
}

func (p *Panel) bars() int {
	n := 0
	for _, s := range p.Series {
		if s.Style == Bars && len(s.Points) > 0 {
			n++
		}
	}
	return n
}

func (p *Panel) series(out *plot.Plot) error {
	bars, bar := p.bars(), 0
	for i, s := range p.Series {
		if len(s.Points) == 0 {
			continue
		}
		tint, glyph := palette[i%len(palette)], glyphs[i%len(glyphs)]
		points := make(plotter.XYs, len(s.Points))
		for j, at := range s.Points {
			points[j] = plotter.XY{X: at.X, Y: at.Y}
		}
		var drawn []plot.Thumbnailer
		if s.Style == Bars || s.Style == Layers {
			b := &barSeries{points: points, color: tint}
			if s.Style == Bars {
				b.offset = (float64(bar) - float64(bars-1)/2) * barWidth
				bar++
			}
			out.Add(b)
			drawn = append(drawn, b)
		}
		if s.Style == Line || s.Style == LineMarkers {
			line, err := plotter.NewLine(points)
			if err != nil {
				return fmt.Errorf("series %q: %w", s.Name, err)
			}
			line.Color, line.Width = tint, 1.4
			out.Add(line)
			drawn = append(drawn, line)
		}
		if s.Style == Markers || s.Style == LineMarkers {
			dots, err := plotter.NewScatter(points)
			if err != nil {
				return fmt.Errorf("series %q: %w", s.Name, err)
			}
			dots.GlyphStyle = draw.GlyphStyle{Color: tint, Radius: 2.8, Shape: glyph}
			out.Add(dots)
			drawn = append(drawn, dots)
		}
		if s.Name != "" {
			out.Legend.Add(s.Name, drawn...)
		}
	}
	return nil
}

// sans sets the fonts: those of gonum.org/v1/plot come with it, so that a picture
// does not depend on what is installed.
func sans(p *plot.Plot) {
	face := sansFont(10)
	for _, text := range []*draw.TextStyle{
		&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label, &p.Legend.TextStyle,
	} {
		text.Font = face
	}
	p.Title.TextStyle.Font.Size = 12
	p.Title.Padding = 8
	p.X.Padding, p.Y.Padding = 3, 3
	p.Legend.Top, p.Legend.XOffs, p.Legend.YOffs, p.Legend.Padding = true, -4, -4, 2
}

// set gives a gonum axis what ours says.
func (a *Axis) set(to *plot.Axis) {
	to.Label.Text = a.Label
	if a.Max > a.Min {
		to.Min, to.Max = a.Min, a.Max
	}
	switch {
	case a.Log:
		to.Scale, to.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	case a.Whole:
		to.Tick.Marker = wholeTicks{}
	default:
		to.Tick.Marker = plot.DefaultTicks{}
	}
	if !a.Log && to.Min == to.Max {
		to.Min, to.Max = to.Min-0.5, to.Max+0.5
	}
}

// wholeTicks are ticks at multiples of 1, 2 or 5 times a power of ten, at most
// twelve of them.
type wholeTicks struct{}

// Ticks is the method of plot.Ticker.
func (wholeTicks) Ticks(low, high float64) []plot.Tick {
	const most = 12
	step := 1.0
	for i := 0; (high-low)/step > most; i++ {
		step *= []float64{2, 2.5, 2}[i%3]
	}
	var ticks []plot.Tick
	for v := math.Ceil(low/step) * step; v <= high; v += step {
		v += 0 // -0 is written as 0
		ticks = append(ticks, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'f', -1, 64)})
	}
	return ticks
}

// barSeries draws a bar from 0 to each point.
type barSeries struct {
	points plotter.XYs
	color  color.Color
	offset float64 // points, from the middle
}

// Plot is the method of plot.Plotter.
func (b *barSeries) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, at := range b.points {
		left := x(at.X) + vg.Length(b.offset) - barWidth/2
		c.FillPolygon(b.color, c.ClipPolygonXY([]vg.Point{
			{X: left, Y: y(0)}, {X: left, Y: y(at.Y)}, {X: left + barWidth, Y: y(at.Y)}, {X: left + barWidth, Y: y(0)},
		}))
	}
}

// DataRange is the method of plot.DataRanger.
func (b *barSeries) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, xmax, ymin, ymax = plotter.XYRange(b.points)
	return xmin, xmax, math.Min(ymin, 0), math.Max(ymax, 0)
}

// Thumbnail is the method of plot.Thumbnailer.
func (b *barSeries) Thumbnail(c *draw.Canvas) {
	c.FillPolygon(b.color, []vg.Point{
		{X: c.Min.X, Y: c.Min.Y}, {X: c.Min.X, Y: c.Max.Y}, {X: c.Max.X, Y: c.Max.Y}, {X: c.Max.X, Y: c.Min.Y},
	})
}
