package npy

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
)

// random is the splitmix64 generator: the same numbers on every machine and Go version.
type random struct{ state uint64 }

func (r *random) next() uint64 {
	r.state += 0x9e3779b97f4a7c15
	z := r.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// intn is uniform in [0, n) up to a bias that does not matter here.
func (r *random) intn(n int) int { return int(r.next() % uint64(n)) }

// float is uniform in [0, 1).
func (r *random) float() float64 { return float64(r.next()>>11) / (1 << 53) }

// Files returns every input file, in order of path.
func Files() []File {
	files := slices.Concat(
		basic(), btree(), bfs("", 512, 1), bfs("small_", 200, 2),
		cfd(), lavamd(), particleFilter(), streamcluster(), roundings(), tensor(), inputs(),
	)
	slices.SortFunc(files, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	return files
}

// basic is numbers whose low bits steer branches; crowded bins for a histogram; and for the atomics floats in no
// order and the counters' first values; the parameter structure and the unsorted values of the kernels of those names; and
// signed numbers for reductions.
func basic() []File {
	r := random{6}
	in, values := make([]uint32, 250), make([]uint32, 2000)
	for i := range in {
		in[i] = uint32(r.intn(1 << 12))
	}
	for i := range values {
		values[i] = uint32(r.intn(64) * r.intn(64) / 64)
	}
	floats := make([]float32, 128)
	for i := range floats {
		floats[i] = float32(r.intn(2000)-1000) / 8
	}
	// Eight values a thread, a quarter of them already sorted.
	unsorted := make([]int32, 1024)
	for i := range unsorted {
		unsorted[i] = int32(r.intn(1000) - 500)
		if i%4 == 0 {
			unsorted[i] = int32(i)
		}
	}
	mixed := make([]int32, 128)
	for i := range mixed {
		mixed[i] = int32(r.intn(1<<16)) - 1<<15
	}
	counters := []uint32{10, 5000, 5, 0xffffffff, 0, 0, 37, 0, 0}
	return []File{
		{"basic/async/in.npy", Encode(mixed)},
		{"basic/atomics/counters.npy", Encode(counters)}, {"basic/atomics/in.npy", Encode(floats)},
		{"basic/branches/in.npy", Encode(in)}, {"basic/branches/small_in.npy", Encode(in[:128])},
		{"basic/calls/coefficients.bin", polynomial()},
		{"basic/histogram/small_values.npy", Encode(values[:500])}, {"basic/histogram/values.npy", Encode(values)},
		{"basic/localsort/in.npy", Encode(unsorted)},
	}
}

// tensor is the factors of a product, as pairs of halves: multiples of 1/8 from -2 to 2, of which every sum is exact.
func tensor() []File {
	r := random{41}
	half := func() uint32 {
		v := r.intn(33) - 16 // eighths
		if v == 0 {
			return 0
		}
		_, e := math.Frexp(float64(v))
		m := uint32(math.Ldexp(math.Abs(float64(v)), 11-e)) & 1023
		h := uint32(e-1-3+15)<<10 | m
		if v < 0 {
			h |= 0x8000
		}
		return h
	}
	pairs := func(n int) []uint32 {
		out := make([]uint32, n)
		for i := range out {
			out[i] = half() | half()<<16
		}
		return out
	}
	return []File{{"units/tensor/a.npy", Encode(pairs(2048))}, {"units/tensor/b.npy", Encode(pairs(512))}}
}

// polynomial is the structure that the kernel of that name takes: six coefficients and the degree, raw.
func polynomial() []byte {
	// Append of fixed-size numbers has no error to report.
	data, _ := binary.Append(nil, binary.LittleEndian, [6]float32{1, -0.5, 0.25, 3, -1.75, 0.125})
	return binary.LittleEndian.AppendUint32(data, 5)
}

// bfs is a graph in adjacency lists, with the search of node 0 stopped before its third level is expanded. Most nodes
// have few neighbours and one in sixteen has many, so that warps diverge.
func bfs(prefix string, n int, seed uint64) []File {
	r := random{seed}
	first, degree := make([]int32, n), make([]int32, n)
	var edges []int32
	for i := range n {
		first[i] = int32(len(edges))
		degree[i] = int32(r.intn(4))
		if i%16 == 0 {
			degree[i] = int32(8 + r.intn(17))
		}
		for range degree[i] {
			edges = append(edges, int32(r.intn(n)))
		}
	}
	cost := make([]int32, n)
	for i := range cost {
		cost[i] = -1
	}
	cost[0] = 0
	level := []int32{0}
	for depth := int32(1); depth <= 2; depth++ {
		level = expand(first, degree, edges, cost, level, depth)
	}
	frontier, visited, next := make([]int32, n), make([]int32, n), make([]int32, n)
	for _, i := range level {
		frontier[i] = 1
	}
	for i, c := range cost {
		if c >= 0 {
			visited[i] = 1
		}
	}
	for _, i := range expand(first, degree, edges, slices.Clone(cost), level, 3) {
		next[i] = 1
	}
	dir := "rodinia/bfs/" + prefix
	return []File{
		{dir + "cost.npy", Encode(cost)}, {dir + "degree.npy", Encode(degree)}, {dir + "edges.npy", Encode(edges)},
		{dir + "first.npy", Encode(first)}, {dir + "frontier.npy", Encode(frontier)}, {dir + "next.npy", Encode(next)},
		{dir + "visited.npy", Encode(visited)},
	}
}

// expand gives the unreached neighbours of level their cost and returns them.
func expand(first, degree, edges, cost, level []int32, depth int32) []int32 {
	var next []int32
	for _, i := range level {
		for _, e := range edges[first[i] : first[i]+degree[i]] {
			if cost[e] < 0 {
				cost[e] = depth
				next = append(next, e)
			}
		}
	}
	return next
}

// btree is a search tree of three levels with eight children a node and 512 records whose keys are 5, 8, 11, ...; queries
// for some that exist and some that do not; and ranges between records.
func btree() []File {
	const order, records, queries = 8, 512, 12
	const most = 1<<31 - 1
	const nodes = 1 + order + order*order
	keys, children := make([]int32, nodes*(order+1)), make([]int32, nodes*order)
	key := func(record int) int32 { return int32(3*record + 5) }
	// fill makes node's subtree hold the records from first on, span for each child.
	var fill func(node, first, span int)
	next := 1
	fill = func(node, first, span int) {
		for c := range order {
			keys[node*(order+1)+c] = key(first + c*span)
			if span == 1 {
				children[node*order+c] = int32(first + c)
				continue
			}
			child := next
			next++
			children[node*order+c] = int32(child)
			fill(child, first+c*span, span/order)
		}
		keys[node*(order+1)+order] = most
		if end := first + order*span; end < records {
			keys[node*(order+1)+order] = key(end)
		}
	}
	fill(0, 0, records/order)

	r := random{7}
	wanted, from, to := make([]int32, queries), make([]int32, queries), make([]int32, queries)
	for i := range queries {
		wanted[i] = key(r.intn(records)) + int32(i%3/2) // every third falls between two keys
		first := r.intn(records)
		from[i], to[i] = key(first), key(first+r.intn(records-first))
	}
	const dir = "rodinia/btree/"
	return []File{
		{dir + "children.npy", Encode(children)}, {dir + "from.npy", Encode(from)}, {dir + "keys.npy", Encode(keys)},
		{dir + "queries.npy", Encode(wanted)}, {dir + "to.npy", Encode(to)},
	}
}

// cfd is a mesh whose elements have four random faces, one in eight a wall and one in sixteen the far field, and a flow
// with positive pressure everywhere.
func cfd() []File {
	const n = 192
	r := random{3}
	neighbours := make([]int32, 4*n)
	for i := range neighbours {
		switch k := r.intn(16); {
		case k < 2:
			neighbours[i] = -1
		case k == 2:
			neighbours[i] = -2
		default:
			neighbours[i] = int32(r.intn(n))
		}
	}
	variables := make([]float32, 5*n)
	for i := range n {
		density := 1 + r.float()/2
		variables[i] = float32(density)
		for axis := 1; axis <= 3; axis++ {
			variables[i+axis*n] = float32(density * (r.float() - 0.5))
		}
		variables[i+4*n] = float32(2.5 + r.float())
	}
	return []File{
		{"rodinia/cfd/neighbours.npy", Encode(neighbours)}, {"rodinia/cfd/variables.npy", Encode(variables)},
	}
}

// lavamd is 2 x 2 x 2 boxes: each has itself and the seven others as neighbours, in a list with room for 27.
func lavamd() []File {
	const boxes, room = 8, 27
	count, neighbours := make([]int32, boxes), make([]int32, boxes*room)
	for b := range boxes {
		count[b] = boxes
		for k := range boxes {
			neighbours[b*room+k] = int32((b + k) % boxes)
		}
	}
	return []File{
		{"rodinia/lavamd/neighbour_count.npy", Encode(count)}, {"rodinia/lavamd/neighbours.npy", Encode(neighbours)},
	}
}

// particleFilter is a cloud of 256 particles about the middle of a 64 x 64 frame, a disc of 21 pixels as template, and a
// cumulative distribution with its systematic sample.
func particleFilter() []File {
	const particles = 256
	r := random{4}
	x, y := make([]float64, particles), make([]float64, particles)
	cdf, u := make([]float64, particles), make([]float64, particles)
	total := 0.0
	for i := range particles {
		x[i], y[i] = 16+32*r.float(), 16+32*r.float()
		// Squaring makes a few particles weigh much. The conversion keeps a compiler from fusing, which would make the
		// file depend on the machine.
		f := r.float()
		total += float64(f * f)
		cdf[i] = total
	}
	for i := range particles {
		cdf[i] /= total
		u[i] = (float64(i) + 0.5) / particles
	}
	var tx, ty []int32
	for dy := int32(-2); dy <= 2; dy++ {
		for dx := int32(-2); dx <= 2; dx++ {
			if dx*dx+dy*dy <= 5 {
				tx, ty = append(tx, dx), append(ty, dy)
			}
		}
	}
	const dir = "rodinia/particlefilter/"
	return []File{
		{dir + "cdf.npy", Encode(cdf)}, {dir + "template_x.npy", Encode(tx)}, {dir + "template_y.npy", Encode(ty)},
		{dir + "u.npy", Encode(u)}, {dir + "x.npy", Encode(x)}, {dir + "y.npy", Encode(y)},
	}
}

// streamcluster is 256 points, each assigned to one of four centres, which are points themselves.
func streamcluster() []File {
	const points = 256
	r := random{5}
	centres := []int32{3, 40, 77, 200}
	assigned, table := make([]int32, points), make([]int32, points)
	for i := range assigned {
		assigned[i] = centres[r.intn(len(centres))]
	}
	for k, c := range centres {
		table[c] = int32(k)
	}
	return []File{
		{"rodinia/streamcluster/assigned.npy", Encode(assigned)},
		{"rodinia/streamcluster/centre_table.npy", Encode(table)},
	}
}

// roundings is pairs of numbers whose sums, products and quotients are exact, inexact, ties, too large, too small, zero or
// undefined, and numbers on both sides of integers and ties between them.
func roundings() []File {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	const least, normal = 1.0 / (1 << 126) / (1 << 23), 1.0 / (1 << 126)
	pairs := [][2]float32{
		{1, 3}, {-1, 3}, {2, 1 << 24}, {2, -1.0 / (1 << 24)}, {0.5, 7}, {1.5, -7}, {-2.5, 0.1}, {2.5, 1 << 23},
		{3e38, 3e38}, {-3e38, 3e38}, {16777215, 1.0 / 3}, {1e-30, -1e-30}, {normal, 1.0 / 3}, {-normal, 3},
		{3 * least, 2}, {normal, 1 - 1.0/(1<<24)}, {0, 0}, {1, 0}, {-1, 0}, {inf, -inf}, {nan, 1}, {2147483520, inf},
		{-2147483648, 1.1}, {2147483648, -0.3},
	}
	x, y := make([]float32, len(pairs)), make([]float32, len(pairs))
	for i, p := range pairs {
		x[i], y[i] = p[0], p[1]
	}
	const dir = "vortex/kernels/rounding/"
	return []File{{dir + "x.npy", Encode(x)}, {dir + "y.npy", Encode(y)}}
}
