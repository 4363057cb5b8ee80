package ptxexec

// specialReg describes a special register: how to set the value register that
// stands for it, when a block starts or, where dynamic, before each
// instruction that reads it.
type specialReg struct {
	bits    uint8
	dynamic bool
	// tainted registers hold what another machine, or the same one at another
	// time, would not: places and clocks, the number of a warp, which may change
	// while it runs, and sizes that are rounded up to what a machine allocates.
	tainted bool
	axis    int // of ctaid: 1 to 3 for x to z
	extent  int // of nctaid, likewise
	fill    func(w *warp, reg int32)
}

func scalar(f func(w *warp) uint64) func(*warp, int32) {
	return func(w *warp, reg int32) {
		w.vals[reg][0] = f(w)
		w.st[reg] = uniform
	}
}

func perLane(f func(w *warp, lane int) uint64) func(*warp, int32) {
	return func(w *warp, reg int32) {
		for i := range w.vals[reg] {
			w.vals[reg][i] = f(w, i)
		}
		w.st[reg] = filled
	}
}

func constant(x uint64) func(*warp, int32) { return scalar(func(*warp) uint64 { return x }) }

// threadAxis is tid.x, tid.y or tid.z.
func threadAxis(axis int) func(*warp, int32) {
	return perLane(func(w *warp, lane int) uint64 {
		t := w.id*w.blk.k.warpSize + lane
		dim := w.blk.k.block
		switch axis {
		case 0:
			return uint64(t % dim[0])
		case 1:
			return uint64(t / dim[0] % dim[1])
		}
		return uint64(t / dim[0] / dim[1])
	})
}

// specialRegs is the table of special registers, by name without the percent
// sign.
//
// The clocks count the warp instructions the warp has executed: a functional
// machine has no time, but a kernel that waits for a clock to advance ends.
var specialRegs = func() map[string]specialReg {
	m := map[string]specialReg{
		"laneid":  {bits: 32, fill: perLane(func(_ *warp, lane int) uint64 { return uint64(lane) })},
		"warpid":  {bits: 32, tainted: true, fill: scalar(func(w *warp) uint64 { return uint64(w.id) })},
		"nwarpid": {bits: 32, tainted: true, fill: scalar(func(w *warp) uint64 { return uint64(len(w.blk.warps)) })},
		"smid":    {bits: 32, tainted: true, fill: constant(0)},
		"nsmid":   {bits: 32, tainted: true, fill: constant(1)},
		"gridid":  {bits: 64, tainted: true, fill: constant(1)},

		"lanemask_eq": {bits: 32, fill: perLane(func(_ *warp, l int) uint64 { return 1 << l })},
		"lanemask_lt": {bits: 32, fill: perLane(func(_ *warp, l int) uint64 { return 1<<l - 1 })},
		"lanemask_le": {bits: 32, fill: perLane(func(_ *warp, l int) uint64 { return 2<<l - 1 })},
		"lanemask_gt": {bits: 32, fill: perLane(func(_ *warp, l int) uint64 { return uint64(^uint32(2<<l - 1)) })},
		"lanemask_ge": {bits: 32, fill: perLane(func(_ *warp, l int) uint64 { return uint64(^uint32(1<<l - 1)) })},

		"clock":          {bits: 32, dynamic: true, tainted: true, fill: scalar(func(w *warp) uint64 { return uint64(uint32(w.clock)) })},
		"clock_hi":       {bits: 32, dynamic: true, tainted: true, fill: scalar(func(w *warp) uint64 { return uint64(w.clock) >> 32 })},
		"clock64":        {bits: 64, dynamic: true, tainted: true, fill: scalar(func(w *warp) uint64 { return uint64(w.clock) })},
		"globaltimer":    {bits: 64, dynamic: true, tainted: true, fill: scalar(func(w *warp) uint64 { return uint64(w.clock) })},
		"globaltimer_lo": {bits: 32, dynamic: true, tainted: true, fill: scalar(func(w *warp) uint64 { return uint64(uint32(w.clock)) })},
		"globaltimer_hi": {bits: 32, dynamic: true, tainted: true, fill: scalar(func(w *warp) uint64 { return uint64(w.clock) >> 32 })},

		"dynamic_smem_size":   {bits: 32, fill: scalar(func(w *warp) uint64 { return uint64(w.blk.k.dynamicBytes) })},
		"total_smem_size":     {bits: 32, tainted: true, fill: scalar(func(w *warp) uint64 { return uint64(w.blk.k.sharedBytes) })},
		"aggr_smem_size":      {bits: 32, tainted: true, fill: scalar(func(w *warp) uint64 { return uint64(w.blk.k.sharedBytes) })},
		"is_explicit_cluster": {bits: 1, fill: constant(0)},
	}
	for i, axis := range []string{"x", "y", "z"} {
		m["tid."+axis] = specialReg{bits: 32, fill: threadAxis(i)}
		m["ntid."+axis] = specialReg{bits: 32, fill: scalar(func(w *warp) uint64 { return uint64(w.blk.k.block[i]) })}
		m["ctaid."+axis] = specialReg{bits: 32, axis: i + 1, fill: scalar(func(w *warp) uint64 { return w.blk.coordinates()[i] })}
		m["nctaid."+axis] = specialReg{bits: 32, extent: i + 1, fill: scalar(func(w *warp) uint64 { return uint64(w.blk.k.grid[i]) })}
	}
	for _, zero := range []string{"tid.w", "ctaid.w"} {
		m[zero] = specialReg{bits: 32, fill: constant(0)}
	}
	for _, one := range []string{"ntid.w", "nctaid.w"} {
		m[one] = specialReg{bits: 32, fill: constant(1)}
	}
	return m
}()
