package schedule

// Shortest returns the schedule by equation 2 with the share, of all shares whose
// p_mem is at most that of most, that makes the kernel shortest. The bound is one
// on the budgets' share (MemShare); for it to hold at the wall, set RaiseToTimer.
//
// No other share in reach has a smaller E_mem or a smaller E_comp, so that Length
// and WallLength are both least. The share T_mem : T_comp gives E = T, which no
// budgets that cover the phases undercut. Where it is out of reach, most itself
// is taken: every share below T_mem : T_comp has E_mem = T_mem, and its E_comp
// grows as p_mem shrinks. A kernel without a memory phase has E = T with any
// share of at most 1 : T_comp+1, since E_mem is then less than a unit and rounded
// down; one without a compute phase takes all that it may have.
func Shortest(in Input, most Share) (Schedule, error) {
	k, err := in.kernel()
	if err != nil {
		return Schedule{}, err
	}
	if err := most.check("most"); err != nil {
		return Schedule{}, err
	}
	// Without a compute phase this is no share, but above all of them.
	wanted := Share{int64(k.needMem), int64(k.needComp)}
	if k.needMem == 0 {
		next, err := add("compute part of the share", k.needComp, 1)
		if err != nil {
			return Schedule{}, err
		}
		wanted = Share{1, int64(next)}
	}
	if wanted.Cmp(most) >= 0 {
		return k.withShare(most)
	}
	wanted, err = NewShare(wanted.Mem, wanted.Comp)
	if err != nil {
		return Schedule{}, err
	}
	return k.withShare(wanted)
}
