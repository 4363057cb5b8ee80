package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/cache/static"
	"github.com/warpbound/warpbound/internal/plot"
)

// CacheText writes a study of caches as tables: the configurations, and the
// instructions of each where asked for.
func CacheText(d *CacheDocument, m *gpu.Description, instructions bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "kernel  %s: %s\n", d.Kernel, d.Launch)
	fmt.Fprintf(&b, "GPU     %s: %s on %s, at most %s resident, %s\n", machineName(m), plural(d.Blocks, "block"), plural(int64(d.SMs), "SM"), plural(int64(d.BlocksPerSM), "block"), d.admission())
	fmt.Fprintf(&b, "ORDER   enforced by program point, block and warp: the estimate is %s\n", d.quality())
	if d.Irregular > 0 {
		fmt.Fprintf(&b, "note    %s at points that their block had passed; first %s\n", accesses(d.Irregular), d.Irregularity)
	}
	if slices.ContainsFunc(d.Caches, func(c CacheConfiguration) bool { return c.AnyOrder.LinesLeftOut }) {
		fmt.Fprintf(&b, "note    more than %s distinct lines where warps may share an L1D: the bounds of any order are wider than they could be\n", Count(static.DefaultLines))
	}
	b.WriteString("\n" + d.ratesTable().Render(Text))
	if t := d.simulationTable(); len(t.Rows) > 0 {
		b.WriteString("\n" + t.Render(Text))
	}
	b.WriteString(d.sequenceNote())
	if instructions {
		for i := range d.Caches {
			c := &d.Caches[i]
			fmt.Fprintf(&b, "\n%s\n%s", c.name(), c.instructionTable().Render(Text))
		}
	}
	return b.String()
}

// sequenceNote says how far the simulated sequences are those estimated.
func (d *CacheDocument) sequenceNote() string {
	same, simulated := 0, 0
	for i := range d.Caches {
		if s := d.Caches[i].SameSequence; s != nil {
			simulated++
			if *s {
				same++
			}
		}
	}
	if simulated == 0 {
		return ""
	}
	return fmt.Sprintf("\nrequest by request the reordered simulation is the estimate: %d of %d\n", same, simulated)
}

func (d *CacheDocument) admission() string {
	switch {
	case d.Rounds == 1:
		return "all at once"
	case d.Batches:
		return fmt.Sprintf("in %d batches", d.Rounds)
	}
	return "one after the other"
}

// quality says in what way the estimate is to be taken.
func (d *CacheDocument) quality() string {
	if d.Exact {
		return "exact"
	}
	if d.Rounds == 1 {
		return "one of blocks that go to the SMs in turn, exact only with --batches"
	}
	return fmt.Sprintf("one of %d batches, exact only with --batches", d.Rounds)
}

// name names a configuration as in a heading.
func (c *CacheConfiguration) name() string {
	return fmt.Sprintf("%s kB, %s of %d-byte lines, %s, %s index", kilobytes(c.SizeBytes), plural(int64(c.Ways), "way"), c.LineBytes, c.Replacement, c.Index)
}

// kilobytes prints a size in units of 1024 bytes.
func kilobytes(n int64) string {
	if n%1024 == 0 {
		return fmt.Sprint(n >> 10)
	}
	return fmt.Sprintf("%.3f", float64(n)/1024)
}

func rateText(r *float64) string {
	if r == nil {
		return "-"
	}
	return Percent(*r)
}

// ratesTable has a row a configuration: what is known without simulation.
func (d *CacheDocument) ratesTable() *Table {
	t := &Table{
		Header: []string{"size (kB)", "ways", "sets", "policy", "index", "requests", "load misses", "store misses", "misses", "miss rate", "any order: least", "most"},
		Left:   []int{3, 4},
	}
	for i := range d.Caches {
		c := &d.Caches[i]
		e, a := &c.Estimated, &c.AnyOrder
		t.Add(kilobytes(c.SizeBytes), c.Ways, c.Sets, c.Replacement, c.Index, Count(e.Both.Requests),
			rateText(e.Loads.MissRate), rateText(e.Stores.MissRate), Count(e.Both.Misses), rateText(e.Both.MissRate), Count(a.LeastMisses), Count(a.MostMisses))
	}
	return t
}

// simulationTable has a row a configuration: the simulations beside the estimate.
func (d *CacheDocument) simulationTable() *Table {
	t := &Table{Header: []string{"size (kB)", "ways", "estimated", "reordered", "ratio", "dynamic", "ratio", "reordered cycles", "dynamic cycles"}}
	for i := range d.Caches {
		c := &d.Caches[i]
		if c.Reordered == nil {
			continue
		}
		r, y := c.Reordered, c.Dynamic
		t.Add(kilobytes(c.SizeBytes), c.Ways, rateText(c.Estimated.Both.MissRate),
			rateText(r.Rates.Both.MissRate), ratioText(r.Ratio), rateText(y.Rates.Both.MissRate), ratioText(y.Ratio), Count(r.Cycles), Count(y.Cycles))
	}
	return t
}

func ratioText(r *float64) string {
	if r == nil {
		return "-"
	}
	return fmt.Sprintf("%.4f", *r)
}

func (c *CacheConfiguration) instructionTable() *Table {
	t := &Table{Header: []string{"instruction", "kind", "accesses", "requests", "most of one", "hits", "misses", "miss rate"}, Left: []int{1}}
	for i := range c.Instructions {
		in := &c.Instructions[i]
		t.Add(in.Position, in.Kind, Count(in.Accesses), Count(in.Requests), in.MostOfOne, Count(in.Hits), Count(in.Misses), rateText(in.MissRate))
	}
	return t
}

// CacheCSV writes a row for loads, stores and both of every configuration, or a
// row for every instruction of every configuration.
func CacheCSV(d *CacheDocument, instructions bool) string {
	head := []string{"launch", "gpu", "size_bytes", "ways", "sets", "line_bytes", "sector_bytes", "replacement", "index", "exact"}
	t := Table{Header: append(head, "kind", "requests", "misses", "miss_rate", "reordered_misses", "dynamic_misses", "least_misses", "most_misses", "reordered_cycles", "dynamic_cycles", "gpu_settings")}
	if instructions {
		t.Header = append(head, "pc", "position", "kind", "accesses", "requests", "most_of_one", "hits", "misses", "miss_rate", "gpu_settings")
	}
	for i := range d.Caches {
		c := &d.Caches[i]
		row := []any{d.Launch, d.GPU, c.SizeBytes, c.Ways, c.Sets, c.LineBytes, c.SectorBytes, c.Replacement, c.Index, d.Exact}
		if instructions {
			for j := range c.Instructions {
				in := &c.Instructions[j]
				t.Add(append(row[:len(row):len(row)], in.PC, in.Position, in.Kind, in.Accesses, in.Requests, in.MostOfOne, in.Hits, in.Misses, numberText(in.MissRate), d.settings())...)
			}
			continue
		}
		for _, kind := range []string{"loads", "stores", "both"} {
			e := c.Estimated.of(kind)
			cells := append(row[:len(row):len(row)], kind, e.Requests, e.Misses, numberText(e.MissRate))
			cells = append(cells, c.Reordered.misses(kind), c.Dynamic.misses(kind))
			least, most, cycles, dynamic := "", "", "", ""
			if kind == "both" {
				least, most = fmt.Sprint(c.AnyOrder.LeastMisses), fmt.Sprint(c.AnyOrder.MostMisses)
			}
			if c.Reordered != nil && kind == "both" {
				cycles, dynamic = fmt.Sprint(c.Reordered.Cycles), fmt.Sprint(c.Dynamic.Cycles)
			}
			t.Add(append(cells, least, most, cycles, dynamic, d.settings())...)
		}
	}
	return t.Render(CSV)
}

func (r *CacheRates) of(kind string) *CacheTally {
	switch kind {
	case "loads":
		return &r.Loads
	case "stores":
		return &r.Stores
	}
	return &r.Both
}

func (s *CacheSimulation) misses(kind string) string {
	if s == nil {
		return ""
	}
	return fmt.Sprint(s.Rates.of(kind).Misses)
}

func numberText(r *float64) string {
	if r == nil {
		return ""
	}
	return fmt.Sprintf("%.6f", *r)
}

// CachePlot draws the miss rates of the configurations as PNG or SVG: those of
// loads, of stores where there are any, and of both, estimated and simulated.
func CachePlot(d *CacheDocument, format string) ([]byte, error) {
	f := plot.Figure{Title: fmt.Sprintf("%s on %s: misses in the L1 data cache", d.Kernel, d.GPU), Note: d.Launch + " on " + d.note()}
	var names []string
	for i := range d.Caches {
		names = append(names, fmt.Sprintf("%s/%d", kilobytes(d.Caches[i].SizeBytes), d.Caches[i].Ways))
	}
	for _, kind := range []string{"loads", "stores", "both"} {
		// Above 100 % is room for the legend.
		p := plot.Panel{X: plot.Axis{Label: "size in kB / ways", Names: names}, Y: plot.Axis{Label: "miss rate of " + kind + " (%)", Min: 0, Max: 130}}
		add := func(name string, of func(c *CacheConfiguration) *CacheRates) {
			s := plot.Series{Name: name, Style: plot.Bars}
			for i := range d.Caches {
				if r := of(&d.Caches[i]); r != nil && r.of(kind).MissRate != nil {
					s.Points = append(s.Points, plot.Point{X: float64(i), Y: 100 * *r.of(kind).MissRate})
				}
			}
			if len(s.Points) > 0 {
				p.Series = append(p.Series, s)
			}
		}
		add("estimated", func(c *CacheConfiguration) *CacheRates { return &c.Estimated })
		add("simulated, reordered", func(c *CacheConfiguration) *CacheRates { return c.Reordered.rates() })
		add("simulated, dynamic", func(c *CacheConfiguration) *CacheRates { return c.Dynamic.rates() })
		if len(p.Series) > 0 {
			f.Panels = append(f.Panels, p)
		}
	}
	if len(f.Panels) == 0 {
		return nil, fmt.Errorf("no global load and no store to draw")
	}
	return f.Render(format)
}

func (s *CacheSimulation) rates() *CacheRates {
	if s == nil {
		return nil
	}
	return &s.Rates
}
