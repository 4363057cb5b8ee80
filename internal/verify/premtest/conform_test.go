package premtest

import (
	"errors"
	"fmt"
	"slices"

	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/prem/scheme"
	"github.com/warpbound/warpbound/internal/prem/tile"
	"github.com/warpbound/warpbound/internal/verify/deviceexec"
)

var schemes = []device.Scheme{device.Base, device.CMPT, device.DAE, device.SDMA}

// planned is a function on the road with the plans of its kernels.
type planned struct {
	*Road
	plans []*tile.Plan
}

// errUnfit says that a kernel has no plan for the size of the scratchpad.
var errUnfit = errors.New("does not fit")

// newPlanned makes the kernels of a function for a scheme, and compares their
// scratchpad with the size there is.
func newPlanned(p *loop.Unit, name string, s device.Scheme, o tile.Options) (*planned, error) {
	r := &planned{}
	road, err := NewRoad(p, name, func(f *loop.Func, k *loop.Nest, n int) (*device.Entry, error) {
		plan, err := tile.Make(p, f, k, o)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errUnfit, err)
		}
		d, err := scheme.Generate(p, f, k, n, plan, s)
		if err != nil {
			return nil, err
		}
		r.plans = append(r.plans, plan)
		_, bytes := d.Layout()
		separate := s > device.CMPT && plan.Compatible == nil
		switch {
		case separate != (s > device.CMPT && d.Compatible == nil):
			return nil, fmt.Errorf("%s: the plan is compatible: %v, the kernel: %v", d.Name, plan.Compatible, d.Compatible)
		case separate && (plan.Bytes > o.SPMBytes || bytes > plan.Bytes):
			return nil, fmt.Errorf("%s: %d bytes of scratchpad, %d in the plan, %d there are", d.Name, bytes, plan.Bytes, o.SPMBytes)
		}
		return d, nil
	})
	r.Road = road
	return r, err
}

// movement is what moves between global memory and the threads in one execution.
type movement struct {
	road  *Road
	loads bool // are among the moves; of the schemes without separate phases nobody asks for them
	// moves are by the number of their place and the element in it: an execution has a thousand times as many moves as places.
	moves   map[uint64]int
	numbers map[place]uint32
	places  []place
	last    uint32 // number of the place seen last
}

// place is all of a move but its element.
type place struct {
	launch, team, phase int64
	array               *loop.Array
	write               bool
}

// move is an element moved in one direction, in a phase of a team of a launch.
type move struct {
	launch, team, phase int64
	array               *loop.Array
	element             int64
	write               bool
}

func (m *movement) observe(a deviceexec.Access) {
	if !a.Write && !m.loads {
		return
	}
	p := place{m.road.Launches, a.Team, a.Phase, a.Array, a.Write}
	if int(m.last) >= len(m.places) || m.places[m.last] != p {
		n, known := m.numbers[p]
		if !known {
			n = uint32(len(m.places))
			m.numbers[p], m.places = n, append(m.places, p)
		}
		m.last = n
	}
	m.moves[uint64(m.last)<<32|uint64(a.Element)]++
}

// move is the one of a key of moves.
func (m *movement) move(key uint64) move {
	p := &m.places[key>>32]
	return move{p.launch, p.team, p.phase, p.array, int64(uint32(key)), p.write}
}

// elements are the moves in one direction without their team and phase.
func (m *movement) elements(write bool) map[move]bool {
	out := make(map[move]bool)
	for key := range m.moves {
		if x := m.move(key); x.write == write {
			x.team, x.phase = 0, 0
			out[x] = true
		}
	}
	return out
}

// partial reports whether an array is one of partial results.
func (m *movement) partial(a *loop.Array) bool {
	return slices.ContainsFunc(m.road.Kernels, func(k *device.Entry) bool {
		return slices.ContainsFunc(k.Reductions, func(r device.Reduction) bool { return r.Partial == a })
	})
}

// run executes a function and gives the movement.
func (r *planned) run(args loop.Args, reverse bool) (*movement, error) {
	m := &movement{road: r.Road, loads: r.Kernels[0].Scheme > device.CMPT, moves: make(map[uint64]int), numbers: make(map[place]uint32)}
	return m, r.Run(args, deviceexec.Options{Races: true, Reverse: reverse, Observe: m.observe})
}

// difference names the first element in which two memories differ.
func difference(got, want map[string]*loop.Buffer) error {
	var names []string
	for n := range want {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		found := got[n].Bits
		for e, w := range want[n].Bits {
			if g := found[e]; g != w {
				return fmt.Errorf("element %d of %s is %#x, want %#x", e, n, g, w)
			}
		}
	}
	return nil
}

// conform compares the movement of a kernel with separate phases with that of the
// same function as OpenMP runs it: every element that base writes is written back,
// and no other. Under SDMA a team stores an element at most once a phase, and loads
// it at most once for each box it lies in, of which there are several only where
// boxes that are written too overlap in elements that one of them does not access.
func conform(s device.Scheme, m, base *movement, plans []*tile.Plan) error {
	if s == device.SDMA {
		for key, n := range m.moves {
			if x := m.move(key); n > 1 && (x.write || n > writtenBoxes(plans, x.array)) {
				return fmt.Errorf("element %d of %s is moved %d times in phase %d of team %d (write: %t)", x.element, x.array.Name, n, x.phase, x.team, x.write)
			}
		}
	}
	got, want := m.elements(true), base.elements(true)
	for x := range want {
		if !got[x] && !base.partial(x.array) {
			return fmt.Errorf("element %d of %s is not written back", x.element, x.array.Name)
		}
	}
	for x := range got {
		if !want[x] && !m.partial(x.array) {
			return fmt.Errorf("element %d of %s is written back, though the program does not write it", x.element, x.array.Name)
		}
	}
	return nil
}

// writtenBoxes is the greatest number of boxes of an array in one interval, 1 where
// all are read-only: those leave no element to be loaded twice.
func writtenBoxes(plans []*tile.Plan, a *loop.Array) int {
	most := 1
	var walk func(body []tile.Node)
	walk = func(body []tile.Node) {
		for _, n := range body {
			switch n := n.(type) {
			case *tile.Walk:
				walk(n.Body)
			case *tile.Interval:
				boxes, written := 0, false
				for _, b := range n.Boxes {
					if b.Array == a {
						boxes++
						written = written || b.Written
					}
				}
				if written {
					most = max(most, boxes)
				}
			}
		}
	}
	for _, p := range plans {
		walk(p.Body)
	}
	return most
}
