package gpu

import (
	"fmt"
	"strings"
	"testing"
)

// A description that no file made may name things that do not exist.
func TestMachineOfHandmadeDescription(t *testing.T) {
	for want, spoil := range map[string]func(*Description){
		`queue kind "lifo", expected one of`:           func(d *Description) { d.Queue.Kind = "lifo" },
		`timing.default: no unit "XYZ"`:                func(d *Description) { d.Timing[0].Unit = "XYZ" },
		`timing.mul: initiation 0 and latency 5`:       func(d *Description) { d.Timing[1].InitiationCycles = 0 },
		`timing.functions: class "add.shared": only`:   func(d *Description) { d.Timing[2].Classes[0] = "add.shared" },
		`timing.3: class "nothing": no family "nothin`: func(d *Description) { d.Timing[3].Name, d.Timing[3].Classes[0] = "", "nothing" },
	} {
		d, err := Preset("example")
		if err != nil {
			t.Fatal(err)
		}
		spoil(d)
		if _, err := d.Machine(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestQueueKindNames(t *testing.T) {
	if got := fmt.Sprint(Unbounded, Slots, NoQueue, Pooled, QueueKind(9)); got != "unbounded slots none pooled queue kind(9)" {
		t.Error(got)
	}
}

func TestBadPipeline(t *testing.T) {
	for setting, want := range map[string]string{
		"pipeline.load_store_unit=LUS":              `pipeline.load_store_unit is "LUS", did you mean LSU`,
		`pipeline.collector_pools.0.units=["LUS"]`:  `unit "LUS", did you mean LSU`,
		`pipeline.collector_pools.0.units=["LSU"]`:  `no collector pool serves unit "INT", expected one`,
		`pipeline.collector_pools.0.count=0`:        "pipeline.collector_pools.0.count is 0, expected an integer from 1 to",
		`pipeline.collector_pools.source=elsewhere`: `no entry "source"`,
	} {
		if _, err := Open("rtx3070", []string{setting}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", setting, err, want)
		}
	}
}

// A description prints, loads and resolves to the same machine under any
// setting that leaves it valid.
func TestSettingsSurviveEncoding(t *testing.T) {
	d, err := Open("gtx480", []string{"queue.kind=none", "queue.slots=1"})
	if err == nil {
		t.Fatalf("slots without a buffer: %+v", d.Queue)
	}
	d, err = Open("gtx480", []string{"queue.slots=1", "sm.count=1", "timing.shared.latency_cycles=7"})
	if err != nil {
		t.Fatal(err)
	}
	text, err := d.Encode()
	if err != nil {
		t.Fatal(err)
	}
	back, err := Load("back.toml", text)
	if err != nil {
		t.Fatal(err)
	}
	m, err := back.Machine()
	if err != nil {
		t.Fatal(err)
	}
	tm, _, err := m.Timing(class(t, "load.shared.f32"))
	if err != nil || m.Slots != 1 || back.SM.Count != 1 || tm.UnitLatencyCycles != 7 {
		t.Errorf("%+v, %v", tm, err)
	}
}
