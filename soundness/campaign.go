package soundness

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/warpbound/warpbound/internal/exhaust"
)

// Config says how much to try. The outcome depends on Seed and Cases only.
type Config struct {
	Seed  uint64
	Cases int
	// Workers is the number of goroutines; 0 means one per processor.
	Workers int
	// StopAfter ends the campaign once so many violations are found; 0 means 1.
	StopAfter int
	// NoFixtures leaves out the reference instances.
	NoFixtures bool
	// Progress, if not nil, is called from one goroutine at a time with the number
	// of cases done.
	Progress func(done, total int)
}

// Kinds of random cases.
const (
	KindTiny  = "tiny block, exhaustive"
	KindGrid  = "grid, adversarial schedules"
	KindLoops = "loops, folded and unrolled"
	KindClimb = "climb, exhaustive"
)

// KindCount is how many cases of a kind were tried.
type KindCount struct {
	Kind  string `json:"kind"`
	Cases int    `json:"cases"`
	// Compared is the number of comparisons of a safe bound with a schedule, or
	// with itself unrolled; Skipped cases were too large to explore.
	Compared int64 `json:"compared"`
	Skipped  int64 `json:"skipped"`
}

// Summary is the outcome of a campaign.
type Summary struct {
	Seed       uint64      `json:"seed"`
	Kinds      []KindCount `json:"kinds"`
	Violations []Violation `json:"violations"`
}

// Cases is the number of cases of all kinds.
func (s *Summary) Cases() int {
	n := 0
	for _, k := range s.Kinds {
		n += k.Cases
	}
	return n
}

var kinds = []struct {
	name string
	run  func(*checker, *rand.Rand) (*Violation, error)
}{
	{KindTiny, (*checker).randomTiny},
	{KindGrid, (*checker).randomGrid},
	{KindLoops, (*checker).randomLoops},
	{KindClimb, (*checker).randomClimb},
}

// turns says which kind each case is, as indices of kinds. Climbs are rare: one
// is a hundred systems.
var turns = [...]int{0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 0, 1, 0, 1, 3}

// batch is how many cases run between two looks at what was found. It is fixed,
// so that an early end is at the same case on every machine.
const batch = 192

// Run tries the reference instances and then random cases. A violation is not an
// error; errors are failures of the search itself and cancellation, with the
// summary so far.
func Run(ctx context.Context, cfg Config) (*Summary, error) {
	sum := &Summary{Seed: cfg.Seed}
	for _, k := range kinds {
		sum.Kinds = append(sum.Kinds, KindCount{Kind: k.name})
	}
	workers := cfg.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	stop := max(cfg.StopAfter, 1)
	c := &checker{ctx: ctx}
	fixtures := exhaust.Fixtures()
	if cfg.NoFixtures {
		fixtures = nil
	}
	for _, f := range fixtures {
		v, err := c.fixture(&f)
		if err != nil {
			return sum, fmt.Errorf("fixture %s: %w", f.Name, err)
		}
		if v != nil {
			sum.Violations = append(sum.Violations, *v)
		}
	}
	checkers := make([]*checker, workers)
	for i := range checkers {
		checkers[i] = &checker{ctx: ctx}
	}
	for from := 0; from < cfg.Cases && len(sum.Violations) < stop; from += batch {
		to := min(from+batch, cfg.Cases)
		found, err := runBatch(ctx, cfg.Seed, from, to, checkers, sum)
		sum.Violations = append(sum.Violations, found...)
		if err != nil {
			return sum, err
		}
		if cfg.Progress != nil {
			cfg.Progress(to, cfg.Cases)
		}
	}
	return sum, nil
}

// outcome is what one case gave.
type outcome struct {
	v                 *Violation
	err               error
	compared, skipped int64
}

// runBatch runs the cases from..to on the checkers and gathers in case order.
func runBatch(ctx context.Context, seed uint64, from, to int, checkers []*checker, sum *Summary) ([]Violation, error) {
	out := make([]outcome, to-from)
	var next atomic.Int64
	var wg sync.WaitGroup
	for _, c := range checkers {
		wg.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(out) || ctx.Err() != nil {
					return
				}
				c.compared, c.skipped = 0, 0
				n := from + i
				v, err := kinds[turns[n%len(turns)]].run(c, rand.New(rand.NewPCG(seed, uint64(n))))
				out[i] = outcome{v, err, c.compared, c.skipped}
			}
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var found []Violation
	var errs []error
	for i, o := range out {
		k := &sum.Kinds[turns[(from+i)%len(turns)]]
		k.Cases++
		k.Compared += o.compared
		k.Skipped += o.skipped
		if o.v != nil {
			found = append(found, *o.v)
		}
		if o.err != nil {
			errs = append(errs, fmt.Errorf("seed %d, case %d: %w", seed, from+i, o.err))
		}
	}
	return found, errors.Join(errs...)
}
