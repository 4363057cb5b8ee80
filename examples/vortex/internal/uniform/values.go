package uniform

import "github.com/warpbound/warpbound/internal/rv"

// Registers that differ between the threads of a warp.
const (
	threadCSR = 0xcc0
	hartCSR   = 0xf14
)

// write carries the values over an instruction that is no control flow.
func (a *analysis) write(i int32, in *rv.Inst, s state) state {
	to, ok := a.target(i, in, &s)
	if !ok {
		return s
	}
	differs, truth := false, false
	sources := sourcesOf(in)
	for _, p := range sources {
		differs = differs || s.divergent.has(p)
	}
	switch in.Op {
	case rv.Csrrw, rv.Csrrs, rv.Csrrc, rv.Csrrwi, rv.Csrrsi, rv.Csrrci:
		differs = in.CSR == threadCSR || in.CSR == hartCSR
	case rv.Split:
		differs = false
	case rv.Lw, rv.Flw, rv.Sw, rv.Fsw:
		if from, ok := a.moved(i, in, &s); ok {
			differs, truth = s.divergent.has(from), s.truth.has(from)
		}
	case rv.Slt, rv.Slti, rv.Sltu, rv.Sltiu, rv.FeqS, rv.FltS, rv.FleS:
		truth = true
	case rv.Andi:
		truth = in.Imm == 0 || in.Imm == 1 || in.Imm > 0 && s.truth.has(place(in.Rs1))
	case rv.Addi:
		truth = in.Imm == 0 && s.truth.has(place(in.Rs1)) || in.Rs1 == 0 && in.Imm == 1
	case rv.Xori:
		truth = in.Imm == 1 && s.truth.has(place(in.Rs1))
	case rv.Srli:
		truth = in.Imm == 31
	case rv.And:
		truth = s.truth.has(place(in.Rs1)) || s.truth.has(place(in.Rs2))
	case rv.Or, rv.Xor:
		truth = s.truth.has(place(in.Rs1)) && s.truth.has(place(in.Rs2))
	}
	if to == sp {
		// Every thread has its own stack; where a slot is, all agree.
		differs = true
		if in.Op == rv.Addi && place(in.Rs1) == sp {
			s.depth -= in.Imm
		}
	} else if a.takesStack(in, sources) {
		a.wrong = a.at(i, "takes an address in the stack")
	}
	if !s.together {
		s.divergent.put(to, differs)
	}
	s.truth.put(to, truth)
	return s
}

func sourcesOf(in *rv.Inst) []place {
	var list []place
	o := in.Op.Operands()
	for _, r := range []struct {
		file rv.File
		n    uint8
	}{{o.Rs1, in.Rs1}, {o.Rs2, in.Rs2}, {o.Rs3, in.Rs3}} {
		if r.file != rv.NoFile {
			list = append(list, register(r.file, r.n))
		}
	}
	return list
}

// target is where an instruction writes: its register, or the slot of the stack it stores to.
func (a *analysis) target(i int32, in *rv.Inst, s *state) (place, bool) {
	if o := in.Op.Operands(); o.Rd != rv.NoFile {
		to := register(o.Rd, in.Rd)
		return to, to != zero
	}
	if (in.Op == rv.Sw || in.Op == rv.Fsw) && place(in.Rs1) == sp {
		return a.slotOf(i, in, s), true
	}
	return zero, false
}

// moved is where a load from the stack, or a store to it, takes its value from.
func (a *analysis) moved(i int32, in *rv.Inst, s *state) (place, bool) {
	switch {
	case place(in.Rs1) != sp:
		return zero, false
	case in.Op == rv.Sw || in.Op == rv.Fsw:
		return register(in.Op.Operands().Rs2, in.Rs2), true
	}
	return a.slotOf(i, in, s), true
}

func (a *analysis) slotOf(i int32, in *rv.Inst, s *state) place {
	key := [2]int32{s.function, in.Imm - s.depth}
	p, ok := a.slot[key]
	if !ok {
		if len(a.slot) == slots {
			a.wrong = a.at(i, "more than %d places on the stack", slots)
			return firstSlot
		}
		p = firstSlot + place(len(a.slot))
		a.slot[key] = p
	}
	return p
}

// takesStack says whether an instruction makes the stack pointer a value, or accesses the stack otherwise than by words.
func (a *analysis) takesStack(in *rv.Inst, sources []place) bool {
	switch in.Op {
	case rv.Lw, rv.Flw:
		return false
	case rv.Sw, rv.Fsw:
		return register(in.Op.Operands().Rs2, in.Rs2) == sp
	}
	for _, p := range sources {
		if p == sp {
			return true
		}
	}
	return false
}
