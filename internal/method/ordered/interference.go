package ordered

import "fmt"

// Neighbour is another SM that sends requests to the same resource.
type Neighbour struct {
	// MSHRs is the most lines it can have pending, StoreEntries the most other
	// requests in flight (stores, write-backs); 0 means none.
	MSHRs, StoreEntries int
	// Warps that can be resident, AccessesPerWarp that one of them can have in
	// flight, LinesPerAccess that one of these can miss; if any is 0, only the
	// MSHRs bound what is pending.
	Warps, AccessesPerWarp, LinesPerAccess int
}

// InFlight is the most requests that the neighbour can have in flight.
func (n *Neighbour) InFlight() (int64, error) {
	for _, v := range [5]int{n.MSHRs, n.StoreEntries, n.Warps, n.AccessesPerWarp, n.LinesPerAccess} {
		if v < 0 || v > maxCount {
			return 0, fmt.Errorf("%d in the description of a neighbour, expected 0 to %d", v, maxCount)
		}
	}
	pending := int64(n.MSHRs)
	if sent := int64(n.Warps) * int64(n.AccessesPerWarp) * int64(n.LinesPerAccess); sent > 0 {
		pending = min(pending, sent)
	}
	return pending + int64(n.StoreEntries), nil
}

// Arbitration says whom a shared resource serves next.
type Arbitration int

const (
	// FIFO serves requests in the order of arrival, whatever their SM.
	FIFO Arbitration = iota
	// RoundRobin serves one request of each SM that has one waiting, in turn, and
	// those of one SM in the order of arrival.
	RoundRobin
)

// Resource is what the requests of several SMs compete for: it serves one
// request after the other, each within ServiceCycles, and is never idle while
// one waits.
type Resource struct {
	Arbitration   Arbitration
	ServiceCycles int64
	// OwnInFlight is the most requests the SM considered can have in flight, the
	// one considered included.
	OwnInFlight int
	Neighbours  []Neighbour
}

// Interference returns CachedSM.ServiceCycles and CachedSM.QueueCycles for the
// resource, and the number of foreign requests behind them: N_conflictSM of
// Huangfu2017, eq. 3, made explicit (docs/soundness/order.md, theorem 22
// (interference)). No method asks for it: of the machines that gpu describes they know
// the requests of the other SMs (theorems 28 (occupation) and 29 (in turn)). It is here
// for its test, which holds the theorem against executions.
func (r *Resource) Interference() (serviceCycles, queueCycles, foreign int64, err error) {
	if r.ServiceCycles < 1 || r.ServiceCycles > maxCycles || r.OwnInFlight < 1 || r.OwnInFlight > maxCount || len(r.Neighbours) > maxCount {
		return 0, 0, 0, fmt.Errorf("service of %d cycles, %d requests in flight, %d neighbours: out of range", r.ServiceCycles, r.OwnInFlight, len(r.Neighbours))
	}
	for i := range r.Neighbours {
		n, err := r.Neighbours[i].InFlight()
		if err != nil {
			return 0, 0, 0, fmt.Errorf("neighbour %d: %w", i, err)
		}
		if r.Arbitration == RoundRobin {
			n = min(n, 1)
		}
		foreign += n
	}
	switch r.Arbitration {
	case FIFO:
		queueCycles = (foreign + int64(r.OwnInFlight)) * r.ServiceCycles
	case RoundRobin:
		queueCycles = (foreign + 1) * int64(r.OwnInFlight) * r.ServiceCycles
	default:
		return 0, 0, 0, fmt.Errorf("arbitration %d is not known", int(r.Arbitration))
	}
	serviceCycles = (foreign + 1) * r.ServiceCycles
	if serviceCycles > maxCycles || queueCycles > maxCycles {
		return 0, 0, 0, fmt.Errorf("waits of %d and %d cycles, expected at most %d", serviceCycles, queueCycles, maxCycles)
	}
	return serviceCycles, queueCycles, foreign, nil
}
