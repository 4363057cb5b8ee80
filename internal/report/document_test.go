package report

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/cache"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/sim"
)

// documentsOfAllKinds are documents with sheets, with values of every kind and with
// values that there are none of.
func documentsOfAllKinds(t *testing.T) []*Document {
	t.Helper()
	refused := row("gub", "lrr", 0, 100, false, false)
	refused.Refused, refused.Overestimation = "two blocks", 0
	comparison := compared(t, row("best", "lrr", 1500, 1000, true, true), row("sum", "lrr", 90, 100, true, true), refused)

	pairs := pairRows()
	pairs[0].Replay = &analysis.PairReplay{Cycles: 2000, Claimed: true}
	pairs[1].Replay = &analysis.PairReplay{Refused: "no such thing"}
	pairs[2].SWaS = nil
	ofPairs, err := PairsOf(vortex(t), pairs, sim.L1None, true)
	if err != nil {
		t.Fatal(err)
	}

	gtx, err := gpu.Preset("gtx480")
	if err != nil {
		t.Fatal(err)
	}
	config := cache.Config{Sets: 32, Ways: 4, LineBytes: 128, SectorBytes: 128}
	runs := []analysis.SchemeRun{{Scheme: "default", CacheRun: analysis.CacheRun{Cycles: 1234}, Normalised: 1, Ratio: 1}, {Scheme: "reorder", CacheRun: analysis.CacheRun{Cycles: 2345}, Normalised: 1.9, Ratio: 0.5}}
	wcet := &analysis.SchemeWCET{SimulatedCycles: 1000, UnknownCycles: 3000, EstimatedCycles: 900, Bound: &bound.Bound{Method: "ordered", Cycles: 1500, Safe: true}, Claimed: true}
	ofSchemes, err := SchemesOf(gtx, []analysis.SchemeRow{
		{Launch: "a/one.toml", Kernel: "k", Config: config, Blocks: 3, Rounds: 2, Runs: runs, WCET: wcet},
		{Launch: "two.toml", Kernel: "l", Config: config, Refused: "unknown data"},
	}, false, true)
	if err != nil {
		t.Fatal(err)
	}

	rate := 0.25
	tally := CacheTally{Requests: 4000, Hits: 3000, Misses: 1000, MissRate: &rate}
	rates := CacheRates{Loads: tally, Stores: CacheTally{}, Both: tally}
	ofCaches := &CacheDocument{Launch: "a/one.toml", Kernel: "k", Caches: []CacheConfiguration{
		{SizeBytes: 16384, Sets: 32, Ways: 4, LineBytes: 128, SectorBytes: 128, Estimated: rates, AnyOrder: CacheAnyOrder{LeastMisses: 7, MostMisses: 3999},
			Reordered: &CacheSimulation{Cycles: 12345, Rates: rates}, Dynamic: &CacheSimulation{Cycles: 54321, Rates: rates},
			Instructions: []CacheAtPosition{{PC: 3, Kind: "L", Accesses: 1000, Requests: 4000, MostOfOne: 4, Hits: 3000, Misses: 1000, MissRate: &rate}}},
		{SizeBytes: 32768, Sets: 64, Ways: 4, LineBytes: 128, SectorBytes: 128, Estimated: rates, Reordered: &CacheSimulation{Cycles: 1, Rates: rates}, Dynamic: &CacheSimulation{Cycles: 2, Rates: rates},
			Instructions: []CacheAtPosition{{PC: 4, Kind: "S"}}},
	}}

	presets, err := gpu.Presets()
	if err != nil {
		t.Fatal(err)
	}
	analysed, err := Analysis("k.toml", made(t))
	if err != nil {
		t.Fatal(err)
	}
	seconds, cycles := 0.5, int64(12345)
	rows := []MakespanRow{{Method: "dp", Cycles: &cycles, Work: 12, WorkUnit: "state", Seconds: &seconds}, {Method: "ilp", Unfinished: "time"}}
	ofSections := &MakespanDocument{Launch: &MakespanLaunch{}, Sections: []MakespanSection{{First: 1, Count: 3, Warps: 4, Rows: rows}}}
	return []*Document{
		analysed.Document(made(t), nil, true, nil), simulationOfAll(t), flowing(t),
		comparison.Document(), ofPairs.Document(), ofSchemes.Document(),
		ofCaches.Document(gtx, false), ofCaches.Document(gtx, true), GPUList(presets), ofSections.Document(),
		{Kind: "makespan", JSON: &MakespanDocument{Rows: rows}, Values: (&MakespanDocument{Rows: rows}).sheet()},
	}
}

// simulationOfAll is a simulation with caches, CPU cores and a front end, which no machine has
// all of.
func simulationOfAll(t *testing.T) *Document {
	t.Helper()
	m, r := besideCores(t)
	r.Units = []sim.UnitUse{{Name: "INT", Instructions: 1200, InitiationCycles: 1300, Utilization: 0.65}, {Name: "idle"}, {Name: "LSU", Instructions: 3, InitiationCycles: 96, Utilization: 0.048}}
	r.IssueCycles, r.Stalls = 1203, map[string]int64{"memory": 12000, "drain": 2797}
	r.Scheduling = &sim.SchedulingStats{Variant: gpu.SWaS, IssuePolicy: "gtlrr", Discrepancies: 7, Errors: 2, ErrorRate: 0.001}
	d, err := Simulation("k.toml", m, r, "stress")
	if err != nil {
		t.Fatal(err)
	}
	return d.Document(m, r, nil, nil)
}

// flowing is the control flow of a kernel, with its instructions.
func flowing(t *testing.T) *Document {
	t.Helper()
	l, err := load.Open("../../examples/basic/reduce/reduce.toml")
	if err != nil {
		t.Fatal(err)
	}
	executed := make([]int64, len(l.Program().Instructions))
	for pc := range executed {
		executed[pc] = 1000 * int64(pc)
	}
	return Flows("k.toml", l, Flow(graphsOf(t, l.Program()), executed, make([]bool, len(executed))), executed)
}

// Text, comma-separated values and JSON of a document have the same numbers.
func TestFormsAgree(t *testing.T) {
	numbers := 0
	for _, d := range append(documentsOfAllKinds(t), premDocuments(t)...) {
		text, err := d.EncodeJSON()
		if err != nil {
			t.Fatal(err)
		}
		var tree any
		if err := json.Unmarshal(text, &tree); err != nil {
			t.Fatal(err)
		}
		sheets := map[string]*Sheet{"values": d.Values}
		for i := range d.Sections {
			sheets[fmt.Sprint(d.Sections[i].ID, i)] = d.Sections[i].Sheet
		}
		for name, s := range sheets {
			if s == nil {
				continue
			}
			where := d.Kind + ", " + name
			columnsAreSound(t, where, s)
			for i, objects := range objectsAt(t, tree, s) {
				numbers += agrees(t, fmt.Sprintf("%s, row %d", where, i), s, i, objects)
			}
			if n := len(objectsAt(t, tree, s)); s.JSON != "" && n != len(s.Rows) {
				t.Errorf("%s: %d rows, and %d in JSON", where, len(s.Rows), n)
			}
		}
		if d.Values != nil {
			records, err := csv.NewReader(strings.NewReader(d.CSV())).ReadAll()
			if err != nil || len(records) != len(d.Values.Rows)+1 {
				t.Errorf("%s: %d lines of CSV for %d rows: %v", d.Kind, len(records), len(d.Values.Rows), err)
			}
		}
	}
	if numbers < 600 {
		t.Errorf("only %d numbers compared", numbers)
	}
}

// columnsAreSound checks that ids are unique in each form, and that numbers have units.
func columnsAreSound(t *testing.T, where string, s *Sheet) {
	t.Helper()
	for _, form := range []Forms{InText, InCSV} {
		seen := map[string]bool{}
		for i := range s.Columns {
			c := &s.Columns[i]
			if c.In != All && c.In != form {
				continue
			}
			if c.ID == "" || seen[c.ID] {
				t.Errorf("%s: column %d has id %q: expected one of its own", where, i, c.ID)
			}
			seen[c.ID] = true
			if c.Type.Numeric() != (c.Unit != "") {
				t.Errorf("%s: column %s has unit %q", where, c.ID, c.Unit)
			}
		}
	}
}

// agrees compares the numbers of a row in text and CSV with those in JSON, and counts
// them.
func agrees(t *testing.T, where string, s *Sheet, row int, objects []map[string]any) int {
	t.Helper()
	compared := 0
	for j := range s.Columns {
		c := &s.Columns[j]
		if !c.Type.Numeric() || strings.HasSuffix(c.ID, "_seconds") {
			continue
		}
		path := c.JSON
		if path == "" {
			path = c.ID
		}
		v, found := lookUp(objects, path)
		want, isNumber := v.(float64)
		if x := s.Rows[row][j]; !found && (x == nil || x == int64(0)) {
			continue // left out where there is none
		}
		if !found || v != nil && !isNumber {
			t.Errorf("%s: no number %s in JSON", where, path)
			continue
		}
		for _, f := range []Format{Text, CSV} {
			cell := c.Cell(s.Rows[row][j], f)
			got, err := strconv.ParseFloat(strings.NewReplacer(",", "", " %", "", " µs", "").Replace(cell), 64)
			switch {
			case f == Text && c.Type == Share:
				got /= 100
			case f == Text && c.Type == Nanos:
				got = math.Round(got * 1000)
			}
			off := 0.0
			switch {
			case f == CSV && c.Type >= Share:
				off = 0.5e-6
			case c.Type == Share:
				off = 0.5e-4
			case c.Type == Number:
				off = 0.5
				for range c.Digits {
					off /= 10
				}
			}
			switch {
			case s.Rows[row][j] == nil && (cell == "-" || cell == ""):
			case err != nil || got-want > off+1e-12 || want-got > off+1e-12:
				t.Errorf("%s: %s is %q in a form, and %v in JSON", where, c.ID, cell, v)
			default:
				compared++
			}
		}
	}
	return compared
}

// objectsAt are, for each row of a sheet, the object of it in the JSON form and those
// around it, innermost first. A row of an empty list is its owner's alone.
func objectsAt(t *testing.T, tree any, s *Sheet) [][]map[string]any {
	t.Helper()
	if s.JSON == "" {
		return nil
	}
	root, _ := tree.(map[string]any)
	at := [][]map[string]any{{root}}
	for _, name := range strings.Split(s.JSON, ".") {
		name = strings.TrimSuffix(name, "[]")
		var next [][]map[string]any
		for _, around := range at {
			list, _ := around[0][name].([]any)
			if len(list) == 0 && len(around) > 1 {
				next = append(next, around)
			}
			for _, x := range list {
				next = append(next, append([]map[string]any{x.(map[string]any)}, around...))
			}
		}
		at = next
	}
	if s.Key == "" {
		return at
	}
	byKey := map[any][]map[string]any{}
	for _, around := range at {
		byKey[around[0][s.Key]] = around
	}
	var out [][]map[string]any
	for _, row := range s.Rows {
		if byKey[row[0]] == nil {
			t.Errorf("%s: no row with %s %v in JSON", s.JSON, s.Key, row[0])
			continue
		}
		out = append(out, byKey[row[0]])
	}
	return out
}

func lookUp(objects []map[string]any, path string) (any, bool) {
	for _, o := range objects {
		var v any = o
		found := true
		for _, name := range strings.Split(path, ".") {
			m, ok := v.(map[string]any)
			if !ok {
				return nil, v == nil // below null there is nothing
			}
			if v, found = m[name]; !found {
				break
			}
		}
		if found {
			return v, true
		}
	}
	return nil, false
}
