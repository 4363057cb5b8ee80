package certify

import (
	"path/filepath"

	"github.com/pelletier/go-toml/v2"
	cert "github.com/warpbound/warpbound/internal/certificate"
)

// launchFile is what is read of a launch file (docs/launch-format.md).
type launchFile struct {
	Kernel string  `toml:"kernel"`
	Entry  string  `toml:"entry"`
	Grid   []int64 `toml:"grid"`
	Block  []int64 `toml:"block"`
	Shared int64   `toml:"dynamic_shared_bytes"`
}

// checkLaunch compares the certificate with the launch file.
func checkLaunch(c *cert.Certificate, text []byte) {
	var f launchFile
	err := toml.Unmarshal(text, &f)
	need(err == nil, "launch", "%v", err)
	extent := func(where string, stated [3]int64, list []int64) {
		found := [3]int64{1, 1, 1}
		copy(found[:], list)
		need(stated == found, where, "%v, but the launch file has %v", stated, found)
	}
	extent("grid", c.Grid, f.Grid)
	extent("block", c.Block, f.Block)
	need(filepath.Base(f.Kernel) == filepath.Base(c.Kernel.File), "kernel.file", "%q, but the launch file has %q", c.Kernel.File, f.Kernel)
	need(f.Entry == "" || f.Entry == c.Kernel.Entry, "kernel.entry", "%q, but the launch file has %q", c.Kernel.Entry, f.Entry)
	need(c.Occupancy.SharedBytes >= f.Shared, "occupancy.shared_bytes", "%d, but the launch file asks for %d of dynamic shared memory", c.Occupancy.SharedBytes, f.Shared)
}
