package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/warpbound/warpbound/internal/schema"
	"github.com/warpbound/warpbound/internal/version"
	"github.com/warpbound/warpbound/report"
)

// documents are the JSON documents whose schemas are published, and a command
// that prints each.
var documents = []struct {
	name string
	of   any
	args []string
}{
	{"analyze", report.AnalysisDocument{}, []string{"analyze", "../../examples/basic/saxpy/saxpy.toml"}},
	{"simulate", report.SimulationDocument{}, []string{"simulate", "../../examples/basic/saxpy/saxpy.toml"}},
	{"compare", report.ComparisonDocument{}, []string{"compare", "../../examples/basic/saxpy/saxpy.toml"}},
	{"run", runDocument{}, []string{"run", "../../examples/basic/saxpy/saxpy.toml"}},
	{"cfg", cfgDocument{}, []string{"cfg", "../../examples/basic/reduce/reduce.toml"}},
	{"gpu-list", gpuListDocument{}, []string{"gpu", "list"}},
	{"gpu-show", gpuShowDocument{}, []string{"gpu", "show", "ecrts2025-200"}},
	{"soundness", soundnessDocument{}, []string{"soundness", "--seeds", "20"}},
	{"version", version.Info{}, []string{"version"}},
}

// TestSchemas compares the published schemas with the Go types; UPDATE_GOLDEN=1
// writes them.
func TestSchemas(t *testing.T) {
	for _, d := range documents {
		want, err := json.MarshalIndent(schema.Of("warpbound "+d.name, d.of), "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, '\n')
		file := filepath.Join("..", "..", "docs", "schemas", d.name+".json")
		if os.Getenv("UPDATE_GOLDEN") != "" {
			if err := os.WriteFile(file, want, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not the schema of the document; run UPDATE_GOLDEN=1 go test ./cmd/warpbound", file)
		}
	}
}

// TestDocuments validates what the commands print against the schemas.
func TestDocuments(t *testing.T) {
	c := jsonschema.NewCompiler()
	for _, d := range documents {
		t.Run(d.name, func(t *testing.T) {
			sch, err := c.Compile(filepath.Join("..", "..", "docs", "schemas", d.name+".json"))
			if err != nil {
				t.Fatal(err)
			}
			out := output1(t, append(d.args, "--json")...)
			doc, err := jsonschema.UnmarshalJSON(strings.NewReader(out))
			if err != nil {
				t.Fatal(err)
			}
			if err := sch.Validate(doc); err != nil {
				t.Errorf("%v", err)
			}
		})
	}
}

// output1 runs a command and returns what it printed.
func output1(t *testing.T, args ...string) string {
	t.Helper()
	root := newRoot()
	var out bytes.Buffer
	root.SetOut(&out)
	root.SetArgs(args)
	if err := root.Execute(); err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return out.String()
}
