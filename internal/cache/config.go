package cache

import (
	"errors"
	"fmt"
	"math/bits"
)

// Replacement says which line of a full set makes room for a new one. A way that
// holds no line is always filled first.
type Replacement uint8

const (
	LRU  Replacement = iota // the line whose last use is longest ago
	FIFO                    // the line that came in first; a hit changes nothing
	PLRU                    // the leaf that the bits of a binary tree point to; see plru.go
)

// String is the policy as it is written in a GPU description.
func (r Replacement) String() string {
	switch r {
	case LRU:
		return "lru"
	case FIFO:
		return "fifo"
	case PLRU:
		return "plru"
	}
	return fmt.Sprintf("Replacement(%d)", uint8(r))
}

// Index says how the number of a line becomes the number of a set.
type Index uint8

const (
	Linear    Index = iota // the line's number modulo the number of sets
	FermiHash              // the hash measured on the L1 data cache of Fermi GPUs
)

// String is the function as it is written in a GPU description.
func (i Index) String() string {
	switch i {
	case Linear:
		return "linear"
	case FermiHash:
		return "fermi-hash"
	}
	return fmt.Sprintf("Index(%d)", uint8(i))
}

// Config describes a cache. The zero value is not a valid one.
type Config struct {
	Sets, Ways  int // lines held: Sets x Ways
	LineBytes   int
	SectorBytes int // what one miss fetches; LineBytes: the whole line
	Replacement Replacement
	Index       Index

	// WriteBack: a store that hits makes its sector dirty, and the line is written
	// when it is evicted. Otherwise every store goes on to the next level.
	WriteBack bool
	// WriteAllocate: a store that misses brings its sector in, as a load does.
	// Otherwise a store that misses changes nothing here.
	WriteAllocate bool
	// WriteEvict: a store to a line that is here removes the whole line (global
	// stores on Fermi). Excludes WriteBack and WriteAllocate.
	WriteEvict bool
}

// Limits of a Config: what the flat arrays are laid out for.
const (
	MaxWays    = 256
	MaxSectors = 32      // sectors of a line
	MaxLines   = 1 << 22 // Sets x Ways
	minLine    = 4       // bytes
	maxLine    = 1 << 16 // bytes
)

// ErrConfig is wrapped by every error about a Config.
var ErrConfig = errors.New("cache: bad configuration")

// Check says what is wrong with the configuration: every fault, one to a line.
func (c *Config) Check() error {
	var errs []error
	bad := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("%w: "+format, append([]any{ErrConfig}, args...)...))
	}
	sized := true
	if !powerOfTwo(c.Sets) || c.Sets > MaxLines {
		bad("sets = %d: want a power of two from 1 to %d", c.Sets, MaxLines)
		sized = false
	}
	if c.Ways < 1 || c.Ways > MaxWays {
		bad("ways = %d: want 1 to %d", c.Ways, MaxWays)
		sized = false
	}
	if sized && c.Sets > MaxLines/c.Ways {
		bad("sets x ways = %d x %d: more than %d lines", c.Sets, c.Ways, MaxLines)
	}
	if !powerOfTwo(c.LineBytes) || c.LineBytes < minLine || c.LineBytes > maxLine {
		bad("line size = %d bytes: want a power of two from %d to %d", c.LineBytes, minLine, maxLine)
	} else {
		switch {
		case !powerOfTwo(c.SectorBytes) || c.SectorBytes > c.LineBytes:
			bad("sector size = %d bytes: want a power of two that divides the line size of %d", c.SectorBytes, c.LineBytes)
		case c.LineBytes/c.SectorBytes > MaxSectors:
			bad("sector size = %d bytes: %d sectors in a line of %d bytes, at most %d", c.SectorBytes, c.LineBytes/c.SectorBytes, c.LineBytes, MaxSectors)
		}
	}
	if c.Replacement > PLRU {
		bad("unknown replacement policy %d", uint8(c.Replacement))
	}
	if c.Replacement == PLRU && c.Ways >= 1 && !powerOfTwo(c.Ways) {
		bad("ways = %d: plru needs a power of two", c.Ways)
	}
	if c.Index > FermiHash {
		bad("unknown index function %d", uint8(c.Index))
	}
	if c.Index == FermiHash && (c.Sets != 32 && c.Sets != 64 || c.LineBytes != 128) {
		bad("fermi-hash is known for 32 or 64 sets of 128-byte lines, not for %d sets of %d-byte lines", c.Sets, c.LineBytes)
	}
	if c.WriteEvict && c.WriteBack {
		bad("write-evict and write-back exclude each other: an evicting store must go on to the next level")
	}
	if c.WriteEvict && c.WriteAllocate {
		bad("write-evict and write-allocate exclude each other")
	}
	return errors.Join(errs...)
}

// Bytes is the capacity.
func (c *Config) Bytes() int64 { return int64(c.Sets) * int64(c.Ways) * int64(c.LineBytes) }

// Line is the number of the line that holds the byte at addr.
func (c *Config) Line(addr uint64) uint64 { return addr >> log2(c.LineBytes) }

// Set is the set, from 0, of a line number.
func (c *Config) Set(line uint64) int {
	if c.Index == FermiHash {
		return int(fermiHash(line, uint64(c.Sets)))
	}
	return int(line & uint64(c.Sets-1))
}

// fermiHash is the set of a line of 128 bytes in the L1 data cache of a Fermi GPU
// with 32 sets (16 KB, 4 ways) or 64 (48 KB, 6 ways): address bits 7-11, exclusive
// or bits 13, 14, 15, 17 and 19; with 64 sets, bit 12 is the highest bit of the set.
//
// Source: C. Nugteren et al., "A Detailed GPU Cache Model Based on Reuse Distance
// Theory", HPCA 2014 (micro-benchmarks); GPGPU-Sim uses the same for the GTX 480.
func fermiHash(line, sets uint64) uint64 {
	// Address bit b is bit b-7 of the line number.
	high := line>>6&7 | line>>10&1<<3 | line>>12&1<<4
	return line&31 ^ high | line&32&(sets-1)
}

func powerOfTwo(n int) bool { return n > 0 && n&(n-1) == 0 }

// log2 of a power of two.
func log2(n int) uint { return uint(bits.TrailingZeros(uint(n))) }
