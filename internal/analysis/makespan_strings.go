package analysis

import (
	"slices"

	"github.com/warpbound/warpbound/internal/method/makespan"
	"github.com/warpbound/warpbound/internal/seq"
)

// instance is the problem of identical warps. A capacity of σ warps a cycle is σ
// times the warp size in the units of Berezovskyi2012.
func (a *abstraction) instance(p *makespan.Pattern, warps int64) (*makespan.Instance, error) {
	size := int64(a.r.Machine.Desc.SM.WarpSize)
	units := make([]makespan.Unit, len(a.letters))
	for i, letter := range a.letters {
		units[i] = makespan.Unit{Letter: letter, Count: a.capacity[i] * size}
	}
	return p.Instance(units, size, warps)
}

// mostCompared is the largest length of strings that are compared letter by letter,
// where they are folded differently.
const mostCompared = 1 << 20

// letterString is the number of the string of letters that a recorded sequence
// becomes; equal strings have equal numbers. Strings of more than mostCompared
// letters that are folded differently count as different.
func (a *abstraction) letterString(s *seq.Seq) (int, error) {
	if id, ok := a.stringOf[s]; ok {
		return id, nil
	}
	q, err := a.lettered(s)
	if err != nil {
		return 0, err
	}
	for _, id := range a.hashed[q.Hash()] {
		known := a.strings[id]
		if seq.Equal(q, known) || q.Len() == known.Len() && q.Len() <= mostCompared &&
			slices.Equal(slices.Collect(q.All()), slices.Collect(known.All())) {
			a.stringOf[s] = id
			return id, nil
		}
	}
	id := len(a.strings)
	a.strings = append(a.strings, q)
	a.hashed[q.Hash()] = append(a.hashed[q.Hash()], id)
	a.stringOf[s] = id
	return id, nil
}

// shortRun is up to how many letters an instruction is written out.
const shortRun = 8

// lettered is a recorded sequence over letters, with its folding kept.
func (a *abstraction) lettered(s *seq.Seq) (*seq.Seq, error) {
	if q, ok := a.letteredOf[s]; ok {
		return q, nil
	}
	var items []seq.Item
	for _, it := range s.Items() {
		var run []int32
		for _, sym := range it.Symbols {
			x := a.r.Path.Symbols[sym]
			t := &a.r.Timing[x.PC]
			letter, k := int32(a.letters[a.kindOf[t.Unit]]), t.Initiation(int(x.Transactions))
			if k > shortRun {
				items = append(items, seq.Run(run...), seq.Repeat(k, seq.Must(seq.Run(letter))))
				run = nil
				continue
			}
			for range k {
				run = append(run, letter)
			}
		}
		items = append(items, seq.Run(run...))
		if it.Body != nil {
			inner, err := a.lettered(it.Body)
			if err != nil {
				return nil, err
			}
			items = append(items, seq.Repeat(it.Count, inner))
		}
	}
	q, err := seq.New(items...)
	if err != nil {
		return nil, err
	}
	a.letteredOf[s] = q
	return q, nil
}

// pattern is string number id.
func (a *abstraction) pattern(id int) (*makespan.Pattern, error) {
	body, err := a.body(a.strings[id])
	if err != nil {
		return nil, err
	}
	return body.Pattern(MaxMakespanText)
}

func (a *abstraction) body(s *seq.Seq) (*makespan.Body, error) {
	if b, ok := a.bodies[s]; ok {
		return b, nil
	}
	b := &makespan.Body{}
	for _, it := range s.Items() {
		for _, letter := range it.Symbols {
			if err := b.Letter(byte(letter), 1); err != nil {
				return nil, err
			}
		}
		if it.Body == nil {
			continue
		}
		inner, err := a.body(it.Body)
		if err != nil {
			return nil, err
		}
		if err := b.Repeat(inner, it.Count); err != nil {
			return nil, err
		}
	}
	a.bodies[s] = b
	return b, nil
}
