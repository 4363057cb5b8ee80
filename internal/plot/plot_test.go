package plot

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"math"
	"regexp"
	"strings"
	"testing"
)

func convergence() *Figure {
	raw := []float64{3000, 2700, 2600, 2550, 2520, 2500, 2494, 2475}
	var est, times Series
	est.Name, times.Name, times.Style = "raw", "time", Markers
	for i, y := range raw {
		est.Points = append(est.Points, Point{float64(i + 1), y})
		times.Points = append(times.Points, Point{float64(i + 1), math.Pow(8, float64(i)) / 1000})
	}
	x := Axis{Label: "warps (x)", Whole: true}
	return &Figure{Title: "LLCLL, a < b & c", Panels: []Panel{
		{X: x, Y: Axis{Label: "cycles"}, Series: []Series{est}, Levels: []Level{{"pessimistic", 3000}}},
		{X: x, Y: Axis{Label: "ms", Log: true}, Series: []Series{times}, LegendLeft: true},
	}}
}

func render(t *testing.T, f *Figure, format string) []byte {
	t.Helper()
	b, err := f.Render(format)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestSameBytes(t *testing.T) {
	for _, format := range []string{PNG, SVG} {
		a, b := render(t, convergence(), format), render(t, convergence(), format)
		if !bytes.Equal(a, b) {
			t.Errorf("%s: two renderings differ", format)
		}
	}
}

func TestSVG(t *testing.T) {
	text := string(render(t, convergence(), SVG))
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("not well-formed: %v", err)
		}
	}
	for _, want := range []string{"LLCLL, a &lt; b &amp; c", ">raw<", ">pessimistic<", ">time<", ">ms<", ">8<", ">2800<", ">1000<"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s", want)
		}
	}
	if strings.Contains(text, ">1.5<") {
		t.Error("half a warp on the axis")
	}
}

func TestPNG(t *testing.T) {
	f := convergence()
	f.Width, f.PanelHeight = 300, 100
	img, err := png.Decode(bytes.NewReader(render(t, f, PNG)))
	if err != nil {
		t.Fatal(err)
	}
	if b := img.Bounds(); b.Dx() != 600 || b.Dy() != 400 {
		t.Errorf("%v, expected 600x400 pixels", b)
	}
}

// Bars of two series stand beside each other and begin at 0.
func TestBars(t *testing.T) {
	f := &Figure{Panels: []Panel{{X: Axis{Names: []string{"lrr", "gto"}}, Series: []Series{
		{Name: "a", Style: Bars, Points: []Point{{0, 10}, {1, 20}}},
		{Name: "b", Style: Bars, Points: []Point{{0, 5}, {1, 30}}},
	}}}}
	text := string(render(t, f, SVG))
	// Four bars and two legend entries.
	if n := strings.Count(text, "fill:#0072B2"); n != 3 {
		t.Errorf("%d shapes of the first series, expected 3", n)
	}
	for _, want := range []string{">lrr<", ">gto<", ">0<"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s", want)
		}
	}
}

// Layers stand over each other, where their points are.
func TestLayers(t *testing.T) {
	f := &Figure{Panels: []Panel{{X: Axis{Names: []string{"lrr", "gto"}}, Series: []Series{
		{Style: Layers, Points: []Point{{-0.25, 10}, {1.25, 20}}},
		{Style: Layers, Points: []Point{{-0.25, 5}, {1.25, 20}}},
	}}}}
	text := string(render(t, f, SVG))
	shape := regexp.MustCompile(`d="([^"]*)" style="fill:#(0072B2|D55E00)`)
	found := shape.FindAllStringSubmatch(text, -1)
	if len(found) != 4 || found[0][1] == found[2][1] || found[1][1] != found[3][1] || found[0][2] == found[2][2] {
		t.Errorf("%v in %s", found, text)
	}
}

// One point, or all points at one height, are drawn like any others.
func TestDegenerateRanges(t *testing.T) {
	for _, log := range []bool{false, true} {
		for _, points := range [][]Point{{{1, 1}}, {{1, 5}, {2, 5}}, {{1, 1e-6}, {2, 1e6}}} {
			f := &Figure{Panels: []Panel{{X: Axis{Whole: true}, Y: Axis{Log: log}, Series: []Series{{Points: points}}}}}
			render(t, f, SVG)
			render(t, f, PNG)
		}
	}
}

func TestWrongFigures(t *testing.T) {
	one := []Series{{Name: "s", Points: []Point{{1, 1}}}}
	for want, f := range map[string]*Figure{
		"no panel":                          {},
		"panel 1 has no point":              {Panels: []Panel{{}}},
		"NaN is no number to draw":          {Panels: []Panel{{Series: []Series{{Points: []Point{{1, math.NaN()}}}}}}},
		"+Inf is no number to draw":         {Panels: []Panel{{Series: []Series{{Points: []Point{{math.Inf(1), 1}}}}}}},
		`"z": 0 on a logarithmic axis`:      {Panels: []Panel{{Y: Axis{Log: true}, Series: []Series{{Name: "z", Points: []Point{{1, 0}}}}}}},
		`"l": -1 on a logarithmic axis`:     {Panels: []Panel{{Y: Axis{Log: true}, Series: one, Levels: []Level{{"l", -1}}}}},
		"bars on a logarithmic axis":        {Panels: []Panel{{Y: Axis{Log: true}, Series: []Series{{Style: Bars, Points: []Point{{1, 1}}}}}}},
		"expected at most 20000":            {Width: 1e9, Panels: []Panel{{Series: one}}},
		`format "pdf", expected png or svg`: nil,
	} {
		format := PNG
		if f == nil {
			f, format = &Figure{Panels: []Panel{{Series: one}}}, "pdf"
		}
		if _, err := f.Render(format); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %q", err, want)
		}
	}
}

func TestFormat(t *testing.T) {
	for name, want := range map[string]string{"a.png": PNG, "b/c.SVG": SVG, "a.pdf": "", "png": "", "": ""} {
		got, err := Format(name)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("Format(%q) = %q, %v", name, got, err)
		}
	}
}
