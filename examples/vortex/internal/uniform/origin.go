package uniform

import "github.com/warpbound/warpbound/internal/rv"

// unseen marks instructions that nothing has reached; atStart, values that a function finds.
const (
	unseen  = -2
	atStart = -1
)

// findOrigins finds for every place before every instruction where its value is from: the instruction of the function that
// made it, or before which values of two origins came together. Moves, also through the stack, keep it; of what functions
// may change, a call is the origin.
//
// It goes over each function again and again, and each time takes, for each place, the first instruction at which two
// origins meet to be one itself.
func (a *analysis) findOrigins() {
	meets := make([][places]bool, len(a.before))
	for a.originsGiven(meets) {
	}
}

// originsGiven goes over every function once, and adds to meets; it returns whether it did.
func (a *analysis) originsGiven(meets [][places]bool) bool {
	for i := range a.origin {
		for p := range a.origin[i] {
			a.origin[i][p] = unseen
		}
	}
	var added [places]bool
	var todo []int32
	arrive := func(j int32, origin [places]int32) {
		first := a.origin[j][zero] == unseen
		for p, from := range origin {
			switch {
			case meets[j][p]:
				origin[p] = j
			case !first && from != a.origin[j][p] && !added[p]:
				meets[j][p], added[p] = true, true
			}
		}
		if first {
			a.origin[j] = origin
			todo = append(todo, j)
		}
	}
	for i := range a.before {
		if a.before[i].reached && a.before[i].function == int32(i) {
			var origin [places]int32
			for p := range origin {
				origin[p] = atStart
			}
			arrive(int32(i), origin)
		}
	}
	for len(todo) > 0 {
		i := todo[0]
		todo = todo[1:]
		origin := a.origin[i]
		a.move(i, &origin)
		for _, j := range a.successors(i) {
			if a.before[j].reached {
				arrive(j, origin)
			}
		}
	}
	return added != [places]bool{}
}

// move is what an instruction does to the origins of values.
func (a *analysis) move(i int32, origin *[places]int32) {
	in, s := &a.img.Insts[i], a.before[i]
	to, ok := a.target(i, in, &s)
	if !ok {
		return
	}
	from, moves := zero, false
	switch in.Op {
	case rv.Jal, rv.Jalr:
		for p := range firstSlot {
			if p != zero && saved>>p&1 == 0 {
				origin[p] = i
			}
		}
	case rv.Lw, rv.Flw, rv.Sw, rv.Fsw:
		from, moves = a.moved(i, in, &s)
	case rv.FsgnjS:
		from, moves = register(rv.FloatFile, in.Rs1), in.Rs1 == in.Rs2
	case rv.Addi:
		from, moves = place(in.Rs1), in.Imm == 0
	}
	if moves {
		origin[to] = origin[from]
	} else {
		origin[to] = i
	}
}

// changedIn is the places whose value before instruction i may have been made in a region: threads that were not in it have
// another.
func (a *analysis) changedIn(region []bool, i int32) set {
	var all set
	for p := range place(places) {
		if from := a.origin[i][p]; p != zero && from >= 0 && region[from] {
			all.put(p, true)
		}
	}
	return all
}
