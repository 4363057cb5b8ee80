package budget

import (
	"errors"
	"testing"
)

// Where refreshes take exactly all the time there is, and no more, sums grow by the
// same again and again: that is no bound, and is said at once.
func TestRefreshesTakeAllTheTime(t *testing.T) {
	l := launched(t, "\tld.param.u64 %rd0, [p];\n\tbar.sync 1;\n\tld.global.u32 %r1, [%rd0];\n\tbar.sync 2;\n", 1, 32)
	set := append(append([]string{}, quick...), "dram.row_miss_cycles=50", "dram.refresh_cycles=200")
	if _, err := phases(t, l, "gtx480", Options{Caches: true}, append(set, "dram.refresh_interval_cycles=300")...); !errors.Is(err, errNoBound) {
		t.Errorf("an interval of what a refresh takes: %v, want %v", err, errNoBound)
	}
	if _, err := phases(t, l, "gtx480", Options{Caches: true}, append(set, "dram.refresh_interval_cycles=301")...); err != nil {
		t.Errorf("a cycle more: %v", err)
	}
}
