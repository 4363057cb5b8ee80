package report

import (
	"strings"
	"testing"

	"github.com/warpbound/warpbound/gpu"
)

// Where lines were left out of the bounds, the head says so.
func TestCacheTextSaysWhatIsLeftOut(t *testing.T) {
	d := &CacheDocument{Kernel: "k", Launch: "k.toml", Blocks: 1, SMs: 1, BlocksPerSM: 1, Rounds: 1, Exact: true, Caches: make([]CacheConfiguration, 2)}
	const note = "more than 8,388,608 distinct lines where warps may share an L1D"
	for _, left := range []bool{false, true} {
		d.Caches[1].AnyOrder.LinesLeftOut = left
		if s := d.Document(&gpu.Description{Name: "g"}, false).Text(); strings.Contains(s, note) != left {
			t.Errorf("lines left out: %v, text:\n%s", left, s)
		}
	}
}
