package view

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/internal/filekind"
)

// The kinds of items.
const (
	ofLaunch  = "launch"
	ofResult  = "result"
	ofProgram = "prem"
)

// item is something to look at.
type item struct {
	ID   int    `json:"id"`
	Name string `json:"name"` // relative to what was named
	Kind string `json:"kind"`
	// Document is the kind of a JSON document, by what it holds.
	Document string `json:"document,omitempty"`

	path string
}

// What is looked for in a directory.
const (
	mostItems   = 2000
	mostEntries = 100_000
	mostBytes   = 64 << 20 // of a file
	mostHead    = 1 << 20  // that decides what a file is
)

// found are the items of what was named, and the directory outside of which nothing is read.
func found(path string) (items []item, dir string, cut bool, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, "", false, fmt.Errorf("%w, expected a launch file, a JSON document, a C file or a directory", err)
	}
	if !info.IsDir() {
		data, err := filekind.Read(path, "a launch file, a JSON document or a C file")
		if err != nil {
			return nil, "", false, err
		}
		one := item{Name: filepath.Base(path), path: path}
		if one.Kind, one.Document = kindOf(path, data); one.Kind == "" {
			return nil, "", false, fmt.Errorf("%s: %s, expected a launch file, a JSON document of warpbound, or C with OpenMP target loops", path, filekind.Of(path, data))
		}
		return []item{one}, filepath.Dir(path), false, nil
	}
	entries := 0
	err = filepath.WalkDir(path, func(at string, d fs.DirEntry, err error) error {
		switch entries++; {
		case err != nil && at == path:
			return err
		case err != nil:
			return nil // what cannot be read is not shown
		case entries > mostEntries || len(items) == mostItems:
			cut = true
			return fs.SkipAll
		case d.IsDir() && at != path && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules"):
			return fs.SkipDir
		case !d.Type().IsRegular() || !slices.Contains([]string{".toml", ".json", ".c"}, filepath.Ext(at)):
			return nil
		}
		info, err := d.Info()
		if err != nil || info.Size() > mostBytes {
			return nil
		}
		data, err := os.ReadFile(at)
		if err != nil {
			return nil
		}
		if kind, document := kindOf(at, data); kind != "" {
			name, err := filepath.Rel(path, at)
			if err != nil {
				return err
			}
			items = append(items, item{ID: len(items), Name: filepath.ToSlash(name), Kind: kind, Document: document, path: at})
		}
		return nil
	})
	if err == nil && len(items) == 0 {
		err = fmt.Errorf("%s: nothing to show in it, expected launch files, JSON documents of warpbound, or C with OpenMP target loops", path)
	}
	return items, path, cut, err
}

// kindOf tells what a file is, "" where it is nothing to show.
func kindOf(path string, data []byte) (kind, document string) {
	switch filepath.Ext(path) {
	case ".json":
		if document = documentKind(data); document != "" {
			return ofResult, document
		}
	case ".c":
		if head := data[:min(len(data), mostHead)]; bytes.Contains(head, []byte("#pragma omp")) && bytes.Contains(head, []byte("target")) {
			return ofProgram, ""
		}
	default:
		if filekind.Of(path, data) == filekind.Launch {
			return ofLaunch, ""
		}
	}
	return "", ""
}

// marks are fields that only one kind of document has, the first that fits deciding.
var marks = []struct{ kind, field string }{
	{"analyze", "bounds"}, {"makespan", "pessimistic"}, {"simulate", "issue_cycles"}, {"prem-schedule", "sync_ns"}, {"prem", "spm_bytes"}, {"cfg", "functions"},
	{"compare", "rows"},
}

// documentKind tells a JSON document by its fields: "other" for one of warpbound that the
// page shows as it is, "" for what is none.
func documentKind(data []byte) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(data, &fields) != nil || fields["warpbound"] == nil {
		return ""
	}
	for _, m := range marks {
		if _, ok := fields[m.field]; ok {
			return m.kind
		}
	}
	return "other"
}

// errNoItem is of an item that was not found.
var errNoItem = errors.New("no such item, expected one of those of the page")

// fileText is the text of an item's file.
func fileText(it *item) (*text, error) {
	data, err := os.ReadFile(it.path)
	if err != nil {
		return nil, err
	}
	return &text{Name: it.Name, Lines: lines(data)}, nil
}
