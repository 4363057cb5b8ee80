package ordered

import (
	"math/rand/v2"
	"testing"
)

// request is one on its way to a shared resource.
type request struct {
	sm              int
	arrived, served int64
}

// serveAll executes a resource that several SMs load as much as they may, and
// returns the requests of SM 0 in the order of service.
func serveAll(r *rand.Rand, arb Arbitration, service int64, inFlight []int, cycles int64) []request {
	waiting := make([][]request, len(inFlight))
	flying := make([]int, len(inFlight))
	back := map[int64][]int{}
	var own []request
	var free int64
	var fifo []int // SMs in the order of arrival
	turn := 0
	for t := range cycles {
		for _, sm := range back[t] {
			flying[sm]--
		}
		for _, sm := range r.Perm(len(inFlight)) {
			for flying[sm] < inFlight[sm] && r.IntN(3) > 0 {
				waiting[sm] = append(waiting[sm], request{sm: sm, arrived: t})
				fifo = append(fifo, sm)
				flying[sm]++
			}
		}
		if free > t || len(fifo) == 0 {
			continue
		}
		sm := fifo[0]
		if arb == RoundRobin {
			for sm = turn; len(waiting[sm]) == 0; sm = (sm + 1) % len(inFlight) {
			}
			turn = (sm + 1) % len(inFlight)
		}
		for i, s := range fifo {
			if s == sm {
				fifo = append(fifo[:i:i], fifo[i+1:]...)
				break
			}
		}
		q := waiting[sm][0]
		waiting[sm] = waiting[sm][1:]
		free = t + 1 + r.Int64N(service)
		q.served = free
		home := free + int64(r.IntN(6))
		back[home] = append(back[home], sm)
		if sm == 0 {
			own = append(own, q)
		}
	}
	return own
}

func TestInterferenceBoundsASharedResource(t *testing.T) {
	var worstQueue, worstService, boundQueue, boundService int64
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 6))
		res := Resource{Arbitration: Arbitration(r.IntN(2)), ServiceCycles: 1 + r.Int64N(4), OwnInFlight: 1 + r.IntN(4)}
		inFlight := []int{res.OwnInFlight}
		for range r.IntN(4) {
			n := Neighbour{MSHRs: r.IntN(5), StoreEntries: r.IntN(2)}
			if r.IntN(2) == 0 {
				n.Warps, n.AccessesPerWarp, n.LinesPerAccess = 1+r.IntN(2), 1, 1+r.IntN(2)
			}
			k, err := n.InFlight()
			if err != nil {
				t.Fatal(err)
			}
			res.Neighbours = append(res.Neighbours, n)
			inFlight = append(inFlight, int(k))
		}
		service, queue, _, err := res.Interference()
		if err != nil {
			t.Fatal(err)
		}
		var last int64
		for i, q := range serveAll(r, res.Arbitration, res.ServiceCycles, inFlight, 600) {
			// A request that arrives while another one is in service waits for the
			// rest of it: that one counts among the foreign ones.
			if d := q.served - max(q.arrived, last); d > service {
				t.Fatalf("seed %d: request %d is served %d cycles after its arrival and the one before, more than %d: %+v", seed, i, d, service, res)
			} else {
				worstService = max(worstService, d*1000/service)
			}
			if d := q.served - q.arrived; d > queue {
				t.Fatalf("seed %d: request %d takes %d cycles, more than %d: %+v", seed, i, d, queue, res)
			} else {
				worstQueue = max(worstQueue, d*1000/queue)
			}
			last = q.served
		}
		boundQueue, boundService = boundQueue+queue, boundService+service
	}
	t.Logf("largest share of the bound reached: service %d, queue %d per mille", worstService, worstQueue)
	if worstService < 1000 || worstQueue < 900 {
		t.Errorf("the largest shares of the bounds reached are %d and %d per mille: the test does not press them", worstService, worstQueue)
	}
}

func TestInterferenceCounts(t *testing.T) {
	n := Neighbour{MSHRs: 64, Warps: 48, AccessesPerWarp: 2, LinesPerAccess: 32}
	if k, err := n.InFlight(); err != nil || k != 64 {
		t.Errorf("%d, %v: MSHRs bound what is pending", k, err)
	}
	n.Warps, n.StoreEntries = 1, 8
	n.LinesPerAccess = 1
	if k, err := n.InFlight(); err != nil || k != 2+8 {
		t.Errorf("%d, %v: two accesses of a line and 8 stores are 10", k, err)
	}
	r := Resource{ServiceCycles: 4, OwnInFlight: 64, Neighbours: make([]Neighbour, 14)}
	for i := range r.Neighbours {
		r.Neighbours[i] = Neighbour{MSHRs: 64}
	}
	service, queue, foreign, err := r.Interference()
	if err != nil || foreign != 14*64 || service != (14*64+1)*4 || queue != 15*64*4 {
		t.Errorf("FIFO: %d, %d, %d, %v", service, queue, foreign, err)
	}
	r.Arbitration = RoundRobin
	service, queue, foreign, err = r.Interference()
	if err != nil || foreign != 14 || service != 15*4 || queue != 15*64*4 {
		t.Errorf("round robin: %d, %d, %d, %v", service, queue, foreign, err)
	}
	for _, bad := range []Resource{
		{OwnInFlight: 1}, {ServiceCycles: 1}, {ServiceCycles: 1, OwnInFlight: 1, Arbitration: 7},
		{ServiceCycles: 1, OwnInFlight: 1, Neighbours: []Neighbour{{MSHRs: -1}}},
		{ServiceCycles: 1 << 32, OwnInFlight: 2},
	} {
		if _, _, _, err := bad.Interference(); err == nil {
			t.Errorf("%+v accepted", bad)
		}
	}
}
