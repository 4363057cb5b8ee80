package plot

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
)

// Figure is a picture of panels, one above the other.
type Figure struct {
	Title  string
	Note   string // below the panels: what the picture is of
	Panels []Panel
	// Width and PanelHeight are in points of 1/72 inch; 0 means 560 and 300.
	Width, PanelHeight float64
}

// Panel is a pair of axes with what is drawn between them.
type Panel struct {
	X, Y   Axis
	Series []Series
	Levels []Level
	// LegendLeft puts the legend at the left, where the curves rise.
	LegendLeft bool
}

// Axis is one axis. Its range is that of the data, unless Max is above Min.
type Axis struct {
	Label    string
	Log      bool // logarithmic; all values have to be positive
	Whole    bool // ticks at whole numbers only
	Min, Max float64
	// Names label the positions 0, 1, 2, ... of a horizontal axis.
	Names []string
}

// Style says how a series is drawn.
type Style int

// The styles of series.
const (
	LineMarkers Style = iota // a line with a marker at each point
	Line
	Markers
	Bars   // a bar from 0 to each point, beside those of other series
	Layers // a bar from 0 to each point, at its X and over those of series before
)

// Series is a named sequence of points, in the order in which they are joined.
type Series struct {
	Name   string
	Style  Style
	Points []Point
}

// Point is a point in the units of the axes.
type Point struct{ X, Y float64 }

// Level is a dashed horizontal line across the panel.
type Level struct {
	Name string
	Y    float64
}

// The formats of pictures.
const (
	PNG = "png"
	SVG = "svg"
)

// Format tells the format of a file by its name.
func Format(file string) (string, error) {
	switch ext := strings.ToLower(filepath.Ext(file)); ext {
	case ".png":
		return PNG, nil
	case ".svg":
		return SVG, nil
	}
	return "", fmt.Errorf("%s: expected a name that ends in .png or .svg", file)
}

// check refuses what cannot be drawn.
func (f *Figure) check() error {
	if len(f.Panels) == 0 {
		return fmt.Errorf("figure %q: no panel", f.Title)
	}
	if f.Width < 0 || f.PanelHeight < 0 || f.Width > maxPoints || f.PanelHeight*float64(len(f.Panels)) > maxPoints {
		return fmt.Errorf("figure %q: %g points wide and %g a panel, expected at most %d", f.Title, f.Width, f.PanelHeight, maxPoints)
	}
	for i := range f.Panels {
		p := &f.Panels[i]
		drawn := 0
		for _, s := range p.Series {
			for _, at := range s.Points {
				drawn++
				if err := p.inside(s.Name, at); err != nil {
					return err
				}
				if (s.Style == Bars || s.Style == Layers) && p.Y.Log {
					return fmt.Errorf("series %q: bars on a logarithmic axis, which has no 0", s.Name)
				}
			}
		}
		for _, l := range p.Levels {
			if err := p.inside(l.Name, Point{X: 1, Y: l.Y}); err != nil {
				return err
			}
		}
		if drawn == 0 {
			return fmt.Errorf("figure %q: panel %d has no point", f.Title, i+1)
		}
	}
	return nil
}

// maxPoints bounds the size of a picture: 20,000 points are 7 m.
const maxPoints = 20000

func (p *Panel) inside(name string, at Point) error {
	for _, v := range []struct {
		axis  *Axis
		value float64
	}{{&p.X, at.X}, {&p.Y, at.Y}} {
		if math.IsNaN(v.value) || math.IsInf(v.value, 0) {
			return fmt.Errorf("series %q: %v is no number to draw", name, v.value)
		}
		if v.axis.Log && v.value <= 0 {
			return fmt.Errorf("series %q: %v on a logarithmic axis", name, v.value)
		}
	}
	return nil
}
