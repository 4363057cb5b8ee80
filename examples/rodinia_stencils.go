package examples

import "slices"

// ambient is the temperature around the chip in both heat kernels.
const ambient = 80

// cross gives the index of the four neighbours of cell (x, y) of a grid; beyond the edge it is the cell itself.
func cross(x, y, columns, rows int) (north, south, west, east int) {
	at := y*columns + x
	north, south, west, east = at, at, at, at
	if y > 0 {
		north = at - columns
	}
	if y < rows-1 {
		south = at + columns
	}
	if x > 0 {
		west = at - 1
	}
	if x < columns-1 {
		east = at + 1
	}
	return north, south, west, east
}

// hotspot steps the whole grid at once; the kernel does the same tile by tile, with overlapping halos.
func hotspot(s *state) {
	columns, rows := s.count("columns"), s.count("rows")
	n := columns * rows
	power, in, out := s.f32s("power", n), s.f32s("in", n), s.f32s("out", n)
	rx, ry, rz, scale := s.f32("rx"), s.f32("ry"), s.f32("rz"), s.f32("scale")
	now := slices.Clone(in[:n])
	for range s.count("steps") {
		next := make([]float32, n)
		for y := range rows {
			for x := range columns {
				at := y*columns + x
				north, south, west, east := cross(x, y, columns, rows)
				t := now[at]
				vertical := fma32(-2, t, now[south]+now[north])
				horizontal := fma32(-2, t, now[east]+now[west])
				change := fma32(ambient-t, rz, fma32(horizontal, rx, fma32(vertical, ry, power[at])))
				next[at] = fma32(scale, change, t)
			}
		}
		now = next
	}
	copy(out, now)
}

func hotspot3D(s *state) {
	nx, ny, nz := s.count("nx"), s.count("ny"), s.count("nz")
	layer := nx * ny
	n := layer * nz
	power, in, out := s.f32s("power", n), s.f32s("in", n), s.f32s("out", n)
	ce, cn, ct, cc, scale := s.f32("ce"), s.f32("cn"), s.f32("ct"), s.f32("cc"), s.f32("scale")
	for z := range nz {
		below, above := max(z-1, 0)*layer, min(z+1, nz-1)*layer
		for y := range ny {
			for x := range nx {
				at := z*layer + y*nx + x
				north, south, west, east := cross(x, y, nx, ny)
				sum := fma32(cc, in[at], fma32(scale, power[at], mul32(ct, ambient)))
				sum = fma32(ce, in[z*layer+west]+in[z*layer+east], sum)
				sum = fma32(cn, in[z*layer+north]+in[z*layer+south], sum)
				out[at] = fma32(ct, in[below+y*nx+x]+in[above+y*nx+x], sum)
			}
		}
	}
}

func srad1(s *state) {
	columns, rows, q0sqr := s.count("columns"), s.count("rows"), s.f32("q0sqr")
	size := columns * rows
	image, coefficient := s.f32s("image", size), s.f32s("coefficient", size)
	dn, ds, dw, de := s.f32s("dn", size), s.f32s("ds", size), s.f32s("dw", size), s.f32s("de", size)
	for y := range rows {
		for x := range columns {
			at := y*columns + x
			north, south, west, east := cross(x, y, columns, rows)
			here := image[at]
			n, so, w, e := image[north]-here, image[south]-here, image[west]-here, image[east]-here
			g2 := fma32(e, e, fma32(w, w, fma32(so, so, mul32(n, n)))) / mul32(here, here)
			l := (n + so + w + e) / here
			num := fma32(0.5, g2, -mul32(0.0625, mul32(l, l)))
			den := fma32(0.25, l, 1)
			qsqr := num / mul32(den, den)
			c := 1 / (1 + (qsqr-q0sqr)/mul32(q0sqr, 1+q0sqr))
			dn[at], ds[at], dw[at], de[at] = n, so, w, e
			coefficient[at] = min(max(c, 0), 1)
		}
	}
}

func srad2(s *state) {
	columns, rows, lambda := s.count("columns"), s.count("rows"), s.f32("lambda")
	size := columns * rows
	image, c := s.f32s("image", size), s.f32s("coefficient", size)
	dn, ds, dw, de := s.f32s("dn", size), s.f32s("ds", size), s.f32s("dw", size), s.f32s("de", size)
	for y := range rows {
		for x := range columns {
			at := y*columns + x
			_, south, _, east := cross(x, y, columns, rows)
			divergence := fma32(c[east], de[at], fma32(c[at], dw[at], fma32(c[south], ds[at], mul32(c[at], dn[at]))))
			image[at] = fma32(mul32(0.25, lambda), divergence, image[at])
		}
	}
}
