package examples

import "slices"

func basicExamples() []Example {
	const suite = "basic"
	return slices.Concat(
		launches(suite, "saxpy", saxpy, "saxpy", "saxpy-1warp"),
		launches(suite, "vecadd", vecadd, "vecadd", "vecadd-1block", "vecadd-1warp"),
		launches(suite, "reduce", reduce, "reduce", "reduce-1block"),
		launches(suite, "arithmetic", alu, "alu", "alu-1warp"),
		launches(suite, "arithmetic", fmaChain, "fmachain", "fmachain-1warp"),
		launches(suite, "branches", branches, "branches", "branches-1block"),
		launches(suite, "transpose", transpose, "transpose_conflicts", "transpose_conflicts-1block"),
		launches(suite, "transpose", transpose, "transpose_padded", "transpose_padded-1block"),
		launches(suite, "histogram", histogram, "histogram", "histogram-1block"),
		launches(suite, "calls", polynomial, "polynomial"),
		launches(suite, "calls", recursion, "recursion"),
		launches(suite, "localsort", localSort, "localsort"),
		launches(suite, "divergence", nested, "nested"),
		launches(suite, "divergence", warpwide, "warpwide"),
		launches(suite, "barrier", earlyExit, "early_exit"),
		launches(suite, "barrier", producerConsumer, "producer_consumer"),
		launches(suite, "barrier", counting, "counting"),
		launches(suite, "async", staged, "staged"),
		launches(suite, "async", reductions, "reductions"),
		launches(suite, "atomics", globalAtomics, "global_atomics"),
		launches(suite, "atomics", sharedAtomics, "shared_atomics"),
	)
}

func saxpy(s *state) {
	n, a := s.count("n"), s.f32("a")
	x, y := s.f32s("x", n), s.f32s("y", n)
	for i := range n {
		y[i] = fma32(a, x[i], y[i])
	}
}

func vecadd(s *state) {
	n := s.count("n")
	a, b, c := s.f32s("a", n), s.f32s("b", n), s.f32s("c", n)
	for i := range n {
		c[i] = a[i] + b[i]
	}
}

func reduce(s *state) {
	n, blocks := s.count("n"), s.grid[0]
	in, out := s.u32s("in", n), s.u32s("out", blocks)
	clear(out[:blocks])
	for i := range n {
		out[i/s.threads%blocks] += in[i]
	}
}

func alu(s *state) {
	n, blocks := s.count("n"), s.grid[0]
	out := s.u32s("out", blocks*s.threads)
	for i := range blocks * s.threads {
		a, b := uint32(i%s.threads), uint32(i/s.threads)
		for k := range n {
			a = a*b + uint32(k)
			b = b*a + 3
		}
		out[i] = a ^ b
	}
}

func fmaChain(s *state) {
	n, blocks := s.count("n"), s.grid[0]
	out := s.f32s("out", blocks*s.threads)
	for i := range blocks * s.threads {
		a := float32(i % s.threads)
		for range n {
			for _, c := range [4]float32{0.5, 0.25, 0.125, 0.0625} {
				a = fma32(a, 1.0001, c)
			}
		}
		out[i] = a
	}
}

func branches(s *state) {
	n := s.count("n")
	in, out := s.u32s("in", n), s.u32s("out", n)
	for i := range n {
		v, r := in[i], uint32(0)
		switch {
		case v%2 == 1:
			for k := range v % 32 {
				r = r*3 + k
			}
		case v%4 == 2:
			r = v*v + 7
		default:
			r = v / (v/16 + 1)
		}
		switch i % s.threads % 4 {
		case 0:
			r++
		case 1:
			r ^= 0x55
		case 2:
			r *= 5
		case 3:
			r -= 9
		}
		out[i] = r
	}
}

func transpose(s *state) {
	columns, rows := s.count("columns"), s.count("rows")
	in, out := s.f32s("in", columns*rows), s.f32s("out", columns*rows)
	for y := range rows {
		for x := range columns {
			out[x*rows+y] = in[y*columns+x]
		}
	}
}

func histogram(s *state) {
	n := s.count("n")
	values, bins := s.u32s("values", n), s.u32s("bins", 64)
	for _, v := range values[:n] {
		bins[v%64]++
	}
}

// polynomial takes a structure of six coefficients and the degree.
func polynomial(s *state) {
	n := s.count("n")
	p, x, y := s.b8s("p", 28), s.f32s("x", n), s.f32s("y", n)
	coefficients, degree := decode[float32](p[:24]), int(decode[int32](p[24:])[0])
	for i := range n {
		y[i] = 0
		for k := degree; k >= 0; k-- {
			y[i] = fma32(y[i], x[i], coefficients[k])
		}
	}
}

func recursion(s *state) {
	n := s.grid[0] * s.threads
	out := s.u32s("out", n)
	for i := range n {
		var path []uint32
		for v := uint32(i); v > 1 && len(path) < 40; {
			path = append(path, v)
			if v%2 == 1 {
				v = 3*v + 1
			} else {
				v /= 2
			}
		}
		out[i] = 0
		for _, v := range slices.Backward(path) {
			out[i] = 1 + out[i]*(1+v%2*2)%1000
		}
	}
}

func localSort(s *state) {
	const count = 8
	threads := s.grid[0] * s.threads
	in, out := s.s32s("in", count*threads), s.s32s("out", count*threads)
	for i := range threads {
		var values [count]int32
		for k := range values {
			values[k] = in[k*threads+i]
		}
		slices.Sort(values[:])
		for k, v := range values {
			out[k*threads+i] = v
		}
	}
}
