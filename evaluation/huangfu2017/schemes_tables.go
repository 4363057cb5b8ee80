package huangfu2017

import (
	"fmt"
	"math"
	"slices"

	"github.com/warpbound/warpbound/evaluation/internal/kit"

	"github.com/warpbound/warpbound/internal/report"
)

// tables renders every table, by the name of its marker.
func (r *results) tables() map[string]string {
	return map[string]string{
		"schemes":      r.perLaunch(),
		"means":        r.means(),
		"missrates":    r.missRates(),
		"layers":       r.byLayers(),
		"warps":        r.byWarps(),
		"factors":      r.byFactor(),
		"correlations": r.correlations(),
		"slower":       r.slower(),

		"wcet":             r.wcetPerLaunch(),
		"wcetmeans":        r.wcetMeans(),
		"wcetcorrelations": r.wcetCorrelations(),
	}
}

// trio is a launch in one shape under the three schemes.
type trio struct{ dynamic, strict, reordered *cached }

// times is the time of a scheme over that of the default.
func (t *trio) times(r *cached) float64 { return float64(r.Cycles) / float64(t.dynamic.Cycles) }

// gain is how much better reordering is than strict turns, over the default's time.
func (t *trio) gain() float64 { return t.times(t.strict) - t.times(t.reordered) }

// trios are the launches of a shape that were simulated under the three schemes.
func (r *results) trios(gpu string, layers, kb int64) []trio {
	var out []trio
	last := ""
	for i := range r.schemes {
		x := &r.schemes[i]
		if x.GPU != gpu || x.Layers != layers || x.KB != kb || x.Ways != firstWays {
			continue
		}
		if x.Launch != last {
			out, last = append(out, trio{}), x.Launch
		}
		t := &out[len(out)-1]
		switch x.Scheme {
		case dynamic:
			t.dynamic = x
		case strict:
			t.strict = x
		case reordered:
			t.reordered = x
		}
	}
	return out
}

// everywhere keeps the launches that were also simulated with all other layers.
func (r *results) everywhere(layers int64) []trio {
	known := map[string]bool{}
	for _, x := range r.trios(fermi, mostLayers, firstKB) {
		known[x.dynamic.Launch] = true
	}
	return slices.DeleteFunc(r.trios(fermi, layers, firstKB), func(x trio) bool { return !known[x.dynamic.Launch] })
}

func (t *trio) strictTimes() float64    { return t.times(t.strict) }
func (t *trio) reorderedTimes() float64 { return t.times(t.reordered) }
func (t *trio) warps() float64          { return t.dynamic.warps() }

// extra are the misses of the enforced order over those of the dynamic one.
func (t *trio) extra() float64 {
	return float64(t.reordered.Misses) / float64(max(t.dynamic.Misses, 1))
}

// perLaunch is Huangfu2017, Fig. 12 and 13, launch by launch.
func (r *results) perLaunch() string {
	t := report.Table{Header: []string{"launch", "blocks", "warps", "default, cycles"}}
	for _, scheme := range allSchemes {
		for _, kb := range sizesKB {
			if scheme != dynamic || kb != firstKB {
				t.Header = append(t.Header, fmt.Sprintf("%s %d", scheme, kb))
			}
		}
	}
	byKB := map[int64][]trio{}
	for _, kb := range sizesKB {
		byKB[kb] = r.trios(fermi, 1, kb)
	}
	first := byKB[firstKB]
	// over is the normalised time of a scheme with one of the caches.
	over := func(i int, kb int64, scheme string) float64 {
		return first[i].times(byKB[kb][i].of(scheme))
	}
	for i := range first {
		x := first[i].dynamic
		cells := []any{kit.Base(x.Launch), x.Blocks, kit.Tenth(x.warps()), report.Count(x.Cycles)}
		for _, scheme := range allSchemes {
			for _, kb := range sizesKB {
				if scheme != dynamic || kb != firstKB {
					cells = append(cells, kit.Fixed(over(i, kb, scheme)))
				}
			}
		}
		t.Add(cells...)
	}
	index := make([]int, len(first))
	for i := range index {
		index[i] = i
	}
	for _, row := range []struct {
		name string
		sum  func([]int, func(*int) float64) float64
	}{{"**mean**", kit.Mean[int]}, {"geometric mean", kit.Geometric[int]}} {
		cells := []any{row.name, "", kit.Tenth(kit.Mean(first, (*trio).warps)), ""}
		for _, scheme := range allSchemes {
			for _, kb := range sizesKB {
				if scheme != dynamic || kb != firstKB {
					cells = append(cells, kit.Fixed(row.sum(index, func(i *int) float64 { return over(*i, kb, scheme) })))
				}
			}
		}
		t.Add(cells...)
	}
	return t.Render(report.Markdown)
}

func (t *trio) of(scheme string) *cached {
	switch scheme {
	case strict:
		return t.strict
	case reordered:
		return t.reordered
	}
	return t.dynamic
}

// means is Huangfu2017, Fig. 13, with grids as they are and launched over.
func (r *results) means() string {
	t := report.Table{Header: []string{"grids", "scheme", "launches"}, Left: []int{1}}
	for _, kb := range sizesKB {
		t.Header = append(t.Header, fmt.Sprintf("%d kB", kb))
	}
	for _, kb := range sizesKB {
		t.Header = append(t.Header, fmt.Sprintf("miss rate, %d kB", kb))
	}
	for _, layers := range []int64{1, midLayers} {
		first := r.trios(fermi, layers, firstKB)
		for _, scheme := range allSchemes {
			cells := []any{gridName(layers), scheme, len(first)}
			var rates []any
			for _, kb := range sizesKB {
				now := r.trios(fermi, layers, kb)
				sum, rate := 0.0, 0.0
				for i := range now {
					x := now[i].of(scheme)
					sum += first[i].times(x)
					rate += float64(x.Misses) / float64(max(x.Requests, 1))
				}
				n := float64(len(now))
				cells, rates = append(cells, kit.Fixed(sum/n)), append(rates, report.Percent(rate/n))
			}
			t.Add(append(cells, rates...)...)
		}
	}
	return t.Render(report.Markdown)
}

// gridName says how often grids are launched over.
func gridName(layers int64) string {
	if layers == 1 {
		return "as they are"
	}
	return fmt.Sprintf("%d times over", layers)
}

// misses are the miss rates of the launches of a shape under reordering.
type misses struct {
	launches, oneBatch, differ int
	simulated, estimated       float64 // means
	ratio, least, largest      float64 // of estimated over simulated rates
}

func (r *results) missesOf(s shape) misses {
	out := misses{least: math.Inf(1)}
	with := 0
	for i := range r.schemes {
		x := &r.schemes[i]
		if x.GPU != s.gpu || x.Layers != s.layers || x.KB != s.kb || x.Ways != s.ways || x.Scheme != reordered {
			continue
		}
		out.launches++
		if x.Rounds == 1 {
			out.oneBatch++
		}
		if x.Misses != x.EstimatedMisses || x.Requests != x.EstimatedRequests {
			out.differ++
		}
		out.simulated += float64(x.Misses) / float64(max(x.Requests, 1))
		out.estimated += float64(x.EstimatedMisses) / float64(max(x.EstimatedRequests, 1))
		if q := x.ratio(); q > 0 {
			with++
			out.ratio, out.least, out.largest = out.ratio+q, min(out.least, q), max(out.largest, q)
		}
	}
	out.simulated /= float64(out.launches)
	out.estimated /= float64(out.launches)
	out.ratio /= float64(with)
	return out
}

// missRates is Huangfu2017, Fig. 14 and 15.
func (r *results) missRates() string {
	t := report.Table{Header: []string{"cache", "grids", "launches", "in one batch", "simulated", "estimated", "mean ratio", "least", "largest", "misses differ"}, Left: []int{1}}
	for _, s := range schemeShapes() {
		m := r.missesOf(s)
		t.Add(fmt.Sprintf("%d kB, %d ways", s.kb, s.ways), gridName(s.layers), m.launches, m.oneBatch, report.Percent(m.simulated), report.Percent(m.estimated),
			kit.Fixed(m.ratio), kit.Fixed(m.least), kit.Fixed(m.largest), m.differ)
	}
	return t.Render(report.Markdown)
}

// worstOrder is the launch to which the enforced order costs most misses.
const worstOrder = "kmeans_transpose"

// byLayers shows the schemes with more and more blocks on the SMs, and what the
// schedulers do.
func (r *results) byLayers() string {
	t := report.Table{Header: []string{
		"grids", "launches", "warps an SM", "srr", "reorder", "gain", "median gain", "gain without " + worstOrder,
		"srr: withheld", "default: memory", "srr: memory", "reorder: memory", "reorder: turn", "reorder: channel full",
	}}
	for _, layers := range layerCounts {
		all := r.everywhere(layers)
		others := slices.DeleteFunc(slices.Clone(all), func(x trio) bool { return kit.Base(x.dynamic.Launch) == worstOrder })
		t.Add(append([]any{
			gridName(layers), len(all), kit.Tenth(kit.Mean(all, (*trio).warps)), kit.Fixed(kit.Mean(all, (*trio).strictTimes)), kit.Fixed(kit.Mean(all, (*trio).reorderedTimes)),
			kit.Points(kit.Mean(all, (*trio).gain)), kit.Points(kit.Median(all, (*trio).gain)), kit.Points(kit.Mean(others, (*trio).gain)),
		}, shares(all)...)...)
	}
	return t.Render(report.Markdown)
}

// shares are means of shares of the scheduler cycles, in percent.
func shares(of []trio) []any {
	share := func(value func(*trio) float64) any { return kit.Points(kit.Mean(of, value)) }
	return []any{
		share(func(x *trio) float64 { return x.strict.share(x.strict.Withheld) }),
		share(func(x *trio) float64 { return x.dynamic.share(x.dynamic.Memory) }),
		share(func(x *trio) float64 { return x.strict.share(x.strict.Memory) }),
		share(func(x *trio) float64 { return x.reordered.share(x.reordered.Memory) }),
		share(func(x *trio) float64 { return x.reordered.share(x.reordered.Turn) }),
		share(func(x *trio) float64 { return x.reordered.share(x.reordered.Full) }),
	}
}

// warpBins are bounds between numbers of resident warps.
var warpBins = []float64{0, 1, 2, 4, 8, 16, 32, math.Inf(1)}

// byWarps sorts all launches and numbers of layers by the warps an SM has.
func (r *results) byWarps() string {
	t := report.Table{Header: []string{
		"warps an SM", "launches, as they are", "of all", "srr", "reorder", "gain", "median gain",
		"srr: withheld", "default: memory", "srr: memory", "reorder: memory", "reorder: turn", "reorder: channel full",
	}}
	for i, low := range warpBins[:len(warpBins)-1] {
		high := warpBins[i+1]
		var in []trio
		plain := 0
		for _, layers := range layerCounts {
			for _, x := range r.trios(fermi, layers, firstKB) {
				if w := x.warps(); w >= low && w < high {
					in = append(in, x)
					if layers == 1 {
						plain++
					}
				}
			}
		}
		name := fmt.Sprintf("%g to %g", low, high)
		if math.IsInf(high, 1) {
			name = fmt.Sprintf("%g and more", low)
		}
		t.Add(append([]any{
			name, plain, len(in), kit.Fixed(kit.Mean(in, (*trio).strictTimes)), kit.Fixed(kit.Mean(in, (*trio).reorderedTimes)),
			kit.Points(kit.Mean(in, (*trio).gain)), kit.Points(kit.Median(in, (*trio).gain)),
		}, shares(in)...)...)
	}
	return t.Render(report.Markdown)
}

// byFactor shows what else of the machine matters.
func (r *results) byFactor() string {
	t := report.Table{Header: []string{"machine", "srr", "reorder", "gain", "median gain", "srr: withheld", "default: memory", "srr: memory", "reorder: memory", "reorder: turn", "reorder: channel full"}}
	for _, f := range factors {
		all := r.trios(f.GPU, 1, firstKB)
		t.Add(append([]any{
			f.Name, kit.Fixed(kit.Mean(all, (*trio).strictTimes)), kit.Fixed(kit.Mean(all, (*trio).reorderedTimes)), kit.Points(kit.Mean(all, (*trio).gain)), kit.Points(kit.Median(all, (*trio).gain)),
		}, shares(all)...)...)
	}
	return t.Render(report.Markdown)
}

// property is something measured of a launch.
type property struct {
	name  string
	value func(*trio) float64
}

// properties are what the gain of a launch may depend on. The last three are of the
// schemes, not of the launch alone.
var properties = []property{
	{"resident warps of an SM", (*trio).warps},
	{"lanes that are active, of 32", func(t *trio) float64 {
		return float64(t.dynamic.ThreadInstructions) / float64(32*t.dynamic.WarpInstructions)
	}},
	{"requests an access", func(t *trio) float64 {
		return float64(t.dynamic.Requests) / float64(max(t.dynamic.Accesses, 1))
	}},
	{"accesses an instruction", func(t *trio) float64 { return float64(t.dynamic.Accesses) / float64(t.dynamic.WarpInstructions) }},
	{"misses an instruction", func(t *trio) float64 { return float64(t.dynamic.Misses) / float64(t.dynamic.WarpInstructions) }},
	{"share of cycles waiting for memory", func(t *trio) float64 { return t.dynamic.share(t.dynamic.Memory) }},
	{"share of cycles that issue", func(t *trio) float64 { return t.dynamic.share(t.dynamic.Issued) }},
	{"srr: share withheld", func(t *trio) float64 { return t.strict.share(t.strict.Withheld) }},
	{"reorder: share waiting for the turn", func(t *trio) float64 { return t.reordered.share(t.reordered.Turn) }},
	{"misses, reordered over dynamic", (*trio).extra},
}

// correlations are Spearman's, of the gain of launches with their properties.
func (r *results) correlations() string {
	t := report.Table{Header: []string{"property of a launch"}}
	for _, layers := range layerCounts {
		t.Header = append(t.Header, gridName(layers))
	}
	for _, p := range properties {
		cells := []any{p.name}
		for _, layers := range layerCounts {
			var xs, ys []float64
			for _, x := range r.everywhere(layers) {
				xs, ys = append(xs, p.value(&x)), append(ys, x.gain())
			}
			cells = append(cells, fmt.Sprintf("%.2f", kit.Correlation(kit.Ranks(xs), kit.Ranks(ys))))
		}
		t.Add(cells...)
	}
	return t.Render(report.Markdown)
}

// slower are the launches that reordering slows down more than strict turns do.
func (r *results) slower() string {
	t := report.Table{Header: []string{"launch", "grids", "warps an SM", "srr", "reorder", "gain", "srr: withheld", "reorder: turn", "misses, dynamic", "misses, reordered"}, Left: []int{1}}
	for _, layers := range layerCounts {
		for _, x := range r.trios(fermi, layers, firstKB) {
			if x.gain() > -0.01 {
				continue
			}
			t.Add(kit.Base(x.dynamic.Launch), gridName(layers), kit.Tenth(x.warps()), kit.Fixed(x.strictTimes()), kit.Fixed(x.reorderedTimes()), kit.Points(x.gain()),
				kit.Points(x.strict.share(x.strict.Withheld)), kit.Points(x.reordered.share(x.reordered.Turn)), report.Count(x.dynamic.Misses), report.Count(x.reordered.Misses))
		}
	}
	return t.Render(report.Markdown)
}
