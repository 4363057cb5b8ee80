package examples

import (
	"math"
	"os"
	"testing"
)

// TestOptionPrices compares with the formula in double precision, whose normal distribution is exact: the approximation is
// good to 7.5e-8 of a probability (Abramowitz and Stegun, 26.2.17), prices here are below 130.
func TestOptionPrices(t *testing.T) {
	const rate, volatility = 0.02, 0.3
	var price, strike, years []float32
	for p := float32(5); p < 30; p += 2.7 {
		for x := float32(1); x < 100; x += 7.9 {
			for y := float32(0.25); y < 10; y += 1.3 {
				price, strike, years = append(price, p), append(strike, x), append(years, y)
			}
		}
	}
	n := len(price)
	s := apply(t, blackScholes, [3]int{1, 1, 1}, [3]int{32, 1, 1}, map[string]any{
		"price": price, "strike": strike, "years": years, "call": make([]float32, n), "put": make([]float32, n), "n": n,
		"rate": float32(rate), "volatility": float32(volatility),
	})
	normal := func(d float64) float64 { return math.Erfc(-d/math.Sqrt2) / 2 }
	for i := range n {
		p, x, y := float64(price[i]), float64(strike[i]), float64(years[i])
		d1 := (math.Log(p/x) + (rate+volatility*volatility/2)*y) / (volatility * math.Sqrt(y))
		d2 := d1 - volatility*math.Sqrt(y)
		call := p*normal(d1) - x*math.Exp(-rate*y)*normal(d2)
		put := call - p + x*math.Exp(-rate*y)
		for _, c := range []struct {
			name string
			got  float32
			want float64
		}{{"call", s.f32s("call", n)[i], call}, {"put", s.f32s("put", n)[i], put}} {
			if math.Abs(float64(c.got)-c.want) > 1e-4 {
				t.Errorf("%s at %v for %v in %v years is %v, want %v", c.name, p, x, y, c.got, c.want)
			}
		}
	}
}

// TestExpAndLog: within two units of the last place of the library's.
func TestExpAndLog(t *testing.T) {
	near := func(got float32, want float64) bool { return math.Abs(float64(got)-want) <= math.Abs(want)*2.4e-7 }
	for x := float32(-87); x < 88; x += 0.137 {
		if got, want := vortexExp(x), math.Exp(float64(x)); !near(got, want) {
			t.Errorf("exp(%v) = %v, want %v", x, got, want)
		}
	}
	if got, want := vortexExp(-1000), vortexExp(-87); got != want {
		t.Errorf("exp(-1000) = %v, want %v", got, want)
	}
	for x := float32(1e-30); x < 1e30; x *= 1.0137 {
		if got, want := vortexLog(x), math.Log(float64(x)); !near(got, want) && math.Abs(want) > 0.01 {
			t.Errorf("log(%v) = %v, want %v", x, got, want)
		}
	}
}

// TestRoundedToNearest compares with the host's own arithmetic, which rounds to nearest, ties to even; and the directed
// modes with it: results down and up are neighbours around it, or the same where nothing was rounded.
func TestRoundedToNearest(t *testing.T) {
	var operands []float32
	for _, file := range []string{"x.npy", "y.npy"} {
		data, err := os.ReadFile("vortex/kernels/rounding/" + file)
		if err != nil {
			t.Fatal(err)
		}
		_, _, elements, err := readNPY(data)
		if err != nil {
			t.Fatal(err)
		}
		operands = append(operands, decode[float32](elements)...)
	}
	for _, x := range operands {
		for _, y := range operands {
			for operation, want := range []float32{x + y, x * y, x / y, sqrt32(x), fma32(x, y, x)} {
				bits, flags := rounded(operation, nearestEven, x, y)
				got := math.Float32frombits(bits)
				if !sameBits(got, want) {
					t.Fatalf("operation %d of %v and %v is %v, want %v", operation, x, y, got, want)
				}
				low, lowFlags := rounded(operation, down, x, y)
				high, _ := rounded(operation, up, x, y)
				cut, _ := rounded(operation, towardsZero, x, y)
				l, h, z := math.Float32frombits(low), math.Float32frombits(high), math.Float32frombits(cut)
				if want != want {
					continue
				}
				if (got != l && got != h) || z != l && z != h || math.Abs(float64(z)) > math.Abs(float64(got)) {
					t.Errorf("operation %d of %v and %v is %v, down %v, up %v, towards zero %v", operation, x, y, got, l, h, z)
				}
				if rounding := flags&inexact != 0; rounding != (lowFlags&inexact != 0) || rounding != (math.Nextafter32(l, h) == h && l != h) {
					t.Errorf("operation %d of %v and %v: flags %#x and %#x, down %v, up %v", operation, x, y, flags, lowFlags, l, h)
				}
			}
			if bits, _ := rounded(5, nearestEven, x, y); math.Abs(float64(x)) < 1<<31 && int32(bits) != int32(math.RoundToEven(float64(x))) {
				t.Errorf("the integer of %v is %d", x, int32(bits))
			}
		}
	}
}
