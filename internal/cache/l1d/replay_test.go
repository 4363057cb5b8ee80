package l1d

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/cache"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/ptxexec"
)

// launched makes kernels of one launch.
type launched func(taint bool) (*ptxexec.Kernel, error)

// executedAnalysis is what Analyse returns where it executes every block.
func executedAnalysis(t testing.TB, l launched) (*Analysis, error) {
	t.Helper()
	k, err := l(true)
	if err != nil {
		t.Fatal(err)
	}
	parts, err := execute(context.Background(), k, AnalyseOptions{})
	if err != nil {
		return nil, err
	}
	p, err := newPoints(k.Program(), parts)
	if err != nil {
		t.Fatal(err)
	}
	return &Analysis{points: p}, nil
}

// followedAnalysis is what Analyse returns where there are at most so many classes.
func followedAnalysis(t testing.TB, k *ptxexec.Kernel, limit int64) (*Analysis, error) {
	t.Helper()
	f, parts, why := follow(context.Background(), k, AnalyseOptions{}, limit)
	if why != nil {
		return nil, why
	}
	p, err := newPoints(k.Program(), parts)
	if err != nil {
		t.Fatal(err)
	}
	return &Analysis{points: p, followed: f}, nil
}

// sequenceHash estimates a launch, and hashes every access with what it met.
func sequenceHash(t testing.TB, a *Analysis, l launched, r Residency, caches []cache.Config) (*Estimate, uint64) {
	t.Helper()
	h := uint64(14695981039346656037)
	add := func(xs ...uint64) {
		for _, x := range xs {
			h = (h ^ x) * 1099511628211
			h ^= h >> 29
		}
	}
	e, err := a.Estimate(context.Background(), func() (simt.Kernel, error) { return l(false) }, r, caches, EstimateOptions{
		Classes: true,
		Observe: func(sm int, a *Access, results [][]cache.Result) error {
			add(uint64(sm), uint64(a.Block), uint64(a.Warp), uint64(a.Index), uint64(a.PC), uint64(a.Kind), uint64(a.Lanes), uint64(len(a.Lines)))
			add(a.Lines...)
			for _, row := range results {
				for _, x := range row {
					hit := uint64(0)
					if x.Hit {
						hit = 1
					}
					add(hit, x.Victim)
				}
			}
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return e, h
}

var replayCaches = [][]cache.Config{
	{{Sets: 4, Ways: 2, LineBytes: 128, SectorBytes: 128, WriteEvict: true}, {Sets: 16, Ways: 4, LineBytes: 128, SectorBytes: 128, Replacement: cache.FIFO}},
	{{Sets: 8, Ways: 4, LineBytes: 128, SectorBytes: 32, WriteBack: true, WriteAllocate: true}},
}

// residencies deal the blocks of a grid to SMs.
func residencies(grid [3]int) []Residency {
	n := simt.NumBlocks(grid)
	return []Residency{{n, 1, int(min(n, 64))}, {n, 1, 1}, {n, 3, 2}}
}

// replaySame compares replaying with executing: everything that Estimate returns, and
// the sequence access by access. It returns the classes, 0 where the launch is
// executed.
func replaySame(t *testing.T, l launched) (classes int, why error) {
	t.Helper()
	k, err := l(true)
	if err != nil {
		t.Fatal(err)
	}
	a, why := followedAnalysis(t, k, simt.NumBlocks(k.Grid()))
	if why != nil {
		return 0, why
	}
	classes, _ = a.Replayed()
	b, err := executedAnalysis(t, l)
	if err != nil {
		t.Errorf("followed, but executed it is %v", err)
		return classes, nil
	}
	if !reflect.DeepEqual(a.points, b.points) {
		t.Errorf("the program points are not those of the executed launch")
	}
	for _, caches := range replayCaches {
		for _, r := range residencies(k.Grid()) {
			got, h := sequenceHash(t, a, l, r, caches)
			want, g := sequenceHash(t, b, l, r, caches)
			if h != g {
				t.Errorf("%+v: another sequence than executed", r)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%+v: estimate %+v, executed %+v", r, got, want)
			}
			fast, err := a.Estimate(context.Background(), func() (simt.Kernel, error) { return l(false) }, r, caches, EstimateOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for i := range fast.Caches {
				if !reflect.DeepEqual(fast.Caches[i].ByInstruction, want.Caches[i].ByInstruction) {
					t.Errorf("%+v: counts %+v without classes, executed %+v", r, fast.Caches[i].Total, want.Caches[i].Total)
				}
			}
		}
	}
	return classes, nil
}

func exampleLaunches(t testing.TB) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir("../../../examples", func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".toml") && !strings.HasSuffix(path, "-1warp.toml") && !strings.Contains(path, "/gpu/") {
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestReplayIsWhatIsExecutedOnExamples(t *testing.T) {
	replayed := 0
	for _, name := range exampleLaunches(t) {
		l, err := load.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if l.File.IsELF() {
			continue // does not follow data
		}
		t.Run(strings.TrimPrefix(name, "../../../examples/"), func(t *testing.T) {
			classes, why := replaySame(t, func(taint bool) (*ptxexec.Kernel, error) {
				k, err := l.Bare().Kernel(taint)
				if err != nil {
					return nil, err
				}
				return k.(*ptxexec.Kernel), nil
			})
			if classes > 0 {
				replayed++
			}
			k, err := l.Kernel(false)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d blocks, %d classes, %v", simt.NumBlocks(k.Grid()), classes, why)
		})
	}
	if replayed < 75 {
		t.Errorf("%d launches were replayed", replayed)
	}
}

// A launch that cannot be followed says why.
func TestReplayedSaysWhyNot(t *testing.T) {
	s := source{grid: 8, block: 32, known: true, text: "ld.global.u32 %r1, [%base]; mul.wide.u32 %rd1, %r1, 4; add.u64 %rd1, %rd1, %base; ld.global.u32 %r2, [%rd1]; ret;"}
	a, _ := s.pair(t)
	classes, why := a.Replayed()
	if classes != 0 || !errors.Is(why, ErrNotReplayed) || !errors.Is(why, simt.ErrNotFollowed) || !strings.Contains(why.Error(), "a value from memory reaches an address") {
		t.Errorf("%d classes, %v", classes, why)
	}
}
