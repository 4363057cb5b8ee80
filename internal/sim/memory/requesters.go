package memory

// Cores are CPU cores that send requests of their own to the channels of the DRAM. The
// memory wakes them in the cycles they ask for (Wake) and hands them their answers.
type Cores interface {
	// Woken is called in a cycle that a core has asked for.
	Woken(core int, t int64)
	// Answered is called in cycle t, in which a core has its answer to the request that
	// reached its channel in cycle arrived.
	Answered(core int, arrived, t int64)
	// Draining tells whether somebody waits for the answer to a core, so that
	// NextEvent may not leave it for later.
	Draining() bool
}

// coreState is what the memory knows of a core.
type coreState struct {
	responseCycles int64 // from the DRAM back to the core
	use            RequesterUse
}

// AddCores puts cores beside the SMs, once and before the first request.
// responseCycles is, by core, the time from the DRAM back to it.
func (m *System) AddCores(cores Cores, responseCycles []int64) {
	m.cores = cores
	for _, cycles := range responseCycles {
		m.of = append(m.of, coreState{responseCycles: cycles})
	}
	for i := range m.channels {
		p := &m.channels[i].turns
		for range m.of {
			p.waiting = append(p.waiting, nil)
		}
	}
}

// Wake has a core woken in cycle t.
func (m *System) Wake(core int, t int64) {
	m.add(request{stage: coreWakes, sm: int32(core), waiting: -1, leader: -1}, t)
}

// SendCore brings a request of a core to its channel in cycle t.
func (m *System) SendCore(core int, t int64, write bool, addr uint64, bytes int64) {
	kind := cpuRead
	if write {
		kind = cpuWrite
	}
	m.add(request{sm: int32(core), addr: addr, missing: bytes, kind: kind, stage: toChannel, waiting: -1, leader: -1}, t)
}

// ofCPU tells whether a core sent the request.
func (k Kind) ofCPU() bool { return k >= cpuRead }

// CoreUse is what the DRAM did for a core.
func (m *System) CoreUse(core int) RequesterUse { return m.of[core].use }
