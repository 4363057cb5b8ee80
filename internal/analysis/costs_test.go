package analysis

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/examples"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/graham"
	"github.com/warpbound/warpbound/internal/testkit/gpus"
)

// Costs by instruction add up to the bound by every method that has them, and to each part
// of it, for all examples. Every method has some that is more than a path of one instruction.
func TestCostsAddUp(t *testing.T) {
	launches, several, joined, total := 0, 0, int64(0), int64(0)
	methods := map[string]int{}
	for i, e := range slices.Concat(examples.All(), examples.Inputs()) {
		l := open(t, filepath.Join("../../examples", e.Launch))
		gpu := []string{"ecrts2025-200", "rtx3070", "gtx480", "ecrts2025-50", "tx1"}[i%5]
		set := [][]string{nil, {"sm.max_blocks=1"}}[i/5%2]
		m := gpus.Preset(t, gpu, set...)
		on, err := l.For(m.Desc)
		if err != nil {
			t.Fatal(err)
		}
		source := cacheLaunch(on)
		source.Facts = on.Facts()
		r, err := Run(context.Background(), source, m, method.Question{})
		if err != nil {
			t.Logf("%s: %v", e.Launch, err)
			continue
		}
		if r.Best == nil {
			continue
		}
		launches++
		if r.SeveralPaths() != nil {
			several++
		}
		for j := range r.Whole().Bounds {
			b := &r.Whole().Bounds[j]
			costs, err := r.CostsOf(context.Background(), b)
			if err != nil {
				t.Fatalf("%s on %s: %v", e.Launch, gpu, err)
			}
			methods[b.Method]++
			sum, parts := int64(0), map[bound.PartID]int64{}
			for _, c := range costs {
				sum += c.Cycles
				parts[c.Part] += c.Cycles
				if c.Kind == method.Joined || c.Kind == method.Undivided {
					joined += c.Cycles
				}
				if (c.Symbol >= 0) != c.Kind.OfInstruction() {
					t.Errorf("%s: %+v", e.Launch, c)
				}
			}
			total += sum
			if sum != b.Cycles {
				t.Errorf("%s on %s: costs add up to %d cycles, the bound by %s is %d", e.Launch, gpu, sum, b.Method, b.Cycles)
			}
			for _, p := range b.Breakdown {
				if parts[p.ID] != p.Cycles {
					t.Errorf("%s on %s: costs of %s add up to %d cycles, expected %d", e.Launch, gpu, p.ID, parts[p.ID], p.Cycles)
				}
			}
		}
	}
	t.Logf("%d launches, %d with several paths, by %v; %d of %d cycles belong to no single path", launches, several, methods, joined, total)
	if launches < 150 || several < 40 {
		t.Errorf("%d launches have costs, %d with several paths", launches, several)
	}
	for _, m := range Table {
		if n := methods[m.Name]; m.Costs != nil && m.Machine == method.Plain && m.Name != graham.Method && n < 20 {
			t.Errorf("%d launches have costs by %s", n, m.Name)
		}
	}
}

// Costs of replays, and of the bound for every policy behind a front end, add up; most of
// them belong to instructions.
func TestFrontEndCostsAddUp(t *testing.T) {
	uses := frontUses()
	methods := map[string]int{}
	var ofInstruction, total int64
	for i, e := range examples.All() {
		l := open(t, filepath.Join("../../examples", e.Launch))
		if threads(l) > 4096 {
			continue
		}
		for j := range 3 {
			var set []string
			if j > 0 {
				set = []string{"sm.max_blocks=1"}
			}
			r, err := replayed(context.Background(), l, frontMachine(t, i+j, set...), uses[(7*i+j)%len(uses)])
			if err != nil {
				continue
			}
			for k := range r.Whole().Bounds {
				b := &r.Whole().Bounds[k]
				if Lookup(b.Method).Machine != method.WithFrontEnd {
					continue
				}
				costs, err := r.CostsOf(context.Background(), b)
				if err != nil {
					t.Fatalf("%s: %v", e.Launch, err)
				}
				methods[b.Method]++
				for _, c := range costs {
					total += c.Cycles
					if c.Kind.OfInstruction() {
						ofInstruction += c.Cycles
					}
				}
			}
		}
	}
	t.Logf("%v; %d of %d cycles belong to an instruction", methods, ofInstruction, total)
	if methods["replay"] < 50 || methods["sum-nops"] < 5 || ofInstruction < total*9/10 {
		t.Errorf("%v; %d of %d cycles belong to an instruction", methods, ofInstruction, total)
	}
}

// Costs of turns and of strict round robin add up where there is no order of accesses, and
// belong to instructions but for delays; with one they are known by part.
func TestCostsOfTurnsAddUp(t *testing.T) {
	methods, undivided := map[string]int{}, 0
	for i, e := range examples.All() {
		l := open(t, filepath.Join("../../examples", e.Launch))
		if threads(l) > 8192 {
			continue
		}
		set := [][]string{nil, {"barrier.delay_cycles=3", "block_dispatch.start_delay_cycles=5"}, {"queue.kind=none"}, {"queue.kind=pooled", "queue.slots=3"}, {"barrier.draining=true", "sm.max_blocks=2"}, {"sm.count=3"}}[i%6]
		r, err := Run(context.Background(), cacheLaunch(l), gpus.Preset(t, "ecrts2025-50", set...), method.Question{Policy: []string{"srr", "segments"}[i%2]})
		if err != nil {
			continue
		}
		later, err := Run(context.Background(), cacheLaunch(l), gpus.Preset(t, "ecrts2025-50", append(slices.Clone(set), "timing.memory.latency_cycles=51")...), r.Question)
		if err != nil {
			t.Fatal(err)
		}
		for j := range r.Whole().Bounds {
			b := &r.Whole().Bounds[j]
			costs, err := r.CostsOf(context.Background(), b)
			if err != nil {
				t.Fatalf("%s with %v: %v", e.Launch, set, err)
			}
			least := int64(0) // that a longer memory latency makes the bound larger by
			for _, c := range costs {
				if c.Kind == method.Awaited {
					pc := r.Path.Symbols[c.Symbol].PC
					if tm := &r.Timing[pc]; later.Timing[pc].LatencyCycles > tm.LatencyCycles {
						each := tm.LatencyCycles
						if b.Method == "turns" {
							each += tm.Initiation(int(r.Path.Symbols[c.Symbol].Transactions))
						}
						least += c.Cycles / each
					}
				}
				switch {
				case b.Method != "turns" && b.Method != "strict" && c.Kind == method.Undivided:
				case c.Kind == method.Undivided:
					undivided++
				case (c.Symbol >= 0) != c.Kind.OfInstruction() || c.Cycles < 0:
					t.Errorf("%s: %+v", e.Launch, c)
				}
			}
			methods[b.Method]++
			if b.Method != "turns" && b.Method != "strict" {
				continue
			}
			if after := later.Whole().Bound(b.Method); after == nil || after.Cycles < b.Cycles+least {
				t.Errorf("%s with %v: %s is %d cycles with a cycle more for each access, expected at least %d + %d", e.Launch, set, b.Method, after.Cycles, b.Cycles, least)
			}
			if least > 0 {
				methods[b.Method+", longer"]++
			}
		}
	}
	t.Logf("%v", methods)
	if methods["turns, longer"] < 50 || methods["strict, longer"] < 50 || methods["turns"] < 50 || methods["strict"] < 50 || undivided > 0 {
		t.Errorf("%v; %d undivided parts of turns", methods, undivided)
	}
	r, err := Run(context.Background(), cacheLaunch(open(t, "../../examples/basic/saxpy/saxpy.toml")), gpus.Preset(t, "gtx480"), method.Question{Reordered: true})
	if err != nil {
		t.Fatal(err)
	}
	costs, b, err := r.Costs(context.Background())
	if err != nil || b == nil || len(costs) == 0 || costs[0].Kind != method.Undivided {
		t.Errorf("%v of %+v, %v", costs, b, err)
	}
}
