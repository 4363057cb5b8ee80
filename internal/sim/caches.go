package sim

import (
	"errors"
	"fmt"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/sim/memory"
	"github.com/warpbound/warpbound/internal/sim/soc"
)

// Caches are L1Ds, an L2 and DRAM as the description has them, behind the load/store
// units.
type Caches struct {
	// Order is the order that a reordering unit enforces on the accesses to the L1D of an
	// SM; nil for no such unit: they come as the load/store units send them. One serves
	// one run.
	Order AccessOrder
	// SoC is what shares the DRAM with the GPU; nil for nothing.
	SoC *soc.Config
}

func (Caches) memory() {}

// How global accesses reach the L1D, by name.
const (
	L1None    = "none"    // FixedTimes
	L1Dynamic = "dynamic" // Caches without an order
	L1Reorder = "reorder" // Caches with one
)

// NamedMemory is the memory of a name, for those who let users choose; "" is L1None. The
// order is asked for with L1Reorder only, nil where there is none to be had, and what is
// around the GPU, nil for nothing, needs caches.
//
// Errors: those of order, and ErrConfig.
func NamedMemory(l1Order string, order func() (AccessOrder, error), around *soc.Config) (Memory, error) {
	switch l1Order {
	case "", L1None:
		if around != nil {
			return nil, fmt.Errorf("%w: cores and agents beside the GPU without caches: expected an order of accesses to the L1D, %s or %s", ErrConfig, L1Dynamic, L1Reorder)
		}
		return FixedTimes{}, nil
	case L1Dynamic:
		return Caches{SoC: around}, nil
	case L1Reorder:
		var o AccessOrder
		if order != nil {
			var err error
			if o, err = order(); err != nil {
				return nil, err
			}
		}
		if o == nil {
			return nil, fmt.Errorf("%w: a reordering unit without an access order: expected %s or %s", ErrConfig, L1None, L1Dynamic)
		}
		return Caches{Order: o, SoC: around}, nil
	}
	return nil, fmt.Errorf("%w: order %q of accesses to the L1D: expected %s, %s or %s", ErrConfig, l1Order, L1None, L1Dynamic, L1Reorder)
}

// name is what results call it.
func (c *Caches) name() string {
	switch {
	case c == nil:
		return L1None
	case c.Order == nil:
		return L1Dynamic
	}
	return L1Reorder
}

// ErrAccessOrder is how a run ends whose accesses do not come in the order that
// the reordering unit enforces: it waits for one that can never come, or finds
// one that the order does not know.
var ErrAccessOrder = errors.New("access order")

// AccessOrder is an order of global memory accesses that a reordering unit
// enforces, SM by SM. A global access is an executed load, store, atomic or
// asynchronous copy of global memory, generic addresses resolved, with at least
// one active lane.
type AccessOrder interface {
	// Admit says that a block becomes resident on an SM.
	Admit(sm int, block int64) error
	// Retire says that a block leaves: all its warps have ended.
	Retire(sm int, block int64) error
	// Next says whose access is sent next; index counts the warp's global
	// accesses from 0 in program order. ok is false while no resident warp has
	// one left. The answer holds until Admit, Retire or Sent is called.
	Next(sm int) (block int64, warp int, index int64, ok bool, err error)
	// Sent says that the access that Next named was sent, all its sectors.
	Sent(sm int) error
}

// checkCaches verifies what a run with caches needs. warps is the number of
// resident warps of an SM.
func (c *settings) checkCaches(warps int) error {
	if c.caches == nil {
		return nil
	}
	d := c.Machine.Desc
	if !d.HasCaches() {
		return fmt.Errorf("GPU %s has no tables [l1d], [l2] and [dram]: expected a description with caches, such as gtx480 or rtx3070", d.Name)
	}
	if err := checkL1D(d); err != nil {
		return err
	}
	if err := memory.Check(d); err != nil {
		return err
	}
	if c.caches.SoC != nil {
		if err := c.caches.SoC.Check(d); err != nil {
			return err
		}
	}
	if c.caches.Order == nil {
		return nil
	}
	if d.LDSTPath == nil {
		return fmt.Errorf("GPU %s has no table [ldst_path]: expected one with the channels of the reordering unit", d.Name)
	}
	if n := d.LDSTPath.Channels; warps > n {
		return fmt.Errorf("%d resident warps an SM and %d channels of the reordering unit: expected a channel for each, so at most %d warps (fewer resident blocks)", warps, n, n)
	}
	return nil
}

// checkL1D verifies of an L1D, and of the way to it, what a description that no file made
// may not fulfil. The shapes of the caches are checked where they are made.
func checkL1D(d *gpu.Description) error {
	l1 := d.L1D
	for _, x := range []struct {
		name         string
		value, least int64
	}{
		{"l1d.mshrs", int64(l1.MSHRs), 1}, {"l1d.mshr_merges", int64(l1.MSHRMerges), 1}, {"l1d.banks", int64(l1.Banks), 1},
		{"l1d.sector_bytes", int64(l1.SectorBytes), 1}, {"l1d.hit_latency_cycles", l1.HitLatencyCycles, 1}, {"l1d.write_latency_cycles", l1.WriteLatencyCycles, 0},
	} {
		if x.value < x.least {
			return fmt.Errorf("%s is %d, expected at least %d", x.name, x.value, x.least)
		}
	}
	if l1.Banks&(l1.Banks-1) != 0 {
		return fmt.Errorf("l1d.banks is %d, expected a power of two", l1.Banks)
	}
	if l1.Banks > 64 {
		return fmt.Errorf("l1d.banks is %d, expected at most 64", l1.Banks)
	}
	if p := d.LDSTPath; p != nil && (p.Channels < 1 || p.ChannelEntries < 1) {
		return fmt.Errorf("%d channels of %d entries: expected at least 1", p.Channels, p.ChannelEntries)
	}
	return nil
}
