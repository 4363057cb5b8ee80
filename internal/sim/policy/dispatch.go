package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/internal/sim/splitmix"
)

// DispatchOrder picks among instructions waiting for one unit, where queues
// serve in any order. Where the description keeps the order of a warp, only the
// oldest waiting instruction of each warp is a candidate.
//
//	oldest   first issued first (the zero value): FIFO
//	newest   last issued first
//	random   any, by Seed
//	starve   the warp in slot Param only when it is alone, else oldest
//	script   Script, one entry for each choice among several candidates: a warp
//	         slot for the oldest of that warp, -1-slot for its newest; oldest
//	         when it is used up
type DispatchOrder struct {
	Name   string
	Seed   uint64
	Param  int
	Script []int
}

var dispatchOrders = []string{"", "oldest", "newest", "random", "starve", "script"}

// Check tells what is wrong with a dispatch order.
func (o DispatchOrder) Check() error {
	if !slices.Contains(dispatchOrders, o.Name) {
		return fmt.Errorf("dispatch order %q: expected one of %s", o.Name, strings.Join(dispatchOrders[1:], ", "))
	}
	return nil
}

// A Chooser is the state of a dispatch order in one SM.
type Chooser struct {
	order DispatchOrder
	rng   splitmix.Source
	at    int
}

// Chooser begins the order in an SM.
func (o DispatchOrder) Chooser(sm int) Chooser {
	return Chooser{order: o, rng: splitmix.New(o.Seed, uint64(sm)|1<<40)}
}

// Choose picks one of n > 1 candidates in issue order, whose warp slots are
// slots.
func (c *Chooser) Choose(slots []int32) (int, error) {
	switch c.order.Name {
	case "newest":
		return len(slots) - 1, nil
	case "random":
		return int(c.rng.Below(uint64(len(slots)))), nil
	case "starve":
		for i, s := range slots {
			if int(s) != c.order.Param {
				return i, nil
			}
		}
	case "script":
		if c.at == len(c.order.Script) {
			return 0, nil
		}
		want := c.order.Script[c.at]
		c.at++
		if want >= 0 {
			if i := slices.Index(slots, int32(want)); i >= 0 {
				return i, nil
			}
		} else {
			for i := len(slots) - 1; i >= 0; i-- {
				if int(slots[i]) == -1-want {
					return i, nil
				}
			}
		}
		return 0, fmt.Errorf("%w: dispatch choice %d names warp slot %d, of which nothing waits", ErrScript, c.at-1, want)
	}
	return 0, nil
}
