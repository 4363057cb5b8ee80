package inputs

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/facts"
	"github.com/warpbound/warpbound/isa"
)

// factCounts is what executions are seen to do that facts can be about.
type factCounts struct {
	program *isa.Program
	trips   *tripCounts
	apart   map[int32]bool // branches at which lanes of a warp part
	now     map[int32]bool // of the execution in progress
	// warps are how often each warp that ended well executed each instruction.
	warps []map[int32]int64
}

func newFactCounts(p *isa.Program, trips *tripCounts) *factCounts {
	return &factCounts{program: p, trips: trips, apart: map[int32]bool{}}
}

func (f *factCounts) begin() { f.now = map[int32]bool{} }

func (f *factCounts) step(s *simt.Step) {
	if s.Exec != 0 && s.Exec != s.Active {
		f.now[s.PC] = true
	}
}

// end is that the execution in progress ended well.
func (f *factCounts) end(took Sections) {
	maps.Copy(f.apart, f.now)
	for _, sections := range took {
		count := map[int32]int64{}
		for _, symbols := range sections {
			for _, s := range symbols {
				count[s.PC]++
			}
		}
		f.warps = append(f.warps, count)
	}
}

// facts draws some of those that hold of all executions.
func (f *factCounts) facts(seed uint64) []facts.Fact {
	rng := rand.New(rand.NewPCG(seed, 0x6661637473))
	var out []facts.Fact
	for _, head := range slices.Sorted(maps.Keys(f.trips.most)) {
		if rng.IntN(2) == 0 {
			out = append(out, facts.Fact{Kind: facts.PerThread, Name: fmt.Sprintf("thread total at %d", head), Head: head, Most: f.trips.total[head], AnyOrder: true})
		}
		if rng.IntN(2) == 0 {
			out = append(out, facts.Fact{Kind: facts.PerWarp, Name: fmt.Sprintf("warp total at %d", head), Head: head, Most: f.trips.ways[head], AnyOrder: true})
		}
	}
	place := func(pc int32, factor int64) facts.Place { return facts.Place{PCs: []int32{pc}, Factor: factor} }
	var issued []int32
	for pc := range f.program.Instructions {
		in := &f.program.Instructions[pc]
		issued = append(issued, int32(pc))
		if in.Kind == isa.Branch && in.Guard != isa.NoReg && len(in.Targets) == 1 && !f.apart[int32(pc)] && rng.IntN(2) == 0 {
			out = append(out, facts.Fact{Kind: facts.Uniform, Name: fmt.Sprintf("uniform %d", pc), Places: []facts.Place{place(int32(pc), 1)}})
		}
	}
	for range 4 {
		a, b := issued[rng.IntN(len(issued))], issued[rng.IntN(len(issued))]
		if a != b && !slices.ContainsFunc(f.warps, func(n map[int32]int64) bool { return n[a] > 0 && n[b] > 0 }) {
			out = append(out, facts.Fact{Kind: facts.Exclusive, Name: fmt.Sprintf("%d or %d", a, b), Places: []facts.Place{place(a, 1), place(b, 1)}})
		}
		x, y := 1+rng.Int64N(3), rng.Int64N(5)-2
		sum := facts.Fact{Kind: facts.Counts, Name: fmt.Sprintf("%d of %d and %d of %d", x, a, y, b), Places: []facts.Place{place(a, x), place(b, y)}}
		for _, n := range f.warps {
			sum.Most = max(sum.Most, x*n[a]+y*n[b])
		}
		if a != b && y != 0 {
			out = append(out, sum)
		}
	}
	return out
}

// agree says how what a tracker saw of loops differs from the counts, "" where it does
// not.
func agree(t *tripCounts, saw *facts.Tracker) string {
	for i := range saw.Loops {
		head, s := saw.Loops[i].Head, &saw.Seen[i]
		got, want := [3]int64{s.PerEntry.Most, s.PerThread.Most, s.PerWarp.Most}, [3]int64{t.seen[0][head], t.seen[1][head], t.seen[2][head]}
		if got != want {
			return fmt.Sprintf("the loop at %d goes back at most %d times for an entry, of a thread, of a warp, and the tracker saw %d", head, want, got)
		}
	}
	return ""
}

// within says which loop goes back to its head more often than what covers all executions
// says, "" where none does.
func (t *tripCounts) within(loops map[int32]facts.Covered) string {
	for _, head := range slices.Sorted(maps.Keys(loops)) {
		if l := loops[head]; t.most[head] > l.Most || t.most[head] > 0 && !l.Entered {
			return fmt.Sprintf("the loop at %d goes back %d times for an entry, and what covers it says %+v", head, t.most[head], l)
		}
	}
	return ""
}
