package report

import (
	"bytes"
	"fmt"
)

// Figure is a picture in a page, with what it shows in words.
type Figure struct {
	Title       string
	Description string
	// SVG is the picture: one element svg. Themed says that it takes its colours from the
	// page; others are on white.
	SVG    []byte
	Themed bool
}

// bars is a chart of horizontal bars, a row each of a sheet.
type bars struct {
	title, description string
	sheet              *Sheet
	label, value       int // columns
	most               int // rows that are shown, 0 for all
	// mark is a line across all bars, 0 for none.
	mark      int64
	markLabel string
	// hatched says of a row that its bar is drawn as an outline: it is told apart without
	// colour.
	hatched func(row []any) bool
}

// Sizes of charts, in pixels.
const (
	barsWidth  = 720
	barsLabel  = 210 // room for labels
	barsValue  = 90  // room for values
	barsRow    = 26
	barsHeight = 14
	barsTop    = 22 // with a mark
)

// figure draws the chart. Values are printed beside the bars, so that the picture says
// all without colour.
func (b *bars) figure() *Figure {
	rows := b.sheet.Rows
	if b.most > 0 && len(rows) > b.most {
		rows = rows[:b.most]
	}
	most := max(b.mark, 1)
	for _, r := range rows {
		if v, ok := r[b.value].(int64); ok {
			most = max(most, v)
		}
	}
	top := 4
	if b.mark > 0 {
		top = barsTop
	}
	height := top + barsRow*len(rows) + 4
	const room = barsWidth - barsLabel - barsValue
	// Positions are integers, so that the picture is the same on every machine. Cycles
	// are divided first where the product would not fit.
	scale := func(v int64) int64 {
		if v > 1<<52 {
			return v / (most/room + 1)
		}
		return v * room / most
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "<svg viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" font-size=\"12\">\n", barsWidth, height, barsWidth, height)
	if b.mark > 0 {
		x := barsLabel + int(scale(b.mark))
		fmt.Fprintf(&out, "<line class=\"mark\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>\n", x, barsTop-6, x, height)
		barsText(&out, min(x, barsWidth-barsValue), 12, "middle", b.markLabel, 2*barsValue)
	}
	for i, r := range rows {
		y := top + i*barsRow
		label := b.sheet.Columns[b.label].Cell(r[b.label], Text)
		barsText(&out, barsLabel-8, y+15, "end", label, barsLabel-8)
		v, ok := r[b.value].(int64)
		if !ok {
			barsText(&out, barsLabel+4, y+15, "start", "-", barsValue)
			continue
		}
		class := "bar"
		if b.hatched != nil && b.hatched(r) {
			class = "bar outlined"
		}
		w := max(scale(v), 1)
		fmt.Fprintf(&out, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", class, barsLabel, y+4, w, barsHeight)
		barsText(&out, barsLabel+int(w)+6, y+15, "start", b.sheet.Columns[b.value].Cell(v, Text), barsValue)
	}
	out.WriteString("</svg>\n")
	return &Figure{Title: b.title, Description: b.description, SVG: out.Bytes(), Themed: true}
}

// barsText writes a text that takes no more room than there is.
func barsText(out *bytes.Buffer, x, y int, anchor, s string, room int) {
	const size = 12
	r := []rune(s)
	for len(r) > 1 && textWidth(string(r), size) > room*5/4 {
		r = r[1:]
		r[0] = '…'
	}
	fit := ""
	if textWidth(string(r), size) > room {
		fit = fmt.Sprintf(" textLength=\"%d\" lengthAdjust=\"spacingAndGlyphs\"", min(room, textWidth(string(r), size)*4/5))
	}
	fmt.Fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\"%s>%s</text>\n", x, y, anchor, fit, escapeXML(string(r)))
}
