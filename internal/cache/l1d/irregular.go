package l1d

import (
	"fmt"

	"github.com/warpbound/warpbound/isa"
)

// Irregularity says why an access comes at a point before one that its block
// has passed.
type Irregularity uint8

// The reasons.
const (
	// Divergence: the warp's lanes parted and met again in a way that does not
	// nest as branches and loops do, so that the warp itself goes back.
	Divergence Irregularity = iota
	// Synchronisation: the warp waited for another one that stood at a later
	// point: the two sides of a barrier are at different places of the program.
	Synchronisation
)

func (r Irregularity) String() string {
	return [...]string{"divergence", "synchronisation"}[r]
}

// Irregular is an access at a point before one that its block has passed. The
// Order remains an order that hardware can follow; one by program points alone
// would wait for this access before it lets pass what the access waits for.
type Irregular struct {
	Reason      Irregularity
	Block       int64
	Warp        int   // whose channel would be waited at
	Index       int64 // of its access
	PC          int32
	Pos         isa.Position
	BehindWarp  int // of the same block, or the same: whose access has passed
	BehindPC    int32
	BehindPos   isa.Position
	Instruction string // opcode of the access
}

// Error says what an order by program points alone would wait for, and why it
// never comes.
func (e *Irregular) Error() string {
	who := fmt.Sprintf("block %d, warp %d", e.Block, e.Warp)
	expected := fmt.Sprintf("access %d (%s at pc %d)", e.Index, e.Instruction, e.PC)
	if e.Reason == Divergence {
		return fmt.Sprintf("%s: %v: the channel of %s would wait for %s before the access at pc %d (%s) that the warp itself makes first, because its lanes diverge without nesting",
			e.Pos, ErrIrregular, who, expected, e.BehindPC, e.BehindPos)
	}
	return fmt.Sprintf("%s: %v: the channel of %s would wait for %s, which was behind a barrier when the access of warp %d at pc %d (%s) came",
		e.Pos, ErrIrregular, who, expected, e.BehindWarp, e.BehindPC, e.BehindPos)
}

// Unwrap is ErrIrregular.
func (e *Irregular) Unwrap() error { return ErrIrregular }

// note counts an access that comes at a point before one that its block has
// passed, or that the warp itself has (back).
func (o *Order) note(w *orderWarp, back bool) error {
	o.irregular++
	if o.first != nil {
		return nil
	}
	reason, behind := Synchronisation, &w.owner.latest
	if back {
		reason, behind = Divergence, &w.latest
	}
	in := o.points.program.Instructions
	e := &Irregular{
		Reason: reason, Block: w.access.Block, Warp: w.access.Warp, Index: w.access.Index, PC: w.access.PC,
		Pos: in[w.access.PC].Pos, Instruction: in[w.access.PC].Opcode,
		BehindWarp: behind.warp, BehindPC: behind.pc, BehindPos: in[behind.pc].Pos,
	}
	o.first = e
	if o.opt.Strict {
		return e
	}
	return nil
}

// Irregular is the number of accesses sent so far at a point before one that
// their block had passed, and the first of them.
func (o *Order) Irregular() (count int64, first *Irregular) { return o.irregular, o.first }
