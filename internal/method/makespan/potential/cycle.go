package potential

// cycles goes through what one cycle can do to a state, without allocating. The
// counts are of warps, not capped.
type cycles struct {
	*Certificate
	stride []int64
	// visit is called with the counts after the cycle, which it must not keep, and
	// their potential.
	visit  func(next []int32, potential int64)
	counts []int32
	next   []int32
	behind []int32 // warps behind an instruction that wait for the same kind
	left   []int32 // by kind: what the cycle has still to execute
}

func newCycles(c *Certificate) *cycles {
	length := len(c.Kinds)
	stride, _ := strides(c.Caps, int64(len(c.Offsets)))
	return &cycles{
		Certificate: c, stride: stride,
		next: make([]int32, length), behind: make([]int32, length), left: make([]int32, len(c.Capacities)),
	}
}

// potential is the potential of a state that a schedule comes to, whose offset is
// not Unreachable then. The certificate fits the number of warps.
func (x *cycles) potential(counts []int32) int64 {
	p := first(counts)
	if p == len(counts) {
		return 0
	}
	sum, number := int64(0), int64(0)
	for i, w := range x.Weights[p] {
		c := int64(counts[i])
		sum += w * c
		number += min(c, x.Caps[i]) * x.stride[i]
	}
	return sum + x.Offsets[number]
}

// from visits every state that a cycle can lead to.
func (x *cycles) from(counts []int32) {
	x.counts = counts
	copy(x.next, counts)
	clear(x.left)
	for i := len(counts) - 1; i >= 0; i-- {
		k := x.Kinds[i]
		x.behind[i] = x.left[k]
		x.left[k] += counts[i]
	}
	for k, c := range x.Capacities {
		x.left[k] = int32(min(int64(x.left[k]), c))
	}
	x.choose(0)
}

func (x *cycles) choose(i int) {
	if i == len(x.counts) {
		x.visit(x.next, x.potential(x.next))
		return
	}
	k := x.Kinds[i]
	least := max(0, x.left[k]-x.behind[i])
	most := min(x.left[k], x.counts[i])
	for e := least; e <= most; e++ {
		x.left[k] -= e
		x.next[i] -= e
		if i+1 < len(x.next) {
			x.next[i+1] += e
		}
		x.choose(i + 1)
		x.left[k] += e
		x.next[i] += e
		if i+1 < len(x.next) {
			x.next[i+1] -= e
		}
	}
}
