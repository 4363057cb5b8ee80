package multiphase

import (
	"github.com/warpbound/warpbound/bound"
	"math"
)

// maxTime leaves room for the additions of many steps between two checks.
const maxTime = int64(1) << 61

// calc adds and multiplies non-negative numbers; once a result exceeds maxTime,
// over stays true and results are meaningless.
type calc struct{ over bool }

func (c *calc) add(values ...int64) int64 {
	var s int64
	for _, v := range values {
		if v < 0 || v > maxTime || s > maxTime-v {
			c.over = true
			return 0
		}
		s += v
	}
	return s
}

func (c *calc) mul(a, b int64) int64 {
	if a < 0 || b < 0 || (b != 0 && a > maxTime/b) {
		c.over = true
		return 0
	}
	return a * b
}

func (c *calc) err() error {
	if c.over {
		return bound.ErrOverflow
	}
	return nil
}

// mulSigned returns a*b and whether it fits an int64.
func mulSigned(a, b int64) (int64, bool) {
	if a == 0 || b == 0 {
		return 0, true
	}
	p := a * b
	if p/b != a || (a == math.MinInt64 && b == -1) || (b == math.MinInt64 && a == -1) {
		return 0, false
	}
	return p, true
}

// addSigned returns a+b and whether it fits an int64.
func addSigned(a, b int64) (int64, bool) {
	s := a + b
	return s, (s > a) == (b > 0)
}
