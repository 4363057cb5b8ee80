package cache

import "github.com/warpbound/warpbound/gpu"

// OfL1D is the cache that the tags of an L1D are.
func OfL1D(l *gpu.L1D) Config {
	index := Linear
	if l.Index == "fermi-hash" {
		index = FermiHash
	}
	return Config{
		Sets: l.Sets, Ways: l.Ways, LineBytes: l.LineBytes, SectorBytes: l.SectorBytes, Replacement: replacement(l.Replacement), Index: index,
		WriteBack: l.Write == "back", WriteEvict: l.Write == "evict", WriteAllocate: l.WriteAllocate,
	}
}

// OfL2 is the cache that the tags of a slice of an L2 are.
func OfL2(l *gpu.L2) Config {
	return Config{
		Sets: l.Sets, Ways: l.Ways, LineBytes: l.LineBytes, SectorBytes: l.SectorBytes,
		Replacement: replacement(l.Replacement), WriteBack: true, WriteAllocate: true,
	}
}

func replacement(name string) Replacement {
	switch name {
	case "fifo":
		return FIFO
	case "plru":
		return PLRU
	}
	return LRU
}
