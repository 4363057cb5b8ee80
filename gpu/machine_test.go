package gpu

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/testkit/golden"
	"github.com/warpbound/warpbound/isa"
)

// class parses the notation that isa.Class prints.
func class(t *testing.T, s string) isa.Class {
	t.Helper()
	var c isa.Class
	found := false
	forEachClass(func(x isa.Class) {
		if x.String() == s {
			c, found = x, true
		}
	})
	if !found {
		t.Fatalf("no class %q", s)
	}
	return c
}

// Distances from issue to dependent issue, uncontended, as measured with
// micro-kernels on GPGPU-Sim 4 and on the Vortex simulator.
func TestDependentDistances(t *testing.T) {
	for preset, distances := range map[string]map[string]int64{
		"ecrts2025-200": {
			"move.i32": 5, "select.f32": 5, "add.i32": 8, "mad.i64": 8, "mad.f32": 8, "add.f32": 8,
			"load.global.f32": 204, "load.param.i64": 5, "load.const.f32": 5,
		},
		"ecrts2025-5":   {"load.global.f32": 9},
		"ecrts2025-400": {"load.global.f32": 404, "texture.f32": 404},
		"rtx3070": {
			"move.i32": 6, "add.i32": 9, "mad.f32": 9, "div.i32": 26, "sqrt.f32": 26, "div.f32": 44,
			"add.f64": 69, "div.f64": 335, "load.param.i64": 3, "load.shared.f32": 34, "load.global.f32": 510,
		},
		"gtx480": {
			"move.i32": 7, "add.i32": 10, "add.f32": 10, "mad.f32": 11, "mad.i32": 11, "minmax.i32": 19,
			"sin.f32": 14, "div.i32": 151, "div.f32": 45, "load.param.i64": 3, "load.shared.f32": 32,
		},
		"vortex-32x32": {
			"logic.i32": 14, "mul.i32": 16, "mad.f32": 16, "convert.f32": 17, "div.f32": 28, "sqrt.f32": 28,
			"div.i32": 44, "branch": 16, "barrier": 16, "load.global.i32": 20,
		},
	} {
		m := machine(t, preset)
		for name, want := range distances {
			tm, _, err := m.Timing(class(t, name))
			if err != nil {
				t.Error(err)
				continue
			}
			if got := tm.InitiationCycles + tm.LatencyCycles; got != want {
				t.Errorf("%s: %s: %d cycles, want %d", preset, name, got, want)
			}
		}
	}
}

// A latency shorter than the initiation leaves no negative time.
func TestLatencyWithinInitiation(t *testing.T) {
	d, err := Open("example", []string{"timing.mul.initiation_cycles=20"})
	if err != nil {
		t.Fatal(err)
	}
	m, err := d.Machine()
	if err != nil {
		t.Fatal(err)
	}
	tm, rule, err := m.Timing(class(t, "mul.i32"))
	if err != nil {
		t.Fatal(err)
	}
	want := Timing{Unit: 0, InitiationCycles: 20, LatencyCycles: 0, UnitLatencyCycles: 5}
	if tm != want || d.Timing[rule].Name != "mul" {
		t.Errorf("%+v by rule %q, want %+v", tm, d.Timing[rule].Name, want)
	}
}

func TestMachineOfExample(t *testing.T) {
	m := machine(t, "example")
	if m.Queue != Slots || m.Slots != 4 || !m.FIFO || len(m.Units) != 3 {
		t.Errorf("queue %s of %d, FIFO %t, %d units", m.Queue, m.Slots, m.FIFO, len(m.Units))
	}
	nop, _, err := m.Timing(isa.Class{Family: isa.Nop})
	if err != nil || !nop.NotIssued {
		t.Errorf("nop: %+v, %v", nop, err)
	}
	shared, _, err := m.Timing(class(t, "load.shared.f64"))
	if err != nil || shared.Transactions != Banks || shared.Initiation(4) != 4 || shared.Initiation(0) != 1 {
		t.Errorf("load.shared.f64: %+v, %v", shared, err)
	}
	global, _, err := m.Timing(class(t, "load.generic.f64"))
	if err != nil || global.Transactions != Segments || global.Initiation(4) != 7 {
		t.Errorf("load.generic.f64: %+v, %v", global, err)
	}
}

func TestResolve(t *testing.T) {
	m := machine(t, "ecrts2025-200")
	p := &isa.Program{Name: "k", Instructions: []isa.Instruction{
		{Opcode: "ld.global.f32", Class: class(t, "load.global.f32")},
		{Opcode: "add.f32", Class: class(t, "add.f32")},
		{Opcode: "exit", Class: class(t, "exit")},
	}}
	timings, err := m.Resolve(p)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, tm := range timings {
		got = append(got, fmt.Sprintf("%s %d/%d", m.Units[tm.Unit].Name, tm.InitiationCycles, tm.LatencyCycles))
	}
	if want := []string{"MEM 1/203", "SP 1/7", "INT 1/4"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	p.Instructions[1].Class = isa.Class{Family: isa.Family(200)}
	if _, err := m.Resolve(p); err == nil || !strings.Contains(err.Error(), "no timing rule") {
		t.Errorf("a class from nowhere: %v", err)
	}
}

// The complete timing of every preset, as text: a change of a figure shows
// where it lands. UPDATE_GOLDEN=1 rewrites the files.
func TestTimingTables(t *testing.T) {
	for _, name := range presetNames() {
		got := timingTable(t, machine(t, name))
		file := filepath.Join("testdata", "timing", name+".txt")
		golden.File(t, file, got)
	}
}

// timingTable lists, for each family and rule, the types and spaces it times.
func timingTable(t *testing.T, m *Machine) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-9s %-7s %5s %8s  %-14s %s\n", "family", "unit", "init", "latency", "rule", "classes")
	for _, family := range isa.Families() {
		accesses := []isa.Space{isa.NoSpace}
		if slices.Contains(memoryFamilies, family) {
			accesses = append(accesses, spaces...)
		}
		classes := map[int][]string{}
		var rules []int
		for _, space := range accesses {
			byRule := map[int][]string{}
			for _, typ := range isa.Types() {
				c := isa.Class{Family: family, Type: typ, Space: space}
				tm, rule, err := m.Timing(c)
				if err != nil {
					t.Fatal(err)
				}
				if tm.InitiationCycles < 1 || tm.LatencyCycles < 0 {
					t.Errorf("%s: %+v", c, tm)
				}
				if !slices.Contains(rules, rule) {
					rules = append(rules, rule)
				}
				byRule[rule] = append(byRule[rule], c.String())
			}
			for rule, list := range byRule {
				if len(byRule) == 1 {
					list = []string{strings.TrimSuffix(list[0], ".") + ".*"}
				}
				classes[rule] = append(classes[rule], list...)
			}
		}
		slices.Sort(rules)
		for _, rule := range rules {
			tm := m.timings[rule]
			fmt.Fprintf(&b, "%-9s %-7s %5d %8d  %-14s %s\n", family, m.Units[tm.Unit].Name, tm.InitiationCycles, tm.LatencyCycles, m.Desc.Timing[rule].label(rule), strings.Join(classes[rule], " "))
		}
	}
	return b.String()
}
