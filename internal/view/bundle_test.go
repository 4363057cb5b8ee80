package view

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/warpbound/warpbound/internal/testkit/golden"
)

// bundle builds the page: a script and a style sheet of the sources, and the rest as it is.
func bundle(t testing.TB) map[string][]byte {
	t.Helper()
	r := api.Build(api.BuildOptions{
		EntryPoints:      []string{"page/main.ts", "page/page.css"},
		EntryNames:       "page",
		Outdir:           "assets",
		Bundle:           true,
		Format:           api.FormatIIFE,
		Target:           api.ES2022,
		MinifyWhitespace: true,
		MinifySyntax:     true,
		Charset:          api.CharsetUTF8,
		LegalComments:    api.LegalCommentsNone,
		Banner:           map[string]string{"js": "// Made of internal/view/page by go test: UPDATE_GOLDEN=1 go test ./internal/view -run Bundle", "css": "/* Made of internal/view/page by go test. */"},
		LogLevel:         api.LogLevelSilent,
	})
	for _, m := range slices.Concat(r.Errors, r.Warnings) {
		t.Errorf("%+v: %s", m.Location, m.Text)
	}
	out := map[string][]byte{}
	for _, f := range r.OutputFiles {
		out[filepath.Base(f.Path)] = f.Contents
	}
	for _, name := range []string{"index.html", "icon.svg"} {
		data, err := os.ReadFile(filepath.Join("page", name))
		if err != nil {
			t.Fatal(err)
		}
		out[name] = data
	}
	return out
}

// TestBundle holds what is embedded to the sources, byte for byte.
func TestBundle(t *testing.T) {
	made := bundle(t)
	if len(made) != len(assets) {
		t.Errorf("the sources give %d files, %d are served", len(made), len(assets))
	}
	for name, data := range made {
		golden.File(t, filepath.Join("assets", name), data)
	}
}
