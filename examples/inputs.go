package examples

import (
	"math"
	"slices"
)

// Inputs returns the launches of the kernels in inputs/kernels, ordered by launch file. Where each goes depends on what is
// in memory, and all launches of a kernel differ in that alone. They are not among All.
func Inputs() []Example {
	const suite = "inputs/kernels"
	list := slices.Concat(
		launches(suite, "bfs", bfsLevel, "level", "level-dense", "level-path", "level-scattered"),
		launches(suite, "bitonic", bitonic, "bitonic", "bitonic-equal", "bitonic-reverse", "bitonic-sorted"),
		launches(suite, "hash", probe, "probe", "probe-chain", "probe-empty", "probe-full"),
		launches(suite, "kmp", kmp, "kmp", "kmp-almost", "kmp-equal", "kmp-foreign", "kmp-mixed", "kmp-apart"),
		launches(suite, "mandelbrot", mandelbrot, "mandelbrot", "mandelbrot-edge", "mandelbrot-inside", "mandelbrot-outside"),
		launches(suite, "nearest", nearestInCells, "nearest", "nearest-crowded", "nearest-empty", "nearest-full"),
		launches(suite, "raycast", rayCast, "raycast", "raycast-full", "raycast-outside", "raycast-still"),
		launches(suite, "relax", relax, "relax", "relax-flat", "relax-mixed", "relax-stiff"),
		launches(suite, "resample", resample, "resample", "resample-even", "resample-first", "resample-last"),
		launches(suite, "search", lowerBound, "lower_bound", "lower_bound-beyond", "lower_bound-equal", "lower_bound-exact"),
		launches(suite, "spmv", sparseProduct, "spmv", "spmv-dense", "spmv-diagonal", "spmv-skewed"),
	)
	slices.SortFunc(list, byLaunch)
	return list
}

func bfsLevel(s *state) {
	first, edges, length := s.s32s("first", 1), s.s32s("edges", 0), s.s32s("length", 1)
	frontier, levels, next := s.s32s("frontier", 0), s.s32s("levels", len(first)-1), s.s32s("next", len(first)-1)
	for _, node := range frontier[:min(int(length[0]), s.grid[0]*s.threads)] {
		for _, e := range edges[first[node]:first[node+1]] {
			if levels[e] < 0 {
				levels[e], next[e] = int32(s.count("depth")), 1
			}
		}
	}
}

// bitonic sorts what each block holds: two values a thread.
func bitonic(s *state) {
	n := 2 * s.threads
	values := s.s32s("values", n*s.grid[0])
	for b := range s.grid[0] {
		slices.Sort(values[b*n : (b+1)*n])
	}
}

func probe(s *state) {
	capacity, limit, n := s.count("capacity"), s.count("limit"), s.grid[0]*s.threads
	keys, contents, wanted := s.u32s("keys", capacity), s.u32s("values", capacity), s.u32s("wanted", n)
	found, probes := s.u32s("found", n), s.s32s("probes", n)
	for q, key := range wanted[:n] {
		slot := key * 2654435761 >> 16 % uint32(capacity)
		found[q], probes[q] = 0, 0
		for probes[q] < int32(limit) {
			probes[q]++
			if keys[slot] == key {
				found[q] = contents[slot]
			}
			if keys[slot] == key || keys[slot] == 0 {
				break
			}
			slot = (slot + 1) % uint32(capacity)
		}
	}
}

// kmp looks at every place of the pieces.
func kmp(s *state) {
	piece, length, n := s.count("piece"), s.count("length"), s.grid[0]*s.threads
	text, pattern, hits := s.s32s("text", n*piece), s.s32s("pattern", length), s.s32s("hits", n)
	s.s32s("fallback", length)
	for t := range n {
		hits[t] = 0
		for at := t * piece; at+length <= (t+1)*piece; at++ {
			if slices.Equal(text[at:at+length], pattern[:length]) {
				hits[t]++
			}
		}
	}
}

func mandelbrot(s *state) {
	width, limit := s.count("width"), s.count("limit")
	view, iterations := s.f32s("view", 4), s.s32s("iterations", width*s.grid[1])
	for i := range iterations[:width*s.grid[1]] {
		cx, cy := fma32(float32(i%width), view[2], view[0]), fma32(float32(i/width), view[3], view[1])
		var x, y float32
		n := 0
		for ; n < limit; n++ {
			xx, yy := mul32(x, x), mul32(y, y)
			if xx+yy > 4 {
				break
			}
			x, y = xx-yy+cx, fma32(2*x, y, cy)
		}
		iterations[i] = int32(n)
	}
}

// nearestInCells takes the first of points that are equally near, cell by cell.
func nearestInCells(s *state) {
	side, queries := s.count("side"), s.count("queries")
	start := s.s32s("start", side*side+1)
	x, y := s.f32s("x", int(start[side*side])), s.f32s("y", int(start[side*side]))
	queryX, queryY := s.f32s("query_x", queries), s.f32s("query_y", queries)
	found, distance := s.s32s("found", queries), s.f32s("distance", queries)
	for q := range queries {
		found[q], distance[q] = -1, 3e38
		for cell := range side * side {
			dx, dy := cell%side-int(queryX[q]), cell/side-int(queryY[q])
			if max(dx, -dx, dy, -dy) > 1 {
				continue
			}
			for i := start[cell]; i < start[cell+1]; i++ {
				ex, ey := x[i]-queryX[q], y[i]-queryY[q]
				if d := fma32(ex, ex, mul32(ey, ey)); d < distance[q] {
					found[q], distance[q] = i, d
				}
			}
		}
	}
}

func rayCast(s *state) {
	rays, size, limit := s.count("rays"), s.count("size"), s.count("limit")
	cells := s.u32s("cells", size*size)
	origin, direction := s.f32s("origin", 3*rays), s.f32s("direction", 3*rays)
	hit, steps := s.s32s("hit", rays), s.s32s("steps", rays)
	for r := range rays {
		hit[r], steps[r] = -1, 0
		at := [3]float32{origin[r], origin[rays+r], origin[2*rays+r]}
		for ; steps[r] < int32(limit); steps[r]++ {
			if min(at[0], at[1], at[2]) < 0 || max(at[0], at[1], at[2]) >= float32(size) {
				break
			}
			row, bit := int(at[2])*size+int(at[1]), int(at[0])
			if cells[row]>>bit&1 != 0 {
				hit[r] = int32(row*size + bit)
				break
			}
			for axis := range at {
				at[axis] += direction[axis*rays+r]
			}
		}
	}
}

func relax(s *state) {
	tolerance, cells, limit := s.f64("tolerance"), s.count("cells"), s.count("limit")
	rate, rest, y, steps := s.f64s("rate", cells), s.f64s("rest", cells), s.f64s("y", cells), s.s32s("steps", cells)
	for c := range cells {
		t, h := 0.0, 0.25
		steps[c] = 0
		for t < 1 && steps[c] < int32(limit) {
			steps[c]++
			first := mul64(rate[c], rest[c]-y[c])
			euler := math.FMA(h, first, y[c])
			second := mul64(rate[c], rest[c]-euler)
			heun := math.FMA(0.5*h, first+second, y[c])
			miss := max(heun-euler, euler-heun)
			if miss > tolerance {
				h *= 0.5
				continue
			}
			t += h
			y[c] = heun
			if 4*miss < tolerance {
				h *= 2
			}
			if t+h > 1 {
				h = 1 - t
			}
		}
	}
}

func resample(s *state) {
	particles := s.count("particles")
	cumulative, draw := s.f32s("cumulative", particles), s.f32s("draw", particles)
	x, next := s.f32s("x", particles), s.f32s("next", particles)
	for p := range particles {
		k := 0
		for k < particles-1 && cumulative[k] < draw[p] {
			k++
		}
		next[p] = x[k]
	}
}

func lowerBound(s *state) {
	n, queries := s.count("n"), s.count("queries")
	sorted, keys, place := s.s32s("sorted", n), s.s32s("keys", queries), s.s32s("place", queries)
	for q := range queries {
		at, _ := slices.BinarySearch(sorted[:n], keys[q])
		place[q] = int32(at)
	}
}

func sparseProduct(s *state) {
	rows := s.count("rows")
	first := s.s32s("first", rows+1)
	column, value := s.s32s("column", int(first[rows])), s.f32s("value", int(first[rows]))
	x, y := s.f32s("x", 0), s.f32s("y", rows)
	for row := range rows {
		y[row] = 0
		for i := first[row]; i < first[row+1]; i++ {
			y[row] = fma32(value[i], x[column[i]], y[row])
		}
	}
}
