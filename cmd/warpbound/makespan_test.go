package main

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/warpbound/warpbound/internal/report"
)

// The forms of the document that differ in what is null fulfil its schema.
func TestMakespanDocuments(t *testing.T) {
	sch, err := jsonschema.NewCompiler().Compile(filepath.Join("..", "..", "docs", "schemas", "makespan.json"))
	if err != nil {
		t.Fatal(err)
	}
	single := []string{"--gpu", "../../examples/gpu/single-cycle.toml"}
	for _, args := range [][]string{
		{"LLC", "--warps", "4", "--method", "safe"},
		{"LLCLL", "--units", "L=70,C=32", "--warps", "600", "--method", "dp", "--timeout", "50ms"},
		{"LLC", "--warps", "8", "--curve", "8", "--gantt", filepath.Join(t.TempDir(), "g.svg")},
		{"(LC)1000000", "--warps", "8"},
		append([]string{saxpy, "--times"}, single...),
		append([]string{"../../examples/basic/reduce/reduce.toml"}, single...),
	} {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(output1(t, append([]string{"makespan", "--json"}, args...)...)))
		if err != nil {
			t.Fatal(err)
		}
		if err := sch.Validate(doc); err != nil {
			t.Errorf("%v: %v", args, err)
		}
	}
}

// Whoever interrupts keeps the safe bound and what was finished, and no file is
// half written.
func TestInterruptedMakespan(t *testing.T) {
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	late, stop := context.WithCancel(context.Background())
	time.AfterFunc(100*time.Millisecond, stop)
	dir := t.TempDir()
	for _, c := range []struct {
		ctx  context.Context
		args []string
	}{{gone, []string{"--curve", "200", "--plot", filepath.Join(dir, "p.svg")}}, {late, nil}} {
		var out, errs bytes.Buffer
		code := run(c.ctx, append([]string{
			"makespan", "LLCLL", "--units", "L=32,C=32", "--warps", "200", "--memory", "64MiB", "--method", "dp", "--json",
			"--gantt", filepath.Join(dir, "g.svg"),
		}, c.args...), &out, &errs)
		var d report.MakespanDocument
		if err := json.Unmarshal(out.Bytes(), &d); err != nil {
			t.Fatalf("%v: %s%s", err, &out, &errs)
		}
		if code != exitFound || errs.String() != "interrupted\n" || d.Complete || d.Best.Cycles != 1000 || d.Exact != nil {
			t.Errorf("exit code %d, %s%s", code, &errs, &out)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
		t.Errorf("written: %v", left)
	}
	// A launch is recorded first.
	var out, errs bytes.Buffer
	if code := run(gone, []string{"makespan", saxpy}, &out, &errs); code != exitFound || errs.String() != "interrupted\n" || out.Len() > 0 {
		t.Errorf("exit code %d, %s%s", code, &errs, &out)
	}
}
