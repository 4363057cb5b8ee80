package ordered

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/warpbound/warpbound/bound"
)

// compute returns the bounds of a scenario, or nil where a channel can be full.
func compute(t *testing.T, s *scenario) *Result {
	t.Helper()
	res, err := computeOne(context.Background(), &s.m, &s.in, nil)
	var refusal *bound.Refusal
	if errors.As(err, &refusal) && refusal.Assumption == bound.ChannelsDoNotBlock {
		return nil
	}
	if err != nil {
		t.Fatalf("%v\n%+v", err, s)
	}
	return res
}

func TestNoExecutionIsLongerThanTheBounds(t *testing.T) {
	const cases, runs = 4000, 6
	var executions, refused, exact int
	var sumBound, sumLongest int64
	for seed := range uint64(cases) {
		r := rand.New(rand.NewPCG(seed, 4))
		s := randomScenario(r, size{warps: 5, sections: 3, length: 6, times: 3})
		res := compute(t, s)
		if res == nil {
			refused++
			continue
		}
		var longest int64
		for i := range runs {
			end, inChannel, err := run(s, &randomChooser{r, i % 3}, res.Serial.Cycles+1)
			executions++
			switch {
			case err != nil:
				t.Fatalf("seed %d: %v", seed, err)
			case end > res.Ordered.Cycles:
				t.Fatalf("seed %d: %d cycles, theorem 21 gives %d\n%+v", seed, end, res.Ordered.Cycles, s)
			case end > res.Serial.Cycles:
				t.Fatalf("seed %d: %d cycles, theorem 20 gives %d\n%+v", seed, end, res.Serial.Cycles, s)
			case inChannel > s.m.ChannelEntries:
				t.Fatalf("seed %d: %d entries in a channel of %d", seed, inChannel, s.m.ChannelEntries)
			}
			longest = max(longest, end)
		}
		sumBound += min(res.Ordered.Cycles, res.Serial.Cycles)
		sumLongest += longest
		if longest == res.Ordered.Cycles {
			exact++
		}
	}
	t.Logf("%d executions, %d cases refused, bound reached in %d, sum of bounds over longest found %.3f", executions, refused, exact, float64(sumBound)/float64(sumLongest))
	if refused > cases/2 {
		t.Errorf("%d of %d cases refused", refused, cases)
	}
}

func TestExhaustively(t *testing.T) {
	var executions, cases, exact int
	var sumBound, sumLongest int64
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 5))
		s := randomScenario(r, size{warps: 2, sections: 2, length: 2, times: 2, tiny: true})
		res := compute(t, s)
		if res == nil || len(s.order) < 2 {
			continue
		}
		var longest int64
		o := &odometer{}
		n := 0
		for {
			end, _, err := run(s, o, res.Serial.Cycles+1)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if end > res.Ordered.Cycles || end > res.Serial.Cycles {
				t.Fatalf("seed %d: %d cycles, theorems 21 and 20 give %d and %d\n%+v", seed, end, res.Ordered.Cycles, res.Serial.Cycles, s)
			}
			longest = max(longest, end)
			n++
			if !o.next() || n > 8192 {
				break
			}
		}
		executions += n
		if n > 8192 {
			continue
		}
		cases++
		sumBound += min(res.Ordered.Cycles, res.Serial.Cycles)
		sumLongest += longest
		if longest == res.Ordered.Cycles {
			exact++
		}
	}
	t.Logf("%d executions, bound exact in %d of %d, sum of bounds over worst cases %.3f", executions, exact, cases, float64(sumBound)/float64(sumLongest))
}
