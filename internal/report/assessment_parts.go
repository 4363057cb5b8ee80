package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/conf"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/sim/gantt"
)

// NewAssessedGPU lists the numbers of a description with their sources. given is how it
// was named.
func NewAssessedGPU(given string, d *gpu.Description) (*AssessedGPU, error) {
	id, err := identity(d)
	if err != nil {
		return nil, err
	}
	text, err := d.Encode()
	if err != nil {
		return nil, err
	}
	root, err := conf.Parse(given, text)
	if err != nil {
		return nil, fmt.Errorf("reading the description of %s again: %w", d.Name, err)
	}
	out := &AssessedGPU{MachineIdentity: id, Given: given, CoreKHz: d.Clock.CoreKHz, Parameters: []Parameter{}}
	out.walk("", root, "")
	return out, nil
}

// walk lists the values of a table, those of tables in it behind them.
func (g *AssessedGPU) walk(table string, n *conf.Node, source string) {
	if s := n.Get("source"); s != nil {
		source = s.Text
	}
	for _, e := range n.Entries {
		if e.Key != "source" && !holdsTables(e.Value) {
			g.Parameters = append(g.Parameters, Parameter{Table: table, Key: e.Key, Value: valueText(e.Value), Source: source})
		}
	}
	for _, e := range n.Entries {
		switch {
		case e.Value.Kind == conf.Table:
			g.walk(conf.Join(table, e.Key), e.Value, source)
		case holdsTables(e.Value):
			for i, item := range e.Value.Items {
				name := fmt.Sprint(i)
				if given := item.Get("name"); given != nil {
					name = given.Text
				}
				g.walk(conf.Join(conf.Join(table, e.Key), name), item, source)
			}
		}
	}
}

// holdsTables says whether a value is a table, or an array of them.
func holdsTables(n *conf.Node) bool {
	return n.Kind == conf.Table || n.Kind == conf.Array && slices.ContainsFunc(n.Items, func(x *conf.Node) bool { return x.Kind == conf.Table })
}

// valueText is a plain value as people read it.
func valueText(n *conf.Node) string {
	if n.Kind != conf.Array {
		return n.Text
	}
	var parts []string
	for _, x := range n.Items {
		parts = append(parts, valueText(x))
	}
	return strings.Join(parts, ", ")
}

// BlockTimeline draws what the warps of a block did in a run on m.
func BlockTimeline(launch string, block int64, m *gpu.Machine, r *sim.Result, of *gantt.Recorder) ([]byte, error) {
	o := SimulationGantt(launch, m, r)
	o.Title = fmt.Sprintf("block %d of %s", block, o.Title)
	o.Plain, o.FromCycle, o.ToCycle, o.Hidden, o.Quantum = true, of.FromCycle, min(o.ToCycle, of.ToCycle), of.Hidden(), of.Quantum()
	var picture bytes.Buffer
	err := WriteGantt(&picture, of.Intervals(), o)
	return picture.Bytes(), err
}

// SetAnalysis, SetSimulation, SetMemory and SetCache give a case the documents whose
// sections its chapter shows, SetTimeline its picture.
func (c *CaseDocument) SetAnalysis(d *Document) { c.pages.analysis = d }

// SetSimulation is as SetAnalysis.
func (c *CaseDocument) SetSimulation(d *Document) { c.pages.simulation = d }

// SetMemory is as SetAnalysis.
func (c *CaseDocument) SetMemory(d *Document) { c.pages.memory = d }

// SetCache is as SetAnalysis.
func (c *CaseDocument) SetCache(d *Document) { c.pages.cache = d }

// SetTimeline is as SetAnalysis.
func (c *CaseDocument) SetTimeline(draw func() ([]byte, error)) { c.pages.timeline = draw }

// Add adds up what the warps of a block did.
func (t *TimelineDocument) Add(list []gantt.Interval) {
	cycles, warps, all := map[string]int64{}, map[int]bool{}, int64(0)
	for _, i := range list {
		cycles[i.State] += i.ToCycle - i.FromCycle
		all += i.ToCycle - i.FromCycle
		warps[i.Warp] = true
	}
	t.Warps = int64(len(warps))
	for _, state := range sortedByCount(cycles) {
		t.States = append(t.States, StateCycle{State: state, Cycles: cycles[state], Share: float64(cycles[state]) / float64(max(all, 1))})
	}
}
