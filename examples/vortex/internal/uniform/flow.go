package uniform

import "github.com/warpbound/warpbound/internal/rv"

// loop is the instructions of the loop that a pred ends: from which it can be reached, and that can be reached from it,
// within its function, while threads are left.
func (a *analysis) loop(pred int32) []bool {
	if l, ok := a.loops[pred]; ok {
		return l
	}
	branch, exit, ok := a.exit(pred)
	if !ok {
		a.wrong = a.at(pred, "no branch on its condition follows")
		return make([]bool, len(a.before))
	}
	n := len(a.before)
	next, last := make([][]int32, n), make([][]int32, n)
	for i := range a.img.Insts {
		for _, j := range a.successors(int32(i)) {
			if int32(i) != branch || j != exit {
				next[i] = append(next[i], j)
				last[j] = append(last[j], int32(i))
			}
		}
	}
	loop := reach(pred, next)
	for i, back := range reach(pred, last) {
		loop[i] = loop[i] && back
	}
	a.loops[pred] = loop
	return loop
}

// exit finds the branch that follows a pred and where it goes when no thread is left.
func (a *analysis) exit(pred int32) (branch, to int32, ok bool) {
	condition := a.img.Insts[pred].Rs1
	for i := pred + 1; int(i) < len(a.img.Insts); i++ {
		switch in := &a.img.Insts[i]; {
		case in.Op == rv.Beq && in.Rs1 == condition && in.Rs2 == 0:
			return i, i + in.Imm/4, true
		case in.Op == rv.Bne && in.Rs1 == condition && in.Rs2 == 0:
			return i, i + 1, true
		case in.Op.Operands().Rd == rv.IntFile && in.Rd == condition:
			return 0, 0, false
		case len(a.successors(i)) != 1 || a.successors(i)[0] != i+1:
			return 0, 0, false
		}
	}
	return 0, 0, false
}

// successors are those within a function: calls go on behind themselves.
func (a *analysis) successors(i int32) []int32 {
	in := &a.img.Insts[i]
	list := []int32{i + 1}
	switch in.Op {
	case rv.Beq, rv.Bne, rv.Blt, rv.Bge, rv.Bltu, rv.Bgeu:
		list = append(list, i+in.Imm/4)
	case rv.Jal:
		if in.Rd == 0 {
			list = []int32{i + in.Imm/4}
		}
	case rv.Jalr:
		if in.Rd == 0 {
			return nil
		}
	case rv.Tmc:
		if in.Rs1 == 0 {
			return nil
		}
	}
	var inside []int32
	for _, j := range list {
		if j >= 0 && int(j) < len(a.before) {
			inside = append(inside, j)
		}
	}
	return inside
}

func reach(from int32, edges [][]int32) []bool {
	seen := make([]bool, len(edges))
	seen[from] = true
	for todo := []int32{from}; len(todo) > 0; {
		i := todo[0]
		todo = todo[1:]
		for _, j := range edges[i] {
			if !seen[j] {
				seen[j] = true
				todo = append(todo, j)
			}
		}
	}
	return seen
}
