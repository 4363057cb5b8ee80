package rvexec

import (
	"math/bits"
	"slices"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/taint"
	"github.com/warpbound/warpbound/isa"
)

// User memory is followed in pages of 1 KiB, each thread's stack in one of its own as
// long as it is small.
const (
	followedBits  = 10
	followedTable = 11 // bits of a page's number within its table
	// maxFollowed is how many pages are followed, 64 MiB of the program's memory. What
	// lies in others stays tainted.
	maxFollowed = 1 << 16
)

type (
	followedPage [1 << followedBits / taint.GranuleBytes]taint.Granule
	followedTab  [1 << followedTable]*followedPage
)

// memoryTaint is what is known of the memory that cores share. Pages that are not there
// are tainted.
type memoryTaint struct {
	tables [1 << (32 - followedBits - followedTable)]*followedTab
	left   int // pages that may still be followed
	whole  taint.Whole
}

// newMemoryTaint knows the program, zeros where it has no contents included, the argument
// block, and the regions that the launch knows. Nothing else is known, and nothing behind
// the first maxFollowed pages.
func newMemoryTaint(k *Kernel) *memoryTaint {
	t := &memoryTaint{left: maxFollowed}
	for i := range k.img.Segments {
		s := &k.img.Segments[i]
		t.know(s.Addr, max(uint64(s.MemBytes), uint64(len(s.Data))))
	}
	t.know(k.launch.ArgumentAddr, uint64(len(k.launch.Argument)))
	for _, r := range k.launch.Memory {
		if !r.Known {
			continue
		}
		from := int64(0)
		for _, u := range r.Unknown {
			t.know(r.Addr+uint32(from), uint64(max(u.From, from)-from))
			from = max(from, u.To)
		}
		t.know(r.Addr+uint32(from), uint64(max(int64(len(r.Data)), from)-from))
	}
	return t
}

func (t *memoryTaint) know(addr uint32, bytes uint64) {
	for at, end := uint64(addr), uint64(addr)+bytes; at < end; {
		if g := t.own(uint32(at)); g != nil {
			g.Know(bytesOf(uint32(at), uint32(min(end-at, taint.GranuleBytes))))
		}
		at = (at/taint.GranuleBytes + 1) * taint.GranuleBytes
	}
}

// bytesOf is the bytes of a granule that an access covers, which goes no further.
func bytesOf(addr, width uint32) uint8 {
	return uint8(1<<width-1) << (addr % taint.GranuleBytes) & taint.AllBytes
}

// at is the granule of an address, nil where its page is not followed.
func (t *memoryTaint) at(addr uint32) *taint.Granule {
	n := addr >> followedBits
	if tab := t.tables[n>>followedTable]; tab != nil {
		if p := tab[n%(1<<followedTable)]; p != nil {
			return &p[addr%(1<<followedBits)/taint.GranuleBytes]
		}
	}
	return nil
}

// own is at; it begins to follow the page if more may be followed.
func (t *memoryTaint) own(addr uint32) *taint.Granule {
	if g := t.at(addr); g != nil || t.left == 0 {
		return g
	}
	t.left--
	n := addr >> followedBits
	tab := &t.tables[n>>followedTable]
	if *tab == nil {
		*tab = new(followedTab)
	}
	p := new(followedPage)
	forget(p[:])
	(*tab)[n%(1<<followedTable)] = p
	return t.at(addr)
}

// forget makes memory what it is where nobody has written.
func forget(granules []taint.Granule) {
	for i := range granules {
		granules[i] = taint.Granule{}
		granules[i].Taint(taint.AllBytes)
	}
}

// coreTaint is what is known of what only the warps of a core share.
type coreTaint struct {
	epoch   uint32
	local   []taint.Granule // local memory
	whole   taint.Whole     // of the local memory
	scratch taint.Granule   // mscratch
}

// scratchBytes are the bytes of mscratch.
const scratchBytes = taint.AllBytes

// open puts the account to the start of a core: nobody has written local memory.
func (t *coreTaint) open() {
	forget(t.local)
	t.whole, t.scratch = taint.Whole{}, taint.Granule{}
}

// newEpoch begins the time after a barrier of all warps, after a WSPAWN that no other
// warp was active at, or of the core. Epochs of all cores differ.
func (c *Core) newEpoch() {
	if c.taint != nil {
		c.k.epochs++
		c.taint.epoch = c.k.epochs
	}
}

// who is the warp as one that accesses memory now.
func (w *Warp) who() taint.Who {
	return taint.Who{Block: taint.Agent(int64(w.core.id)), Warp: taint.Agent(int64(w.id)), Epoch: w.core.taint.epoch}
}

// followed is the account of the memory at an address, and of that memory as a whole. The
// granule is nil where nothing is followed.
func (c *Core) followed(addr uint32, begin bool) (*taint.Granule, *taint.Whole) {
	if len(c.k.distrusted) > 0 && (c.k.distrusts(c.memoryAt(addr)) || c.k.distrusts(otherMemory) && c.place(addr) == userPlace) {
		return nil, nil
	}
	switch t := c.k.follows; c.place(addr) {
	case localPlace:
		return &c.taint.local[(addr-c.k.mem.userEnd)/taint.GranuleBytes], &c.taint.whole
	case userPlace:
		if begin {
			return t.own(addr), &t.whole
		}
		return t.at(addr), &t.whole
	}
	return nil, nil
}

// loaded is the taint of what the lanes of m load.
func (w *Warp) loaded(in *instr, m uint32) uint32 {
	a, who := &w.regs[in.a], w.who()
	out := w.taint.regs[in.a] & m
	for left := m &^ out; left != 0; left &= left - 1 {
		i := bits.TrailingZeros32(left) & 31
		addr := a[i] + in.imm
		g, whole := w.core.followed(addr, false)
		if g == nil || whole.Spoilt() || g.Tainted(&who, bytesOf(addr, uint32(in.width))) {
			out |= 1 << i
			continue
		}
		g.Rely(&who, who.Block)
		whole.Rely(&who, who.Block)
	}
	return out
}

// stored moves taint to memory.
func (w *Warp) stored(in *instr, m uint32) {
	a, who, k := &w.regs[in.a], w.who(), w.core.k
	unknown := w.taint.regs[in.a] & m
	var at [simt.MaxLanes]uint64
	var spaces [simt.MaxLanes]isa.Space
	for left := m &^ unknown; left != 0; left &= left - 1 {
		i := bits.TrailingZeros32(left) & 31
		at[i] = uint64(a[i] + in.imm)
	}
	tainted := w.taint.regs[in.b] | w.taint.loose
	tainted |= taint.Clashes(m&^unknown, tainted, &at, &spaces, uint64(in.width), func(i, j int) bool { return w.differ(in, i, j) })
	for left := m &^ unknown; left != 0; left &= left - 1 {
		i := bits.TrailingZeros32(left) & 31
		addr := uint32(at[i])
		if k.mem.inText(addr) {
			w.record(simt.TaintUnfollowed, "") // another order may execute what was there
		}
		if g, _ := w.core.followed(addr, true); g != nil && g.Write(&who, bytesOf(addr, uint32(in.width)), tainted>>i&1 != 0) {
			w.record(simt.TaintOrder, w.core.memoryAt(addr))
		}
	}
	if unknown == 0 {
		return
	}
	// Lanes that may store anywhere.
	if w.core.taint.whole.Spoil(&who) {
		w.record(simt.TaintOrder, localMemory)
	}
	if k.follows.whole.Spoil(&who) {
		w.record(simt.TaintOrder, otherMemory)
	}
}

// What memory is called where it has no name of its own.
const (
	localMemory = "local memory"
	otherMemory = "memory" // also all of it but local memory
	scratchName = "mscratch"
)

// distrusts says that memory of that name is not known, whatever the launch says
// (covering executions).
func (k *Kernel) distrusts(name string) bool { return slices.Contains(k.distrusted, name) }

// memoryAt names the memory at an address.
func (c *Core) memoryAt(addr uint32) string {
	l := &c.k.launch
	if c.place(addr) == localPlace {
		return localMemory
	}
	if addr-l.ArgumentAddr < uint32(len(l.Argument)) {
		return "the argument block"
	}
	for i := range l.Memory {
		if r := &l.Memory[i]; r.Name != "" && addr-r.Addr < uint32(len(r.Data)) {
			return r.Name
		}
	}
	return otherMemory
}
