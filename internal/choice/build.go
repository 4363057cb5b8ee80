package choice

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/warpbound/warpbound/internal/seq"
)

// Builder makes expressions, each once. The zero value is not usable; see
// NewBuilder. It is not safe for concurrent use; what it made is.
type Builder struct {
	nodes map[string]*Expr
	seqs  map[*seq.Seq]*Expr
	empty *Expr
	next  int32
	key   []byte
}

// NewBuilder returns a builder that has made nothing yet.
func NewBuilder() *Builder {
	b := &Builder{nodes: map[string]*Expr{}, seqs: map[*seq.Seq]*Expr{}}
	b.empty = b.intern(Expr{kind: Empty})
	return b
}

// Nodes is the number of different expressions made so far, parts included.
func (b *Builder) Nodes() int { return int(b.next) }

// A Concat that is itself a part of a Concat is dissolved, and neighbouring runs
// become one, as long as the result stays small: a shared piece is not copied
// without limit.
const (
	maxDissolved = 64      // parts of a Concat inside a Concat
	maxRun       = 1 << 12 // symbols of runs joined
)

// Empty is the one path without symbols.
func (b *Builder) Empty() *Expr { return b.empty }

// Run is the one path of the given symbols, which are copied. A negative symbol
// is an error.
func (b *Builder) Run(symbols ...int32) (*Expr, error) {
	for i, s := range symbols {
		if s < 0 {
			return nil, fmt.Errorf("symbol %d of a run is %d, expected at least 0", i, s)
		}
	}
	if len(symbols) == 0 {
		return b.empty, nil
	}
	return b.intern(Expr{kind: Run, symbols: symbols, length: int64(len(symbols))}), nil
}

// Concat is a path of every part, in order.
func (b *Builder) Concat(parts ...*Expr) (*Expr, error) {
	if err := b.check(parts...); err != nil {
		return nil, err
	}
	var out []*Expr
	var run []int32 // of the runs at the end of out, joined
	flush := func() {
		if len(run) > 0 {
			out = append(out, b.intern(Expr{kind: Run, symbols: run, length: int64(len(run))}))
			run = run[:0]
		}
	}
	push := func(x *Expr) {
		switch {
		case x.kind == Empty:
		case x.kind == Run && len(run)+len(x.symbols) <= maxRun:
			run = append(run, x.symbols...)
		default:
			flush()
			if x.kind == Run && len(x.symbols) < maxRun {
				run = append(run, x.symbols...)
				return
			}
			out = append(out, x)
		}
	}
	for _, p := range parts {
		if p.kind == Concat && len(p.parts) <= maxDissolved {
			for _, q := range p.parts {
				push(q)
			}
			continue
		}
		push(p)
	}
	flush()
	switch len(out) {
	case 0:
		return b.empty, nil
	case 1:
		return out[0], nil
	}
	e := Expr{kind: Concat, parts: out}
	for _, p := range out {
		e.choices = e.choices || p.choices
	}
	return b.sized(e, out...)
}

// Any is a path of each of any selection of the parts, in any order: each part
// at most once, possibly none.
func (b *Builder) Any(parts ...*Expr) (*Expr, error) {
	if err := b.check(parts...); err != nil {
		return nil, err
	}
	var out []*Expr
	for _, p := range parts {
		if p = p.required(); p.kind != Empty {
			out = append(out, p)
		}
	}
	sortByID(out)
	switch {
	case len(out) == 0:
		return b.empty, nil
	case out[0] == out[len(out)-1]: // all are equal
		return b.AtMost(int64(len(out)), out[0])
	}
	return b.sized(Expr{kind: Any, parts: out, choices: true}, out...)
}

// One is a path of exactly one of the parts. Without any part there is no path,
// which is an error.
func (b *Builder) One(parts ...*Expr) (*Expr, error) {
	if len(parts) == 0 {
		return nil, errors.New("a choice of one out of no parts has no path, expected at least one part")
	}
	if err := b.check(parts...); err != nil {
		return nil, err
	}
	var out []*Expr
	optional := false
	for _, p := range parts {
		q := p.required()
		optional = optional || q != p || q.kind == Empty
		switch q.kind {
		case Empty:
		case One:
			out = append(out, q.parts...)
		default:
			out = append(out, q)
		}
	}
	sortByID(out)
	out = slices.Compact(out)
	if len(out) == 0 {
		return b.empty, nil
	}
	e := out[0]
	if len(out) > 1 {
		longest := int64(0)
		for _, p := range out {
			longest = max(longest, p.length)
		}
		e = b.intern(Expr{kind: One, parts: out, choices: true, length: longest})
	}
	if optional {
		return b.AtMost(1, e)
	}
	return e, nil
}

// Repeat is a path of the body, exactly n times. A negative count is an error.
func (b *Builder) Repeat(n int64, body *Expr) (*Expr, error) {
	if err := b.checkLoop(n, body); err != nil {
		return nil, err
	}
	switch {
	case n == 0 || body.kind == Empty:
		return b.empty, nil
	case n == 1:
		return body, nil
	case body.kind == Repeat || body.kind == AtMost && body.tag == 0:
		// n times up to m times is up to n*m times.
		if n > math.MaxInt64/body.count {
			return nil, seq.ErrTooLong
		}
		return b.loop(body.kind, n*body.count, 0, body.body)
	}
	return b.loop(Repeat, n, 0, body)
}

// AtMost is a path of the body, 0 to n times. A negative count is an error.
func (b *Builder) AtMost(n int64, body *Expr) (*Expr, error) { return b.AtMostOf(0, n, body) }

// AtMostOf is AtMost with a tag that names the count, above 0: it may be known to be less
// than n where more is known than the builder knows. Such a count is not merged with
// others.
func (b *Builder) AtMostOf(tag int32, n int64, body *Expr) (*Expr, error) {
	if err := b.checkLoop(n, body); err != nil {
		return nil, err
	}
	switch {
	case n == 0 || body.kind == Empty:
		return b.empty, nil
	case tag == 0 && body.kind == AtMost && body.tag == 0:
		if n > math.MaxInt64/body.count {
			return nil, seq.ErrTooLong
		}
		return b.loop(AtMost, n*body.count, 0, body.body)
	}
	return b.loop(AtMost, n, tag, body)
}

func (b *Builder) loop(kind Kind, n int64, tag int32, body *Expr) (*Expr, error) {
	if n > math.MaxInt64/body.length {
		return nil, seq.ErrTooLong
	}
	return b.intern(Expr{kind: kind, count: n, tag: tag, body: body, choices: kind == AtMost || body.choices, length: n * body.length}), nil
}

// FromSeq is the one path of a folded sequence.
func (b *Builder) FromSeq(s *seq.Seq) (*Expr, error) {
	if e := b.seqs[s]; e != nil {
		return e, nil
	}
	var parts []*Expr
	for _, it := range s.Items() {
		var p *Expr
		var err error
		if it.Body == nil {
			p, err = b.Run(it.Symbols...)
		} else if p, err = b.FromSeq(it.Body); err == nil {
			p, err = b.Repeat(it.Count, p)
		}
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	e, err := b.Concat(parts...)
	if err == nil {
		b.seqs[s] = e
	}
	return e, err
}

// Replace is e, which may be of another builder, with an expression of b in the place of
// each symbol.
func (b *Builder) Replace(e *Expr, with func(symbol int32) *Expr) (*Expr, error) {
	made := make([]*Expr, e.id+1)
	err := e.visit(func(x *Expr) error {
		parts := make([]*Expr, len(x.parts))
		for i, p := range x.parts {
			parts[i] = made[p.id]
		}
		var err error
		switch x.kind {
		case Empty:
			made[x.id] = b.empty
		case Run:
			for _, s := range x.symbols {
				parts = append(parts, with(s))
			}
			made[x.id], err = b.Concat(parts...)
		case Concat:
			made[x.id], err = b.Concat(parts...)
		case Any:
			made[x.id], err = b.Any(parts...)
		case One:
			made[x.id], err = b.One(parts...)
		case Repeat:
			made[x.id], err = b.Repeat(x.count, made[x.body.id])
		case AtMost:
			made[x.id], err = b.AtMostOf(x.tag, x.count, made[x.body.id])
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return made[e.id], nil
}

// required is e where its being optional makes no difference: the body of what
// comes at most once.
func (e *Expr) required() *Expr {
	if e.kind == AtMost && e.count == 1 {
		return e.body
	}
	return e
}

func sortByID(list []*Expr) {
	slices.SortFunc(list, func(x, y *Expr) int { return int(x.id - y.id) })
}

func (b *Builder) check(parts ...*Expr) error {
	for i, p := range parts {
		if p == nil || p.owner != b {
			return fmt.Errorf("part %d is not an expression of this builder", i)
		}
	}
	return nil
}

func (b *Builder) checkLoop(n int64, body *Expr) error {
	if n < 0 {
		return fmt.Errorf("a body comes %d times, expected at least 0", n)
	}
	return b.check(body)
}

// sized interns an expression whose longest path is those of the parts together.
func (b *Builder) sized(e Expr, parts ...*Expr) (*Expr, error) {
	for _, p := range parts {
		if e.length > math.MaxInt64-p.length {
			return nil, seq.ErrTooLong
		}
		e.length += p.length
	}
	return b.intern(e), nil
}

// intern returns the node that equals e, made now if there is none. Slices of
// symbols are copied then.
func (b *Builder) intern(e Expr) *Expr {
	k := append(b.key[:0], byte(e.kind))
	k = binary.AppendVarint(k, e.count)
	k = binary.AppendVarint(k, int64(e.tag))
	if e.body != nil {
		k = binary.AppendUvarint(k, uint64(e.body.id))
	}
	for _, p := range e.parts {
		k = binary.AppendUvarint(k, uint64(p.id))
	}
	for _, s := range e.symbols {
		k = binary.AppendUvarint(k, uint64(s))
	}
	b.key = k
	if x, ok := b.nodes[string(k)]; ok {
		return x
	}
	e.id, e.owner = b.next, b
	e.symbols = slices.Clone(e.symbols)
	b.next++
	b.nodes[string(k)] = &e
	return &e
}
