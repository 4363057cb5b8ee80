package gpu

import (
	"strings"
	"testing"
)

func TestSettings(t *testing.T) {
	d, err := Open("rtx3070", []string{
		"sm.count=2",
		"issue.policy = gto",
		`description="two words"`,
		"barrier.draining=true",
		"units.LSU.count=3",
		"units.0.count=2",
		"timing.f64.latency_cycles=1_000",
		"timing.0.initiation_cycles=4",
		"timing.global.classes=[\"load\", \"store\", \"atomic\", \"texture\", \"copy\", \"prefetch\"]",
		"pipeline.result_buses=9",
		"pipeline.collector_pools.0.count=7",
		"sm.count=3",
	})
	if err != nil {
		t.Fatal(err)
	}
	var lsu Unit
	for _, u := range d.Units {
		if u.Name == "LSU" {
			lsu = u
		}
	}
	var f64 Rule
	for _, r := range d.Timing {
		if r.Name == "f64" {
			f64 = r
		}
	}
	if d.SM.Count != 3 || d.Issue.Policy != "gto" || d.Description != "two words" || !d.Barrier.Draining ||
		lsu.Count != 3 || d.Units[0].Count != 2 || f64.LatencyCycles != 1000 || d.Timing[0].InitiationCycles != 4 ||
		d.Pipeline.ResultBuses != 9 || d.Pipeline.CollectorPools[0].Count != 7 {
		t.Errorf("%+v", d)
	}
	for what, source := range map[string]string{"sm": d.SM.Source, "LSU": lsu.Source, "f64": f64.Source, "pipeline": d.Pipeline.Source} {
		if !strings.Contains(source, " set on the command line") {
			t.Errorf("source of %s: %q", what, source)
		}
	}
	if strings.Contains(d.Clock.Source, "command line") {
		t.Errorf("source of the clock: %q", d.Clock.Source)
	}
	if len(d.Overrides) != 12 {
		t.Errorf("overrides %q", d.Overrides)
	}
	// Settings leave the preset alone.
	if again, err := Preset("rtx3070"); err != nil || again.SM.Count != 46 || strings.Contains(again.SM.Source, "command line") {
		t.Errorf("the preset is now %+v, %v", again.SM, err)
	}
}

func TestOptionalKeyCanBeSet(t *testing.T) {
	d, err := Open("ecrts2025-200", []string{"queue.kind=slots", "queue.slots=2", "timing.memory.dependent_issue_cycles=300"})
	if err != nil {
		t.Fatal(err)
	}
	if d.Queue.Slots != 2 {
		t.Errorf("%+v", d.Queue)
	}
}

func TestBadSettings(t *testing.T) {
	for setting, want := range map[string]string{
		"sm.count":                   "--set sm.count: no key or value, expected key=value",
		"=3":                         "expected key=value",
		"sm.count=":                  `value "", expected a number, a boolean or a word`,
		"sm.cuont=3":                 `no key "cuont", did you mean count?`,
		"ms.count=3":                 `no key "ms", did you mean sm?`,
		"sm=3":                       "sm is a table, expected one of its keys: count, warp_size,",
		"sm.count.x=3":               "sm.count is no table, expected nothing after it",
		"units.LUS.count=3":          `no entry "LUS", did you mean LSU or ALU?, or a number from 0 to 2`,
		"units=3":                    "units is a table, expected one of its keys",
		"units.LSU=3":                "units.LSU is a table, expected one of its keys",
		"timing.99.latency_cycles=3": `no entry "99"`,
		"pipeline.fetch_width=3":     "the file has no pipeline, expected one to change",
		"sm.count=many":              `--set sm.count=many: sm.count is a string, expected an integer`,
		"sm.count=-1":                "--set sm.count=-1: sm.count is -1, expected an integer from 1 to",
		"sm.count=1 2":               "sm.count is a string, expected an integer",
		"sm.count=\"":                "expected a number, a boolean or a word",
		"issue.policy=best":          `issue.policy is "best", expected one of lrr`,
		"timing.mul.unit=XYZ":        `timing.mul.unit is "XYZ", expected one of ALU, SFU or LSU`,
		"queue.kind=unbounded":       "queue.slots is 4, expected none",
		"overrides=3":                `no key "overrides"`,
	} {
		_, err := Open("example", []string{setting})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", setting, err, want)
		}
	}
}
