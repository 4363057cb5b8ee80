package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/cache/static"
	"github.com/warpbound/warpbound/internal/plot"
)

// Document gives the study its forms: the configurations, and the instructions of each
// where asked for.
func (d *CacheDocument) Document(m *gpu.Description, instructions bool) *Document {
	doc := &Document{
		Kind: "cache", Provenance: Written(d.Warpbound, []string{d.Launch}, d.MachineIdentity), JSON: d, Values: d.kindSheet(),
		Sections: []Section{{ID: "launch", Lead: d.heading(m)}, {ID: "caches", Sheet: d.ratesSheet()}},
		Plot:     func(format string) ([]byte, error) { return CachePlot(d, format) },
	}
	if t := d.simulationSheet(); len(t.Rows) > 0 {
		doc.Sections = append(doc.Sections, Section{ID: "simulations", Sheet: t})
	}
	if note := d.sequenceNote(); note != "" {
		doc.Sections = append(doc.Sections, Section{ID: "sequence", Lead: note})
	}
	if instructions {
		doc.Values = d.instructionSheet(d.Caches, InCSV)
		for i := range d.Caches {
			doc.Sections = append(doc.Sections, Section{ID: "instructions", Lead: d.Caches[i].name() + "\n", Sheet: d.instructionSheet(d.Caches[i:i+1], InText)})
		}
	}
	return doc
}

// heading says what the study is of.
func (d *CacheDocument) heading(m *gpu.Description) string {
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
	return fmt.Sprintf("request by request the reordered simulation is the estimate: %d of %d\n", same, simulated)
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

func (r *CacheRates) of(kind string) *CacheTally {
	switch kind {
	case "loads":
		return &r.Loads
	case "stores":
		return &r.Stores
	}
	return &r.Both
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
