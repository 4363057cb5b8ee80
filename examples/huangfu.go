package examples

import "slices"

func huangfuExamples() []Example {
	const suite = "huangfu"
	return slices.Concat(
		launches(suite, "listing", listing, "listing"),
	)
}

func listing(s *state) {
	const columns = 16
	words := s.f32s("words", 512+8*columns)
	for x := range columns {
		words[512+8*x] = float32(x)
	}
}
