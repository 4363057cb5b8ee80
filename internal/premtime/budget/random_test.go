package budget

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/prem/ptxgen"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/sim/policy"
	"github.com/warpbound/warpbound/internal/sim/soc"
	"github.com/warpbound/warpbound/internal/testkit/settings"
)

// launched writes a kernel of one buffer, and the token, and its launch.
func launched(t testing.TB, body string, grid, block int) *load.Opened {
	t.Helper()
	dir := t.TempDir()
	files := map[string]string{
		"k.ptx": ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u64 token)\n{\n" +
			"\t.shared .align 4 .b8 pad[8192];\n" +
			"\t.reg .b64 %rd<16>;\n\t.reg .b32 %r<64>;\n\t.reg .f32 %f<8>;\n\t.reg .pred %p<8>;\n" + body + "\tret;\n}\n",
		"k.toml": fmt.Sprintf("kernel = \"k.ptx\"\ngrid = [%d]\nblock = [%d]\n[[args]]\nname = \"p\"\ntype = \"u32\"\ncount = 32768\n[[args]]\nname = \"token\"\ntype = \"u32\"\ncount = 128\n", grid, block),
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	l, err := load.Open(filepath.Join(dir, "k.toml"))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// attack compares the bounds of a random case with simulations. It returns the
// ratios of bound and simulation and what is wrong.
func attack(t *testing.T, seed uint64, caches bool) (ratios map[Kind][]float64, wrong string) {
	t.Helper()
	return draw(t, seed, caches).check(t, seed, caches)
}

// check compares the bounds of a case with simulations.
func (c *drawn) check(t *testing.T, seed uint64, caches bool) (ratios map[Kind][]float64, wrong string) {
	t.Helper()
	k, err := c.l.Kernel(true)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	opt := Options{Caches: caches}
	simulated := c.l
	if c.guarded != nil {
		opt.Guarded, simulated = c.guarded.Program(), c.guarded
	}
	res, err := Phases(ctx, k, c.m, opt)
	if err != nil {
		if strings.Contains(err.Error(), "no bound") {
			return nil, ""
		}
		t.Fatalf("seed %d: %v", seed, err)
	}
	timing, err := c.m.Resolve(simulated.Program())
	if err != nil {
		t.Fatal(err)
	}
	ratios = map[Kind][]float64{}
	for i, policyName := range []string{"lrr", "gto", "oldest", fmt.Sprintf("random:%d", seed)} {
		p, err := policy.Parse(policyName)
		if err != nil {
			t.Fatal(err)
		}
		fresh, err := simulated.Kernel(false)
		if err != nil {
			t.Fatal(err)
		}
		cfg := sim.Config{Machine: c.m, Model: sim.AbstractModel{Policy: p}, BlocksPerSM: int(max(1, (c.grid+int(c.m.Desc.SM.Count)-1)/int(c.m.Desc.SM.Count))), Checks: true}
		if caches {
			cfg.Memory = sim.Caches{}
			if c.guarded != nil {
				g := &granter{token: fresh.Buffer("token")}
				binary.LittleEndian.PutUint32(g.token[ptxgen.ArrivalBytes:], uint32(c.grid)<<16)
				cfg.Memory = sim.Caches{SoC: &soc.Config{Agents: []soc.Agent{g}}}
			}
		} else if i > 1 {
			r := rand.New(rand.NewPCG(seed, uint64(i)))
			cfg.Memory = sim.FixedTimes{Shorten: func(s sim.Shortening) (int64, int64) {
				return s.InitiationCycles - r.Int64N(2)*r.Int64N(s.InitiationCycles), s.LatencyCycles - r.Int64N(2)*r.Int64N(s.LatencyCycles+1)
			}}
		}
		if i > 1 && c.m.Desc.Barrier.Draining {
			// Where barriers do not drain, what is behind one could overtake what a phase
			// has left waiting: phases would not be in step.
			cfg.Model = sim.AbstractModel{Policy: p, DispatchOrder: policy.DispatchOrder{Name: "random", Seed: seed}}
		}
		got, err := Measure(ctx, cfg, fresh, timing)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		bounds := res.Spans()
		if len(bounds) != len(got.Kinds) {
			t.Fatalf("seed %d: %d phases bounded, %d simulated", seed, len(bounds), len(got.Kinds))
		}
		for j, b := range bounds {
			if b.Kind != got.Kinds[j] {
				t.Fatalf("seed %d: phase %d is %v, simulated as %v", seed, j, b.Kind, got.Kinds[j])
			}
			if j == 0 && (c.shares || c.guarded != nil) {
				continue // beside it other teams are in their first phase already
			}
			// A compute phase can last into the next memory phase, where barriers do not
			// drain.
			if b.Cycles < got.Cycles[j] || b.Kind == Memory && b.Cycles < got.Drained[j] && inStep(got, j) {
				return ratios, fmt.Sprintf("seed %d, %s %v, %d blocks of %d, %s: phase %d, %v: %d cycles, %d with write-backs, bound %d (%+v)", seed, c.name, c.set, c.grid, c.size, policyName, j, b.Kind, got.Cycles[j], got.Drained[j], b.Cycles, res.Phases[res.Order[j]])
			}
			// A phase of which much is over when the one before has completed says little.
			if late := got.Start[j] - got.Released[j]; got.Cycles[j] > 9*late {
				ratios[b.Kind] = append(ratios[b.Kind], float64(b.Cycles)/float64(got.Cycles[j]))
			}
		}
	}
	return ratios, ""
}

// inStep tells whether no later phase was granted before the end of phase j, as it can
// be where a host grants at once and what a barrier does not wait for takes long. What
// such a phase drives out of the L2 cannot be told from what phase j does.
func inStep(m *Measured, j int) bool {
	for _, released := range m.Released[j+1:] {
		if released < m.Start[j]+m.Cycles[j] {
			return false
		}
	}
	return true
}

// No phase of a random kernel takes longer than its bound, with fixed latencies and
// with caches.
func TestBoundsHoldAtRandom(t *testing.T) {
	for _, caches := range []bool{false, true} {
		name := "fixed"
		if caches {
			name = "caches"
		}
		t.Run(name, func(t *testing.T) {
			first, n := settings.Seed(t, 0), settings.Cases(t, 40)
			all := map[Kind][]float64{}
			for seed := first; seed < first+n; seed++ {
				ratios, wrong := attack(t, uint64(seed), caches)
				if wrong != "" {
					t.Error(wrong)
				}
				for k, list := range ratios {
					all[k] = append(all[k], list...)
				}
			}
			for _, k := range []Kind{Setup, Memory, Compute} {
				least, sum := 1e9, 0.0
				for _, x := range all[k] {
					least, sum = min(least, x), sum+x
				}
				if len(all[k]) < n {
					t.Errorf("%d %v phases of %d launches", len(all[k]), k, n)
				}
				t.Logf("%d %v phases, bound over simulation at least %.2f, %.2f on average", len(all[k]), k, least, sum/float64(len(all[k])))
			}
		})
	}
}
