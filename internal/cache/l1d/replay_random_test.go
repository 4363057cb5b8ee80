package l1d

import (
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/cache"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/verify/affine"
)

// affineLaunch is a random launch whose accesses depend on no data.
func affineLaunch(t testing.TB, seed uint64) (launched, string) {
	t.Helper()
	c, err := affine.Random(seed)
	if err != nil {
		t.Fatal(err)
	}
	return c.Kernel, c.Text
}

// Blocks of random kernels are replayed as they are executed.
func TestReplayIsWhatIsExecutedOnRandomKernels(t *testing.T) {
	replayed, shared, refused := 0, 0, map[string]int{}
	seeds := uint64(150)
	if testing.Short() {
		seeds = 100
	}
	for seed := range seeds {
		l, text := affineLaunch(t, seed)
		classes, why := replaySame(t, l)
		if t.Failed() {
			t.Fatalf("kernel %d, %d classes\n%s", seed, classes, text)
		}
		if why != nil {
			refused[why.Error()[strings.LastIndex(why.Error(), ":")+1:]]++
			continue
		}
		replayed++
		k, err := l(false)
		if err != nil {
			t.Fatal(err)
		}
		if int64(classes) < simt.NumBlocks(k.Grid()) {
			shared++
		}
	}
	t.Logf("%d replayed, of them %d with blocks that share a class; not: %v", replayed, shared, refused)
	if uint64(replayed)*10 < 9*seeds || uint64(shared)*3 < seeds {
		t.Errorf("of %d kernels %d were replayed, %d with blocks that share a class: %v", seeds, replayed, shared, refused)
	}
}

// What is wrong with the classes is seen: conditions left out, and a shift that is
// off.
func TestReplayOfWrongClassesDiffers(t *testing.T) {
	mistakes := map[string]func(f *followed) bool{
		"condition": func(f *followed) bool {
			if len(f.Classes) < 2 || len(f.Classes[0].Conditions) == 0 {
				return false
			}
			f.Classes[0].Conditions = nil
			return true
		},
		"shift": func(f *followed) bool {
			// One of a class with a second block.
			i := slices.IndexFunc(f.blocks, func(n int64) bool { return n > 1 })
			if i < 0 {
				return false
			}
			c := &f.Classes[i]
			at := slices.IndexFunc(c.Shifts, func(s [3]int64) bool { return s != [3]int64{} })
			if at < 0 {
				return false
			}
			c.Shifts = slices.Clone(c.Shifts)
			for axis := range 3 {
				c.Shifts[at][axis] += 128
			}
			return true
		},
	}
	for name, plant := range mistakes {
		planted, seen := 0, 0
		for seed := range uint64(60) {
			l, _ := affineLaunch(t, seed)
			k, err := l(true)
			if err != nil {
				t.Fatal(err)
			}
			right, why := followedAnalysis(t, k, 1<<20)
			if why != nil {
				continue
			}
			f := *right.followed
			f.Classes = slices.Clone(f.Classes)
			if !plant(&f) {
				continue
			}
			planted++
			r := Residency{Blocks: simt.NumBlocks(k.Grid()), SMs: 1, BlocksPerSM: 64}
			_, got := sequenceHash(t, &Analysis{points: right.points, followed: &f}, l, r, []cache.Config{smallCache()})
			_, want := sequenceHash(t, right, l, r, []cache.Config{smallCache()})
			if got != want {
				seen++
			}
		}
		t.Logf("%s: %d of %d mistakes seen", name, seen, planted)
		if planted < 10 || seen*2 < planted {
			t.Errorf("%s: %d of %d mistakes seen", name, seen, planted)
		}
	}
}
