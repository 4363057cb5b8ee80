package examples

import (
	"maps"
	"math"
	"slices"
	"testing"
)

// The tests below hold the references to what the whole algorithm is for, not to their own formulas again.

// apply runs a reference on arguments given as Go values and returns the state after.
func apply(t *testing.T, reference func(*state), grid, block [3]int, args map[string]any) *state {
	t.Helper()
	in := Buffers{Grid: grid, Block: block, Args: map[string]Arg{}}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		switch v := args[name].(type) {
		case []float32:
			in.Args[name] = Arg{"f32", values[float32](v).encode()}
		case []float64:
			in.Args[name] = Arg{"f64", values[float64](v).encode()}
		case []int32:
			in.Args[name] = Arg{"s32", values[int32](v).encode()}
		case float32:
			in.Args[name] = Arg{"f32", values[float32]{v}.encode()}
		case float64:
			in.Args[name] = Arg{"f64", values[float64]{v}.encode()}
		case int:
			in.Args[name] = Arg{"s32", values[int32]{int32(v)}.encode()}
		default:
			t.Fatalf("argument %s has type %T", name, v)
		}
	}
	s := newState(in)
	if err := s.run(reference); err != nil {
		t.Fatal(err)
	}
	return s
}

// dominant is an n x n matrix whose diagonal outweighs its rows, so that elimination needs no pivots.
func dominant(n int) []float32 {
	a := make([]float32, n*n)
	for i := range a {
		a[i] = float32(i*i%17)/17 - 0.5
	}
	for i := range n {
		a[i*n+i] = float32(n)
	}
	return a
}

func TestLUStepsMultiplyBackToTheMatrix(t *testing.T) {
	const n = 3 * ludTile
	a := dominant(n)
	m := slices.Clone(a)
	for offset := 0; offset < n; offset += ludTile {
		rest := (n-offset)/ludTile - 1
		for _, step := range []struct {
			reference func(*state)
			grid      [3]int
		}{{ludDiagonal, [3]int{1, 1, 1}}, {ludPerimeter, [3]int{rest, 1, 1}}, {ludInternal, [3]int{rest, rest, 1}}} {
			s := apply(t, step.reference, step.grid, [3]int{ludTile, 1, 1}, map[string]any{"m": m, "n": n, "offset": offset})
			m = s.f32s("m", n*n)
		}
	}
	for i := range n {
		for j := range n {
			product := 0.0
			for k := 0; k <= min(i, j); k++ {
				l := 1.0
				if k < i {
					l = float64(m[i*n+k])
				}
				product += l * float64(m[k*n+j])
			}
			if math.Abs(product-float64(a[i*n+j])) > 1e-4 {
				t.Fatalf("(L*U)[%d,%d] = %v, the matrix has %v", i, j, product, a[i*n+j])
			}
		}
	}
}

func TestGaussianStepsSolveTheSystem(t *testing.T) {
	const size = 20
	original := dominant(size)
	a, m, b := slices.Clone(original), make([]float32, size*size), make([]float32, size)
	want := make([]float64, size)
	for i := range want {
		want[i] = float64(i%5) - 2
		for j := range size {
			b[i] += original[i*size+j] * (float32(j%5) - 2)
		}
	}
	for step := range size - 1 {
		args := map[string]any{"m": m, "a": a, "size": size, "t": step}
		m = apply(t, fan1, [3]int{1, 1, 1}, [3]int{32, 1, 1}, args).f32s("m", size*size)
		args["m"], args["b"] = m, b
		s := apply(t, fan2, [3]int{1, 1, 1}, [3]int{32, 32, 1}, args)
		a, b = s.f32s("a", size*size), s.f32s("b", size)
	}
	x := make([]float64, size)
	for i := size - 1; i >= 0; i-- {
		x[i] = float64(b[i])
		for j := i + 1; j < size; j++ {
			x[i] -= float64(a[i*size+j]) * x[j]
		}
		x[i] /= float64(a[i*size+i])
		if math.Abs(x[i]-want[i]) > 1e-4 {
			t.Errorf("x[%d] = %v, want %v", i, x[i], want[i])
		}
	}
}

// TestAlignmentScore walks the diagonals as the launches do and compares the last score with a recursion from the end.
func TestAlignmentScore(t *testing.T) {
	const tiles, penalty = 2, 3
	const columns = tiles*needleTile + 1
	similarity, score := make([]int32, columns*columns), make([]int32, columns*columns)
	for i := range similarity {
		similarity[i] = int32(i*i%11) - 5
	}
	for i := range columns {
		score[i], score[i*columns] = int32(-penalty*i), int32(-penalty*i)
	}
	run := func(reference func(*state), d int) {
		s := apply(t, reference, [3]int{d, 1, 1}, [3]int{needleTile, 1, 1}, map[string]any{
			"similarity": similarity, "score": score, "columns": columns, "penalty": penalty, "diagonal": d, "tiles": tiles,
		})
		score = s.s32s("score", columns*columns)
	}
	for d := 1; d <= tiles; d++ {
		run(needleUpper, d)
	}
	for d := tiles - 1; d >= 1; d-- {
		run(needleLower, d)
	}

	known := map[[2]int]int32{}
	var best func(y, x int) int32
	best = func(y, x int) int32 {
		if y == 0 || x == 0 {
			return int32(-penalty * (x + y))
		}
		if v, ok := known[[2]int{y, x}]; ok {
			return v
		}
		v := max(best(y-1, x-1)+similarity[y*columns+x], best(y-1, x)-penalty, best(y, x-1)-penalty)
		known[[2]int{y, x}] = v
		return v
	}
	if got, want := score[len(score)-1], best(columns-1, columns-1); got != want {
		t.Errorf("the alignment scores %d, want %d", got, want)
	}
}

// TestBFSLevels iterates the two kernels from node 0 and compares with distances relaxed over all edges.
func TestBFSLevels(t *testing.T) {
	first := buffer[int32](newState(buffers(t, "rodinia/bfs/bfs_expand.toml")), "first", 1)
	degree := buffer[int32](newState(buffers(t, "rodinia/bfs/bfs_expand.toml")), "degree", 1)
	edges := buffer[int32](newState(buffers(t, "rodinia/bfs/bfs_expand.toml")), "edges", 1)
	n := len(first)
	frontier, next, visited, cost := make([]int32, n), make([]int32, n), make([]int32, n), make([]int32, n)
	distance := slices.Repeat([]int32{math.MaxInt32 - 1}, n)
	frontier[0], visited[0], distance[0] = 1, 1, 0
	for again := int32(1); again != 0; {
		s := apply(t, bfsExpand, [3]int{2, 1, 1}, [3]int{256, 1, 1}, map[string]any{
			"first": first, "degree": degree, "edges": edges, "frontier": frontier, "next": next, "visited": visited,
			"cost": cost, "n": n,
		})
		frontier, next, cost = s.s32s("frontier", n), s.s32s("next", n), s.s32s("cost", n)
		s = apply(t, bfsUpdate, [3]int{2, 1, 1}, [3]int{256, 1, 1}, map[string]any{
			"frontier": frontier, "next": next, "visited": visited, "again": []int32{0}, "n": n,
		})
		frontier, next, visited = s.s32s("frontier", n), s.s32s("next", n), s.s32s("visited", n)
		again = s.s32s("again", 1)[0]
	}
	for range n {
		for i := range n {
			for _, e := range edges[first[i] : first[i]+degree[i]] {
				distance[e] = min(distance[e], distance[i]+1)
			}
		}
	}
	reached := 0
	for i := range n {
		if visited[i] != 0 {
			reached++
			if cost[i] != distance[i] {
				t.Errorf("node %d is %d from the start, want %d", i, cost[i], distance[i])
			}
		} else if distance[i] < int32(n) {
			t.Errorf("node %d is not reached, want distance %d", i, distance[i])
		}
	}
	if reached < n/2 {
		t.Errorf("only %d of %d nodes are reached: the graph is too thin to test with", reached, n)
	}
}

// TestUniformFlowHasNoFlux gives every element the far field's state and a closed surface.
func TestUniformFlowHasNoFlux(t *testing.T) {
	const n = 4
	neighbours, normals, variables := make([]int32, cfdFaces*n), make([]float32, 3*cfdFaces*n), make([]float32, 5*n)
	for i := range n {
		for k, v := range cfdFar {
			variables[i+k*n] = v
		}
		for face := range cfdFaces {
			neighbours[i+face*n] = int32((i + face) % n)
			if face == 2 {
				neighbours[i+face*n] = -2
			}
			for axis := range 3 {
				normals[i+(face+axis*cfdFaces)*n] = float32((face%2*2-1)*(axis+1)) * float32(i+1) / 4
			}
		}
	}
	s := apply(t, cfdFlux, [3]int{1, 1, 1}, [3]int{n, 1, 1}, map[string]any{
		"neighbours": neighbours, "normals": normals, "variables": variables, "fluxes": make([]float32, 5*n), "n": n,
	})
	for i, f := range s.f32s("fluxes", 5*n) {
		if math.Abs(float64(f)) > 1e-5 {
			t.Errorf("flux %d is %v, want 0", i, f)
		}
	}
}

// TestForcesBetweenEqualChargesCancel: each pair of particles pushes apart by the same amount.
func TestForcesBetweenEqualChargesCancel(t *testing.T) {
	const boxes = 8
	s := newState(buffers(t, "rodinia/lavamd/lavamd.toml"))
	for i, c := 0, s.f32s("charge", boxes*lavaParticles); i < len(c); i++ {
		c[i] = 1
	}
	if err := s.run(lavaMD); err != nil {
		t.Fatal(err)
	}
	force := s.f32s("force", boxes*lavaParticles*4)
	for axis := 1; axis <= 3; axis++ {
		sum, size := 0.0, 0.0
		for p := range boxes * lavaParticles {
			sum += float64(force[4*p+axis])
			size += math.Abs(float64(force[4*p+axis]))
		}
		if size == 0 || math.Abs(sum) > 1e-5*size {
			t.Errorf("forces along axis %d add to %v of %v", axis, sum, size)
		}
	}
}

// TestCheapestPath tries every path through the rows.
func TestCheapestPath(t *testing.T) {
	const columns, rows = 12, 4
	wall, in := make([]int32, columns*rows), make([]int32, columns)
	for i := range wall {
		wall[i] = int32(i * 7 % 10)
	}
	s := apply(t, pathfinder, [3]int{1, 1, 1}, [3]int{64, 1, 1}, map[string]any{
		"wall": wall, "in": in, "out": make([]int32, columns), "rows": rows, "columns": columns, "start": 0, "border": rows,
	})
	var cheapest func(row, x int) int32
	cheapest = func(row, x int) int32 {
		if x < 0 || x >= columns {
			return math.MaxInt32 / 2
		}
		if row < 0 {
			return in[x]
		}
		return wall[row*columns+x] + min(cheapest(row-1, x-1), cheapest(row-1, x), cheapest(row-1, x+1))
	}
	for x, got := range s.s32s("out", columns) {
		if want := cheapest(rows-1, x); got != want {
			t.Errorf("the cheapest path to column %d costs %d, want %d", x, got, want)
		}
	}
}

// TestSteadyStatesStay: a chip at ambient temperature without power, and an image without edges, do not change.
func TestSteadyStatesStay(t *testing.T) {
	const side = 16
	level := slices.Repeat([]float32{ambient}, side*side)
	zero := make([]float32, side*side)
	s := apply(t, hotspot, [3]int{2, 2, 1}, [3]int{16, 16, 1}, map[string]any{
		"power": zero, "in": level, "out": zero, "steps": 3, "columns": side, "rows": side, "rx": float32(0.3),
		"ry": float32(0.2), "rz": float32(0.1), "scale": float32(0.5),
	})
	if !slices.Equal(s.f32s("out", 1), level) {
		t.Error("hotspot changes a chip in balance")
	}
	s = apply(t, srad1, [3]int{1, 1, 1}, [3]int{16, 16, 1}, map[string]any{
		"image": level, "dn": zero, "ds": zero, "dw": zero, "de": zero, "coefficient": zero, "columns": side, "rows": side,
		"q0sqr": float32(0.05),
	})
	args := map[string]any{"columns": side, "rows": side, "lambda": float32(0.5), "image": level}
	for _, name := range []string{"dn", "ds", "dw", "de", "coefficient"} {
		args[name] = []float32(s.f32s(name, 1))
	}
	s = apply(t, srad2, [3]int{1, 1, 1}, [3]int{16, 16, 1}, args)
	if !slices.Equal(s.f32s("image", 1), level) {
		t.Error("srad changes an image without edges")
	}
}

// TestForwardPass compares the partial sums with plain products in double precision.
func TestForwardPass(t *testing.T) {
	s := newState(buffers(t, "rodinia/backprop/backprop_layerforward.toml"))
	hidden, blocks := s.count("hidden"), s.grid[1]
	input, weights := s.f32s("input", 1), slices.Clone(s.f32s("weights", 1))
	if err := s.run(backpropForward); err != nil {
		t.Fatal(err)
	}
	for i, got := range s.f32s("partial", blocks*hidden) {
		block, unit := i/hidden, i%hidden
		want := 0.0
		for k := block*backpropUnits + 1; k <= (block+1)*backpropUnits; k++ {
			want += float64(input[k]) * float64(weights[k*(hidden+1)+unit+1])
		}
		if math.Abs(float64(got)-want) > 1e-5 {
			t.Errorf("partial[%d] = %v, want %v", i, got, want)
		}
	}
}

// TestResampling: the cumulative distribution ends at one, and a particle is drawn about as often as its weight says.
func TestResampling(t *testing.T) {
	s := newState(buffers(t, "rodinia/particlefilter/pf_normalize.toml"))
	const n = 256
	weights, sums := s.f64s("weights", n), s.f64s("block_sums", 2)
	sums[0], sums[1] = 0, 0
	for _, w := range weights {
		sums[0] += w
	}
	if err := s.run(pfNormalize); err != nil {
		t.Fatal(err)
	}
	cdf, u := s.f64s("cdf", n), s.f64s("u", n)
	if math.Abs(cdf[n-1]-1) > 1e-12 {
		t.Errorf("the cumulative distribution ends at %v, want 1", cdf[n-1])
	}
	index := make([]float64, n)
	for i := range index {
		index[i] = float64(i)
	}
	s = apply(t, pfResample, [3]int{2, 1, 1}, [3]int{128, 1, 1}, map[string]any{
		"cdf": []float64(cdf), "u": []float64(u), "x": index, "y": index, "new_x": make([]float64, n),
		"new_y": make([]float64, n), "particles": n,
	})
	drawn := make([]float64, n)
	for _, x := range s.f64s("new_x", n) {
		drawn[int(x)]++
	}
	for i, count := range drawn {
		if math.Abs(count-n*weights[i]) > 1 {
			t.Errorf("particle %d of weight %v/%d is drawn %v times", i, n*weights[i], n, count)
		}
	}
}

// TestCovariance compares the three kernels in a row with the textbook sum in double precision.
func TestCovariance(t *testing.T) {
	const n, m = 12, 7
	data := make([]float32, n*m)
	for i := range data {
		data[i] = float32(i*i%13) / 13
	}
	args := map[string]any{"data": data, "mean": make([]float32, m), "n": n, "m": m}
	args["mean"] = []float32(apply(t, covarianceMean, [3]int{1, 1, 1}, [3]int{32, 1, 1}, args).f32s("mean", m))
	args["data"] = []float32(apply(t, covarianceReduce, [3]int{1, 2, 1}, [3]int{32, 8, 1}, args).f32s("data", n*m))
	args["cov"] = make([]float32, m*m)
	cov := apply(t, covarianceCovar, [3]int{1, 1, 1}, [3]int{32, 1, 1}, args).f32s("cov", m*m)
	for a := range m {
		for b := range m {
			var sumA, sumB, sumAB float64
			for i := range n {
				x, y := float64(data[i*m+a]), float64(data[i*m+b])
				sumA, sumB, sumAB = sumA+x, sumB+y, sumAB+x*y
			}
			if want := sumAB - sumA*sumB/n; math.Abs(float64(cov[a*m+b])-want) > 1e-5 {
				t.Errorf("covariance of %d and %d = %v, want %v", a, b, cov[a*m+b], want)
			}
		}
	}
}
