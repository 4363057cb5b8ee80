package sim

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/sim/clock"
	"github.com/warpbound/warpbound/internal/sim/soc"
	"github.com/warpbound/warpbound/internal/testkit/gpus"
)

// clockAgent acts in given cycles and remembers what it was asked.
type clockAgent struct {
	NopObserver
	due     []int64
	acted   []int64
	watched []int64
	issued  []int64
	attach  error
	fail    error
	cores   *soc.Cores
}

func (a *clockAgent) Attach(c *soc.Cores) error { a.cores = c; return a.attach }

func (a *clockAgent) Next() int64 {
	if len(a.due) == 0 {
		return clock.Never
	}
	return a.due[0]
}

func (a *clockAgent) Step(t int64) error {
	a.acted = append(a.acted, t)
	a.due = a.due[1:]
	return a.fail
}

func (a *clockAgent) Watch(t int64)      { a.watched = append(a.watched, t) }
func (a *clockAgent) Issue(e IssueEvent) { a.issued = append(a.issued, e.Cycle) }

// Agents act in the cycles they name, however little happens otherwise, and watch
// every cycle in which something is issued.
func TestAgents(t *testing.T) {
	for _, model := range []string{Abstract, Pipeline} {
		for _, traffic := range [][]soc.Traffic{nil, {{CPU: "big"}}} {
			due := []int64{0, 1, 7, 7, 40, 41, 250, 251}
			a := &clockAgent{due: due}
			k := newMemKernel(t, 1, 0, "l0 u l4096 u")
			r, _ := mustRunMem(t, Config{Machine: gpus.WithCores(t), Model: ModelNamed(model), Memory: Caches{SoC: &soc.Config{Traffic: traffic, Agents: []soc.Agent{a}}}, Observers: []Observer{a}}, k)
			if !slices.Equal(a.acted, due) || r.Cycles < 260 || a.cores.Len() != 4*len(traffic) {
				t.Errorf("%s: acted in cycles %v, want %v of %d, %d cores", model, a.acted, due, r.Cycles, a.cores.Len())
			}
			for _, c := range a.issued {
				if !slices.Contains(a.watched, c) {
					t.Errorf("%s: an issue in cycle %d that nobody watched", model, c)
				}
			}
			if !slices.IsSorted(a.watched) || len(slices.Compact(slices.Clone(a.watched))) != len(a.watched) {
				t.Errorf("%s: watched %v", model, a.watched)
			}
		}
	}
}

// What an agent finds wrong ends the run.
func TestAgentErrors(t *testing.T) {
	wrong := errors.New("wrong word")
	k := newMemKernel(t, 1, 0, "l0 u")
	for _, a := range []*clockAgent{{attach: wrong}, {due: []int64{12}, fail: wrong}} {
		_, _, err := runMem(t, Config{Machine: gpus.WithCores(t), Model: AbstractModel{}, Memory: Caches{SoC: &soc.Config{Agents: []soc.Agent{a}}}}, k)
		if !errors.Is(err, wrong) || a.attach == nil && !strings.Contains(err.Error(), "cycle 12") {
			t.Errorf("%v", err)
		}
	}
}
