package potential

import "fmt"

// Check proves the certificate, in integers and from the definition of a cycle: it
// shares nothing with Derive (docs/soundness/makespan.md, theorem 15 (potential bound)).
// The error names the first condition that fails.
func (c *Certificate) Check() error {
	if err := c.shape(); err != nil {
		return err
	}
	k := newChecker(c.Kinds, c.Capacities, c.Caps)
	k.cycle = func() error { return c.drop(k) }
	if c.Offsets[c.Caps[0]] == Unreachable {
		return fmt.Errorf("the start has no offset")
	}
	if c.Offsets[0] != 0 {
		return fmt.Errorf("the end has offset %d, expected 0", c.Offsets[0])
	}
	for n := 1; n < len(c.Offsets); n++ {
		if c.Offsets[n] == Unreachable {
			continue
		}
		if err := k.state(int64(n)); err != nil {
			return err
		}
	}
	return nil
}

// shape checks sizes and magnitudes.
func (c *Certificate) shape() error {
	length := len(c.Kinds)
	if length == 0 || len(c.Caps) != length || len(c.Weights) != length {
		return fmt.Errorf("%d kinds, %d caps and %d rows of weights, expected as many of each", length, len(c.Caps), len(c.Weights))
	}
	for u, s := range c.Capacities {
		if s < 1 {
			return fmt.Errorf("capacity %d of kind %d", s, u)
		}
	}
	size := int64(1)
	for i, u := range c.Kinds {
		if u < 0 || u >= len(c.Capacities) {
			return fmt.Errorf("instruction %d: kind %d of %d", i+1, u, len(c.Capacities))
		}
		if c.Caps[i] < c.Capacities[u] || c.Caps[i] > maxCap {
			return fmt.Errorf("instruction %d: cap %d, expected %d to %d", i+1, c.Caps[i], c.Capacities[u], maxCap)
		}
		if size *= c.Caps[i] + 1; size > int64(len(c.Offsets)) {
			break
		}
	}
	if size != int64(len(c.Offsets)) {
		return fmt.Errorf("%d offsets do not fit the caps", len(c.Offsets))
	}
	if c.Scale < 1 || c.Scale > magnitude {
		return fmt.Errorf("scale %d, expected 1 to %d", c.Scale, int64(magnitude))
	}
	for p, row := range c.Weights {
		if len(row) != length {
			return fmt.Errorf("row %d: %d weights, expected %d", p+1, len(row), length)
		}
		for i, w := range row {
			if w < -magnitude || w > magnitude {
				return fmt.Errorf("weight %d of row %d is %d", i+1, p+1, w)
			}
		}
	}
	for n, o := range c.Offsets {
		if o != Unreachable && (o < -magnitude || o > magnitude) {
			return fmt.Errorf("offset %d is %d", n, o)
		}
	}
	return nil
}

// checker goes through the cycles that start in one abstract state.
type checker struct {
	kinds            []int
	capacities, caps []int64

	from, to []int64 // counts before and after
	executed []int64
	used     []int64      // executed so far, by kind
	cycle    func() error // called for each cycle
}

func newChecker(kinds []int, capacities, caps []int64) *checker {
	return &checker{
		kinds: kinds, capacities: capacities, caps: caps,
		from: make([]int64, len(caps)), to: make([]int64, len(caps)),
		executed: make([]int64, len(caps)), used: make([]int64, len(capacities)),
	}
}

// state goes through the cycles of the abstract state of a number.
func (k *checker) state(n int64) error {
	for i, most := range k.caps {
		k.from[i] = n % (most + 1)
		n /= most + 1
	}
	clear(k.used)
	return k.split(len(k.caps) - 1)
}

// split goes through every way to execute instructions i, i−1, ..., 0. Whether a
// kind executed as much as work conservation demands is asked at the end.
func (k *checker) split(i int) error {
	if i < 0 {
		for u, capacity := range k.capacities {
			ready := int64(0)
			for j, kind := range k.kinds {
				if kind == u {
					ready += k.from[j]
				}
			}
			if k.used[u] != min(capacity, ready) {
				return nil
			}
		}
		return k.fill(0)
	}
	u := k.kinds[i]
	// A capped count stands for at least the capacity, so it is never exhausted.
	for e := int64(0); e <= k.from[i] && k.used[u]+e <= k.capacities[u]; e++ {
		k.executed[i] = e
		k.used[u] += e
		if err := k.split(i - 1); err != nil {
			return err
		}
		k.used[u] -= e
	}
	k.executed[i] = 0
	return nil
}

// fill goes through every abstract count after the cycle.
func (k *checker) fill(i int) error {
	if i == len(k.to) {
		return k.cycle()
	}
	came := int64(0)
	if i > 0 {
		came = k.executed[i-1]
	}
	left := k.from[i] - k.executed[i] + came
	if k.from[i] < k.caps[i] {
		k.to[i] = min(left, k.caps[i])
		return k.fill(i + 1)
	}
	// The count was Caps[i] or more, so now it is left or more.
	for k.to[i] = k.caps[i]; k.to[i] >= left || k.to[i] == k.caps[i]; k.to[i]-- {
		if err := k.fill(i + 1); err != nil {
			return err
		}
	}
	return nil
}

// number is the abstract state's number in the order of the offsets.
func (k *checker) number(counts []int64) int64 {
	n, stride := int64(0), int64(1)
	for i, c := range counts {
		n += c * stride
		stride *= k.caps[i] + 1
	}
	return n
}

// fall is by how much the potential falls at least in the cycle, with the weights of
// warps before and after it and without the offsets. It fails where the weight of a
// capped count grows.
func (k *checker) fall(before, after []int64) (int64, error) {
	fall := int64(0)
	for i, e := range k.executed {
		gain := before[i]
		if i+1 < len(before) {
			gain -= before[i+1]
		}
		fall += gain * e
	}
	for i, c := range k.to {
		if c == 0 {
			continue
		}
		change := before[i] - after[i]
		if change < 0 && c == k.caps[i] {
			return 0, fmt.Errorf("from state %v to %v the weight of instruction %d grows by %d", k.from, k.to, i+1, -change)
		}
		fall += change * c
	}
	return fall, nil
}

func firstOf(counts []int64) int {
	for i, c := range counts {
		if c > 0 {
			return i
		}
	}
	return len(counts)
}

// drop checks the conditions of theorem 15 for one cycle.
func (c *Certificate) drop(k *checker) error {
	before, after := c.Offsets[k.number(k.from)], c.Offsets[k.number(k.to)]
	if after == Unreachable {
		return fmt.Errorf("state %v leads to %v, which has no offset", k.from, k.to)
	}
	p := firstOf(k.from)
	q := min(firstOf(k.to), len(c.Weights)-1) // at the end no warp has a weight
	fall, err := k.fall(c.Weights[p], c.Weights[q])
	if err != nil {
		return err
	}
	if fall += before - after; fall < c.Scale {
		return fmt.Errorf("from state %v to %v the potential falls by %d, less than %d", k.from, k.to, fall, c.Scale)
	}
	return nil
}
