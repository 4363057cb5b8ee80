// Package splitmix is the SplitMix64 generator: small, seedable, the same everywhere.
package splitmix

import "math/bits"

// A Source is the state of a generator.
type Source struct{ state uint64 }

// New begins a stream of its own for each pair of a seed and a stream.
func New(seed, stream uint64) Source {
	s := Source{state: seed}
	s.state = s.Next() ^ stream
	return s
}

// From begins the stream of a state. Streams whose states differ are different, so whoever
// wants several of them sees to that.
func From(state uint64) Source { return Source{state: state} }

// Next is the next number.
func (s *Source) Next() uint64 {
	s.state += 0x9e3779b97f4a7c15
	z := s.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Below is a number in [0, n), n > 0; its bias of n/2^64 does not matter to simulations.
func (s *Source) Below(n uint64) uint64 {
	hi, _ := bits.Mul64(s.Next(), n)
	return hi
}
