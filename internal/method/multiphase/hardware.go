package multiphase

import "github.com/warpbound/warpbound/internal/method"

// hardware is the machine, with what decides among the theorems.
type hardware struct{ method.Hardware }

// unitMaxInit is the stated largest initiation on a unit, 0 if not known.
func (h *hardware) unitMaxInit(unit int) int64 {
	if len(h.Units) == 0 {
		return 0
	}
	return h.Units[unit].MaxInitCycles
}

// shared is the set of units that serve several sub-cores.
func (h *hardware) shared() unitSet {
	var s unitSet
	if h.SubCores > 1 {
		for i, u := range h.Units {
			if u.Shared {
				s |= 1 << i
			}
		}
	}
	return s
}

// additive tells whether section bounds may be added (theorem 3 (barriers)): nothing of
// a later section can be served before something of an earlier one.
func (h *hardware) additive() bool {
	return h.FIFO || h.DrainingBarriers || h.Queue == method.NoQueue
}

// keepsOrder tells whether each unit serves a warp in program order; without a
// queue there is nothing to reorder.
func (h *hardware) keepsOrder() bool { return h.KeepsWarpOrder || h.Queue == method.NoQueue }
