package warpbound_test

import (
	"context"
	"errors"
	"testing"

	"github.com/warpbound/warpbound"
)

// Counts are those of simulations, which do not contradict them.
func TestCache(t *testing.T) {
	l := open(t, "examples/huangfu/listing/listing.toml")
	r, err := l.Cache(context.Background(), warpbound.CacheOptions{Simulate: true, Shapes: []warpbound.CacheShape{{SizeBytes: 1 << 10, Ways: 2, Replacement: "fifo", Index: "linear"}, {}}})
	if err != nil || len(r.Caches) != 2 || !r.Exact {
		t.Fatalf("%+v, %v", r, err)
	}
	for _, c := range r.Caches {
		if c.Reordered == nil || c.Dynamic == nil || c.Reordered.Loads != c.Loads || c.Reordered.Stores != c.Stores {
			t.Errorf("%+v, %+v", c, c.Reordered)
		}
		if n := c.Dynamic.Loads.Misses() + c.Dynamic.Stores.Misses(); n < c.LeastMisses || n > c.MostMisses || c.Loads.MissRate() != 0.5 {
			t.Errorf("%+v: %d", c, n)
		}
	}
	if want := (warpbound.CacheShape{SizeBytes: 1 << 10, Ways: 2, LineBytes: 128, Replacement: "fifo", Index: "linear"}); r.Caches[0].Shape != want {
		t.Errorf("%+v", r.Caches[0].Shape)
	}
	_, err = open(t, "examples/basic/atomics/global_atomics.toml").Cache(context.Background(), warpbound.CacheOptions{})
	var no *warpbound.RefusalError
	if !errors.As(err, &no) || no.Kernel != "global_atomics" || len(no.Reasons) == 0 || no.Reasons[0].Pos.Line != 47 {
		t.Errorf("%v, %+v", err, no)
	}
}
