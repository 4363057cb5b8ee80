package simt

import "github.com/warpbound/warpbound/gpu"

// Fit is what machine m makes of kernel k: the timing of each of its static
// instructions, and how many of its blocks an SM holds at once. A block that does
// not fit at all is a *gpu.FitError.
func Fit(k Kernel, m *gpu.Machine) ([]gpu.Timing, gpu.Occupancy, error) {
	p, b := k.Program(), k.BlockDim()
	timing, err := m.Resolve(p)
	if err != nil {
		return nil, gpu.Occupancy{}, err
	}
	occupancy, err := m.Occupancy(gpu.OccupancyInput{
		RegistersPerThread: int64(p.RegisterUnits),
		SharedBytes:        k.SharedBytes(),
		ThreadsPerBlock:    int64(b[0]) * int64(b[1]) * int64(b[2]),
	})
	return timing, occupancy, err
}
