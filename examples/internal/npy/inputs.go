package npy

import "slices"

// inputs is what the kernels in inputs/kernels are launched on: for each some ordinary input and bad ones, which all keep
// to the bounds on loops that the launch files state.
func inputs() []File {
	return slices.Concat(cells(), frontiers(), sparse(), texts(), sorted(), views(), rays(), tables(), weights())
}

const inputsDir = "inputs/kernels/"

// offsets is where each of a number of lists begins, and where the last ends.
func offsets(lengths []int) []int32 {
	out := make([]int32, 1, len(lengths)+1)
	at := 0
	for _, n := range lengths {
		at += n
		out = append(out, int32(at))
	}
	return out
}

// cells is points in a grid of 8 x 8 cells with room for 12 each: scattered, every cell full, and every ninth cell full.
func cells() []File {
	const side, room = 8, 12
	r := random{61}
	var out []File
	for _, of := range []struct {
		name  string
		count func(cell int) int
	}{
		{"", func(int) int { return r.intn(7) }},
		{"full_", func(int) int { return room }},
		{"crowded_", func(cell int) int { return room * (1 - min(cell%9, 1)) }},
	} {
		lengths := make([]int, side*side)
		x, y := make([]float32, side*side*room), make([]float32, side*side*room)
		at := 0
		for c := range lengths {
			lengths[c] = of.count(c)
			for range lengths[c] {
				x[at], y[at] = float32(c%side)+float32(r.intn(256))/256, float32(c/side)+float32(r.intn(256))/256
				at++
			}
		}
		dir := inputsDir + "nearest/" + of.name
		out = append(out, File{dir + "start.npy", Encode(offsets(lengths))}, File{dir + "x.npy", Encode(x)}, File{dir + "y.npy", Encode(y)})
	}
	return out
}

// frontiers is graphs of 128 nodes with at most 16 neighbours: a random one, of which a third is the frontier; one where
// all have 16 and the frontier is everybody, and nobody but node 0 is reached; a path, of which the frontier is a node; and
// one like the second, in which the nodes of a warp are far apart, and every step of a warp reaches two nodes that no
// step before has reached.
func frontiers() []File {
	const nodes, most = 128, 16
	straight := func(i int) int { return i }
	r := random{62}
	var out []File
	for _, of := range []struct {
		name      string
		degree    func() int
		neighbour func(node, k int) int
		frontier  func(node int) bool
		order     func(i int) int // of the frontier
	}{
		{"", func() int { return r.intn(most + 1) }, func(int, int) int { return r.intn(nodes) }, func(node int) bool { return node%3 == 0 }, straight},
		{"dense_", func() int { return most }, func(int, int) int { return r.intn(nodes) }, func(int) bool { return true }, straight},
		{"path_", func() int { return 1 }, func(node, _ int) int { return (node + 1) % nodes }, func(node int) bool { return node == 17 }, straight},
		{"scattered_", func() int { return most }, func(node, k int) int {
			lane, step := node/4, node%4*most+k
			if lane < 2 { // new ones
				return lane*nodes/2 + step%2*nodes/4 + step/2
			}
			return lane%4*nodes/4 + 7*lane%max(step/2, 1)
		}, func(int) bool { return true }, func(i int) int { return i%32*4 + i/32 }},
	} {
		lengths := make([]int, nodes)
		edges, frontier, levels := make([]int32, nodes*most), make([]int32, nodes), make([]int32, nodes)
		var at, length int
		for i := range nodes {
			lengths[i] = of.degree()
			for k := range lengths[i] {
				edges[at] = int32(of.neighbour(i, k))
				at++
			}
			levels[i] = -1
			if of.frontier(i) {
				frontier[length] = int32(of.order(i))
				length++
				levels[i] = 2
			}
		}
		if length == nodes { // a frontier that has reached nobody
			for i := range levels {
				levels[i] = -1
			}
		}
		dir := inputsDir + "bfs/" + of.name
		out = append(out,
			File{dir + "edges.npy", Encode(edges)}, File{dir + "first.npy", Encode(offsets(lengths))}, File{dir + "frontier.npy", Encode(frontier)},
			File{dir + "length.npy", Encode([]int32{int32(length)})}, File{dir + "levels.npy", Encode(levels)})
	}
	return out
}

// sparse is matrices of 128 x 128 whose rows have at most 24 elements: random rows, all rows of 24, the diagonal, and one
// long row among 32 that have an element.
func sparse() []File {
	const rows, most = 128, 24
	r := random{63}
	var out []File
	for _, of := range []struct {
		name   string
		length func(row int) int
	}{
		{"", func(int) int { return r.intn(most + 1) }},
		{"dense_", func(int) int { return most }},
		{"diagonal_", func(int) int { return 1 }},
		{"skewed_", func(row int) int { return 1 + (most-1)*(1-min(row%32, 1)) }},
	} {
		lengths, column := make([]int, rows), make([]int32, rows*most)
		at := 0
		for i := range rows {
			lengths[i] = of.length(i)
			for k := range lengths[i] {
				column[at] = int32((i + k*r.intn(rows)) % rows)
				at++
			}
		}
		dir := inputsDir + "spmv/" + of.name
		out = append(out, File{dir + "column.npy", Encode(column)}, File{dir + "first.npy", Encode(offsets(lengths))})
	}
	return out
}

// texts is 4096 letters and patterns of eight: two letters at random; and patterns of one letter, whole and with another at
// the end, which make a search in that letter alone match, or fall back, at every step. For the last there is a text, too,
// in which at most steps some threads of a warp go on, others fall back, and one finds the pattern: a run of the one letter
// and the other behind it, longer from thread to thread, of which every second begins a step later. The last text is for a
// pattern of the one letter with another in the second place: as many of the one as threads are before in the warp, each a
// step on and a step back, and then the pattern again and again, so that the threads of a warp are apart.
func texts() []File {
	r := random{64}
	text := make([]int32, 4096)
	for i := range text {
		text[i] = int32(r.intn(2))
	}
	mixed := make([]int32, 4096)
	for i := range mixed {
		thread, at := i/32, i%32
		delay, run := thread%2, 8+thread%32*3/4
		switch {
		case at < delay:
			mixed[i] = 7
		case (at-delay)%run == run-1:
			mixed[i] = 1
		}
	}
	apart, pattern := make([]int32, 4096), []int32{0, 1, 0, 0, 0, 0, 0, 0}
	for i := range apart {
		if thread, at := i/32%32, i%32; at >= thread {
			apart[i] = pattern[(at-thread)%len(pattern)]
		}
	}
	out := []File{{inputsDir + "kmp/mixed_text.npy", Encode(mixed)}, {inputsDir + "kmp/apart_text.npy", Encode(apart)}, {inputsDir + "kmp/text.npy", Encode(text)}}
	for _, of := range []struct {
		name    string
		pattern []int32
	}{
		{"", []int32{0, 1, 0, 0, 1, 0, 1, 0}}, {"equal_", []int32{0, 0, 0, 0, 0, 0, 0, 0}}, {"almost_", []int32{0, 0, 0, 0, 0, 0, 0, 1}}, {"apart_", pattern},
	} {
		fallback := make([]int32, len(of.pattern))
		j := int32(0)
		for i := 1; i < len(of.pattern); i++ {
			for j > 0 && of.pattern[i] != of.pattern[j] {
				j = fallback[j-1]
			}
			if of.pattern[i] == of.pattern[j] {
				j++
			}
			fallback[i] = j
		}
		dir := inputsDir + "kmp/" + of.name
		out = append(out, File{dir + "fallback.npy", Encode(fallback)}, File{dir + "pattern.npy", Encode(of.pattern)})
	}
	return out
}

// sorted is 200 ascending numbers, some of them equal.
func sorted() []File {
	r := random{65}
	out := make([]int32, 200)
	for i := range out {
		out[i] = int32(r.intn(1000))
	}
	slices.Sort(out)
	return []File{{inputsDir + "search/sorted.npy", Encode(out)}}
}

// views is parts of the plane: a corner and the steps between points. All of the set; nothing; its edge.
func views() []File {
	const dir = inputsDir + "mandelbrot/"
	return []File{
		{dir + "view.npy", Encode([]float32{-2, -0.75, 0.046875, 0.5})},
		{dir + "inside_view.npy", Encode([]float32{-0.125, -0.125, 0.00390625, 0.0625})},
		{dir + "outside_view.npy", Encode([]float32{3, 3, 0.125, 0.125})},
		{dir + "edge_view.npy", Encode([]float32{-0.75, 0.0625, 0.0009765625, 0.015625})},
	}
}

// rays is a cube of 16 x 16 x 16 cells of which one in eight is full.
func rays() []File {
	r := random{66}
	out := make([]uint32, 256)
	for i := range out {
		for bit := range 16 {
			if r.intn(8) == 0 {
				out[i] |= 1 << bit
			}
		}
	}
	return []File{{inputsDir + "raycast/cells.npy", Encode(out)}}
}

// tables is hash tables of 128 slots and 128 keys to look up: half full, with one key in two; full, with none of the keys;
// and 31 keys that belong in one slot, which the lanes of a warp look up, and one key more that does, too, and is not there.
func tables() []File {
	const capacity = 128
	slot := func(key uint32) uint32 { return key * 2654435761 >> 16 % capacity }
	insert := func(table []uint32, key uint32) {
		at := slot(key)
		for table[at] != 0 {
			at = (at + 1) % capacity
		}
		table[at] = key
	}
	r := random{67}
	half, full, chain := make([]uint32, capacity), make([]uint32, capacity), make([]uint32, capacity)
	halfWanted, fullWanted, chainWanted := make([]uint32, capacity), make([]uint32, capacity), make([]uint32, capacity)
	for i := range capacity {
		key := uint32(1 + 2*r.intn(1<<20))
		if i%2 == 0 {
			insert(half, key)
			halfWanted[i] = key
		} else {
			halfWanted[i] = key + 1
		}
		insert(full, uint32(2*i+1))
		fullWanted[i] = uint32(2 * (i + 1))
	}
	for key, n := uint32(1), 0; n < 32; key++ {
		if slot(key) != 5 {
			continue
		}
		if n < 31 {
			insert(chain, key)
		}
		for warp := range capacity / 32 {
			chainWanted[32*warp+n] = key
		}
		n++
	}
	const dir = inputsDir + "hash/"
	return []File{
		{dir + "keys.npy", Encode(half)}, {dir + "wanted.npy", Encode(halfWanted)}, {dir + "full_keys.npy", Encode(full)},
		{dir + "full_wanted.npy", Encode(fullWanted)}, {dir + "chain_keys.npy", Encode(chain)}, {dir + "chain_wanted.npy", Encode(chainWanted)},
	}
}

// weights is cumulative weights of 128 particles: random ones, and all weight on the last.
func weights() []File {
	const particles = 128
	r := random{68}
	cumulative, last := make([]float32, particles), make([]float32, particles)
	total := 0
	for i := range cumulative {
		total += r.intn(32)
		cumulative[i] = float32(total) / 2048
	}
	last[particles-1] = 1
	const dir = inputsDir + "resample/"
	return []File{{dir + "cumulative.npy", Encode(cumulative)}, {dir + "last_cumulative.npy", Encode(last)}}
}
