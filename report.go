package warpbound

import (
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/plot"
	"github.com/warpbound/warpbound/internal/report"
	"github.com/warpbound/warpbound/internal/report/page"
)

// Report is an answer as people and programs read it: what the commands of warpbound
// print. All its forms are made of the same rows, so that they cannot disagree. The
// JSON form is described by docs/json.md.
type Report struct {
	document *report.Document
}

// Kind names the JSON form: its schema is docs/schemas/KIND.json.
func (r *Report) Kind() string { return r.document.Kind }

// Text is the form for people, in lines as wide as they come.
func (r *Report) Text() string { return r.document.Text() }

// Folded is Text with no line wider than a terminal of so many columns, where words
// allow it; code and files stay as wide as they are. Control characters in names that
// files gave are made visible.
func (r *Report) Folded(columns int) []byte { return r.document.Folded(columns) }

// JSON is one JSON document, indented.
func (r *Report) JSON() ([]byte, error) { return r.document.EncodeJSON() }

// CSV is the form of comma-separated values, "" where there is none.
func (r *Report) CSV() string { return r.document.CSV() }

// HTML is one HTML page that refers to nothing outside it.
func (r *Report) HTML() ([]byte, error) { return page.Write(r.document) }

// Picture draws the report as "png" or "svg". The error says where there is nothing
// to draw.
func (r *Report) Picture(format string) ([]byte, error) { return r.document.Picture(format) }

// PictureFormat is the format of [Report.Picture] that the name of a file asks for by its
// end.
func PictureFormat(file string) (string, error) { return plot.Format(file) }

// PresetsReport lists the GPU descriptions that come with warpbound (gpu.Presets).
func PresetsReport() (*Report, error) {
	presets, err := gpu.Presets()
	if err != nil {
		return nil, explain(err)
	}
	return &Report{report.GPUList(presets)}, nil
}

// GPUReport shows a GPU description, every number with its source.
func GPUReport(d *gpu.Description) (*Report, error) {
	doc, err := report.GPUShow(d)
	if err != nil {
		return nil, explain(err)
	}
	return &Report{doc}, nil
}
