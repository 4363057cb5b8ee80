package makespan

import (
	"fmt"
	"math"
)

// Kind is a kind of unit, with what one cycle of it can do (Berezovskyi2012,
// Section 3, eq. 1-2).
type Kind struct {
	Letter byte `json:"-"`
	// Units is the number of units of the kind on the SM: threads per cycle.
	Units int64 `json:"units"`
	// Capacity is σ, how many warps may execute an instruction of the kind in one
	// cycle, at least 1.
	Capacity int64 `json:"capacity"`
	// Repeat is the number of instructions that one letter of the source becomes:
	// more than 1 where the kind has fewer units than a warp has threads.
	Repeat int64 `json:"repeat"`
	// Idle is the number of units that no warp fills, where the warp size does not
	// divide Units and Capacity is rounded down.
	Idle int64 `json:"idle,omitempty"`
	// Count is the number of instructions of the kind in the transformed string.
	Count int64 `json:"count"`
}

// MaxCode is the longest transformed string that is kept letter by letter. Longer
// ones have counts only, which is all that the closed forms need.
const MaxCode = 1 << 20

// Instance is a makespan problem: W identical warps, the transformed instruction
// string and the kinds it uses. It is immutable.
type Instance struct {
	// Source is the string as given.
	Source string
	// Kinds are the kinds that the string uses, in the order of their letters.
	Kinds []Kind
	// Code is the transformed string, an index into Kinds per instruction; nil
	// where Length is above MaxCode.
	Code []uint8
	// Length is the number of instructions of the transformed string (I).
	Length int64
	// WarpSize is the number of threads of a warp (S).
	WarpSize int64
	// Warps is the number of warps (W).
	Warps int64
}

// Unit is the number of units of a kind, as the user states it.
type Unit struct {
	Letter byte
	Count  int64
}

// New reads a string over the letters of units and reduces it (Berezovskyi2012,
// Section 3): a kind with k times fewer units than a warp has threads turns each
// of its letters into k, with capacity 1. The string may repeat letters and groups,
// L2C(LC)10 (see ParseString); letters are upper case in the result.
//
// Errors are *SyntaxError for the string and *UnitError for the units.
func New(source string, units []Unit, warpSize, warps int64) (*Instance, error) {
	pattern, err := ParseString(source)
	if err != nil {
		return nil, err
	}
	return pattern.Instance(units, warpSize, warps)
}

// Instance reduces the pattern as New does.
func (p *Pattern) Instance(units []Unit, warpSize, warps int64) (*Instance, error) {
	if warpSize < 1 {
		return nil, &UnitError{Reason: fmt.Sprintf("a warp of %d threads, expected at least 1", warpSize)}
	}
	if warps < 1 {
		return nil, &UnitError{Reason: fmt.Sprintf("%d warps, expected at least 1", warps)}
	}
	in := &Instance{Source: p.source, WarpSize: warpSize, Warps: warps}
	kinds, err := kindsOf(units, warpSize)
	if err != nil {
		return nil, err
	}
	var index [256]int
	for letter, n := range p.counts {
		if n == 0 {
			continue
		}
		k := kinds[letter]
		if k == nil {
			return nil, p.unknown(byte(letter), units)
		}
		if n > math.MaxInt64/k.Repeat || in.Length > math.MaxInt64-n*k.Repeat {
			return nil, &SyntaxError{Source: p.source, Offset: 0, Reason: "more than 2^63 instructions"}
		}
		k.Count = n * k.Repeat
		in.Length += k.Count
		index[letter] = len(in.Kinds)
		in.Kinds = append(in.Kinds, *k)
	}
	if in.Length <= MaxCode {
		in.Code = make([]uint8, 0, in.Length)
		p.each(func(letter byte) {
			k := index[letter]
			for range in.Kinds[k].Repeat {
				in.Code = append(in.Code, uint8(k))
			}
		})
	}
	return in, nil
}

func kindsOf(units []Unit, warpSize int64) (*[256]*Kind, error) {
	var kinds [256]*Kind
	for _, u := range units {
		letter := upper(u.Letter)
		if letter < 'A' || letter > 'Z' {
			return nil, &UnitError{Letter: u.Letter, Reason: "expected a letter"}
		}
		if kinds[letter] != nil {
			return nil, &UnitError{Letter: letter, Reason: "stated twice"}
		}
		k := &Kind{Letter: letter, Units: u.Count, Capacity: 1, Repeat: 1}
		switch {
		case u.Count < 1:
			return nil, &UnitError{Letter: letter, Reason: fmt.Sprintf("%d units, expected at least 1", u.Count)}
		case u.Count >= warpSize:
			k.Capacity = u.Count / warpSize
			k.Idle = u.Count % warpSize
		case warpSize%u.Count == 0:
			k.Repeat = warpSize / u.Count
		default:
			return nil, &UnitError{Letter: letter, Reason: fmt.Sprintf(
				"%d units do not divide a warp of %d threads, nor does the warp fit them", u.Count, warpSize)}
		}
		kinds[letter] = k
	}
	return &kinds, nil
}

// WithWarps is the same problem with another number of warps, at least 1.
func (in *Instance) WithWarps(warps int64) *Instance {
	out := *in
	out.Warps = warps
	return &out
}

// Text is the transformed string in letters, or "" where Code is nil.
func (in *Instance) Text() string {
	b := make([]byte, len(in.Code))
	for i, k := range in.Code {
		b[i] = in.Kinds[k].Letter
	}
	return string(b)
}

// Capacities are the σ of the kinds, in the order of Kinds.
func (in *Instance) Capacities() []int64 {
	out := make([]int64, len(in.Kinds))
	for i, k := range in.Kinds {
		out[i] = k.Capacity
	}
	return out
}

// UnitError is a bad number of units, warps or threads.
type UnitError struct {
	Letter byte // 0 where it is not about a kind
	Reason string
}

func (e *UnitError) Error() string {
	if e.Letter == 0 {
		return e.Reason
	}
	return fmt.Sprintf("units %q: %s", string(rune(e.Letter)), e.Reason)
}
