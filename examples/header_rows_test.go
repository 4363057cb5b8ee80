package examples

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

// headerKernels are the kernels of testdata/header.cu with what they have to compute, row by row as they stand there.
func headerKernels(fast bool) []*headerKernel {
	r := rand.New(rand.NewPCG(1, 2))
	a, b := make([]int32, 64), make([]int32, 64)
	f, d := make([]float32, 64), make([]float64, 64)
	for i := range 64 {
		a[i], b[i] = int32(r.Uint32()), int32(r.Uint32())>>(i%32)
		f[i], d[i] = float32(r.NormFloat64()*100), r.NormFloat64()*1e4
	}
	small := make([]float32, 64)
	for i := range small {
		small[i] = float32(i-32) / 11
	}
	return []*headerKernel{
		{name: "integers", args: []any{a, b}, rows: integerRows(a, b)},
		{name: "floats", args: []any{f, d}, rows: floatRows(f, d)},
		{name: "approximations", args: []any{small}, near: approximationRows(small, fast)},
		{name: "geometry", grid: 2, block: [3]int{16, 4, 1}, rows: geometryRows()},
		{name: "vectors", args: []any{a}, rows: vectorRows(a)},
		{name: "warps", args: []any{b}, rows: warpRows(b)},
		atomicKernel(),
	}
}

type rows = []func(i int) int64

func one(c bool) int64 {
	if c {
		return 1
	}
	return 0
}

func integerRows(a, b []int32) rows {
	x := func(i int) int64 { return int64(a[i]) }
	y := func(i int) int64 { return int64(b[i]) }
	u := func(i int) uint32 { return uint32(a[i]) }
	v := func(i int) uint32 { return uint32(b[i]) }
	xx := func(i int) int64 { return int64(a[i])<<21 ^ int64(b[i]) }
	yy := func(i int) int64 { return int64(b[i])<<30 | int64(u(i)) }
	abs := func(v int64) int64 { return max(v, -v) }
	low24 := func(v int64) int64 { return v << 40 >> 40 }
	bytes := func(i int, selector uint32) int64 {
		both, r := uint64(v(i))<<32|uint64(u(i)), uint32(0)
		for n := range 4 {
			s := selector >> (4 * n) & 7
			r |= uint32(both>>(8*s)) & 255 << (8 * n)
		}
		return int64(r)
	}
	funnel := func(i int) uint64 { return uint64(v(i))<<32 | uint64(u(i)) }
	high := func(x, y int64) int64 {
		h, _ := bits.Mul64(uint64(x), uint64(y))
		return int64(h) - x>>63&y - y>>63&x
	}
	return rows{
		func(i int) int64 { return min(x(i), y(i)) },
		func(i int) int64 { return max(x(i), y(i)) },
		func(i int) int64 { return int64(min(u(i), v(i))) },
		func(i int) int64 { return int64(max(u(i), v(i))) },
		func(i int) int64 { return int64(min(u(i), v(i))) },
		func(i int) int64 { return int64(max(u(i), v(i))) },
		func(i int) int64 { return min(xx(i), yy(i)) },
		func(i int) int64 { return max(xx(i), yy(i)) },
		func(i int) int64 { return int64(min(uint64(xx(i)), uint64(yy(i)))) },
		func(i int) int64 { return int64(max(uint64(xx(i)), uint64(yy(i)))) },
		func(i int) int64 { return min(xx(i), yy(i)) },
		func(i int) int64 { return abs(x(i)) },
		func(i int) int64 { return abs(xx(i)) },
		func(i int) int64 { return abs(xx(i)) },
		func(i int) int64 { return abs(xx(i)) },
		func(i int) int64 { return int64(bits.OnesCount32(u(i))) },
		func(i int) int64 { return int64(bits.OnesCount64(uint64(xx(i)))) },
		func(i int) int64 { return int64(bits.LeadingZeros32(u(i))) },
		func(i int) int64 { return 32 },
		func(i int) int64 { return int64(bits.LeadingZeros64(uint64(xx(i)))) },
		func(i int) int64 { return int64(bits.TrailingZeros32(u(i))) + 1 },
		func(i int) int64 { return 0 },
		func(i int) int64 { return int64(bits.TrailingZeros64(uint64(xx(i)))) + 1 },
		func(i int) int64 { return int64(bits.Reverse32(u(i))) },
		func(i int) int64 { return int64(bits.Reverse64(uint64(xx(i)))) },
		func(i int) int64 { return bytes(i, 0x7250) },
		func(i int) int64 { return bytes(i, 0x98fc) },
		func(i int) int64 { return int64(uint32(funnel(i) << 5 >> 32)) },
		func(i int) int64 { return int64(uint32(funnel(i) >> 5)) },
		func(i int) int64 { return int64(v(i)) },
		func(i int) int64 { return int64(int32(low24(x(i)) * low24(y(i)))) },
		func(i int) int64 { return int64(uint32(uint64(u(i)&0xffffff) * uint64(v(i)&0xffffff))) },
		func(i int) int64 { return x(i) * y(i) >> 32 },
		func(i int) int64 { return int64(uint64(u(i)) * uint64(v(i)) >> 32) },
		func(i int) int64 { return high(xx(i), yy(i)) },
		func(i int) int64 { h, _ := bits.Mul64(uint64(xx(i)), uint64(yy(i))); return int64(h) },
		func(i int) int64 { return int64(uint32(abs(x(i)-y(i)) + 7)) },
		func(i int) int64 { return int64(max(u(i), v(i)) - min(u(i), v(i)) + 7) },
	}
}

func floatRows(f []float32, d []float64) rows {
	x := func(i int) float32 { return f[i] }
	y := func(i int) float32 { return f[63-i] }
	z := func(i int) float32 { return f[i^5] }
	p := func(i int) float64 { return d[i] }
	q := func(i int) float64 { return d[63-i] }
	r := func(i int) float64 { return d[i^5] }
	single := func(g func(i int) float32) func(i int) int64 {
		return func(i int) int64 { return int64(int32(math.Float32bits(g(i)))) }
	}
	double := func(g func(i int) float64) func(i int) int64 {
		return func(i int) int64 { return int64(math.Float64bits(g(i))) }
	}
	both := func(g func(float64) float64) (func(i int) int64, func(i int) int64) {
		return single(func(i int) float32 { return float32(g(float64(x(i)))) }), double(func(i int) float64 { return g(p(i)) })
	}
	fused := single(func(i int) float32 { return fma32(x(i), y(i), z(i)) })
	fused64 := double(func(i int) float64 { return math.FMA(p(i), q(i), r(i)) })
	root, root64 := both(func(v float64) float64 { return math.Sqrt(math.Abs(v)) })
	floor, floor64 := both(math.Floor)
	ceil, ceil64 := both(math.Ceil)
	trunc, trunc64 := both(math.Trunc)
	even, even64 := both(math.RoundToEven)
	round, round64 := both(math.Round)
	toZero := func(exact int64) float32 { // the float32 next to exact on zero's side
		g := float32(exact)
		if math.Abs(float64(g)) > math.Abs(float64(exact)) {
			g = math.Nextafter32(g, 0)
		}
		return g
	}
	return rows{
		fused, fused, fused, fused64, fused64,
		root, root, root64, root, root64,
		single(func(i int) float32 { return float32(x(i)*y(i)) + z(i) }),
		single(func(i int) float32 { return float32(x(i)*y(i)) - z(i) }),
		single(func(i int) float32 { return float32(x(i)*y(i)) + z(i) }),
		double(func(i int) float64 { return float64(p(i)*q(i)) + r(i) }),
		double(func(i int) float64 { return float64(p(i)*q(i)) - r(i) }),
		double(func(i int) float64 { return float64(p(i)*q(i)) + r(i) }),
		single(func(i int) float32 { return x(i) / y(i) }),
		double(func(i int) float64 { return p(i) / q(i) }),
		single(func(i int) float32 { return 1 / x(i) }),
		double(func(i int) float64 { return 1 / p(i) }),
		single(func(i int) float32 { return min(x(i), y(i)) }),
		single(func(i int) float32 { return max(x(i), y(i)) }),
		single(func(i int) float32 { return min(x(i), y(i)) }),
		single(func(i int) float32 { return max(x(i), y(i)) }),
		double(func(i int) float64 { return min(p(i), q(i)) }),
		double(func(i int) float64 { return max(p(i), q(i)) }),
		single(func(i int) float32 { return min(x(i), y(i)) }),
		single(func(i int) float32 { return max(x(i), y(i)) }),
		double(func(i int) float64 { return max(p(i), q(i)) }),
		double(func(i int) float64 { return min(float64(x(i)), p(i)) }),
		double(func(i int) float64 { return max(float64(x(i)), p(i)) }),
		floor, ceil, trunc, even, round,
		single(func(i int) float32 { return 1 }),
		single(func(i int) float32 { return 0 }),
		floor, floor64, ceil64, trunc64, even64, round64,
		single(func(i int) float32 { return float32(math.Copysign(float64(x(i)), float64(y(i)))) }),
		double(func(i int) float64 { return math.Copysign(p(i), q(i)) }),
		single(func(i int) float32 { return min(max(x(i), 0), 1) }),
		func(i int) int64 { return 0 },
		func(i int) int64 { return 1 },
		func(i int) int64 { return 0 },
		func(i int) int64 { return 1 },
		func(i int) int64 { return int64(math.RoundToEven(float64(x(i)))) },
		func(i int) int64 { return int64(x(i)) },
		func(i int) int64 { return int64(math.Floor(float64(x(i)))) },
		func(i int) int64 { return int64(math.Ceil(float64(x(i)))) },
		func(i int) int64 { return int64(math.RoundToEven(math.Abs(float64(x(i))))) },
		func(i int) int64 { return int64(math.RoundToEven(float64(x(i)))) },
		func(i int) int64 { return int64(math.Abs(float64(x(i)))) },
		func(i int) int64 { return int64(math.RoundToEven(p(i))) },
		func(i int) int64 { return int64(math.Floor(p(i))) },
		func(i int) int64 { return int64(math.Abs(p(i))) },
		func(i int) int64 { return int64(math.Ceil(p(i))) },
		func(i int) int64 { return int64(math.RoundToEven(math.Abs(p(i)))) },
		single(func(i int) float32 { return float32(int64(123456789 + i)) }),
		single(func(i int) float32 { return toZero(int64(123456789 + i)) }),
		single(func(i int) float32 { return float32(uint32(0xfffffff0 + i/4)) }),
		single(func(i int) float32 { return float32(123456789012345 * int64(i)) }),
		single(func(i int) float32 { return float32(123456789012345 * uint64(i)) }),
		single(func(i int) float32 { return float32(p(i)) }),
		single(func(i int) float32 {
			g := float32(p(i))
			if math.Abs(float64(g)) > math.Abs(p(i)) {
				g = math.Nextafter32(g, 0)
			}
			return g
		}),
		double(func(i int) float64 { return float64(1234567890123456789 + int64(i)) }),
		double(func(i int) float64 { return float64(12345678901234567890 + uint64(i)) }),
		double(func(i int) float64 { return float64(-int64(i)) }),
		double(func(i int) float64 { return float64(i) }),
		func(i int) int64 { return int64(math.Float32bits(x(i))) },
		func(i int) int64 { return 0x40000000 + int64(i) },
		func(i int) int64 { return int64(math.Float64bits(p(i))) >> 32 },
		func(i int) int64 { return int64(int32(math.Float64bits(p(i)))) },
		func(i int) int64 { return 0x40000000<<32 + int64(i) },
	}
}

func approximationRows(a []float32, fast bool) []func(i int) float64 {
	x := func(i int) float64 { return float64(a[i]) }
	y := func(i int) float64 { return math.Abs(x(i)) + 0.25 }
	of := func(g func(float64) float64, v func(i int) float64) func(i int) float64 {
		return func(i int) float64 { return g(v(i)) }
	}
	exp10 := func(v float64) float64 { return math.Pow(10, v) }
	pow := func(i int) float64 { return math.Pow(y(i), x(i)) }
	list := []func(i int) float64{
		func(i int) float64 { return 1 / math.Sqrt(y(i)) },
		func(i int) float64 { return x(i) / y(i) },
		of(math.Exp, x), of(exp10, x), of(math.Log2, y), of(math.Log, y), of(math.Log10, y), pow,
		of(math.Sin, x), of(math.Cos, x), of(math.Tan, x), of(math.Sin, x), of(math.Cos, x),
	}
	if fast {
		list = append(list, of(math.Exp, x), of(math.Exp2, x), of(exp10, x), of(math.Log, y), of(math.Log2, y), of(math.Log10, y), pow,
			of(math.Sin, x), of(math.Cos, x), of(math.Tan, x), of(math.Sin, x), of(math.Cos, x))
	}
	return list
}

func geometryRows() rows {
	var list rows
	for block := range int64(2) {
		list = append(list, func(i int) int64 { return int64(i % 16) }, func(i int) int64 { return int64(i / 16) })
		for _, v := range []int64{0, 16, 4, 1, block, 0, 2, 1, 32, 4} {
			list = append(list, func(int) int64 { return v })
		}
	}
	return list
}

func vectorRows(a []int32) rows {
	pair := func(i int) int64 { return int64(uint32(a[i])) | int64(a[i+1])<<32 }
	return rows{
		func(i int) int64 { return -int64(a[i/2*2+1]) },
		func(i int) int64 { return int64(a[i/2*2]) },
		func(i int) int64 { return int64(i) + 2 + 6 + 12 },
		func(i int) int64 { return int64(63-i) - 2*int64(i) },
		func(i int) int64 { return 255 - 1 + 65535 - 4 + 3 },
		func(i int) int64 { return 4 + 100*4 + 10000*16 + 1000000*12 },
		func(i int) int64 { return 2 + 3 },
		func(i int) int64 { return int64(a[i]) },
		func(i int) int64 { return int64(uint32(a[i])) },
		func(i int) int64 { return pair(i / 2 * 2) },
		func(i int) int64 { return pair(i / 2 * 2) },
		func(i int) int64 { return int64(a[i]) },
		func(i int) int64 { return pair(i / 2 * 2) },
		func(i int) int64 { return int64(a[i/2*2+1]) },
		func(i int) int64 { return int64(uint32(a[i/2*2])) },
		func(i int) int64 { return int64(a[i/4*4+3]) },
		func(i int) int64 { return int64(uint32(a[i/4*4+2])) },
		func(i int) int64 { return int64(a[i/2*2+1]) },
		func(i int) int64 { return int64(a[i/4*4]) },
		func(i int) int64 { return pair(i/4*4 + 2) },
	}
}

func warpRows(a []int32) rows {
	x := func(i int) int64 { return int64(a[i]) }
	// lane gives the thread of i's warp that a shuffle reads, or i where that is outside its part.
	lane := func(i, from, width int) int {
		if first := i / width * width; from >= first && from < first+width {
			return from
		}
		return i
	}
	mask := func(i int, is func(j int) bool) (m int64) {
		for j := range 32 {
			m |= one(is(i/32*32+j)) << j
		}
		return m
	}
	odd := func(j int) bool { return a[j]&1 == 1 }
	var odds int64
	for j := range a {
		odds += one(odd(j))
	}
	unsigned := func(v int64) int64 { return int64(uint32(v)) }
	return rows{
		func(i int) int64 { return odds },
		func(i int) int64 {
			all := true
			for _, v := range a {
				all = all && v != 1
			}
			return one(all)
		},
		func(i int) int64 {
			any := false
			for _, v := range a {
				any = any || v == 1
			}
			return one(any)
		},
		func(i int) int64 { return one(i < 32) },
		func(i int) int64 { return one(i >= 32) },
		func(i int) int64 { return one(i < 32) },
		func(i int) int64 { return mask(i, odd) },
		func(i int) int64 { return mask(i, func(j int) bool { return j%3 == i%3 }) },
		func(i int) int64 { return mask(i, func(j int) bool { return j%3 == i%3 }) },
		func(i int) int64 { return 0xffffffff },
		func(i int) int64 { return 1 },
		func(i int) int64 { return 0 },
		func(i int) int64 { return 0 },
		func(i int) int64 { return x(i/32*32 + 5) },
		func(i int) int64 { return unsigned(x(i/8*8 + (i+1)%8)) },
		func(i int) int64 { return x(lane(i, i-3, 32)) },
		func(i int) int64 { return x(lane(i, i-3, 16)) },
		func(i int) int64 { return x(lane(i, i+3, 32)) },
		func(i int) int64 { return x(lane(i, i+1, 4)) },
		func(i int) int64 { return x(i ^ 9) },
		func(i int) int64 { return x(i ^ 3) },
		func(i int) int64 { return int64(float32(x(i ^ 1))) },
		func(i int) int64 { return x(lane(i, i+1, 32)) },
		func(i int) int64 { return x(i/32*32+7)<<32 | int64(i/32*32+7) },
		func(i int) int64 { return x(lane(i, i-1, 32)) << 20 },
		func(i int) int64 { return x(i/32*32+2) << 33 },
		func(i int) int64 { return one(i%2 == 1) * -0x55555556 },
		func(i int) int64 { return 1 },
	}
}

// atomicKernel repeats on one word after the other what each thread does; a row is what an operation returns.
func atomicKernel() *headerKernel {
	w, ww, f, d := make([]int32, 64), make([]int64, 64), make([]float32, 64), make([]float64, 64)
	results := make([][64]int64, 0, 40)
	for i := range w {
		w[i], ww[i], f[i], d[i] = int32(i*i-500), int64(i)<<35-1<<38, float32(i)/3, float64(i)/7
	}
	for i := range w {
		row := 0
		put := func(v int64) {
			if row == len(results) {
				results = append(results, [64]int64{})
			}
			results[row][i] = v
			row++
		}
		sum := int64(0)
		if i < 32 {
			sum = int64(2*i + 2*i + 1)
		}
		put(sum)
		v := w[i]
		word := func(signed bool, next func(v int32) int32) {
			if signed {
				put(int64(v))
			} else {
				put(int64(uint32(v)))
			}
			v = next(v)
		}
		word(true, func(v int32) int32 { return v + 3 })
		word(false, func(v int32) int32 { return v - 16 })
		word(true, func(v int32) int32 { return v - 5 })
		word(false, func(v int32) int32 { return v - 2 })
		word(true, func(v int32) int32 { return min(v, 20) })
		word(false, func(v int32) int32 { return int32(min(uint32(v), 40)) })
		word(true, func(v int32) int32 { return max(v, -3) })
		word(false, func(v int32) int32 { return int32(max(uint32(v), 9)) })
		word(true, func(v int32) int32 { return v & 0xff })
		word(false, func(v int32) int32 { return v | 0x100 })
		word(true, func(v int32) int32 { return v ^ 0x55 })
		inc := func(limit uint32) func(v int32) int32 {
			return func(v int32) int32 {
				if uint32(v) >= limit {
					return 0
				}
				return v + 1
			}
		}
		dec := func(limit uint32) func(v int32) int32 {
			return func(v int32) int32 {
				if v == 0 || uint32(v) > limit {
					return int32(limit)
				}
				return v - 1
			}
		}
		word(false, inc(300))
		word(false, dec(300))
		word(false, inc(1))
		word(false, dec(7))
		swap := func(expected, x int32) func(v int32) int32 {
			return func(v int32) int32 {
				if v == expected {
					return x
				}
				return v
			}
		}
		word(true, swap(7, int32(1000+i)))
		word(false, swap(1000, 5))
		word(true, func(int32) int32 { return int32(i) })
		word(false, func(int32) int32 { return 2 * int32(i) })
		put(2 * int64(i))

		l := ww[i]
		long := func(next int64) { put(l); l = next }
		long(l + 1<<40)
		long(min(l, 1<<39))
		long(max(l, int64(i)<<34))
		long(int64(min(uint64(l), 1<<38)))
		long(int64(max(uint64(l), 3)))
		long(l &^ 1)
		long(l | 6)
		long(l ^ math.MinInt64)
		if l == math.MinInt64+6 {
			long(77)
		} else {
			long(l)
		}
		long(1)
		put(1)

		bits32 := func(v float32) int64 { return int64(int32(math.Float32bits(v))) }
		put(bits32(f[i]))
		put(bits32(f[i] + 0.1))
		put(bits32(2.5))
		put(int64(math.Float64bits(d[i])))
		put(int64(math.Float64bits(d[i] + 0.1)))
	}
	k := &headerKernel{name: "atomics", args: []any{w, ww, f, d}, shared: 256}
	for r := range results {
		k.rows = append(k.rows, func(i int) int64 { return results[r][i] })
	}
	return k
}
