package report

import (
	"slices"
	"strings"

	"github.com/warpbound/warpbound/internal/version"
)

// CheckDocument is the JSON form of what is known of files (docs/json.md).
type CheckDocument struct {
	Warpbound version.Info  `json:"warpbound"`
	Files     []CheckedFile `json:"files"`
}

// CheckedFile is what is known of one file.
type CheckedFile struct {
	Path   string   `json:"path"`
	Kind   string   `json:"kind"`
	About  string   `json:"about"`  // "" where the file cannot be read
	Errors []string `json:"errors"` // at most 20
}

// maxFindings is how many errors of a file are shown.
const maxFindings = 20

// Wrong adds what is wrong: the lines of an error, each once.
func (f *CheckedFile) Wrong(err error) {
	if err == nil {
		return
	}
	for line := range strings.SplitSeq(err.Error(), "\n") {
		if len(f.Errors) < maxFindings && !slices.Contains(f.Errors, line) {
			f.Errors = append(f.Errors, line)
		}
	}
}

// Check reports what is known of files.
func Check(files []CheckedFile) *Document {
	d := &CheckDocument{Warpbound: version.Get(), Files: append([]CheckedFile{}, files...)}
	out := &Document{Kind: "check", Provenance: Written(d.Warpbound, nil), JSON: d}
	for i := range d.Files {
		f := &d.Files[i]
		lead := f.Path + ": " + f.Kind
		if f.About != "" {
			lead += ": " + f.About
		}
		wrong := ""
		for _, e := range f.Errors {
			wrong += "  " + e + "\n"
		}
		out.Sections = append(out.Sections, Section{ID: "file", Joined: true, Lead: lead + "\n", Notes: wrong})
	}
	return out
}
