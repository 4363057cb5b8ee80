package gpu

import "fmt"

// OccupancyInput is what a block needs.
type OccupancyInput struct {
	ThreadsPerBlock    int64
	RegistersPerThread int64 // 32-bit registers; 0 where they do not matter
	SharedBytes        int64 // of the block, static and dynamic
}

// Occupancy says how many blocks an SM holds at once.
type Occupancy struct {
	Blocks        int64   `json:"blocks"`
	WarpsPerBlock int64   `json:"warps_per_block"`
	Limiter       string  `json:"limiter"` // the resource that allows the fewest blocks, the first of equals
	Limits        []Limit `json:"limits"`  // all resources, in a fixed order
}

// Limit is how many blocks one resource allows.
type Limit struct {
	Resource string `json:"resource"` // "blocks", "warps", "threads", "registers" or "shared memory"
	Blocks   int64  `json:"blocks"`
	Detail   string `json:"detail"` // the computation, for people
}

// FitError says that not a single block fits an SM.
type FitError struct {
	GPU      string
	Resource string // as in Limit
	Detail   string // what is needed, and what there is
}

func (e *FitError) Error() string {
	return fmt.Sprintf("a block does not fit an SM of %s: %s: %s", e.GPU, e.Resource, e.Detail)
}

// Occupancy computes the resident blocks of an SM by the rules of the CUDA
// Occupancy Calculator: warps are whole; the registers of a warp are rounded up
// to the allocation unit and lie in one partition of the register file; shared
// memory is rounded up with what the system reserves. A block that does not fit
// at all is a *FitError.
func (m *Machine) Occupancy(in OccupancyInput) (Occupancy, error) {
	sm := &m.Desc.SM
	misfit := func(resource, format string, args ...any) (Occupancy, error) {
		return Occupancy{}, &FitError{GPU: m.Desc.Name, Resource: resource, Detail: fmt.Sprintf(format, args...)}
	}
	if in.ThreadsPerBlock < 1 || in.RegistersPerThread < 0 || in.SharedBytes < 0 {
		return Occupancy{}, fmt.Errorf("occupancy of a block with %d threads, %d registers a thread and %d bytes of shared memory, expected at least 1, 0 and 0", in.ThreadsPerBlock, in.RegistersPerThread, in.SharedBytes)
	}
	if in.ThreadsPerBlock > sm.MaxThreadsPerBlock {
		return misfit("threads", "%d threads, at most %d", in.ThreadsPerBlock, sm.MaxThreadsPerBlock)
	}
	if in.RegistersPerThread > sm.MaxRegistersPerThread {
		return misfit("registers", "%d registers a thread, at most %d", in.RegistersPerThread, sm.MaxRegistersPerThread)
	}
	if in.SharedBytes > sm.SharedMemoryPerBlockBytes {
		return misfit("shared memory", "%d bytes, at most %d", in.SharedBytes, sm.SharedMemoryPerBlockBytes)
	}
	warpSize := int64(sm.WarpSize)
	warps := (in.ThreadsPerBlock + warpSize - 1) / warpSize
	o := Occupancy{WarpsPerBlock: warps}
	limit := func(resource string, blocks int64, format string, args ...any) {
		o.Limits = append(o.Limits, Limit{Resource: resource, Blocks: blocks, Detail: fmt.Sprintf(format, args...)})
	}
	limit("blocks", sm.MaxBlocks, "%d blocks", sm.MaxBlocks)
	limit("warps", sm.MaxWarps/warps, "%d warps a block of %d", warps, sm.MaxWarps)
	limit("threads", sm.MaxThreads/(warps*warpSize), "%d threads a block in whole warps of %d", warps*warpSize, sm.MaxThreads)
	if in.RegistersPerThread > 0 {
		perWarp := roundUp(in.RegistersPerThread*warpSize, sm.RegistersPerWarpUnit)
		resident := sm.Registers / sm.RegisterPartitions / perWarp * sm.RegisterPartitions
		limit("registers", resident/warps, "%d registers a warp, so %d warps in %d registers", perWarp, resident, sm.Registers)
	}
	if bytes := roundUp(in.SharedBytes+sm.SharedMemoryReservedBytes, sm.SharedMemoryUnitBytes); bytes > 0 {
		limit("shared memory", sm.SharedMemoryBytes/bytes, "%d bytes a block of %d", bytes, sm.SharedMemoryBytes)
	}
	tightest := o.Limits[0]
	for _, l := range o.Limits[1:] {
		if l.Blocks < tightest.Blocks {
			tightest = l
		}
	}
	if tightest.Blocks == 0 {
		return misfit(tightest.Resource, "%s", tightest.Detail)
	}
	o.Blocks, o.Limiter = tightest.Blocks, tightest.Resource
	return o, nil
}

func roundUp(n, unit int64) int64 { return (n + unit - 1) / unit * unit }
