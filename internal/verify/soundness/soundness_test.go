package soundness

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
)

// TestCampaign is the short form of the campaign.
func TestCampaign(t *testing.T) {
	cases := 4000
	if testing.Short() {
		cases = 1500
	}
	sum, err := Run(t.Context(), Config{Seed: 1, Cases: cases, StopAfter: 3})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range sum.Violations {
		t.Errorf("%s", v.String())
	}
	if want := cases + cases/wideShare; sum.Cases() != want && len(sum.Violations) == 0 {
		t.Errorf("%d cases, want %d", sum.Cases(), want)
	}
	for _, k := range sum.Kinds {
		t.Logf("%-30s %6d cases, %7d comparisons, %d skipped", k.Kind, k.Cases, k.Compared, k.Skipped)
		if k.Skipped*10 > int64(k.Cases) {
			t.Errorf("%s: %d of %d cases were too large", k.Kind, k.Skipped, k.Cases)
		}
	}
}

func TestWorkersDoNotMatter(t *testing.T) {
	var texts []string
	for _, workers := range []int{1, 3} {
		sum, err := Run(t.Context(), Config{Seed: 7, Cases: 400, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		out, err := json.Marshal(sum)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(out))
	}
	if texts[0] != texts[1] {
		t.Errorf("one worker: %s\nthree:      %s", texts[0], texts[1])
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	done := 0
	sum, err := Run(ctx, Config{Seed: 1, Cases: 1 << 30, Progress: func(n, _ int) {
		done = n
		cancel()
	}})
	if !errors.Is(err, context.Canceled) || done == 0 || sum.Cases() != done+done/wideShare {
		t.Errorf("%v after %d cases, %d in the summary", err, done, sum.Cases())
	}
}

// TestSmallScope tries small scopes completely. docs/soundness.md, section
// "Evidence", has larger ones.
func TestSmallScope(t *testing.T) {
	for _, n := range Scopes() {
		if !n.Quick {
			continue
		}
		r, err := n.Scope.Run(t.Context())
		if err != nil {
			t.Fatalf("%s: %v", n.Name, err)
		}
		for _, v := range r.Violations {
			t.Errorf("%s: %s", n.Name, v.String())
		}
		if r.Blocks == 0 || r.Skipped > 0 {
			t.Errorf("%s: %d blocks, %d skipped", n.Name, r.Blocks, r.Skipped)
		}
		t.Logf("%s: %d programs, %d blocks, %d comparisons", n.Name, r.Programs, r.Blocks, r.Compared)
	}
}

func TestScopeErrors(t *testing.T) {
	if _, err := (Scope{Warps: 4}).Run(t.Context()); err == nil {
		t.Error("four warps accepted")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := Scope{Warps: 1, Units: 1, PerWarp: 1, Total: 1, Inits: []int{1}, Lats: []int{0}, Machines: Machines()}
	if _, err := s.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want canceled", err)
	}
}
