package analysis

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/examples"
	"github.com/warpbound/warpbound/internal/method"
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
		if n := methods[m.Name]; m.Costs != nil && n < 20 {
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
