package examples

import (
	"math"
	"slices"
)

// Vortex returns the launches of the programs in the directory vortex, ordered by launch file: RISC-V programs, whose Grid
// and Block are the cores and the threads of a core, and PTX kernels that compute the same. They are not among All.
func Vortex() []Example {
	const suite = "vortex/kernels"
	list := slices.Concat(
		launches(suite, "blackscholes", blackScholes, "blackscholes", "blackscholes-ptx"),
		launches(suite, "divergence", collatz, "divergence"),
		launches(suite, "hello", func(s *state) { s.count("code") }, "hello", "hello-feb2024"),
		launches(suite, "hotspot", hotspot, "hotspot", "hotspot-ptx"),
		launches(suite, "hotspot3d", hotspot3D, "hotspot3d", "hotspot3d-ptx"),
		launches(suite, "kmeans", kmeansAssign, "kmeans", "kmeans-ptx"),
		launches(suite, "psort", rankSort, "psort", "psort-ptx"),
		launches(suite, "reduce", reduce, "reduce"),
		launches(suite, "rounding", rounding, "rounding"),
		launches(suite, "saxpy", saxpy, "saxpy"),
		launches(suite, "sgemm", product, "sgemm", "sgemm-ptx"),
		launches(suite, "spawn", spawn, "spawn"),
		launches(suite, "vecadd", vecadd, "vecadd", "vecadd-feb2024"),
	)
	slices.SortFunc(list, byLaunch)
	return list
}

// blackScholes repeats the operations of option.h, so that it agrees bit for bit.
func blackScholes(s *state) {
	n, rate, volatility := s.count("n"), s.f32("rate"), s.f32("volatility")
	price, strike, years := s.f32s("price", n), s.f32s("strike", n), s.f32s("years", n)
	call, put := s.f32s("call", n), s.f32s("put", n)
	for i := range n {
		spread := mul32(volatility, sqrt32(years[i]))
		drift := fma32(mul32(0.5, volatility), volatility, rate)
		d1 := fma32(drift, years[i], vortexLog(price[i]/strike[i])) / spread
		c1, c2 := cumulativeNormal(d1), cumulativeNormal(d1-spread)
		discounted := mul32(strike[i], vortexExp(mul32(-rate, years[i])))
		call[i] = mul32(price[i], c1) - mul32(discounted, c2)
		put[i] = mul32(discounted, 1-c2) - mul32(price[i], 1-c1)
	}
}

func vortexLog(x float32) float32 {
	bits := int32(math.Float32bits(x))
	e := (bits - 0x3f3504f3) >> 23
	f := math.Float32frombits(uint32(bits-e<<23)) - 1
	s := f / (2 + f)
	z := mul32(s, s)
	series := fma32(z, fma32(z, fma32(z, 1.0/9, 1.0/7), 1.0/5), 1.0/3)
	ln := fma32(2*s, mul32(z, series), 2*s)
	return fma32(float32(e), math.Ln2, ln)
}

func vortexExp(x float32) float32 {
	const round = 12582912
	x = max(x, -87)
	shifted := fma32(x, math.Log2E, round)
	k := shifted - round
	r := fma32(k, -1.42860682e-6, fma32(k, -0.693145751953125, x))
	series := fma32(r, fma32(r, fma32(r, fma32(r, 1.0/720, 1.0/120), 1.0/24), 1.0/6), 0.5)
	e := fma32(r, fma32(r, series, 1), 1)
	return math.Float32frombits(math.Float32bits(e) + (math.Float32bits(shifted)-math.Float32bits(round))<<23)
}

func cumulativeNormal(d float32) float32 {
	k := 1 / fma32(0.2316419, max(d, -d), 1)
	series := fma32(k, fma32(k, fma32(k, fma32(k, 1.330274429, -1.821255978), 1.781477937), -0.356563782), 0.319381530)
	p := mul32(mul32(0.3989422804, vortexExp(mul32(mul32(-0.5, d), d))), mul32(k, series))
	if d > 0 {
		return 1 - p
	}
	return p
}

func rankSort(s *state) {
	n := s.count("n")
	in, out := s.f32s("in", n), s.f32s("out", n)
	copy(out, in[:n])
	slices.Sort(out[:n])
}

func product(s *state) {
	rows, k, columns := s.count("rows"), s.count("k"), s.count("columns")
	a, b, c := s.f32s("a", rows*k), s.f32s("b", k*columns), s.f32s("c", rows*columns)
	for i := range rows {
		for j := range columns {
			c[i*columns+j] = columnProduct(b, a[i*k:(i+1)*k], j, k, columns, 0)
		}
	}
}

func collatz(s *state) {
	n := s.count("n")
	in, steps, path := s.u32s("in", n), s.u32s("steps", n), s.u32s("path", n)
	ways := [8]uint32{0, 1, 2, 3, 1100, 1110, 1110, 1111}
	for i := range n {
		x := in[i]
		path[i], steps[i] = ways[x%8], 0
		if x%2 == 0 {
			for ; x > 0 && x%3 == 0; x /= 3 {
				steps[i]++
			}
			continue
		}
		for first := true; first || x != 1; first = false {
			if x%2 == 0 {
				x /= 2
			} else {
				x = 3*x + 1
			}
			steps[i]++
		}
	}
}

// spawn leaves the same whichever core writes last.
func spawn(s *state) {
	n := s.count("n")
	in, squares, sums, total := s.u32s("in", n), s.u32s("squares", n), s.u32s("sums", n), s.u32s("total", 1)
	for i := range n {
		squares[i] = in[i] * in[i]
	}
	total[0] = 0
	for i := range n {
		sums[i] = squares[i] + squares[n-1-i]
		total[0] += sums[i]
	}
}
