package examples

import "math"

// The references of the kernels written in PTX by hand.

// warpLanes is the number of lanes of a warp.
const warpLanes = 32

func nested(s *state) {
	n := s.grid[0] * s.threads
	out := s.u32s("out", n)
	for i := range n {
		v, lane := uint32(i), uint32(i%s.threads%warpLanes)
		switch {
		case lane < 8:
			for k := range lane {
				v = v*3 + k
			}
		case lane < 16:
			v ^= 0x5a
		case lane%4 == 0:
			v += 100
		case lane%4 == 1:
			v *= 4
		case lane%4 == 2:
			v = -v
		default:
			continue // left before it stores
		}
		out[i] = v
	}
}

func warpwide(s *state) {
	n := s.grid[0] * s.threads
	in, sum, prefix := s.u32s("in", n), s.u32s("sum", n), s.u32s("prefix", n)
	odd, leader := s.u32s("odd", n), s.u32s("leader", n)
	for i := range n {
		first := i / warpLanes * warpLanes
		sum[i], prefix[i], odd[i] = 0, 0, 0
		leader[i] = warpLanes
		for lane, v := range in[first : first+warpLanes] {
			sum[i] += v
			if first+lane <= i {
				prefix[i] += v
			}
			if first+lane < i {
				odd[i] += v % 2
			}
			if v%4 == in[i]%4 {
				leader[i] = min(leader[i], uint32(lane))
			}
		}
	}
}

func earlyExit(s *state) {
	const staying = 96
	out := s.u32s("out", staying)
	for t := range uint32(staying) {
		next := (t + warpLanes) % staying
		out[t] = next * next
	}
}

func producerConsumer(s *state) {
	const width = 64
	rounds := int(s.u32s("rounds", 1)[0])
	in, out := s.u32s("in", width*rounds), s.u32s("out", width)
	for t := range width {
		out[t] = 0
		for round := range rounds {
			out[t] = out[t]*31 + in[width*round+t]
		}
	}
}

func counting(s *state) {
	limit := s.u32s("limit", 1)[0]
	in, out := s.u32s("in", s.threads), s.u32s("out", 4)
	out[0], out[2], out[3] = 0, 1, 0
	for _, v := range in[:s.threads] {
		out[0] += v % 2
		if v < limit {
			out[3] = 1
		} else {
			out[2] = 0
		}
	}
}

func globalAtomics(s *state) {
	n := int(s.u32s("n", 1)[0])
	in, c, marks := s.u32s("in", n), s.u32s("counters", 9), s.u32s("marks", n)
	for _, v := range in[:n] {
		c[0] += v
		c[1], c[2] = min(c[1], v), max(c[2], v)
		c[3] &= v
		c[4] |= v
		c[5] ^= v
		if c[6]++; c[6] > 99 {
			c[6] = 0
		}
		marks[c[7]] = 1
		c[7]++
	}
}

func sharedAtomics(s *state) {
	blocks := s.grid[0]
	in, greatest, sum := s.f32s("in", blocks*s.threads), s.f32s("greatest", blocks), s.u64s("sum", 1)
	for b := range blocks {
		greatest[b] = float32(math.Inf(-1))
		for i := b * s.threads; i < (b+1)*s.threads; i++ {
			greatest[b] = max(greatest[b], in[i])
			sum[0] += uint64(i)
		}
	}
}

func staged(s *state) {
	rows := int(s.u32s("rows", 1)[0])
	in, out := s.f32s("in", rows*s.threads), s.f32s("out", s.threads)
	for t := range s.threads {
		out[t] = 0
		for row := range rows {
			out[t] += in[row*s.threads+(t+1)%s.threads]
		}
	}
}

func reductions(s *state) {
	n := s.grid[0] * s.threads
	in, least := s.s32s("in", n), s.s32s("least", n)
	greatest, common := s.s32s("greatest", n), s.s32s("common", n)
	for first := 0; first < n; first += warpLanes {
		low, high, and := int32(math.MaxInt32), int32(math.MinInt32), int32(-1)
		for _, v := range in[first : first+warpLanes] {
			if v&1 != 0 {
				low, high, and = min(low, v), max(high, v), and&v
			}
		}
		for i := first; i < first+warpLanes; i++ {
			if in[i]&1 != 0 {
				least[i], greatest[i], common[i] = low, high, and
			}
		}
	}
}
