package inputs

import (
	"maps"
	"math/bits"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

// tripCounts counts how often threads go back to the heads of loops, for each time they
// come from outside and each activation of a function.
type tripCounts struct {
	program *isa.Program
	loops   []loop
	threads map[thread]*activations
	most    map[int32]int64 // by head
	// total and ways are the most ways back in all, of a thread and of a warp.
	total, ways map[int32]int64
	inAll       map[thread]map[int32]int64 // of the execution in progress; of warps with lane -1
	// seen are the same for an entry, of a thread and of a warp, of all executions,
	// whether they ended well or not.
	seen [3]map[int32]int64
}

type loop struct {
	head int32
	in   map[int32]bool
}

type thread struct {
	block int64
	warp  int
	lane  int
}

// activations are the functions that a thread is in.
type activations struct{ stack []activation }

type activation struct {
	last  int32 // instruction executed
	count map[int32]int64
}

func newTripCounts(p *isa.Program) (*tripCounts, error) {
	t := &tripCounts{program: p, most: map[int32]int64{}, total: map[int32]int64{}, ways: map[int32]int64{},
		seen: [3]map[int32]int64{{}, {}, {}}}
	for fn := range p.Functions {
		c, err := isa.BuildCFG(p.Threads(), fn)
		if err != nil {
			return nil, err
		}
		for _, l := range isa.Loops(c) {
			in := map[int32]bool{}
			for _, b := range l.Blocks {
				for pc := c.Blocks[b].First; pc < c.Blocks[b].End; pc++ {
					in[pc] = true
				}
			}
			t.loops = append(t.loops, loop{c.Blocks[l.Header].First, in})
			t.most[c.Blocks[l.Header].First] = 0
		}
	}
	return t, nil
}

// begin begins another execution, whose counts are kept only if it is good.
func (t *tripCounts) begin() map[int32]int64 {
	t.threads, t.inAll = map[thread]*activations{}, map[thread]map[int32]int64{}
	return maps.Clone(t.most)
}

func (t *tripCounts) step(block int64, warp int, s *simt.Step) {
	back := false
	for m := uint32(s.Active); m != 0; m &= m - 1 {
		at := thread{block, warp, bits.TrailingZeros32(m)}
		a := t.threads[at]
		if a == nil {
			a = &activations{[]activation{{last: isa.NoPC, count: map[int32]int64{}}}}
			t.threads[at] = a
		}
		if t.thread(a, s.PC) {
			back = true
			t.inAllOf(at, s.PC, t.total, t.seen[1])
		}
	}
	if back {
		t.inAllOf(thread{block, warp, -1}, s.PC, t.ways, t.seen[2])
	}
}

// inAllOf counts a way back of a thread or a warp.
func (t *tripCounts) inAllOf(at thread, head int32, most ...map[int32]int64) {
	if t.inAll[at] == nil {
		t.inAll[at] = map[int32]int64{}
	}
	t.inAll[at][head]++
	for _, m := range most {
		m[head] = max(m[head], t.inAll[at][head])
	}
}

// thread moves a thread to an instruction, and says whether it goes back to a head.
func (t *tripCounts) thread(a *activations, pc int32) (back bool) {
	top := &a.stack[len(a.stack)-1]
	if last := top.last; last != isa.NoPC {
		switch t.program.Instructions[last].Kind {
		case isa.Call:
			if pc != last+1 {
				a.stack = append(a.stack, activation{last: isa.NoPC, count: map[int32]int64{}})
			}
		case isa.Return:
			if n := len(a.stack); n > 1 && pc == a.stack[n-2].last+1 && pc != last+1 {
				a.stack = a.stack[:n-1]
			}
		}
		top = &a.stack[len(a.stack)-1]
	}
	for i := range t.loops {
		l := &t.loops[i]
		switch {
		case !l.in[pc]:
		case top.last == isa.NoPC || !l.in[top.last]:
			top.count[l.head] = 0
		case l.head == pc:
			back = true
			top.count[pc]++
			t.most[pc] = max(t.most[pc], top.count[pc])
			t.seen[0][pc] = max(t.seen[0][pc], top.count[pc])
		}
	}
	top.last = pc
	return back
}
