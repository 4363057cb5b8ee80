package highs

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/warpbound/warpbound/internal/milp"
	"github.com/warpbound/warpbound/internal/milp/milptest"
)

func TestConformance(t *testing.T) { milptest.Conformance(t, Solver{}, 200) }

func TestTimeLimit(t *testing.T) {
	for _, maximize := range []bool{false, true} {
		t.Run(fmt.Sprintf("maximize=%v", maximize), func(t *testing.T) {
			t.Parallel()
			milptest.Limited(t, Solver{}, maximize)
		})
	}
}

func TestCancelled(t *testing.T) { milptest.Cancelled(t, Solver{}) }

// TestCancelledKeepsWhatIsKnown: the jump of the clock lets HiGHS answer.
func TestCancelledKeepsWhatIsKnown(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	why := errors.New("enough")
	time.AfterFunc(500*time.Millisecond, func() { cancel(why) })
	p := milptest.MarketSplit(4, 30, 1)
	sol, err := Solver{}.Solve(ctx, p, milp.Options{})
	if !errors.Is(err, why) {
		t.Fatalf("error %v, want the cause", err)
	}
	if sol == nil || sol.Status != milp.Feasible {
		t.Fatalf("solution %+v, want the incumbent", sol)
	}
	if cert, err := milp.Certify(p, sol); err != nil || cert.Bound > cert.Point.Objective {
		t.Errorf("certificate %+v, %v", cert, err)
	}
}

// TestAbandoned: a run that does not end by itself is broken off.
func TestAbandoned(t *testing.T) {
	eng, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	p := milptest.MarketSplit(4, 30, 1)
	r := newRun(context.Background(), p, milp.Options{TimeLimit: time.Minute})
	sol, err := r.supervise(eng, 200*time.Millisecond-time.Minute)
	if err != nil || sol.Status != milp.Failed || !strings.Contains(sol.Message, "broken off") {
		t.Errorf("%+v, %v", sol, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r = newRun(ctx, p, milp.Options{})
	if sol, err := r.supervise(eng, 0); sol != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%+v, %v", sol, err)
	}
}

func TestConcurrent(t *testing.T) {
	problems := make([]*milp.Problem, 4)
	for i := range problems {
		problems[i] = milptest.Random(uint64(1000 + i))
	}
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			p := problems[i%4]
			want, feasible := milptest.Enumerate(p)
			sol, err := Solver{}.Solve(context.Background(), p, milp.Options{})
			if err != nil {
				t.Error(err)
				return
			}
			cert, err := milp.Certify(p, sol)
			if err != nil || feasible != (cert.Status == milp.Optimal) || feasible && cert.Bound != want {
				t.Errorf("problem %d: %+v, %v; want %d", i%4, cert, err, want)
			}
		})
	}
	wg.Wait()
}

func TestDeterministic(t *testing.T) {
	p := milptest.MarketSplit(3, 12, 1)
	var first *milp.Solution
	for range 2 {
		sol, err := Solver{}.Solve(context.Background(), p, milp.Options{})
		if err != nil || sol.Status != milp.Optimal {
			t.Fatalf("%+v, %v", sol, err)
		}
		if first == nil {
			first = sol
		} else if fmt.Sprint(sol.Values, sol.Nodes) != fmt.Sprint(first.Values, first.Nodes) {
			t.Errorf("values and nodes differ:\n%v %d\n%v %d", first.Values, first.Nodes, sol.Values, sol.Nodes)
		}
	}
	if first.Nodes < 2 {
		t.Errorf("%d nodes: the problem shows nothing", first.Nodes)
	}
}

// TestMemory: too little memory for the arrays of the model, or for the search,
// is an error and no crash.
func TestMemory(t *testing.T) {
	wide := &milp.Problem{}
	for i := range 300_000 {
		wide.AddContinuous(fmt.Sprintf("x%d", i), 0, 1)
	}
	for name, p := range map[string]*milp.Problem{"model": wide, "search": milptest.MarketSplit(60, 2000, 1)} {
		_, err := Solver{}.Solve(context.Background(), p, milp.Options{MemoryBytes: 24 << 20, TimeLimit: 20 * time.Second})
		if !errors.Is(err, milp.ErrMemory) {
			t.Errorf("%s: error %v, want milp.ErrMemory", name, err)
		} else if strings.Contains(err.Error(), "wasm stack trace") {
			t.Errorf("%s: the error shows a stack trace: %v", name, err)
		}
	}
}

// TestCollectorWaits: no cycle of the garbage collector may begin while the module
// runs, since it would stop the goroutine that enforces the time limit.
func TestCollectorWaits(t *testing.T) {
	setting := func() int {
		sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
		metrics.Read(sample)
		return int(int32(sample[0].Value.Uint64()))
	}
	idle := func() bool {
		garbage.mu.Lock()
		defer garbage.mu.Unlock()
		return garbage.running == 0
	}
	for guard := time.After(time.Minute); !idle(); time.Sleep(time.Millisecond) { // runs that were abandoned are about to end
		select {
		case <-guard:
			t.Fatal("runs that were abandoned do not end")
		default:
		}
	}
	before, limit := setting(), debug.SetMemoryLimit(-1)
	var inside []int
	_, err := Solver{}.Solve(context.Background(), milptest.Cases()[0].Problem, milp.Options{Progress: func(string) { inside = append(inside, setting()) }})
	if err != nil || len(inside) == 0 || inside[0] != -1 || inside[len(inside)-1] != -1 {
		t.Errorf("GOGC %v inside, %v", inside, err)
	}
	if after := setting(); after != before || debug.SetMemoryLimit(-1) != limit {
		t.Errorf("GOGC %d, before %d; memory limit %d, before %d", after, before, debug.SetMemoryLimit(-1), limit)
	}
	// The last of several gives back what the first found.
	var c collector
	c.hold(1 << 20)
	first := debug.SetMemoryLimit(-1)
	c.hold(1 << 30)
	if second := debug.SetMemoryLimit(-1); second < first || second < 1<<31 || second > first+1<<32 {
		t.Errorf("memory limits %d and %d", first, second)
	}
	if c.release(); setting() != -1 {
		t.Errorf("GOGC %d while one runs", setting())
	}
	if c.release(); setting() != before || debug.SetMemoryLimit(-1) != limit {
		t.Errorf("GOGC %d, memory limit %d", setting(), debug.SetMemoryLimit(-1))
	}
}

func TestProgress(t *testing.T) {
	var lines []string
	c := milptest.Cases()[0]
	if _, err := (Solver{}).Solve(context.Background(), c.Problem, milp.Options{Progress: func(l string) { lines = append(lines, l) }}); err != nil {
		t.Fatal(err)
	}
	log := strings.Join(lines, "\n")
	if !strings.HasPrefix(log, "Running HiGHS "+coreVersion+" ") || !strings.Contains(log, "Dual bound        15") {
		t.Errorf("log:\n%s", log)
	}
}

// TestVendored pins the embedded module.
func TestVendored(t *testing.T) {
	wasm, err := unpack()
	if err != nil {
		t.Fatal(err)
	}
	if sum := fmt.Sprintf("%x", sha256.Sum256(wasm)); sum != wasmSHA256 {
		t.Errorf("SHA-256 %s, names.go was made from %s", sum, wasmSHA256)
	}
	eng, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	r := newRun(context.Background(), &milp.Problem{}, milp.Options{})
	if r.mod, err = eng.instantiate(r.ctx); err != nil {
		t.Fatal(err)
	}
	defer r.mod.Close(r.ctx)
	if size := r.call(fnSizeofInt, 0); size != 4 {
		t.Errorf("HighsInt has %d bytes, the arrays are written with 4", size)
	}
	text, _ := r.mod.Memory().Read(uint32(r.call(fnVersion)), uint32(len(coreVersion)+1))
	if r.err != nil || string(text) != coreVersion+"\x00" {
		t.Errorf("version %q, %v, want %q", text, r.err, coreVersion)
	}
}

func BenchmarkSolve(b *testing.B) {
	p := milptest.Cases()[0].Problem
	b.Run("warm", func(b *testing.B) {
		if _, err := shared(); err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if _, err := (Solver{}).Solve(context.Background(), p, milp.Options{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	solve := func(b *testing.B, disk *diskCache) {
		wasm, err := unpack()
		if err != nil {
			b.Fatal(err)
		}
		eng, err := load(wasm, disk)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := newRun(context.Background(), p, milp.Options{}).supervise(eng, time.Second); err != nil {
			b.Fatal(err)
		}
		eng.runtime.Close(context.Background())
	}
	b.Run("disk cache", func(b *testing.B) {
		disk := &diskCache{b.TempDir()}
		solve(b, disk)
		for b.Loop() {
			solve(b, disk)
		}
	})
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			solve(b, nil)
		}
	})
}
