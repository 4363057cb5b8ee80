package certify

import (
	"cmp"
	"maps"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/pelletier/go-toml/v2"

	cert "github.com/warpbound/warpbound/internal/certificate"
)

// launchFile is what is read of a launch file, or of a file of facts, which has the tables
// loops and facts only (docs/launch-format.md).
type launchFile struct {
	Kernel string         `toml:"kernel"`
	Entry  string         `toml:"entry"`
	Grid   []int64        `toml:"grid"`
	Block  []int64        `toml:"block"`
	Shared int64          `toml:"dynamic_shared_bytes"`
	Loops  map[string]any `toml:"loops"`
	Facts  struct {
		File      string     `toml:"file"`
		Exclusive [][]string `toml:"exclusive"`
		Counts    []struct {
			Most   int64            `toml:"most"`
			Places map[string]int64 `toml:"places"`
		} `toml:"counts"`
	} `toml:"facts"`
}

// launch compares the certificate with the launch file and the file of facts, and limits
// with what these state.
func (k *checker) launch(launch, facts []byte) {
	var stated []cert.Limit
	read := func(where string, file *cert.File, text []byte) (f launchFile) {
		if file != nil {
			hash(where+".sha256", file.SHA256, text)
			err := toml.Unmarshal(text, &f)
			need(err == nil, where, "%v", err)
			stated = append(stated, f.limits()...)
		}
		return f
	}
	f := read("launch", k.Launch, launch)
	read("facts_file", k.FactsFile, facts)
	if k.Launch != nil {
		grid, block := append(f.Grid, 1, 1, 1)[:3], append(f.Block, 1, 1, 1)[:3]
		need(slices.Equal(k.Grid[:], grid), "grid", "%v, but the launch file has %v", k.Grid, grid)
		need(slices.Equal(k.Block[:], block), "block", "%v, but the launch file has %v", k.Block, block)
		same := func(where, stated, found string) {
			need(filepath.Base(stated) == filepath.Base(found), where, "%q, but the launch file has %q", stated, found)
		}
		same("kernel.file", k.Kernel.File, f.Kernel)
		same("kernel.entry", k.Kernel.Entry, cmp.Or(f.Entry, k.Kernel.Entry))
		if k.FactsFile != nil {
			same("facts_file.file", k.FactsFile.File, f.Facts.File)
		}
		need(k.Occupancy.SharedBytes >= f.Shared, "occupancy.shared_bytes", "%d, but the launch file asks for %d of dynamic shared memory", k.Occupancy.SharedBytes, f.Shared)
	}
	for i, l := range k.Limits {
		known := slices.ContainsFunc(stated, func(s cert.Limit) bool { return reflect.DeepEqual(s, l) })
		need(known || k.Launch == nil && k.FactsFile == nil, at("limits", i), "%+v is not among the facts of the launch: %+v", l, stated)
	}
}

// limits are those that a file states.
func (f *launchFile) limits() (out []cert.Limit) {
	for place, bounds := range f.Loops {
		table, _ := bounds.(map[string]any)
		for _, kind := range []string{"total", "warp_total"} {
			if most, ok := table[kind].(int64); ok {
				out = append(out, cert.Limit{Kind: kind, Places: []string{place}, Most: most})
			}
		}
	}
	for _, pair := range f.Facts.Exclusive {
		other := slices.Clone(pair)
		slices.Reverse(other)
		out = append(out, cert.Limit{Kind: "exclusive", Places: pair}, cert.Limit{Kind: "exclusive", Places: other})
	}
	for _, c := range f.Facts.Counts {
		l := cert.Limit{Kind: "counts", Places: slices.Sorted(maps.Keys(c.Places)), Most: c.Most}
		for _, place := range l.Places {
			l.Factors = append(l.Factors, c.Places[place])
		}
		out = append(out, l)
	}
	return out
}
