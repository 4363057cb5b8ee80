package inputs

import (
	"fmt"
	"slices"
	"strings"
)

// Guards of the ends of blocks.
const (
	always   = iota
	ofLane   // the next bit of the thread's own word
	ofWarp   // the next bit of the word that the threads of the warp share
	ofAll    // the next bit of the word that all threads share
	ofBefore // the block that the thread executed before has an even number
	ofOne    // the next bit of the own word of exactly one thread of the block, by a reduction
	ofFirst  // whether the first thread of the block is there, by a reduction
)

// end is how a block of a small kernel ends: under the guard the thread goes on at a block,
// or returns where that is returns. A thread for which the guard is false goes on at the
// next block, and returns behind the last one.
type end struct{ guard, to int }

const returns = -1

// Scope is a small scope of kernels whose control depends on data, to be tried completely:
// every kernel of Blocks blocks in a row, with any end of each, and all data of so many bits.
type Scope struct {
	Name   string
	Blocks int
	Guards []int
	// Barriers puts bar.sync 0 at the beginning of some of the blocks, of any of them.
	Barriers bool
	// Threads of the block: each has a word of its own. Of more than 32 the first has one,
	// those of the first warp behind it share one, and so do the others.
	Threads int
	// Bits of the words of threads and warps, and of the one that all share.
	Bits, SharedBits int
}

// Scopes are those that are worth trying.
func Scopes() []Scope {
	return []Scope{
		{Name: "three blocks, two threads", Blocks: 3, Guards: []int{ofLane, ofAll, ofBefore}, Threads: 2, Bits: 3, SharedBits: 2},
		{Name: "three blocks, four threads", Blocks: 3, Guards: []int{ofLane, ofBefore}, Threads: 4, Bits: 2},
		{Name: "four blocks, two threads", Blocks: 4, Guards: []int{ofLane, ofBefore}, Threads: 2, Bits: 3},
		{Name: "four blocks, two threads, shared words", Blocks: 4, Guards: []int{ofLane, ofAll}, Threads: 2, Bits: 2, SharedBits: 2},
		{Name: "two blocks with barriers", Blocks: 2, Guards: []int{ofLane, ofWarp, ofAll, ofBefore}, Barriers: true, Threads: 33, Bits: 2, SharedBits: 3},
		{Name: "three blocks with barriers", Blocks: 3, Guards: []int{ofLane, ofAll}, Barriers: true, Threads: 33, Bits: 1, SharedBits: 3},
		{Name: "three blocks with reductions", Blocks: 3, Guards: []int{ofLane, ofOne, ofFirst}, Threads: 33, Bits: 2},
		{Name: "three blocks with barriers, words of warps", Blocks: 3, Guards: []int{ofWarp, ofAll}, Barriers: true, Threads: 33, Bits: 2, SharedBits: 2},
	}
}

// together says whether kernels of the scope may have barriers.
func (s *Scope) together() bool {
	return s.Barriers || slices.Contains(s.Guards, ofOne)
}

// ends lists how a block may end. The last block falls through by returning.
func (s *Scope) ends(block int) []end {
	out := []end{{always, block + 1}}
	if block+1 < s.Blocks {
		out = append(out, end{always, returns})
	}
	for to := range s.Blocks {
		if to != block+1 {
			out = append(out, end{always, to})
		}
	}
	for _, guard := range s.Guards {
		for to := range s.Blocks {
			out = append(out, end{guard, to})
		}
		if guard != ofBefore {
			out = append(out, end{guard, returns})
		}
	}
	return out
}

// size is how many kernels there are, those with blocks that nothing reaches among them.
func (s *Scope) size() int {
	n := 1
	for b := range s.Blocks {
		n *= len(s.ends(b))
		if s.Barriers {
			n *= 2
		}
	}
	return n
}

// smallKernel is a kernel of a scope.
type smallKernel struct {
	ends     []end
	barriers []bool
}

// kernel is the one of a number.
func (s *Scope) kernel(i int) *smallKernel {
	k := &smallKernel{barriers: make([]bool, s.Blocks)}
	for b := range s.Blocks {
		ends := s.ends(b)
		k.ends = append(k.ends, ends[i%len(ends)])
		i /= len(ends)
	}
	for b := range k.barriers {
		k.barriers[b] = s.Barriers && i&1 != 0
		i >>= 1
	}
	return k
}

// connected says that every block is reached from the first.
func (k *smallKernel) connected() bool {
	reached := make([]bool, len(k.ends))
	var from func(b int)
	from = func(b int) {
		if b == returns || b == len(k.ends) || reached[b] {
			return
		}
		reached[b] = true
		from(k.ends[b].to)
		if k.ends[b].guard != always {
			from(b + 1)
		}
	}
	from(0)
	for _, r := range reached {
		if !r {
			return false
		}
	}
	return true
}

// asks says whether some block has such a guard.
func (k *smallKernel) asks(guard int) bool {
	for _, e := range k.ends {
		if e.guard == guard {
			return true
		}
	}
	return false
}

// stride is how many bytes of words the threads of a block have, and its warps.
const (
	stride      = 64
	warpsStride = stride / 32
)

// smallPrologue loads the words of the thread, of the warp and of the block.
var smallPrologue = fmt.Sprintf(`.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 own, .param .u64 warps, .param .u64 shared) {
	.reg .b32 %%t, %%b, %%x, %%own, %%warp, %%all, %%c; .reg .b64 %%a, %%d; .reg .pred %%p;
	mov.u32 %%t, %%tid.x; mov.u32 %%b, %%ctaid.x;
	ld.param.u64 %%a, [own]; mad.lo.u32 %%x, %%b, %d, %%t; cvt.u64.u32 %%d, %%x; add.u64 %%d, %%a, %%d; ld.global.u8 %%own, [%%d];
	ld.param.u64 %%a, [warps]; shr.u32 %%x, %%t, 5; mad.lo.u32 %%x, %%b, %d, %%x; cvt.u64.u32 %%d, %%x; add.u64 %%d, %%a, %%d; ld.global.u8 %%warp, [%%d];
	ld.param.u64 %%a, [shared]; cvt.u64.u32 %%d, %%b; add.u64 %%d, %%a, %%d; ld.global.u8 %%all, [%%d];
	mov.u32 %%c, 1;
`, stride, warpsStride)

// String is the kernel in PTX. In %c is the block that the thread executed before.
func (k *smallKernel) String() string {
	var out strings.Builder
	out.WriteString(smallPrologue)
	for b, e := range k.ends {
		fmt.Fprintf(&out, "B%d:", b)
		if k.barriers[b] {
			out.WriteString(" bar.sync 0;")
		}
		guard := "@%p "
		switch e.guard {
		case always:
			guard = ""
		case ofLane, ofWarp, ofAll:
			word := map[int]string{ofLane: "%own", ofWarp: "%warp", ofAll: "%all"}[e.guard]
			fmt.Fprintf(&out, " and.b32 %%x, %s, 1; setp.ne.u32 %%p, %%x, 0; shr.u32 %s, %s, 1;", word, word, word)
		case ofOne:
			out.WriteString(" and.b32 %x, %own, 1; setp.ne.u32 %p, %x, 0; shr.u32 %own, %own, 1; bar.red.popc.u32 %x, 0, %p; setp.eq.u32 %p, %x, 1;")
		case ofFirst:
			out.WriteString(" setp.eq.u32 %p, %t, 0; bar.red.or.pred %p, 0, %p;")
		case ofBefore:
			out.WriteString(" and.b32 %x, %c, 1; setp.eq.u32 %p, %x, 0;")
		}
		fmt.Fprintf(&out, " mov.u32 %%c, %d;", b)
		switch {
		case e.guard == always && e.to == b+1:
		case e.to == returns:
			fmt.Fprintf(&out, " %sret;", guard)
		case e.to == len(k.ends):
			fmt.Fprintf(&out, " %sbra E;", guard)
		default:
			fmt.Fprintf(&out, " %sbra B%d;", guard, e.to)
		}
		out.WriteString("\n")
	}
	out.WriteString("E: ret;\n}\n")
	return out.String()
}

// data are the words of a block.
type data struct {
	own    [stride]byte
	warps  [warpsStride]byte
	shared byte
}

// word is the number of the word that a thread has.
func (s *Scope) word(thread int) int {
	if s.Threads <= 32 {
		return thread
	}
	return min(thread, 1) + thread/32
}

// allData lists all data that make a difference to a kernel.
func (s *Scope) allData(k *smallKernel) []data {
	last := s.Threads - 1
	own, warps, shared := s.Bits*(s.word(last)+1), s.Bits*(last/32+1), s.SharedBits
	if !k.asks(ofLane) && !k.asks(ofOne) {
		own = 0
	}
	if !k.asks(ofWarp) {
		warps = 0
	}
	if !k.asks(ofAll) {
		shared = 0
	}
	out := make([]data, 1<<(own+warps+shared))
	for i := range out {
		d := &out[i]
		for t := range s.Threads {
			d.own[t] = bitsAt(i, s.Bits*s.word(t), min(own, s.Bits))
			d.warps[t/32] = bitsAt(i>>own, s.Bits*(t/32), min(warps, s.Bits))
		}
		d.shared = bitsAt(i>>(own+warps), 0, shared)
	}
	return out
}

// bitsAt are so many bits of a number.
func bitsAt(i, from, count int) byte { return byte(i >> from & (1<<count - 1)) }
