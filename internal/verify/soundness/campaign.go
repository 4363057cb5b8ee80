package soundness

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/warpbound/warpbound/internal/verify/exhaust"
)

// Config says how much to try. The outcome depends on Seed and Cases only.
type Config struct {
	Seed uint64
	// Cases is the number of blocks on machines that issue one instruction a cycle; a
	// fourth as many on others come on top.
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
	KindWide  = "several issues a cycle, exhaustive"
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
	{KindWide, (*checker).randomWide},
}

// wide is the last of kinds. Its cases come on top of the others, one for every
// wideShare, with random numbers of their own.
const (
	wide      = 4
	wideShare = 4
	wideSeed  = 0x77696465
)

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
		for _, b := range [...]caseRange{
			{from, to, cfg.Seed, func(n int) int { return turns[n%len(turns)] }},
			{from / wideShare, to / wideShare, cfg.Seed ^ wideSeed, func(int) int { return wide }},
		} {
			found, err := runBatch(ctx, b, checkers, sum)
			sum.Violations = append(sum.Violations, found...)
			if err != nil {
				return sum, err
			}
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

// caseRange is consecutive cases; kind says which of kinds a case is.
type caseRange struct {
	from, to int
	seed     uint64
	kind     func(n int) int
}

// runBatch runs a range of cases on the checkers and gathers in case order.
func runBatch(ctx context.Context, b caseRange, checkers []*checker, sum *Summary) ([]Violation, error) {
	out := make([]outcome, b.to-b.from)
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
				n := b.from + i
				v, err := kinds[b.kind(n)].run(c, rand.New(rand.NewPCG(b.seed, uint64(n))))
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
		k := &sum.Kinds[b.kind(b.from+i)]
		k.Cases++
		k.Compared += o.compared
		k.Skipped += o.skipped
		if o.v != nil {
			found = append(found, *o.v)
		}
		if o.err != nil {
			errs = append(errs, fmt.Errorf("%s, seed %d, case %d: %w", k.Kind, sum.Seed, b.from+i, o.err))
		}
	}
	return found, errors.Join(errs...)
}
