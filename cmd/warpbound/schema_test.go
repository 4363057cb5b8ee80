package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/certificate"
	"github.com/warpbound/warpbound/internal/report"
	"github.com/warpbound/warpbound/internal/schema"
	"github.com/warpbound/warpbound/internal/testkit/golden"
	"github.com/warpbound/warpbound/internal/verify/soundness/search"
	"github.com/warpbound/warpbound/internal/version"
)

// documents are the JSON documents whose schemas are published, and a command
// that prints each.
var documents = []struct {
	name string
	of   any
	args []string
}{
	{"analyze", report.AnalysisDocument{}, []string{"analyze", "../../examples/basic/saxpy/saxpy.toml"}},
	{"suggest-facts", report.SuggestionDocument{}, []string{"analyze", "--suggest-facts", "../../examples/inputs/kernels/kmp/kmp.toml"}},
	{"simulate", report.SimulationDocument{}, []string{"simulate", "../../examples/basic/saxpy/saxpy.toml"}},
	{"compare", report.ComparisonDocument{}, []string{"compare", "../../examples/basic/saxpy/saxpy.toml"}},
	{"cache", report.CacheDocument{}, []string{"cache", "../../examples/polybench/gemm/gemm.toml", "--gpu", "gtx480", "--simulate"}},
	{"compare-schemes", report.SchemesDocument{}, []string{"compare", "schemes", "../../examples/polybench/gemm/gemm.toml", "--gpu", "gtx480", "--schemes", "default,srr,reorder", "--wcet"}},
	{"compare-pairs", report.PairsDocument{}, []string{"compare", "pairs", "../../examples/basic/reduce/reduce.toml", "--gpu", "vortex-32x32", "--pairs", "lrr-gtlrr", "--replay"}},
	{"run", report.RunDocument{}, []string{"run", "../../examples/basic/saxpy/saxpy.toml"}},
	{"cfg", report.FlowDocument{}, []string{"cfg", "../../examples/basic/reduce/reduce.toml"}},
	{"check", report.CheckDocument{}, []string{"check", "../../examples/basic/saxpy/saxpy.ptx", "../../examples/basic/saxpy/saxpy.toml"}},
	{"certify", report.CertifyDocument{}, []string{"certify", "testdata/saxpy.certificate.json"}},
	{"gpu-list", report.GPUListDocument{}, []string{"gpu", "list"}},
	{"gpu-show", report.GPUShowDocument{}, []string{"gpu", "show", "rtx3070"}},
	{"makespan", report.MakespanDocument{}, []string{"makespan", "LLC", "--warps", "4", "--schedule", "--curve", "4", "--method", "dp", "--times"}},
	{"prem", report.PremPlans{}, []string{"prem", "../../examples/prem/programs/gemm.c"}},
	{"prem-schedule", report.PremSchedules{}, []string{"prem", "../../examples/prem/programs/jacobi1d.c", "--schedule", "fair"}},
	{"soundness", search.Document{}, []string{"soundness", "--seeds", "20"}},
	{"report", report.AssessmentDocument{}, []string{"report", "../../examples/basic/saxpy/saxpy.toml"}},
	{"version", version.Info{}, []string{"version"}},
}

// within are the documents that others have in them, by their fields: sections of their own
// describe these.
var within = map[string][]string{
	"gpu-show": {"gpu."}, // docs/gpu-format.md
	"report":   {"cases[].analysis.", "cases[].simulation.", "cases[].memory.", "cases[].cache."},
}

// moreDocuments are the same documents about other kinds of kernels and machines.
var moreDocuments = []struct {
	name string
	args []string
}{
	{"analyze", []string{"analyze", "../../examples/inputs/kernels/kmp/kmp.toml", "--loops"}},
	{"analyze", []string{"analyze", "../../examples/basic/reduce/reduce.toml", "--gpu", "vortex-32x32", "--variant", "swas"}},
	{"analyze", []string{"analyze", "../../examples/basic/reduce/reduce.toml", "--by", "line", "--annotate", "--what-if"}},
	{"simulate", []string{"simulate", "../../examples/basic/reduce/reduce.toml", "--by", "loop"}},
	{"simulate", []string{"simulate", "../../examples/vortex/kernels/sgemm/sgemm.toml", "--gpu", "vortex-32x32", "--variant", "swas"}},
	{"simulate", []string{"simulate", "../../examples/basic/saxpy/saxpy.toml", "--gpu", "tx1", "--l1-order", "dynamic", "--traffic", "random"}},
	{"compare-pairs", []string{"compare", "pairs", "../../examples/basic/reduce/reduce.toml", "--gpu", "vortex-32x32", "--pairs", "lrr-gtlrr", "--variant", "swas"}},
	{"report", []string{"report", "../../examples/inputs/kernels/kmp/kmp.toml", "--gpu", "gtx480", "--max-cycles", "100000000"}},
	{"run", []string{"run", "../../examples/vortex/kernels/vecadd/vecadd.toml"}},
	{"prem-schedule", []string{"prem", "../../examples/prem/programs/jacobi1d.c", "--schedule", "best", "--no-bounds", "--guarded", "--traffic", "stress"}},
	{"cfg", []string{"cfg", "../../examples/vortex/kernels/vecadd/vecadd.toml", "--instructions"}},
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
		golden.File(t, filepath.Join("..", "..", "docs", "schemas", d.name+".json"), want)
	}
}

// TestCertificateSchema compares the published schema of certificates with the Go type, and
// a certificate with what analyze writes and with the schema.
func TestCertificateSchema(t *testing.T) {
	want, err := json.MarshalIndent(schema.Of("warpbound certificate", certificate.Certificate{}), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("..", "..", "docs", "schemas", "certificate.json")
	golden.File(t, file, append(want, '\n'))
	made := filepath.Join(t.TempDir(), "saxpy.json")
	output1(t, "analyze", "../../examples/basic/saxpy/saxpy.toml", "--certificate", made)
	text, err := os.ReadFile(made)
	if err != nil {
		t.Fatal(err)
	}
	golden.File(t, filepath.Join("testdata", "saxpy.certificate.json"), text)
	sch, err := jsonschema.NewCompiler().Compile(file)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := sch.Validate(doc); err != nil {
		t.Error(err)
	}
}

// leaves lists the paths of a schema's plain values, as docs/json.md writes them.
func leaves(path string, s map[string]any) []string {
	var out []string
	if p, ok := s["properties"].(map[string]any); ok {
		for name, below := range p {
			at := name
			if path != "" {
				at = path + "." + name
			}
			out = append(out, leaves(at, below.(map[string]any))...)
		}
		return out
	}
	if items, ok := s["items"].(map[string]any); ok {
		return leaves(path+"[]", items)
	}
	if free, ok := s["additionalProperties"].(map[string]any); ok {
		return leaves(path+"{}", free)
	}
	return []string{path}
}

// TestJSONPage holds docs/json.md to the schemas: every field of every document
// is described in its section, and nothing else is.
func TestJSONPage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "json.md"))
	if err != nil {
		t.Fatal(err)
	}
	described := map[string][]string{}
	section := ""
	for _, line := range strings.Split(string(page), "\n") {
		if name, ok := strings.CutPrefix(line, "## "); ok {
			section = name
		}
		if cell, ok := strings.CutPrefix(line, "| `"); ok {
			field, _, _ := strings.Cut(cell, "`")
			described[section] = append(described[section], field)
		}
	}
	for _, d := range documents {
		var want []string
		for _, field := range leaves("", schema.Of(d.name, d.of)) {
			inside := slices.ContainsFunc(within[d.name], func(prefix string) bool { return strings.HasPrefix(field, prefix) })
			if !inside || field == "gpu.overrides[]" {
				want = append(want, field)
			}
		}
		got := described[d.name]
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("docs/json.md, %s: describes\n%v\nexpected\n%v", d.name, got, want)
		}
	}
}

// TestDocuments validates what the commands print against the schemas.
func TestDocuments(t *testing.T) {
	c := jsonschema.NewCompiler()
	all := slices.Clone(moreDocuments)
	for _, d := range documents {
		all = append(all, struct {
			name string
			args []string
		}{d.name, d.args})
	}
	for _, d := range all {
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
			// Every document says which warpbound wrote it.
			info := doc.(map[string]any)
			if d.name != "version" {
				info = info["warpbound"].(map[string]any)
			}
			if hash, _ := info["gpu_files"].(string); len(hash) != 64 || info["version"] == "" || info["commit"] == "" {
				t.Errorf("written by %v", info)
			}
		})
	}
}

// output1 runs a command and returns what it printed.
func output1(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if code := run(context.Background(), args, &out, &errs); code != 0 {
		t.Fatalf("%v: exit code %d, %s", args, code, &errs)
	}
	return out.String()
}

// Every preset is as its schema says.
func TestPresetsFulfilTheSchema(t *testing.T) {
	sch, err := jsonschema.NewCompiler().Compile(filepath.Join("..", "..", "docs", "schemas", "gpu-show.json"))
	if err != nil {
		t.Fatal(err)
	}
	presets, err := gpu.Presets()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range presets {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(output1(t, "gpu", "show", p.Name, "--json")))
		if err != nil {
			t.Fatal(err)
		}
		if err := sch.Validate(doc); err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
	}
}
