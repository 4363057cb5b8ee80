package ptx

import "github.com/warpbound/warpbound/internal/conf"

// MaxErrors is the number of errors reported for one file before giving up.
const MaxErrors = conf.MaxErrors

// Error is one error in a PTX text: Pos, with File, Line and Col, and Msg, which
// says what was found, and what was expected. It prints as "file:line:col: message".
type Error = conf.Error

// ErrorList holds the errors of one file by position, at most MaxErrors, and
// prints one a line; errors.As finds the single errors.
type ErrorList = conf.ErrorList

// reporter collects the errors of one file.
type reporter struct {
	file string
	errs ErrorList
}

// add records an error; it reports whether there is room for more.
func (r *reporter) add(pos Pos, format string, args ...any) bool {
	if len(r.errs) < MaxErrors {
		r.errs.Addf(pos.in(r.file), format, args...)
	}
	return len(r.errs) < MaxErrors
}

func (r *reporter) full() bool { return len(r.errs) >= MaxErrors }

// err returns the errors sorted by position, or nil.
func (r *reporter) err() error { return r.errs.Err() }

// in is the position in a file, "" where it is not known.
func (p Pos) in(file string) conf.Pos {
	return conf.Pos{File: file, Line: int(p.Line), Col: int(p.Col)}
}
