package ptxexec

import (
	"math/bits"

	"github.com/warpbound/warpbound/internal/simt/taint"
	"github.com/warpbound/warpbound/isa"
)

// An asynchronous copy happens at some time between its issue and the end of a
// wait for it, or at no time that is known where nobody waits. Until then its
// destination holds the old or the new contents, and nothing may rely on it:
//
//   - from the issue on the destination is tainted, to the lane's own wait, and
//     what else is written there in between is lost or not;
//   - a wait writes what was copied, for those who may read what the warp writes;
//   - the source is read at any time, so whoever writes it, the block itself
//     included, changes what somebody may have relied on.
//
// A wait is one of the thread that issued the copy (PTX ISA, "cp.async.wait_group"):
// waits by way of an mbarrier leave the destination tainted.

// tooMany is the number of copies to one granule from which on they are not
// counted: the granule stays tainted.
const tooMany = 1<<8 - 1

// copyUnderWay is the copy of one lane.
type copyUnderWay struct {
	lane        uint8
	group       uint32 // groups that the lane had committed before
	first, last uint64 // granules of the destination
	tainted     bool   // what is copied
}

// asyncCopy begins the copies of a cp.async.
func (t *warpTaint) asyncCopy(w *warp, in *instr, m, g uint32) {
	t.address(w, in, in.a, m, g)
	if t.vals[in.b]&m != 0 {
		t.address(w, in, in.b, m, 0)
	}
	src, dst := w.src(in.a), w.src(in.b)
	unknown := t.vals[in.b] & (m | g)
	for left := (m | g) &^ unknown; left != 0; left &= left - 1 {
		i := bits.TrailingZeros32(left) & 31
		tainted := t.sources(in)>>i&1 != 0
		if n := w.copySize(in, i); n > 0 && !tainted {
			tainted = t.readBuffer(w, in.mem.at(src[i], in.mem.off), n, taint.Several)
		}
		to, width := in.x.to.at(dst[i], in.x.to.off), in.x.to.width
		if g>>i&1 != 0 {
			t.writeMemory(w, isa.Shared, to, width, i, true)
		} else {
			t.begin(w, i, to, width, tainted)
		}
	}
	t.taintAll(w, in.x.to, unknown)
}

// begin notes the copy of a lane to [at, at+width) of the shared memory.
func (t *warpTaint) begin(w *warp, lane int, at, width uint64, tainted bool) {
	s := &w.blk.taint[t.view]
	c := copyUnderWay{lane: uint8(lane), group: t.groups[lane], first: at / granule, last: (at + width - 1) / granule, tainted: tainted}
	if c.last >= uint64(len(s.shadow)) {
		return // out of bounds, an error
	}
	if s.copies == nil {
		s.copies, s.spoilt = make([]uint8, len(s.shadow)), make([]bool, len(s.shadow))
	}
	t.writeMemory(w, isa.Shared, at, width, lane, true)
	for i := c.first; i <= c.last; i++ {
		if s.copies[i] < tooMany {
			s.copies[i]++
		}
	}
	t.copies = append(t.copies, c)
}

// commit makes the copies that each lane of m has issued since its last commit a
// group. Lanes of g may do so.
func (t *warpTaint) commit(m, g uint32) {
	t.unsure |= g
	for ; m != 0; m &= m - 1 {
		t.groups[bits.TrailingZeros32(m)&31]++
	}
}

// await ends the copies that the lanes of m wait for: all, or those of all groups
// but the latest.
func (t *warpTaint) await(w *warp, in *instr, m uint32) {
	s := &w.blk.taint[t.view]
	kept := t.copies[:0]
	for _, c := range t.copies {
		if m>>c.lane&1 == 0 || in.x.mode == waitGroups && !t.waited(&c, uint32(in.x.imm)) {
			kept = append(kept, c)
			continue
		}
		for i := c.first; i <= c.last; i++ {
			if s.copies[i] < tooMany {
				s.copies[i]--
			}
			s.shadow[i] = t.writes(w, &s.accesses[i], sharedMemory) || c.tainted || s.spoilt[i] || s.copies[i] != 0
			if s.copies[i] == 0 {
				s.spoilt[i] = false
			}
		}
	}
	t.copies = kept
}

// waited says whether a wait for all but the latest groups waits for a copy.
func (t *warpTaint) waited(c *copyUnderWay, but uint32) bool {
	committed := t.groups[c.lane]
	return t.unsure>>c.lane&1 == 0 && c.group < committed && committed-c.group > but
}

// The waits for copies, in extra.mode: waitGroups leaves the latest extra.imm
// groups alone.
const (
	waitAll uint8 = iota
	waitGroups
)
