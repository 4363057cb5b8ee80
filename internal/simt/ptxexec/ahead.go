package ptxexec

import "github.com/warpbound/warpbound/isa"

// isBarrier says whether an instruction is a barrier of the block.
func isBarrier(in *isa.Instruction) bool { return in.Kind == isa.Barrier }

// isMeeting says whether an instruction makes lanes of a warp meet.
func isMeeting(in *isa.Instruction) bool {
	switch in.Class.Family {
	case isa.Shuffle, isa.Vote, isa.Match, isa.Redux, isa.BarrierSync:
		return true
	}
	return false
}

// reaches says of each instruction, and of the place after the last, whether an
// instruction for which is returns true can be executed from there on before the
// function is left. A call counts if the function called contains one, or calls
// one that does.
func reaches(p *isa.Program, is func(*isa.Instruction) bool) []bool {
	n := len(p.Instructions)
	ahead := make([]bool, n+1)
	before := make([][]int32, n+1) // the instructions that may precede
	callers := make([][]int32, len(p.Functions))
	var found []int32
	mark := func(pc int32) {
		if !ahead[pc] {
			ahead[pc] = true
			found = append(found, pc)
		}
	}
	entry := make(map[int32]int, len(p.Functions))
	for i, f := range p.Functions {
		entry[f.Entry] = i
	}
	for pc := range p.Instructions {
		in := &p.Instructions[pc]
		ends := in.Kind == isa.Branch || in.Kind == isa.Exit || in.Kind == isa.Return
		if !ends || in.Guard != isa.NoReg {
			before[pc+1] = append(before[pc+1], int32(pc))
		}
		for _, t := range in.Targets {
			if in.Kind == isa.Call {
				callers[entry[t]] = append(callers[entry[t]], int32(pc))
			} else {
				before[t] = append(before[t], int32(pc))
			}
		}
		if is(in) {
			mark(int32(pc))
		}
	}
	for len(found) > 0 {
		pc := found[len(found)-1]
		found = found[:len(found)-1]
		for _, b := range before[pc] {
			mark(b)
		}
		if fn, ok := entry[pc]; ok {
			for _, c := range callers[fn] {
				mark(c)
			}
		}
	}
	return ahead
}
