package plot

import (
	"fmt"
	"html"
	"regexp"
	"strconv"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// fallback are the fonts that an SVG picture names: that which it was laid out with,
// and those that have the same widths or come close.
const fallback = "Liberation Sans,Arimo,Arial,Helvetica,DejaVu Sans,sans-serif"

// narrow is the part of its size that a text has in an SVG picture: in the widest of
// the fallback fonts it then takes about the room that it was laid out for. A
// textLength would do so exactly, but not every program heeds it.
const narrow = 0.9

var svgText = regexp.MustCompile(`<text x="([-0-9.e]+)"([^>]*?)style="font-family:Liberation Sans;([^"]*?)font-size:([0-9.]+)px([^"]*)">([^<]*)</text>`)

// fit has every text of an SVG picture stand in the middle of the room that it was
// laid out for, and overlap nothing in whatever font it is shown.
func fit(svg []byte) []byte {
	return svgText.ReplaceAllFunc(svg, func(found []byte) []byte {
		m := svgText.FindSubmatch(found)
		x, err := strconv.ParseFloat(string(m[1]), 64)
		size, sizeErr := strconv.ParseFloat(string(m[4]), 64)
		if err != nil || sizeErr != nil {
			return found
		}
		f := face(font.Length(size))
		width := f.Width(html.UnescapeString(string(m[6])))
		return fmt.Appendf(nil, `<text x="%.5g"%stext-anchor="middle" style="font-family:%s;%sfont-size:%.4gpx%s">%s</text>`,
			x+float64(width)/2, m[2], fallback, m[3], narrow*size, m[5], m[6])
	})
}

// face is the font of every text, which comes with gonum.org/v1/plot.
func face(size font.Length) font.Face {
	return font.DefaultCache.Lookup(sansFont(size), size)
}

func sansFont(size font.Length) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
}

const (
	noteSize = 8  // points
	noteLine = 11 // points
)

// noteLines cuts a note into lines of at most the width, at its spaces.
func noteLines(note string, width vg.Length) []string {
	var out []string
	line := ""
	f := face(noteSize)
	for _, word := range strings.Fields(note) {
		if line != "" && f.Width(line+" "+word) > width {
			out = append(out, line)
			line = ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	if line != "" {
		out = append(out, line)
	}
	return out
}

// drawNote writes lines at the bottom of a canvas and returns what is above them.
func drawNote(c draw.Canvas, lines []string) draw.Canvas {
	style := draw.TextStyle{Color: grey, Font: sansFont(noteSize), Handler: text.Plain{Fonts: font.DefaultCache}}
	for i, line := range lines {
		c.FillText(style, vg.Point{X: c.Min.X + 8, Y: c.Min.Y + 5 + vg.Length(len(lines)-1-i)*noteLine}, line)
	}
	if len(lines) == 0 {
		return c
	}
	return draw.Crop(c, 0, 0, vg.Length(len(lines))*noteLine, 0)
}
