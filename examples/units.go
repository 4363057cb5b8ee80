package examples

import (
	"math"
	"slices"
)

// The references of the kernels that use the units of recent GPUs: tensor cores, textures, memory barrier objects.

func unitsExamples() []Example {
	const suite = "units"
	return slices.Concat(
		launches(suite, "tensor", gemmF16, "gemm_f16"),
		launches(suite, "texture", stencil, "stencil", "stencil-linear"),
		launches(suite, "pipeline", copyStages, "copy_stages"),
	)
}

// halves unpacks pairs of halves, the first of each in the low bits.
func halves(pairs []uint32) []float32 {
	out := make([]float32, 0, 2*len(pairs))
	for _, p := range pairs {
		for _, h := range [2]uint32{p & 0xffff, p >> 16} {
			sign, exponent, fraction := 1-2*float64(h>>15), int(h>>10&31), float64(h&1023)
			switch exponent {
			case 0:
				out = append(out, float32(sign*math.Ldexp(fraction, -24)))
			case 31:
				panic(argError("a half is no finite number"))
			default:
				out = append(out, float32(sign*math.Ldexp(1024+fraction, exponent-25)))
			}
		}
	}
	return out
}

// gemmF16 adds in the order of k. PTX leaves the order open; the elements are multiples of 1/8 up to 2, so that every sum is
// exact in whatever order.
func gemmF16(s *state) {
	const columns = 16
	k, rows := int(s.u32s("k", 1)[0]), 32*s.grid[0]
	a, b := halves(s.u32s("a", rows*k/2)), halves(s.u32s("b", columns*k/2))
	c := s.f32s("c", rows*columns)
	for i := range rows {
		for j := range columns {
			sum := float32(0)
			for n := range k {
				sum = fma32(a[i*k+n], b[j*k+n], sum)
			}
			c[i*columns+j] = sum
		}
	}
}

func stencil(s *state) {
	width, height := int(s.u32s("width", 1)[0]), int(s.u32s("height", 1)[0])
	image, out := s.f32s("image", width*height), s.f32s("out", width*height)
	at := func(x, y int) float32 {
		return image[min(max(y, 0), height-1)*width+min(max(x, 0), width-1)]
	}
	for y := range height {
		for x := range width {
			around := (at(x-1, y) + at(x+1, y)) + (at(x, y-1) + at(x, y+1))
			out[y*width+x] = fma32(around, 0.125, 0.5*at(x, y))
		}
	}
}

func copyStages(s *state) {
	rows := int(s.u32s("rows", 1)[0])
	in, out := s.u32s("in", rows*s.threads), s.u32s("out", rows*s.threads)
	for i := range out[:rows*s.threads] {
		first := i / warpLanes * warpLanes
		out[i] = in[first+(i-first+warpLanes-1)%warpLanes]
	}
}
