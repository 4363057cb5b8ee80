package sim

import (
	"fmt"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/testkit/gpus"
	"pgregory.net/rapid"
)

// timeLog is when loads were sent and completed, by block, warp and pc, of a
// kernel without loops.
type timeLog struct {
	NopObserver
	miss, hit map[string]int64 // cycle of the last request at the tags
	done      map[string]int64
}

func (l *timeLog) key(p Place, pc int32) string { return fmt.Sprint(p.Block, p.Warp, pc) }

func (l *timeLog) Access(e AccessEvent) {
	k := l.key(e.Place, e.PC)
	delete(l.hit, k)
	if !e.Class.Hits() || l.miss[k] > 0 || e.Class == HitReserved {
		l.miss[k] = e.Cycle + 1 // never 0
		return
	}
	l.hit[k] = e.Cycle
}

func (l *timeLog) Complete(e CompleteEvent) { l.done[l.key(e.Place, e.PC)] = e.Cycle }

// No load takes longer than the description says, each other request under way
// having its share; one alone takes exactly that.
func TestMemoryTimes(t *testing.T) {
	for _, preset := range []string{"gtx480", "rtx3070"} {
		m := gpus.Open(t, preset)
		times := m.Desc.MemoryTimes()
		k := newMemKernel(t, 1, 0, "l0 u l0 u a4096 u")
		_, l := mustRunMem(t, Config{Machine: m, Model: AbstractModel{}, Memory: Caches{}}, k)
		miss, hit, atomic := l.issues[1]-l.issues[0], l.issues[3]-l.issues[2], l.issues[5]-l.issues[4]
		if miss != times.MissCycles || hit != times.HitCycles || atomic > times.WriteCycles || atomic < times.WriteCycles-m.Desc.DRAM.RowMissCycles {
			t.Errorf("%s: a miss, a hit and an atomic take %d, %d and %d cycles, want %+v", preset, miss, hit, atomic, times)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		var warps []string
		for range rapid.IntRange(1, 6).Draw(t, "warps") {
			var words []string
			for range rapid.IntRange(1, 8).Draw(t, "length") {
				words = append(words, rapid.SampledFrom([]string{"u", "p", "l%d", "l%d", "l%d/32", "l%d/128"}).Draw(t, "kind"))
				if last := &words[len(words)-1]; strings.HasPrefix(*last, "l") {
					*last = fmt.Sprintf(*last, 128*rapid.IntRange(0, 600).Draw(t, "line"))
				}
			}
			warps = append(warps, strings.Join(words, " "))
		}
		set := []string{"l1d.ways=256", "l1d.index=linear", "l1d.mshrs=4096", "l1d.mshr_merges=256",
			fmt.Sprintf("sm.count=%d", rapid.IntRange(1, 4).Draw(t, "SMs")),
			fmt.Sprintf("l2.slices=%d", rapid.IntRange(1, 4).Draw(t, "slices")),
			fmt.Sprintf("l2.sets=%d", 1<<rapid.IntRange(0, 4).Draw(t, "sets")),
			fmt.Sprintf("dram.banks=%d", rapid.IntRange(1, 4).Draw(t, "banks")),
			"dram.channels=1", fmt.Sprintf("dram.bytes_per_kilocycle=%d", rapid.Int64Range(500, 60000).Draw(t, "bandwidth")),
		}
		m := gpus.Open(t, rapid.SampledFrom([]string{"gtx480", "rtx3070"}).Draw(t, "GPU"), set...)
		k := newMemKernel(t, rapid.IntRange(1, 5).Draw(t, "blocks"), 128*rapid.Uint64Range(0, 100).Draw(t, "shift"), strings.Join(warps, ";"))
		l := &timeLog{miss: map[string]int64{}, hit: map[string]int64{}, done: map[string]int64{}}
		r, _ := mustRunMem(t, Config{Machine: m, Model: AbstractModel{}, Memory: Caches{}, Observers: []Observer{l}}, k)
		times := m.Desc.MemoryTimes()
		if waits := r.Memory.L1D.Waits; waits != [numCauses]int64{} {
			t.Fatalf("requests wait at the tags: %v", waits)
		}
		others := int64(r.SMs)*r.Memory.L1D.MSHRsMost - 1
		for k, at := range l.miss {
			if took, most := l.done[k]-(at-1), times.MissCycles+others*times.ServiceCycles; took > most {
				t.Errorf("%s: %d cycles, at most %d with %d others under way: %+v", k, took, most, others, times)
			}
		}
		for k, at := range l.hit {
			if took := l.done[k] - at; took != times.HitCycles {
				t.Errorf("%s: a hit takes %d cycles, want %d", k, took, times.HitCycles)
			}
		}
	})
}
