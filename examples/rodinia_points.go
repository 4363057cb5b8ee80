package examples

import "math"

func kmeansTranspose(s *state) {
	points, features := s.count("points"), s.count("features")
	in, out := s.f32s("in", points*features), s.f32s("out", points*features)
	for p := range points {
		for f := range features {
			out[points*f+p] = in[features*p+f]
		}
	}
}

func kmeansAssign(s *state) {
	points, clusters, dimensions := s.count("points"), s.count("clusters"), s.count("dimensions")
	features, centres := s.f32s("features", points*dimensions), s.f32s("centres", clusters*dimensions)
	membership := s.s32s("membership", points)
	for p := range points {
		least := float32(3e38)
		membership[p] = -1
		for c := range clusters {
			var distance float32
			for d := range dimensions {
				delta := features[p+d*points] - centres[c*dimensions+d]
				distance = fma32(delta, delta, distance)
			}
			if distance < least {
				least, membership[p] = distance, int32(c)
			}
		}
	}
}

func nearestNeighbour(s *state) {
	n, latitude, longitude := s.count("n"), s.f32("latitude"), s.f32("longitude")
	places, distances := s.f32s("places", 2*n), s.f32s("distances", n)
	for i := range n {
		dy, dx := latitude-places[2*i], longitude-places[2*i+1]
		distances[i] = sqrt32(fma32(dx, dx, mul32(dy, dy)))
	}
}

func streamcluster(s *state) {
	points, dimensions, centres := s.count("points"), s.count("dimensions"), s.count("centres")
	candidate := s.count("candidate_point")
	coordinates := s.f32s("coordinates", points*dimensions)
	weight, cost := s.f32s("weight", points), s.f32s("cost", points)
	assigned, table := s.s32s("assigned", points), s.s32s("centre_table", 1)
	lower, gain, switches := s.f32s("lower", points*centres), s.f32s("gain", points), s.s32s("switches", points)
	for i := range points {
		var distance float32
		for d := range dimensions {
			delta := coordinates[d*points+i] - coordinates[d*points+candidate]
			distance = fma32(delta, delta, distance)
		}
		if c := mul32(distance, weight[i]); c < cost[i] {
			switches[i], gain[i] = 1, c-cost[i]
		} else {
			lower[i*centres+int(table[assigned[i]])] += cost[i] - c
		}
	}
}

const (
	lavaParticles  = 40 // of a box
	lavaNeighbours = 27 // room for neighbours of a box
)

// lavaMD allows for ex2.approx. Its argument stays below 4 here, so that the roundings before it and its own error (at
// most 2^-22, PTX ISA) change a term by less than 1e-6 of its size: less than 2.4e-3 for 320 terms of at most 7.2. The
// additions of a force below 256 may then round differently, by 320 halves of 2^-16 at most: less than 2.5e-3.
func lavaMD(s *state) {
	boxes := s.grid[0]
	count, neighbours := s.s32s("neighbour_count", boxes), s.s32s("neighbours", boxes*lavaNeighbours)
	position, charge := s.f32s("position", boxes*lavaParticles*4), s.f32s("charge", boxes*lavaParticles)
	force, alpha := s.f32s("force", boxes*lavaParticles*4), s.f32("alpha")
	s.within("force", 0, 5e-3)
	a2 := mul32(mul32(2, alpha), alpha)
	for p := range boxes * lavaParticles {
		box := p / lavaParticles
		mine, f := position[4*p:4*p+4], force[4*p:4*p+4]
		for k := range int(count[box]) {
			from := int(neighbours[box*lavaNeighbours+k]) * lavaParticles
			for j := from; j < from+lavaParticles; j++ {
				theirs, q := position[4*j:4*j+4], charge[j]
				dot := fma32(mine[3], theirs[3], fma32(mine[2], theirs[2], mul32(mine[1], theirs[1])))
				vij := float32(math.Exp(-float64(mul32(a2, mine[0]+theirs[0]-dot))))
				fs := mul32(2, vij)
				f[0] = fma32(q, vij, f[0])
				for axis := 1; axis <= 3; axis++ {
					f[axis] = fma32(q, mul32(fs, mine[axis]-theirs[axis]), f[axis])
				}
			}
		}
	}
}

// pfLikelihood allows for ex2.approx on an exponent below 64, as it is in these launches: rounding the exponent to float32,
// the factor log2(e) and their product changes the weight by 9.6e-6 of its size, ex2.approx by 2.4e-7 more. The sums of
// positive weights inherit the relative error.
func pfLikelihood(s *state) {
	particles, size := s.count("particles"), s.count("template_size")
	width, height := s.count("width"), s.count("height")
	x, y := s.f64s("x", particles), s.f64s("y", particles)
	tx, ty, frame := s.s32s("template_x", size), s.s32s("template_y", size), s.s32s("frame", width*height)
	weights, sums := s.f64s("weights", particles), s.f64s("block_sums", s.grid[0])
	s.within("weights", 1e-5, 0)
	s.within("block_sums", 1e-5, 0)
	clear(sums)
	for i := range particles {
		px, py := int(x[i]+0.5), int(y[i]+0.5)
		likelihood := 0.0
		for k := range size {
			at := (py+int(ty[k]))*width + px + int(tx[k])
			if at < 0 || at >= width*height {
				at = 0
			}
			background, object := float64(frame[at])-100, float64(frame[at])-228
			likelihood += math.FMA(background, background, -mul64(object, object)) / 50
		}
		weights[i] *= math.Exp(likelihood / float64(size))
		sums[i/s.threads] += weights[i]
	}
}

func pfNormalize(s *state) {
	particles, blocks, u1 := s.count("particles"), s.count("blocks"), s.f64("u1")
	weights, sums := s.f64s("weights", particles), s.f64s("block_sums", blocks)
	cdf, u := s.f64s("cdf", particles), s.f64s("u", particles)
	total := 0.0
	for _, v := range sums[:blocks] {
		total += v
	}
	sum := 0.0
	for i := range particles {
		weights[i] /= total
		sum += weights[i]
		cdf[i] = sum
		u[i] = u1 + float64(i)/float64(particles)
	}
}

func pfResample(s *state) {
	particles := s.count("particles")
	cdf, u := s.f64s("cdf", particles), s.f64s("u", particles)
	x, y := s.f64s("x", particles), s.f64s("y", particles)
	newX, newY := s.f64s("new_x", particles), s.f64s("new_y", particles)
	for i := range particles {
		k := 0
		for k < particles-1 && cdf[k] < u[i] {
			k++
		}
		newX[i], newY[i] = x[k], y[k]
	}
}
