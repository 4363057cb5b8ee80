package ptxexec

import (
	"fmt"
	"math/bits"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/ptx"
)

// Instructions in which the lanes of a warp exchange values. The forms with
// .sync name the lanes that take part; on real GPUs the instruction waits for
// them. Here lanes that are elsewhere cannot come while this one waits, so it
// is an error if a lane of the mask does not execute the instruction together
// with the others, unless it has exited or only the end of the kernel lies
// before it: see barrier.

// members calls visit for each group of lanes of m with one member mask, in
// register r; r is -1 for the forms without .sync, where all take part.
func (w *warp) members(r int32, m uint32, visit func(group uint32)) error {
	if r < 0 {
		visit(m)
		return nil
	}
	if w.st[r]&uniform != 0 {
		if err := w.checkMembers(uint32(w.vals[r][0]), m, m); err != nil {
			return err
		}
		visit(m)
		return nil
	}
	v := w.src(r)
	for left := m; left != 0; {
		mask := uint32(v[bits.TrailingZeros32(left)&31])
		var group uint32
		for k := left; k != 0; k &= k - 1 {
			if i := bits.TrailingZeros32(k) & 31; uint32(v[i]) == mask {
				group |= 1 << i
			}
		}
		if err := w.checkMembers(mask, group, m); err != nil {
			return err
		}
		visit(group)
		left &^= group
	}
	return nil
}

// checkMembers checks the lanes of group, which name mask, among the executing
// lanes m.
func (w *warp) checkMembers(mask, group, m uint32) error {
	if out := group &^ mask; out != 0 {
		return w.fault(simt.ErrInvalid, bits.TrailingZeros32(out), fmt.Sprintf("lanes %#x are not in their own member mask %#x", out, mask))
	}
	if mask&w.live&^group == 0 {
		return nil
	}
	if other := mask & m &^ group; other != 0 {
		return w.fault(simt.ErrInvalid, bits.TrailingZeros32(other), fmt.Sprintf("lanes %#x are in the member mask %#x of others and name another", other, mask))
	}
	if away := mask & w.awaited(group, w.blk.k.prog.meetingAhead); away != 0 {
		return w.fault(simt.ErrInvalid, bits.TrailingZeros32(away), fmt.Sprintf("lanes %#x of member mask %#x do not execute the instruction together with lanes %#x", away, mask, group))
	}
	return nil
}

// memberMask lowers the member mask of a .sync form, the operand after the
// others; without .sync it is no register.
func (l *lowerer) memberMask(s *ptx.Inst, f *ptx.Form) int32 {
	if !f.Sync {
		return -1
	}
	return l.src(&s.Operands[len(s.Operands)-1], ptx.B32)
}

func (l *lowerer) warpBarrier(s *ptx.Inst) {
	l.in.group = gExec
	l.in.a = l.src(&s.Operands[0], ptx.B32)
	l.in.run = func(w *warp, in *instr, m uint32) error {
		if m == 0 {
			return nil
		}
		return w.members(in.a, m, func(uint32) {})
	}
}

// pairDst lowers a destination d or d|p.
func (l *lowerer) pairDst(o *ptx.Operand) {
	if o.Kind == ptx.KindPair {
		l.in.d, l.in.pd = l.dst(&o.Sub[0]), l.dstPred(&o.Sub[1])
		return
	}
	l.in.d = l.dst(o)
}

// shuffleSource is the lane that lane i of a shfl reads; ok is false where it
// is out of range, and the lane reads itself.
func shuffleSource(mode ptx.ShflMode, lane int, b, c uint64) (source int, ok bool) {
	seg := int(c >> 8 & 31)
	limit := lane&seg | int(c&31)&^seg
	n := int(b & 31)
	switch mode {
	case ptx.ShflUp:
		source = lane - n
		ok = source >= limit
	case ptx.ShflDown:
		source = lane + n
		ok = source <= limit
	case ptx.ShflBfly:
		source = lane ^ n
		ok = source <= limit
	default:
		source = lane&seg | n&^seg
		ok = source <= limit
	}
	if !ok {
		source = lane
	}
	return source, ok
}

// shfl lowers the exchange of a register. A lane that does not execute the
// instruction gives the value its register has: PTX leaves that open.
func (l *lowerer) shfl(s *ptx.Inst, f *ptx.Form) {
	l.in.group = gExec
	x := &extra{mode: uint8(f.Shfl)}
	l.in.x = x
	l.in.a = l.src(&s.Operands[1], ptx.B32)
	l.in.b, l.in.c = l.src(&s.Operands[2], ptx.B32), l.src(&s.Operands[3], ptx.B32)
	x.e = l.memberMask(s, f)
	l.pairDst(&s.Operands[0])
	l.in.flow = flowShuffle
	l.in.run = runShuffle
}

func runShuffle(w *warp, in *instr, m uint32) error {
	if m == 0 {
		return nil
	}
	if err := w.members(in.x.e, m, func(uint32) {}); err != nil {
		return err
	}
	b, c := w.src(in.b), w.src(in.c)
	w.tmp = *w.src(in.a)
	w.blk.k.vary.absent(&w.tmp, m)
	d := w.dst(in.d, m)
	var p uint32
	for left := m; left != 0; left &= left - 1 {
		i := bits.TrailingZeros32(left) & 31
		j, ok := shuffleSource(ptx.ShflMode(in.x.mode), i, b[i], c[i])
		d[i] = w.tmp[j&31]
		if ok {
			p |= 1 << i
		}
	}
	w.setPred(in.pd, m, p)
	return nil
}

// vote lowers vote and activemask.
func (l *lowerer) vote(s *ptx.Inst, f *ptx.Form) {
	l.in.group = gExec
	l.in.flow = flowWarp
	if s.Op == "activemask" {
		l.in.d = l.dst(&s.Operands[0])
		l.in.run = func(w *warp, in *instr, m uint32) error {
			if m != 0 {
				w.setScalar(in.d, m, uint64(m))
			}
			return nil
		}
		return
	}
	x := &extra{mode: uint8(f.Vote)}
	l.in.x = x
	l.in.pa, l.in.aNeg = l.srcPred(&s.Operands[1])
	x.e = l.memberMask(s, f)
	if f.Vote == ptx.VoteBallot {
		l.in.d = l.dst(&s.Operands[0])
	} else {
		l.in.pd = l.dstPred(&s.Operands[0])
	}
	l.in.run = runVote
}

func runVote(w *warp, in *instr, m uint32) error {
	if m == 0 {
		return nil
	}
	p := w.getPred(in.pa, in.aNeg)
	return w.members(in.x.e, m, func(group uint32) {
		yes := p & group
		var r bool
		switch ptx.VoteMode(in.x.mode) {
		case ptx.VoteBallot:
			w.setScalar(in.d, group, uint64(yes))
			return
		case ptx.VoteAll:
			r = yes == group
		case ptx.VoteAny:
			r = yes != 0
		default:
			r = yes == 0 || yes == group
		}
		var all uint32
		if r {
			all = ^all
		}
		w.setPred(in.pd, group, all)
	})
}

// match lowers match.any and match.all.
func (l *lowerer) match(s *ptx.Inst, f *ptx.Form) {
	l.in.group = gExec
	l.in.flow = flowWarp
	x := &extra{mode: uint8(f.Vote)}
	l.in.x = x
	l.in.a = l.src(&s.Operands[1], f.Type)
	x.e = l.memberMask(s, f)
	l.pairDst(&s.Operands[0])
	l.in.run = runMatch
}

func runMatch(w *warp, in *instr, m uint32) error {
	if m == 0 {
		return nil
	}
	w.tmp = *w.src(in.a)
	return w.members(in.x.e, m, func(group uint32) {
		d := w.dst(in.d, m)
		for left := group; left != 0; left &= left - 1 {
			i := bits.TrailingZeros32(left) & 31
			var same uint32
			for k := group; k != 0; k &= k - 1 {
				if j := bits.TrailingZeros32(k) & 31; w.tmp[j] == w.tmp[i] {
					same |= 1 << j
				}
			}
			if ptx.VoteMode(in.x.mode) == ptx.VoteAll {
				var p uint32
				if same == group {
					p = ^p
				} else {
					same = 0
				}
				w.setPred(in.pd, 1<<i, p)
			}
			d[i] = uint64(same)
		}
	})
}

// redux lowers the reduction over the lanes of a warp.
func (l *lowerer) redux(s *ptx.Inst, f *ptx.Form) {
	l.in.group = gExec
	l.in.flow = flowWarp
	l.in.x = &extra{}
	l.in.a = l.src(&s.Operands[1], f.Type)
	l.in.x.e = l.memberMask(s, f)
	l.in.d = l.dst(&s.Operands[0])
	l.in.f = atomicOp(f.Atom, f.Type)
	l.in.run = func(w *warp, in *instr, m uint32) error {
		if m == 0 {
			return nil
		}
		v := *w.src(in.a)
		return w.members(in.x.e, m, func(group uint32) {
			r := v[bits.TrailingZeros32(group)&31]
			for left := group & (group - 1); left != 0; left &= left - 1 {
				r = in.f(r, v[bits.TrailingZeros32(left)&31], 0)
			}
			w.setScalar(in.d, group, r)
		})
	}
}

// elect lowers the choice of a leader: the lowest lane of the group, where PTX
// says only that it is always the same one.
func (l *lowerer) elect(s *ptx.Inst) {
	l.in.group = gExec
	l.in.flow = flowWarp
	l.in.elects = true
	l.in.open = openAlways
	l.in.a = l.src(&s.Operands[1], ptx.B32)
	l.pairDst(&s.Operands[0])
	l.in.run = func(w *warp, in *instr, m uint32) error {
		if m == 0 {
			return nil
		}
		return w.members(in.a, m, func(group uint32) {
			leader := w.blk.k.vary.leader(group)
			w.setScalar(in.d, group, uint64(leader))
			w.setPred(in.pd, group, 1<<leader)
		})
	}
}
