package examples

import (
	"math"
	"slices"
)

func rodiniaExamples() []Example {
	const suite = "rodinia"
	return slices.Concat(
		launches(suite, "backprop", backpropForward, "backprop_layerforward", "backprop_layerforward-1block"),
		launches(suite, "backprop", backpropAdjust, "backprop_adjust_weights", "backprop_adjust_weights-1block"),
		launches(suite, "bfs", bfsExpand, "bfs_expand", "bfs_expand-1block"),
		launches(suite, "bfs", bfsUpdate, "bfs_update", "bfs_update-1block"),
		launches(suite, "btree", btreeFind, "btree_find", "btree_find-1block"),
		launches(suite, "btree", btreeRange, "btree_range", "btree_range-1block"),
		launches(suite, "cfd", cfdStepFactor, "cfd_step_factor", "cfd_step_factor-1block"),
		launches(suite, "cfd", cfdFlux, "cfd_flux", "cfd_flux-1block"),
		launches(suite, "dwt2d", dwtRows, "dwt_rows", "dwt_rows-1block"),
		launches(suite, "dwt2d", dwtColumns, "dwt_columns", "dwt_columns-1block"),
		launches(suite, "gaussian", fan1, "fan1", "fan1-late"),
		launches(suite, "gaussian", fan2, "fan2", "fan2-1block"),
		launches(suite, "hotspot", hotspot, "hotspot", "hotspot-1block"),
		launches(suite, "hotspot3d", hotspot3D, "hotspot3d", "hotspot3d-1block"),
		launches(suite, "kmeans", kmeansTranspose, "kmeans_transpose", "kmeans_transpose-1block"),
		launches(suite, "kmeans", kmeansAssign, "kmeans_assign", "kmeans_assign-1block"),
		launches(suite, "lavamd", lavaMD, "lavamd", "lavamd-1block"),
		launches(suite, "leukocyte", gicov, "gicov", "gicov-1block"),
		launches(suite, "leukocyte", dilate, "dilate", "dilate-1block"),
		launches(suite, "lud", ludDiagonal, "lud_diagonal"),
		launches(suite, "lud", ludPerimeter, "lud_perimeter", "lud_perimeter-1block"),
		launches(suite, "lud", ludInternal, "lud_internal", "lud_internal-1block"),
		launches(suite, "myocyte", myocyte, "myocyte", "myocyte-1warp"),
		launches(suite, "nn", nearestNeighbour, "nn", "nn-1block"),
		launches(suite, "nw", needleUpper, "needle_upper", "needle_upper-1block"),
		launches(suite, "nw", needleLower, "needle_lower", "needle_lower-1block"),
		launches(suite, "particlefilter", pfLikelihood, "pf_likelihood", "pf_likelihood-1block"),
		launches(suite, "particlefilter", pfNormalize, "pf_normalize"),
		launches(suite, "particlefilter", pfResample, "pf_resample", "pf_resample-1block"),
		launches(suite, "pathfinder", pathfinder, "pathfinder", "pathfinder-1block"),
		launches(suite, "srad", srad1, "srad1", "srad1-1block"),
		launches(suite, "srad", srad2, "srad2", "srad2-1block"),
		launches(suite, "streamcluster", streamcluster, "streamcluster", "streamcluster-1block"),
	)
}

// backpropUnits is the number of input units of a block, and of hidden units.
const backpropUnits = 16

func backpropForward(s *state) {
	hidden := s.count("hidden")
	blocks := s.grid[1]
	inputs := blocks*backpropUnits + 1
	input, weights := s.f32s("input", inputs), s.f32s("weights", inputs*(hidden+1))
	partial := s.f32s("partial", blocks*hidden)
	for b := range blocks {
		for h := range backpropUnits {
			var product [backpropUnits]float32
			for k := range product {
				unit := b*backpropUnits + k + 1
				product[k] = weights[unit*(hidden+1)+h+1] * input[unit]
			}
			for step := 2; step <= backpropUnits; step *= 2 {
				for k := 0; k < backpropUnits; k += step {
					product[k] += product[k+step/2]
				}
			}
			// The kernel leaves the sums of all tree levels in the weights.
			for k := range product {
				weights[(b*backpropUnits+k+1)*(hidden+1)+h+1] = product[k]
			}
			partial[b*hidden+h] = product[0]
		}
	}
}

func backpropAdjust(s *state) {
	hidden := s.count("hidden")
	inputs := s.grid[1]*backpropUnits + 1
	delta, input := s.f32s("delta", hidden+1), s.f32s("input", inputs)
	w, oldw := s.f32s("w", inputs*(hidden+1)), s.f32s("oldw", inputs*(hidden+1))
	// Row 0 is the bias, whose input is 1.
	for row := range inputs {
		for column := 1; column <= hidden; column++ {
			at := row*(hidden+1) + column
			step := mul64(eta, float64(delta[column]))
			if row > 0 {
				step = mul64(step, float64(input[row]))
			}
			step = math.FMA(eta, float64(oldw[at]), step)
			w[at] = float32(float64(w[at]) + step)
			oldw[at] = float32(step)
		}
	}
}

// eta is both the learning rate and the momentum of backprop.
const eta = 0.3

func bfsExpand(s *state) {
	n := s.count("n")
	first, degree, edges := s.s32s("first", n), s.s32s("degree", n), s.s32s("edges", 1)
	frontier, next := s.s32s("frontier", n), s.s32s("next", n)
	visited, cost := s.s32s("visited", n), s.s32s("cost", n)
	for i := range n {
		if frontier[i] == 0 {
			continue
		}
		frontier[i] = 0
		for _, e := range edges[first[i] : first[i]+degree[i]] {
			if visited[e] == 0 {
				cost[e], next[e] = cost[i]+1, 1
			}
		}
	}
}

func bfsUpdate(s *state) {
	n := s.count("n")
	frontier, next, visited := s.s32s("frontier", n), s.s32s("next", n), s.s32s("visited", n)
	again := s.s32s("again", 1)
	for i := range n {
		if next[i] != 0 {
			frontier[i], visited[i], again[0], next[i] = 1, 1, 1, 0
		}
	}
}

// needleTile is the side of a tile of the alignment kernels.
const needleTile = 16

func needleUpper(s *state) {
	d := s.count("diagonal")
	for b := range s.grid[0] {
		align(s, b, d-1-b)
	}
}

func needleLower(s *state) {
	d, tiles := s.count("diagonal"), s.count("tiles")
	for b := range s.grid[0] {
		align(s, b+tiles-d, tiles-1-b)
	}
}

// align fills tile (bx, by) row by row.
func align(s *state, bx, by int) {
	columns, penalty := s.count("columns"), int32(s.count("penalty"))
	last := columns*needleTile*(by+1) + needleTile*(bx+1)
	similarity, score := s.s32s("similarity", last+1), s.s32s("score", last+1)
	for y := by*needleTile + 1; y <= (by+1)*needleTile; y++ {
		for x := bx*needleTile + 1; x <= (bx+1)*needleTile; x++ {
			at := y*columns + x
			score[at] = max(score[at-columns-1]+similarity[at], score[at-1]-penalty, score[at-columns]-penalty)
		}
	}
}

func pathfinder(s *state) {
	rows, columns, start := s.count("rows"), s.count("columns"), s.count("start")
	wall, in, out := s.s32s("wall", columns*(start+rows)), s.s32s("in", columns), s.s32s("out", columns)
	line := slices.Clone(in[:columns])
	for row := start; row < start+rows; row++ {
		next := make([]int32, columns)
		for x := range next {
			next[x] = slices.Min(line[max(x-1, 0):min(x+2, columns)]) + wall[columns*row+x]
		}
		line = next
	}
	copy(out, line)
}
