package sim

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRecorder(t *testing.T) {
	s := newSetup(t, example, 1)
	r := &Recorder{}
	s.cfg.Observers = []Observer{r}
	s.run(t)
	want := []Interval{
		{FromCycle: 0, ToCycle: 3, State: "issue"},
		{FromCycle: 3, ToCycle: 8, State: "data"},
		{FromCycle: 8, ToCycle: 9, State: "issue"},
		{FromCycle: 9, ToCycle: 14, State: "drain"},
	}
	if d := cmp.Diff(want, r.Intervals()); d != "" {
		t.Error(d)
	}
}

// The intervals of a warp follow each other without a gap from its start to the
// end of its block, whatever the policy.
func TestRecorderCoversWarps(t *testing.T) {
	for _, policy := range []string{"lrr", "gto", "srr"} {
		s := newSetup(t, "3x F0/2/7 F1/1/3 F0/1/0(0) F1/2/4(1,2) | F0/3/0 F1/1/9(0)", 5).policy(t, policy)
		s.cfg.KeepBlocks = true
		r := &Recorder{}
		s.cfg.Observers = []Observer{r}
		res := s.run(t)
		reached := map[[2]int64]int64{}
		for _, b := range res.BlockTimes {
			for w := range int64(3) {
				reached[[2]int64{b.Block, w}] = b.StartCycle
			}
		}
		for _, i := range r.Intervals() {
			key := [2]int64{i.Block, int64(i.Warp)}
			if reached[key] != i.FromCycle {
				t.Errorf("%s: block %d, warp %d: interval %+v after cycle %d", policy, i.Block, i.Warp, i, reached[key])
			}
			reached[key] = i.ToCycle
		}
		for _, b := range res.BlockTimes {
			for w := range int64(3) {
				if end := reached[[2]int64{b.Block, w}]; end != b.EndCycle {
					t.Errorf("%s: block %d, warp %d: intervals end at %d, the block at %d", policy, b.Block, w, end, b.EndCycle)
				}
			}
		}
	}
}

func TestRecorderLimit(t *testing.T) {
	s := newSetup(t, example, 1)
	r := &Recorder{MaxIntervals: 2}
	s.cfg.Observers = []Observer{r}
	s.run(t)
	if len(r.Intervals()) != 2 || r.Dropped != 2 {
		t.Errorf("%d intervals, %d dropped", len(r.Intervals()), r.Dropped)
	}
}
