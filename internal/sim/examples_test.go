package sim_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/cache"
	"github.com/warpbound/warpbound/internal/cache/l1d"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/sim/policy"
	"github.com/warpbound/warpbound/internal/simt"
)

// requestLog compares what reaches the L1D of every SM with what a cache makes
// of the order, request by request.
type requestLog struct {
	sim.NopObserver
	order []*l1d.Order // by SM: an order of its own, which runs ahead of nothing
	tags  []*cache.Cache
	k     []int64 // by SM: the batch
	left  []*l1d.Access
	next  []int
	res   l1d.Residency
	wrong error
	seen  int64
}

func (r *requestLog) Access(e sim.AccessEvent) {
	r.seen++
	if r.wrong == nil {
		r.wrong = r.compare(e)
	}
}

func (r *requestLog) compare(e sim.AccessEvent) error {
	o := r.order[e.SM]
	if r.left[e.SM] == nil {
		if err := r.admit(e.SM); err != nil {
			return err
		}
	}
	a := r.left[e.SM]
	i := r.next[e.SM]
	class := sim.Passed
	if a.Kind != l1d.Atomic {
		kind := cache.Load
		if a.Kind == l1d.Store {
			kind = cache.Store
		}
		switch x := r.tags[e.SM].Access(a.Lines[i], kind); {
		case x.Hit:
			class = sim.Hit
		case x.SectorMiss:
			class = sim.SectorMiss
		default:
			class = sim.Miss
		}
	}
	got := e.Class
	if got == sim.HitReserved {
		got = sim.Hit
	}
	if e.Block != a.Block || e.Warp != a.Warp || e.Index != a.Index || e.Request != i || e.Address != a.Lines[i] || got != class {
		return fmt.Errorf("%+v, expected block %d, warp %d, access %d, request %d of %v: %s", e, a.Block, a.Warp, a.Index, i, a.Lines, class)
	}
	if r.next[e.SM]++; r.next[e.SM] == len(a.Lines) {
		r.next[e.SM], r.left[e.SM] = 0, nil
		return o.Sent(e.SM)
	}
	return nil
}

// admit finds the next access of an SM, in its next batch if it has to.
func (r *requestLog) admit(sm int) error {
	o := r.order[sm]
	for {
		if r.k[sm] >= 0 {
			a, err := o.NextAccess(sm)
			if a != nil || err != nil {
				r.left[sm] = a
				return err
			}
			for _, b := range r.res.Batch(nil, sm, r.k[sm]) {
				if err := o.Retire(sm, b); err != nil {
					return err
				}
			}
		}
		r.k[sm]++
		blocks := r.res.Batch(nil, sm, r.k[sm])
		if len(blocks) == 0 {
			return fmt.Errorf("SM %d sends more than it has", sm)
		}
		if want := sim.Batch(r.res.Blocks, r.res.SMs, r.res.BlocksPerSM, sm, r.k[sm]); !slices.Equal(blocks, want) {
			return fmt.Errorf("batch %d of SM %d is %v and %v", r.k[sm], sm, blocks, want)
		}
		for _, b := range blocks {
			if err := o.Admit(sm, b); err != nil {
				return err
			}
		}
	}
}

// With the reordering unit, what reaches the L1Ds and what hits is what a cache
// makes of the order: every example, one of the policies, models, GPUs and cache
// sizes each.
func TestExamplesReordered(t *testing.T) {
	files, err := filepath.Glob("../../examples/*/*/*.toml")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	ran, refused := 0, 0
	for i, file := range files {
		sets := []string{"l1d.index=linear", fmt.Sprintf("l1d.sets=%d", 8<<(i%3)), fmt.Sprintf("l1d.ways=%d", 2<<(i/3%3)), "sm.count=3"}
		d, err := gpu.Open([]string{"gtx480", "rtx3070"}[i%2], sets)
		if err != nil {
			t.Fatal(err)
		}
		model := []string{sim.Abstract, sim.Pipeline}[i/2%2]
		policy := []string{"lrr", "gto", fmt.Sprintf("random:%d", i)}[i%3]
		err = reorderedExample(file, d, model, policy)
		var no *l1d.NotAnalysable
		switch {
		case errors.As(err, &no), errors.Is(err, l1d.ErrUnplaced):
			refused++
		case err != nil:
			t.Errorf("%s, %s, %s: %v", file, model, policy, err)
		default:
			ran++
		}
	}
	if refused == 0 || ran < 10*refused {
		t.Errorf("%d runs, %d refused", ran, refused)
	}
	t.Logf("%d runs, %d refused", ran, refused)
}

func reorderedExample(file string, d *gpu.Description, model, policyName string) error {
	l, err := load.Open(file)
	if err != nil {
		return err
	}
	m, err := d.Machine()
	if err != nil {
		return err
	}
	tainted, err := l.Kernel(true)
	if err != nil {
		return err
	}
	a, err := l1d.Analyse(context.Background(), tainted, l1d.AnalyseOptions{})
	if err != nil {
		return err
	}
	newOrder := func() (*l1d.Order, error) {
		k, err := l.Fresh()
		if err != nil {
			return nil, err
		}
		return a.NewOrder(k, l1d.Options{SegmentBytes: d.L1D.SectorBytes})
	}
	k, err := l.Fresh()
	if err != nil {
		return err
	}
	timing, err := m.Resolve(k.Program())
	if err != nil {
		return err
	}
	p, err := policy.Parse(policyName)
	if err != nil {
		return err
	}
	blocks := simt.NumBlocks(k.Grid())
	b := k.BlockDim()
	resident := min(2, d.LDSTPath.Channels/simt.NumWarps(b, k.WarpSize()))
	log := &requestLog{res: l1d.Residency{Blocks: blocks, SMs: int(min(d.SM.Count, blocks)), BlocksPerSM: resident}}
	for range log.res.SMs {
		o, err := newOrder()
		if err != nil {
			return err
		}
		tags, err := cache.New(cache.OfL1D(d.L1D))
		if err != nil {
			return err
		}
		log.order, log.tags, log.k = append(log.order, o), append(log.tags, tags), append(log.k, -1)
	}
	log.left, log.next = make([]*l1d.Access, log.res.SMs), make([]int, log.res.SMs)
	order, err := newOrder()
	if err != nil {
		return err
	}
	r, err := sim.Run(context.Background(), sim.Config{
		Machine: m, Model: sim.ModelNamed(model, p), BlocksPerSM: resident, Memory: sim.Caches{Order: order}, Placement: sim.InBatches, Checks: true, Observers: []sim.Observer{log},
	}, k, timing)
	if err != nil {
		return err
	}
	if u := &r.Memory.L1D; log.seen != u.Loads+u.Stores+u.Atomics {
		return fmt.Errorf("%d requests seen, %d counted", log.seen, u.Loads+u.Stores+u.Atomics)
	}
	for sm := range log.left {
		if log.left[sm] != nil {
			return fmt.Errorf("SM %d stops within an access", sm)
		}
	}
	return log.wrong
}
