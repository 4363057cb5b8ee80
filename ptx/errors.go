package ptx

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// MaxErrors is the number of errors reported for one file before giving up.
const MaxErrors = 20

// Error is one error in a PTX text.
type Error struct {
	File string
	Pos  Pos
	// Msg says what was found, and what was expected.
	Msg string
}

// Error formats e as "file:line:col: message".
func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Pos.Line, e.Pos.Col, e.Msg)
}

// ErrorList holds the errors of one file by position, at most MaxErrors.
type ErrorList []*Error

// Error puts one error on a line.
func (l ErrorList) Error() string {
	lines := make([]string, len(l))
	for i, e := range l {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap makes errors.As find the single errors.
func (l ErrorList) Unwrap() []error {
	errs := make([]error, len(l))
	for i, e := range l {
		errs[i] = e
	}
	return errs
}

// reporter collects the errors of one file.
type reporter struct {
	file string
	errs ErrorList
}

// add records an error; it reports whether there is room for more.
func (r *reporter) add(pos Pos, format string, args ...any) bool {
	if len(r.errs) < MaxErrors {
		r.errs = append(r.errs, &Error{r.file, pos, fmt.Sprintf(format, args...)})
	}
	return len(r.errs) < MaxErrors
}

func (r *reporter) full() bool { return len(r.errs) >= MaxErrors }

// err returns the errors sorted by position, or nil.
func (r *reporter) err() error {
	if len(r.errs) == 0 {
		return nil
	}
	slices.SortStableFunc(r.errs, func(a, b *Error) int {
		if c := cmp.Compare(a.Pos.Line, b.Pos.Line); c != 0 {
			return c
		}
		return cmp.Compare(a.Pos.Col, b.Pos.Col)
	})
	return r.errs
}
