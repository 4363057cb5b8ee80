package conf

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// MaxErrors is the largest number of errors reported for one file.
const MaxErrors = 20

// Pos is a place in a file. Line and Col count from 1, Col in bytes; a zero
// Line means that the file is all that is known, a zero Col that line tables have
// no columns.
type Pos struct {
	File string
	Line int
	Col  int
}

func (p Pos) String() string {
	switch {
	case p.Line == 0:
		return p.File
	case p.Col == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// In gives line:col for a position in the file, which the reader knows, and the
// whole position for one in another file.
func (p Pos) In(file string) string {
	if p.File == file {
		return fmt.Sprintf("%d:%d", p.Line, p.Col)
	}
	return p.String()
}

// Before reports whether p stands before q in one file.
func (p Pos) Before(q Pos) bool {
	return p.Line < q.Line || p.Line == q.Line && p.Col < q.Col
}

// Error is one thing that is wrong with a file.
type Error struct {
	Pos Pos
	Msg string // what was found, and what was expected

	cause error // what Addf was given with %w
}

func (e *Error) Error() string {
	return e.Pos.String() + ": " + e.Msg
}

// Unwrap is the error that Addf was given with %w, nil where there was none.
func (e *Error) Unwrap() error { return e.cause }

// ErrorList is everything that is wrong with a file, at most MaxErrors, in the
// order of the file. A nil list is no error; use Err to get an error from it.
type ErrorList []*Error

// Addf records an error, made as by fmt.Errorf.
func (l *ErrorList) Addf(pos Pos, format string, args ...any) {
	err := fmt.Errorf(format, args...)
	*l = append(*l, &Error{Pos: pos, Msg: err.Error(), cause: errors.Unwrap(err)})
}

// Err returns the list as an error, sorted and cut to MaxErrors, or nil where
// it is empty.
func (l ErrorList) Err() error {
	if len(l) == 0 {
		return nil
	}
	sorted := slices.Clone(l)
	slices.SortStableFunc(sorted, func(a, b *Error) int {
		return cmp.Or(strings.Compare(a.Pos.File, b.Pos.File), a.Pos.Line-b.Pos.Line, a.Pos.Col-b.Pos.Col)
	})
	return sorted[:min(len(sorted), MaxErrors)]
}

// Error puts each error on a line of its own.
func (l ErrorList) Error() string {
	lines := make([]string, len(l))
	for i, e := range l {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap gives errors.As every single error.
func (l ErrorList) Unwrap() []error {
	errs := make([]error, len(l))
	for i, e := range l {
		errs[i] = e
	}
	return errs
}
