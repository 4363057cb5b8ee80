package choice

import (
	"fmt"
	"iter"
	"strings"

	"github.com/warpbound/warpbound/internal/seq"
)

// Seq returns e as a folded sequence where e has no choice, and false where it
// has. Shared nodes become shared bodies.
func (e *Expr) Seq() (*seq.Seq, bool) {
	if e.choices {
		return nil, false
	}
	items := make([][]seq.Item, e.id+1)
	err := e.visit(func(x *Expr) error {
		switch x.kind {
		case Run:
			items[x.id] = []seq.Item{seq.Run(x.symbols...)}
		case Concat:
			for _, p := range x.parts {
				if p.kind != Concat {
					items[x.id] = append(items[x.id], items[p.id]...)
					continue
				}
				part, err := seq.New(items[p.id]...)
				if err != nil {
					return err
				}
				items[x.id] = append(items[x.id], seq.Repeat(1, part))
			}
		case Repeat:
			body, err := seq.New(items[x.body.id]...)
			if err != nil {
				return err
			}
			items[x.id] = []seq.Item{seq.Repeat(x.count, body)}
		}
		return nil
	})
	if err != nil {
		return nil, false
	}
	s, err := seq.New(items[e.id]...)
	return s, err == nil
}

// Paths yields every path of e, some more than once. There may be very many; the
// slice is valid until the next one.
func (e *Expr) Paths() iter.Seq[[]int32] {
	return func(yield func([]int32) bool) {
		var path []int32
		e.extend(&path, func() bool { return yield(path) })
	}
}

// extend appends every path of e in turn and calls then for each.
func (e *Expr) extend(path *[]int32, then func() bool) bool {
	length := len(*path)
	defer func() { *path = (*path)[:length] }()
	switch e.kind {
	case Run:
		*path = append(*path, e.symbols...)
		return then()
	case Concat:
		return extendAll(e.parts, path, then)
	case One:
		for _, p := range e.parts {
			if !p.extend(path, then) {
				return false
			}
		}
		return true
	case Any:
		return extendAny(e.parts, make([]bool, len(e.parts)), path, then)
	case Repeat, AtMost:
		return e.iterate(e.count, path, then)
	default:
		return then()
	}
}

func extendAll(parts []*Expr, path *[]int32, then func() bool) bool {
	if len(parts) == 0 {
		return then()
	}
	return parts[0].extend(path, func() bool { return extendAll(parts[1:], path, then) })
}

func extendAny(parts []*Expr, used []bool, path *[]int32, then func() bool) bool {
	if !then() {
		return false
	}
	for i, p := range parts {
		if used[i] {
			continue
		}
		used[i] = true
		more := p.extend(path, func() bool { return extendAny(parts, used, path, then) })
		used[i] = false
		if !more {
			return false
		}
	}
	return true
}

func (e *Expr) iterate(left int64, path *[]int32, then func() bool) bool {
	if (left == 0 || e.kind == AtMost) && !then() {
		return false
	}
	return left == 0 || e.body.extend(path, func() bool { return e.iterate(left-1, path, then) })
}

// String prints e: symbols as numbers, "(a)*4" for a body four times, "(a)*..4"
// for at most four times, "(a | b)" for one of two and "{a | b}" for any of them.
// Shared nodes are printed where they occur.
func (e *Expr) String() string {
	var b strings.Builder
	e.print(&b)
	return b.String()
}

func (e *Expr) print(b *strings.Builder) {
	list := func(open, between, end string) {
		b.WriteString(open)
		for i, p := range e.parts {
			if i > 0 {
				b.WriteString(between)
			}
			p.print(b)
		}
		b.WriteString(end)
	}
	switch e.kind {
	case Run:
		for i, s := range e.symbols {
			if i > 0 {
				b.WriteByte(' ')
			}
			fmt.Fprint(b, s)
		}
	case Concat:
		list("", " ", "")
	case One:
		list("(", " | ", ")")
	case Any:
		list("{", " | ", "}")
	case Repeat, AtMost:
		b.WriteByte('(')
		e.body.print(b)
		b.WriteString(")*")
		if e.kind == AtMost {
			b.WriteString("..")
		}
		fmt.Fprint(b, e.count)
	}
}
