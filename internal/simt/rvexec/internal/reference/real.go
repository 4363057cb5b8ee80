package reference

import "math/big"

// real is an exact non-negative number: num/den, or its square root.
type real struct {
	num, den *big.Int // den > 0
	root     bool
}

var one = big.NewInt(1)

// pow2 is 2^k for k >= 0.
func pow2(k int) *big.Int { return new(big.Int).Lsh(one, uint(k)) }

// over is x / 2^k.
func (x real) over(k int) real {
	if x.root {
		k *= 2
	}
	if k >= 0 {
		return real{x.num, new(big.Int).Mul(x.den, pow2(k)), x.root}
	}
	return real{new(big.Int).Mul(x.num, pow2(-k)), x.den, x.root}
}

// floor is the largest integer not above x.
func (x real) floor() *big.Int {
	q := new(big.Int).Quo(x.num, x.den)
	if x.root {
		q.Sqrt(q)
	}
	return q
}

// cmpHalves compares x with n/2.
func (x real) cmpHalves(n *big.Int) int {
	if x.root {
		// sqrt(num/den) ? n/2  as  4 num ? n^2 den
		left := new(big.Int).Lsh(x.num, 2)
		right := new(big.Int).Mul(n, n)
		return left.Cmp(right.Mul(right, x.den))
	}
	left := new(big.Int).Lsh(x.num, 1)
	return left.Cmp(new(big.Int).Mul(n, x.den))
}

// exponent is the e with 2^e <= x < 2^(e+1). x must not be zero.
func (x real) exponent() int {
	e := x.num.BitLen() - x.den.BitLen()
	if x.root {
		e /= 2
	}
	for x.over(e).floor().Sign() == 0 {
		e--
	}
	for x.over(e+1).floor().Sign() > 0 {
		e++
	}
	return e
}

// integer rounds x, or -x where negative, to an integer in the direction of m
// and returns the magnitude of the result and whether it differs from x.
func (x real) integer(negative bool, m Mode) (*big.Int, bool) {
	below := x.floor()
	twice := new(big.Int).Lsh(below, 1)
	if x.cmpHalves(twice) == 0 {
		return below, false
	}
	above := new(big.Int).Add(below, one)
	half := x.cmpHalves(twice.Add(twice, one))
	up := false
	switch m {
	case NearestEven:
		up = half > 0 || half == 0 && below.Bit(0) == 1
	case NearestAway:
		up = half >= 0
	case TowardZero:
	case Down:
		up = negative
	case Up:
		up = !negative
	}
	if up {
		return above, true
	}
	return below, true
}
