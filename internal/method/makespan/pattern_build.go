package makespan

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/warpbound/warpbound/bound"
)

// Body builds a pattern piece by piece, repetitions kept. A body can be repeated
// in several others; it must not be changed once it is. The zero value is empty.
type Body struct {
	items  []item
	counts [26]int64 // letters, repetitions multiplied out
}

// Letter appends a letter, A to Z, times over.
func (b *Body) Letter(letter byte, times int64) error {
	if letter < 'A' || letter > 'Z' || times < 1 {
		return fmt.Errorf("%d times %q, expected a letter from A to Z at least once", times, string(rune(letter)))
	}
	n := &b.counts[letter-'A']
	if *n > math.MaxInt64-times {
		return bound.ErrOverflow
	}
	*n += times
	b.append(item{letter: letter, times: times})
	return nil
}

// append adds an item whose letters are counted; a letter that follows itself
// becomes one item, whose times are at most its count.
func (b *Body) append(it item) {
	if last := len(b.items) - 1; last >= 0 && it.inner == nil && b.items[last].inner == nil && b.items[last].letter == it.letter {
		b.items[last].times += it.times
		return
	}
	b.items = append(b.items, it)
}

// Repeat appends another body, times over. An empty one adds nothing.
func (b *Body) Repeat(inner *Body, times int64) error {
	if times < 1 {
		return fmt.Errorf("a group %d times, expected at least once", times)
	}
	for i, n := range inner.counts {
		if err := addProduct(&b.counts[i], n, times); err != nil {
			return err
		}
	}
	only := len(inner.items) == 1 && inner.items[0].inner == nil
	switch {
	case len(inner.items) == 0:
	case only:
		it := inner.items[0]
		b.append(item{letter: it.letter, times: it.times * times}) // at most the count above
	case times == 1:
		b.append(inner.items[0])
		b.items = append(b.items, inner.items[1:]...)
	default:
		b.items = append(b.items, item{inner: &group{items: inner.items, times: times}})
	}
	return nil
}

// Pattern is the finished pattern; its source is its text of at most limit bytes.
// An empty body is an error.
func (b *Body) Pattern(limit int) (*Pattern, error) {
	if len(b.items) == 0 {
		return nil, fmt.Errorf("an empty pattern")
	}
	p := &Pattern{root: group{items: b.items, times: 1}}
	for i, n := range b.counts {
		p.counts['A'+i] = n
	}
	p.source = p.Text(limit)
	return p, nil
}

// Source is the text of the pattern, as given or as far as it was kept.
func (p *Pattern) Source() string { return p.source }

// Count is how many instructions of a letter the pattern has, repetitions
// multiplied out.
func (p *Pattern) Count(letter byte) int64 { return p.counts[letter] }

// Cut ends a text that is not complete.
const Cut = "..."

// Text is the pattern in the form that ParseString reads, such as A3(LA)100. Where
// it would be longer than limit bytes it ends early, with Cut.
func (p *Pattern) Text(limit int) string {
	w := &patternWriter{limit: limit}
	w.items(p.root.items)
	if w.full {
		return w.b.String() + Cut
	}
	return w.b.String()
}

type patternWriter struct {
	b     strings.Builder
	limit int
	full  bool
}

func (w *patternWriter) write(s string) {
	if w.full = w.full || w.b.Len()+len(s) > w.limit; !w.full {
		w.b.WriteString(s)
	}
}

func (w *patternWriter) items(items []item) {
	for _, it := range items {
		times := it.times
		if it.inner != nil {
			times = it.inner.times
			w.write("(")
			w.items(it.inner.items)
			w.write(")" + count(times))
		} else {
			w.write(string(rune(it.letter)) + count(times))
		}
		if w.full {
			return
		}
	}
}

// count is a repetition behind an item, nothing for one.
func count(times int64) string {
	if times == 1 {
		return ""
	}
	return strconv.FormatInt(times, 10)
}
