package reference

// register executes the six instructions on control and status registers.
func (s *step) register() *Fault {
	w, in := s.warp, s.in
	operand := w.Threads[w.last()].X[in.Rs1]
	writes := in.Rs1 != 0
	switch in.Name {
	case "csrrwi", "csrrsi", "csrrci":
		operand, writes = uint32(in.Immediate), in.Immediate != 0
	}
	if in.Name == "csrrw" || in.Name == "csrrwi" {
		writes = true
	}
	old := map[int]uint32{}
	for _, t := range w.active() {
		value, ok := s.readRegister(in.CSR, t)
		if !ok {
			return s.fault(Illegal, -1)
		}
		old[t] = value
	}
	if writes {
		value := operand
		switch in.Name {
		case "csrrs", "csrrsi":
			value = old[w.last()] | operand
		case "csrrc", "csrrci":
			value = old[w.last()] &^ operand
		}
		if !s.writeRegister(in.CSR, value) {
			return s.fault(NotWritable, -1)
		}
	}
	for _, t := range w.active() {
		if in.Rd != 0 {
			w.Threads[t].X[in.Rd] = old[t]
		}
	}
	return nil
}

// machineRegister says whether a register is one of those for traps and
// protection, which read as zero and ignore writes.
func machineRegister(csr uint32) bool {
	switch csr {
	case 0x180, // satp
		0x300, 0x301, 0x302, 0x303, 0x304, 0x305, // mstatus, misa, medeleg, mideleg, mie, mtvec
		0x341,        // mepc
		0x3a0, 0x3b0, // pmpcfg0, pmpaddr0
		0x744: // mnstatus
		return true
	}
	return false
}

func (s *step) readRegister(csr uint32, thread int) (value uint32, ok bool) {
	c, w := s.core, s.warp
	switch csr {
	case 0x001: // fflags
		return w.FFlags, true
	case 0x002: // frm
		return w.FRM, true
	case 0x003: // fcsr
		return w.FRM<<5 | w.FFlags, true
	case 0x301: // misa: 32 bits, F, I, M, user mode, what is not standard
		return 1<<30 | 1<<5 | 1<<8 | 1<<12 | 1<<20 | 1<<23, true
	case 0x340: // mscratch
		return c.Scratch, true
	case 0xb00, 0xc00, 0xc01: // mcycle, cycle, time
		return uint32(c.warpInstructions), true
	case 0xb80, 0xc80, 0xc81: // mcycleh, cycleh, timeh
		return uint32(c.warpInstructions >> 32), true
	case 0xb01, 0xb81: // reserved among the counters
		return 0, true
	case 0xb02, 0xc02: // minstret, instret
		return uint32(c.threadInstructions), true
	case 0xb82, 0xc82: // minstreth, instreth
		return uint32(c.threadInstructions >> 32), true
	case 0xcc0:
		return uint32(thread), true
	case 0xcc1:
		return uint32(s.id[1]), true
	case 0xcc2:
		return uint32(s.id[0]), true
	case 0xcc3:
		return c.activeWarps(), true
	case 0xcc4:
		return w.Mask, true
	case 0xf14: // mhartid
		return uint32((s.id[0]*s.m.Warps+s.id[1])*s.m.Threads + thread), true
	case 0xfc0:
		return uint32(s.m.Threads), true
	case 0xfc1:
		return uint32(s.m.Warps), true
	case 0xfc2:
		return uint32(s.m.Cores), true
	case 0xfc3:
		return s.m.layout().userEnd, true
	}
	if csr >= 0xf11 && csr <= 0xf13 { // mvendorid, marchid, mimpid
		return 0, true
	}
	if csr >= 0xb03 && csr <= 0xb1f || csr >= 0xb83 && csr <= 0xb9f || machineRegister(csr) {
		return 0, true
	}
	return 0, false
}

// writeRegister says whether the register can be written.
func (s *step) writeRegister(csr, value uint32) bool {
	w := s.warp
	switch csr {
	case 0x001:
		w.FFlags = value & 0x1f
	case 0x002:
		w.FRM = value & 7
	case 0x003:
		w.FFlags, w.FRM = value&0x1f, value>>5&7
	case 0x340:
		s.core.Scratch = value
	default:
		return machineRegister(csr)
	}
	return true
}
