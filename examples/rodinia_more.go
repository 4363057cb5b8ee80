package examples

import "math"

// btreeOrder is the number of children of a node.
const btreeOrder = 8

// record walks down the tree one child at a time and returns the record with the key, or -1. Unlike the kernel it compares
// with a child's lower key only: the children are in order.
func record(keys, children []int32, height int, key int32) int32 {
	node := 0
	for level := 1; ; level++ {
		c := btreeOrder - 1
		for c > 0 && keys[node*(btreeOrder+1)+c] > key {
			c--
		}
		child := children[node*btreeOrder+c]
		if level == height {
			if keys[node*(btreeOrder+1)+c] != key {
				return -1
			}
			return child
		}
		node = int(child)
	}
}

func btreeFind(s *state) {
	n, height := s.grid[0], s.count("height")
	keys, children := s.s32s("keys", 1), s.s32s("children", 1)
	queries, answers := s.s32s("queries", n), s.s32s("answers", n)
	for i := range n {
		if r := record(keys, children, height, queries[i]); r >= 0 {
			answers[i] = r
		}
	}
}

func btreeRange(s *state) {
	n, height := s.grid[0], s.count("height")
	keys, children := s.s32s("keys", 1), s.s32s("children", 1)
	from, to, answers := s.s32s("from", n), s.s32s("to", n), s.s32s("answers", n)
	for i := range n {
		first, last := record(keys, children, height, from[i]), record(keys, children, height, to[i])
		if first >= 0 && last >= 0 {
			answers[i] = last - first + 1
		}
	}
}

func dwtRows(s *state) {
	columns := s.count("columns")
	in, out := s.s32s("in", s.grid[0]*columns), s.s32s("out", s.grid[0]*columns)
	for row := range s.grid[0] {
		wavelet(in[row*columns:], out[row*columns:], columns/2, 1)
	}
}

func dwtColumns(s *state) {
	columns, rows := s.count("columns"), s.count("rows")
	in, out := s.s32s("in", rows*columns), s.s32s("out", rows*columns)
	for column := range s.grid[0] {
		wavelet(in[column:], out[column:], rows/2, columns)
	}
}

// wavelet transforms the line of 2*pairs samples that lie stride apart.
func wavelet(in, out []int32, pairs, stride int) {
	high := func(i int) int32 {
		i = max(i, 0)
		return in[(2*i+1)*stride] - (in[2*i*stride]+in[2*min(i+1, pairs-1)*stride])>>1
	}
	for i := range pairs {
		out[i*stride] = in[2*i*stride] + (high(i-1)+high(i)+2)>>2
		out[(pairs+i)*stride] = high(i)
	}
}

// gicovCircles are the points of the three circles about a place: x and y, eight of each, counter-clockwise.
var gicovCircles = [3][8][2]int{
	{{2, 0}, {1, 1}, {0, 2}, {-1, 1}, {-2, 0}, {-1, -1}, {0, -2}, {1, -1}},
	{{4, 0}, {3, 3}, {0, 4}, {-3, 3}, {-4, 0}, {-3, -3}, {0, -4}, {3, -3}},
	{{6, 0}, {4, 4}, {0, 6}, {-4, 4}, {-6, 0}, {-4, -4}, {0, -6}, {4, -4}},
}

// gicovDirections are cosine and sine of the eight points' angles.
var gicovDirections = [8][2]float32{
	{1, 0}, {0.70710678, 0.70710678}, {0, 1}, {-0.70710678, 0.70710678},
	{-1, 0}, {-0.70710678, -0.70710678}, {0, -1}, {0.70710678, -0.70710678},
}

func gicov(s *state) {
	const margin, points = 6, 8
	width, height := s.count("width"), s.count("height")
	gx, gy := s.f32s("gradient_x", width*height), s.f32s("gradient_y", width*height)
	score := s.f32s("score", width*height)
	for y := margin; y < height-margin; y++ {
		for x := margin; x < width-margin; x++ {
			var best float32
			for _, circle := range gicovCircles {
				var sum, squares float32
				for k, p := range circle {
					at := (y+p[1])*width + x + p[0]
					across := fma32(gy[at], gicovDirections[k][1], mul32(gx[at], gicovDirections[k][0]))
					sum += across
					squares = fma32(across, across, squares)
				}
				mean := sum / points
				best = max(best, mul32(mean, mean)/(fma32(-mean, sum, squares)/(points-1)))
			}
			score[y*width+x] = best
		}
	}
}

func dilate(s *state) {
	const reach = 2
	width, height := s.count("width"), s.count("height")
	in, out := s.f32s("in", width*height), s.f32s("out", width*height)
	for i := range width * height {
		out[i] = 0
		for v := max(i/width-reach, 0); v <= min(i/width+reach, height-1); v++ {
			for u := max(i%width-reach, 0); u <= min(i%width+reach, width-1); u++ {
				// The disc is the square without its corners.
				if dx, dy := u-i%width, v-i/width; dx*dx+dy*dy < 2*reach*reach {
					out[i] = max(out[i], in[v*width+u])
				}
			}
		}
	}
}

// cell is membrane voltage and recovery.
type cell [2]float64

func (c cell) slope(current float64) cell {
	cube := mul64(mul64(c[0], c[0]), c[0])
	return cell{
		math.FMA(-1.0/3, cube, c[0]) - c[1] + current,
		mul64(0.08, math.FMA(-0.8, c[1], c[0]+0.7)),
	}
}

func (c cell) along(d cell, h float64) cell {
	return cell{math.FMA(h, d[0], c[0]), math.FMA(h, d[1], c[1])}
}

func myocyte(s *state) {
	cells, steps, h := s.count("cells"), s.count("steps"), s.f64("h")
	voltage, recovery := s.f64s("voltage", cells), s.f64s("recovery", cells)
	current := s.f64s("current", cells)
	for i := range cells {
		c := cell{voltage[i], recovery[i]}
		for range steps {
			k1 := c.slope(current[i])
			k2 := c.along(k1, mul64(0.5, h)).slope(current[i])
			k3 := c.along(k2, mul64(0.5, h)).slope(current[i])
			k4 := c.along(k3, h).slope(current[i])
			c = c.along(k1, h/6).along(k2, h/3).along(k3, h/3).along(k4, h/6)
		}
		voltage[i], recovery[i] = c[0], c[1]
	}
}
