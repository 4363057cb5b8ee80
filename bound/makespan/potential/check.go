package potential

import "fmt"

// Check proves the certificate, in integers and from the definition of a cycle: it
// shares nothing with Derive (docs/soundness.md, theorem 15). The error names the
// first condition that fails.
func (c *Certificate) Check() error {
	if err := c.shape(); err != nil {
		return err
	}
	k := &checker{Certificate: c, from: make([]int64, len(c.Caps)), to: make([]int64, len(c.Caps)),
		executed: make([]int64, len(c.Caps)), used: make([]int64, len(c.Capacities))}
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
		k.unpack(n)
		if err := k.split(len(c.Caps) - 1); err != nil {
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
	*Certificate
	from, to []int64 // counts before and after
	executed []int64
	used     []int64 // executed so far, by kind
}

func (k *checker) unpack(n int) {
	for i, most := range k.Caps {
		k.from[i] = int64(n) % (most + 1)
		n /= int(most + 1)
	}
}

// split goes through every way to execute instructions i, i−1, ..., 0. Whether a
// kind executed as much as work conservation demands is asked at the end.
func (k *checker) split(i int) error {
	if i < 0 {
		for u, capacity := range k.Capacities {
			ready := int64(0)
			for j, kind := range k.Kinds {
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
	u := k.Kinds[i]
	// A capped count stands for at least the capacity, so it is never exhausted.
	for e := int64(0); e <= k.from[i] && k.used[u]+e <= k.Capacities[u]; e++ {
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
		return k.drop()
	}
	came := int64(0)
	if i > 0 {
		came = k.executed[i-1]
	}
	left := k.from[i] - k.executed[i] + came
	if k.from[i] < k.Caps[i] {
		k.to[i] = min(left, k.Caps[i])
		return k.fill(i + 1)
	}
	// The count was Caps[i] or more, so now it is left or more.
	for k.to[i] = k.Caps[i]; k.to[i] >= left || k.to[i] == k.Caps[i]; k.to[i]-- {
		if err := k.fill(i + 1); err != nil {
			return err
		}
	}
	return nil
}

// drop checks the conditions of theorem 15 for one cycle.
func (k *checker) drop() error {
	length := len(k.Kinds)
	p, q := length, length
	before, after := int64(0), int64(0)
	stride := int64(1)
	for i := range length {
		if k.from[i] > 0 {
			p = min(p, i)
		}
		if k.to[i] > 0 {
			q = min(q, i)
		}
		before += k.from[i] * stride
		after += k.to[i] * stride
		stride *= k.Caps[i] + 1
	}
	if k.Offsets[after] == Unreachable {
		return fmt.Errorf("state %v leads to %v, which has no offset", k.from, k.to)
	}
	fall := k.Offsets[before] - k.Offsets[after]
	for i := p; i < length; i++ {
		gain := k.Weights[p][i]
		if i+1 < length {
			gain -= k.Weights[p][i+1]
		}
		fall += gain * k.executed[i]
	}
	for i := q; i < length; i++ {
		change := k.Weights[p][i] - k.Weights[q][i]
		if change < 0 && k.to[i] == k.Caps[i] {
			return fmt.Errorf("from state %v to %v the weight of instruction %d grows by %d", k.from, k.to, i+1, -change)
		}
		fall += change * k.to[i]
	}
	if fall < k.Scale {
		return fmt.Errorf("from state %v to %v the potential falls by %d, less than %d", k.from, k.to, fall, k.Scale)
	}
	return nil
}
