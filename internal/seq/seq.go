package seq

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"math/bits"
)

// ErrTooLong reports a sequence whose unfolded length does not fit an int64.
var ErrTooLong = errors.New("sequence is longer than 2^63-1 symbols")

// Item is one part of a Seq: a run of symbols (Body is nil) or Count
// repetitions of Body (Symbols is nil). An Item is made by Run or Repeat.
type Item struct {
	Symbols []int32
	Count   int64
	Body    *Seq
}

// Run makes an item of the given symbols. The slice is kept, not copied.
func Run(symbols ...int32) Item { return Item{Symbols: symbols} }

// Repeat makes an item of count repetitions of body.
func Repeat(count int64, body *Seq) Item { return Item{Count: count, Body: body} }

// Seq is a folded sequence of symbols. It is not changed after New, so it may
// be shared between goroutines and used as the body of several repetitions.
type Seq struct {
	items  []Item
	length int64
	hash   uint64
	power  uint64 // base^length, to hash concatenations
	depth  int
}

// New makes a sequence of the given items. Empty items are left out. A negative
// count, a negative symbol, and a length beyond int64 are errors.
func New(items ...Item) (*Seq, error) {
	s := &Seq{power: 1}
	for i, it := range items {
		if it.Body == nil {
			if it.Count != 0 {
				return nil, fmt.Errorf("item %d: a repetition of %d needs a body", i, it.Count)
			}
			for j, sym := range it.Symbols {
				if sym < 0 {
					return nil, fmt.Errorf("item %d, symbol %d: %d is negative", i, j, sym)
				}
			}
			if len(it.Symbols) == 0 {
				continue
			}
		} else {
			if len(it.Symbols) != 0 {
				return nil, fmt.Errorf("item %d has both symbols and a body", i)
			}
			if it.Count < 0 {
				return nil, fmt.Errorf("item %d: count %d is negative", i, it.Count)
			}
			if it.Count == 0 || it.Body.length == 0 {
				continue
			}
		}
		if err := s.push(it); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Must is New for sequences known to be good, such as tests' literals; it
// panics where New returns an error.
func Must(items ...Item) *Seq {
	s, err := New(items...)
	if err != nil {
		panic(err)
	}
	return s
}

func (s *Seq) push(it Item) error {
	var n int64
	var h, p uint64
	if it.Body == nil {
		n, p = int64(len(it.Symbols)), 1
		for _, sym := range it.Symbols {
			h = addMod(mulMod(h, hashBase), uint64(sym)+1)
			p = mulMod(p, hashBase)
		}
	} else {
		if it.Count > math.MaxInt64/it.Body.length {
			return ErrTooLong
		}
		n = it.Count * it.Body.length
		h, p = repeatHash(it.Body.hash, it.Body.power, it.Count)
		s.depth = max(s.depth, it.Body.depth+1)
	}
	if s.length > math.MaxInt64-n {
		return ErrTooLong
	}
	s.items = append(s.items, it)
	s.length += n
	s.hash = addMod(mulMod(s.hash, p), h)
	s.power = mulMod(s.power, p)
	return nil
}

// Items returns the parts of s in order; the caller must not change them.
func (s *Seq) Items() []Item { return s.items }

// Len is the number of symbols of the unfolded sequence.
func (s *Seq) Len() int64 { return s.length }

// Depth is the deepest nesting of repetitions, 0 for a plain run.
func (s *Seq) Depth() int { return s.depth }

// Hash is a hash of the unfolded sequence: two foldings of the same sequence
// have the same hash.
func (s *Seq) Hash() uint64 { return s.hash }

// Equal tells whether a and b are folded in the same way over the same symbols.
// Two different foldings of one sequence are not Equal, though their hashes
// agree. Bodies shared by pointer are compared once, not once per use.
func Equal(a, b *Seq) bool {
	if a == b {
		return true
	}
	if a.length != b.length || a.hash != b.hash || len(a.items) != len(b.items) {
		return false
	}
	for i := range a.items {
		x, y := &a.items[i], &b.items[i]
		if (x.Body == nil) != (y.Body == nil) || x.Count != y.Count || len(x.Symbols) != len(y.Symbols) {
			return false
		}
		for j := range x.Symbols {
			if x.Symbols[j] != y.Symbols[j] {
				return false
			}
		}
		if x.Body != nil && !Equal(x.Body, y.Body) {
			return false
		}
	}
	return true
}

// All yields every symbol of the unfolded sequence, in order.
func (s *Seq) All() iter.Seq[int32] {
	return func(yield func(int32) bool) { s.walk(yield) }
}

func (s *Seq) walk(yield func(int32) bool) bool {
	for _, it := range s.items {
		for _, sym := range it.Symbols {
			if !yield(sym) {
				return false
			}
		}
		for range it.Count {
			if !it.Body.walk(yield) {
				return false
			}
		}
	}
	return true
}

// Counts adds to counts[x] the number of times symbol x occurs in the unfolded
// sequence, each multiplied by times. It fails on a symbol that counts does not
// hold and where a count leaves int64.
func (s *Seq) Counts(times int64, counts []int64) error {
	for _, it := range s.items {
		for _, sym := range it.Symbols {
			if int(sym) >= len(counts) {
				return fmt.Errorf("symbol %d is outside the table of %d", sym, len(counts))
			}
			if counts[sym] > math.MaxInt64-times {
				return ErrTooLong
			}
			counts[sym] += times
		}
		if it.Body != nil {
			if times > math.MaxInt64/it.Count {
				return ErrTooLong
			}
			if err := it.Body.Counts(times*it.Count, counts); err != nil {
				return err
			}
		}
	}
	return nil
}

// The hash is polynomial over the prime field of 2^61-1, so that the hash of a
// repetition follows from its body's without unfolding it.
const (
	hashMod  = 1<<61 - 1
	hashBase = 0x0b2f_7c5d_91e3_4a67
)

func addMod(a, b uint64) uint64 {
	c := a + b
	if c >= hashMod {
		c -= hashMod
	}
	return c
}

func mulMod(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return addMod(lo&hashMod, (hi<<3|lo>>61)&hashMod)
}

// repeatHash gives the hash and the power of n repetitions of a body with hash
// h and power p, by doubling.
func repeatHash(h, p uint64, n int64) (uint64, uint64) {
	rh, rp := uint64(0), uint64(1)
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			rh, rp = addMod(mulMod(rh, p), h), mulMod(rp, p)
		}
		h, p = addMod(mulMod(h, p), h), mulMod(p, p)
	}
	return rh, rp
}
