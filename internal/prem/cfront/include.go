package cfront

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/internal/prem/loop"
)

// Headers are where the files of #include "..." come from.
type Headers struct {
	// Read gives the text of a file. Of a path that names none, its error is
	// fs.ErrNotExist, and the search goes on; any other ends it. Nil: there are none.
	Read func(path string) (string, error)
	// Dirs are searched, in order, after the folder of the file that includes.
	Dirs []string
}

// maxIncluded is how many files may include one another in a row.
const maxIncluded = 64

// unit is a translation unit in one piece: the text of each header stands where it
// is included. A header is a whole number of conditional groups, comments and lines,
// or it is refused, so that the preprocessor finds in it what it would in the file,
// and skips it where it would. A line that includes what there is no text for stays:
// only if the preprocessor reaches it is that an error, and the unit knows which.
type unit struct {
	file    string
	headers Headers
	text    strings.Builder
	lines   []origin      // lines[i] is where line i+1 of text comes from
	refused map[int]error // by line of the text
	stack   []string      // the files around, the main one first
	read    []string      // the headers
	once    map[string]string
	moved   bool // a line is not where it is in the main file
	err     error
}

type origin struct {
	file string
	line int
}

// flatten puts headers where they are included. The error is one that no condition
// around the directive can prevent.
func flatten(file, source string, h Headers) (*unit, error) {
	u := &unit{file: file, headers: h, refused: make(map[int]error), once: make(map[string]string), stack: []string{filepath.Clean(file)}}
	u.add(file, source, scan(source))
	return u, u.err
}

// add appends the lines of a file, those that it includes in their places.
func (u *unit) add(file, source string, found scanned) {
	once := u.onceName(file, found)
	if once != "" {
		u.line(file, 1, "#ifndef "+once+"\n")
	}
	next, n := 0, 0
	for text := range strings.Lines(source) {
		n++
		switch {
		case u.err != nil:
			return
		case next == len(found.directives) || found.directives[next].line != n:
			u.line(file, n, text)
			continue
		}
		d := found.directives[next]
		next++
		if d.once {
			u.line(file, n, "#define "+once+"\n")
			continue
		}
		path, inner, err := u.find(file, d.name)
		var have scanned
		if err == nil {
			have, err = check(path, inner)
		}
		if err != nil {
			var placed *loop.Error
			if !errors.As(err, &placed) {
				err = &loop.Error{Pos: loop.Pos{File: file, Line: n, Col: d.col}, Msg: err.Error()}
			}
			u.refused[len(u.lines)+1] = err
			u.line(file, n, text)
			continue
		}
		if !strings.HasSuffix(inner, "\n") {
			inner += "\n"
		}
		u.moved = true
		if !slices.Contains(u.read, path) {
			u.read = append(u.read, path)
		}
		u.stack = append(u.stack, filepath.Clean(path))
		u.add(path, inner, have)
		u.stack = u.stack[:len(u.stack)-1]
	}
	if once != "" {
		if !strings.HasSuffix(source, "\n") {
			u.text.WriteByte('\n')
		}
		u.line(file, n, "#endif\n")
	}
}

// onceName names the macro that keeps a file with #pragma once from being there
// twice, "" for another file. The pragma stands in no condition.
func (u *unit) onceName(file string, found scanned) string {
	if !slices.ContainsFunc(found.directives, func(d included) bool { return d.once }) {
		return ""
	}
	u.moved = true
	name, known := u.once[filepath.Clean(file)]
	if !known {
		name = fmt.Sprintf("__warpbound_once_%d", len(u.once))
		u.once[filepath.Clean(file)] = name
	}
	return name
}

// line appends one line of the text.
func (u *unit) line(file string, n int, text string) {
	if u.text.Len()+len(text) > maxSource && u.err == nil {
		u.err = &loop.Error{Pos: loop.Pos{File: u.file, Line: 1, Col: 1}, Msg: fmt.Sprintf("more than %d bytes of source with all that is included, the last of them line %d of %s", maxSource, n, file)}
	}
	u.text.WriteString(text)
	u.lines = append(u.lines, origin{file, n})
}

// find looks for a header that a file includes.
func (u *unit) find(from, name string) (path, text string, err error) {
	switch {
	case name == "":
		return "", "", errors.New(`#include "": expected the name of a file`)
	case filepath.IsAbs(name):
		return "", "", fmt.Errorf("#include %q is an absolute path, expected one from the folder of the file or from one of -I", name)
	case u.headers.Read == nil:
		return "", "", fmt.Errorf("include file not found: %q", name)
	case len(u.stack) >= maxIncluded:
		return "", "", fmt.Errorf("#include %q: %d files include one another already, expected at most that", name, maxIncluded)
	}
	dirs := append([]string{filepath.Dir(from)}, u.headers.Dirs...)
	for _, dir := range dirs {
		path := filepath.Join(dir, filepath.FromSlash(name))
		for i, around := range u.stack {
			if around == path {
				circle := strings.Join(append(u.stack[i+1:len(u.stack):len(u.stack)], path), ", which includes ")
				return "", "", fmt.Errorf("#include %q is a circle: %s includes %s, expected files that do not include themselves", name, around, circle)
			}
		}
		text, err := u.headers.Read(path)
		if err == nil {
			return path, strings.TrimPrefix(text, "\ufeff"), nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", "", fmt.Errorf("#include %q: %w", name, err)
		}
	}
	for i, dir := range dirs {
		dirs[i] = filepath.Clean(dir)
	}
	return "", "", fmt.Errorf("#include %q: no such file in %s (the folder of the file that includes it, then those of -I)", name, strings.Join(dirs, ", "))
}

// check refuses a header that is no whole.
func check(path, text string) (scanned, error) {
	if err := guard(path, text); err != nil {
		return scanned{}, err
	}
	s := scan(text)
	end := offset(path, text, len(text))
	switch {
	case s.open:
		return s, &loop.Error{Pos: end, Msg: "a comment that is open at the end of a header, expected */"}
	case s.unbalanced > 0:
		return s, &loop.Error{Pos: loop.Pos{File: path, Line: s.unbalanced, Col: 1}, Msg: "a conditional that does not begin and end in this header, expected as many #endif as #if"}
	}
	return s, nil
}

// at is where a line of the text comes from.
func (u *unit) at(p loop.Pos) loop.Pos {
	if !u.moved || p.File != u.file || p.Line < 1 {
		return p
	}
	last := min(p.Line, len(u.lines))
	l := u.lines[last-1]
	return loop.Pos{File: l.file, Line: l.line + p.Line - last, Col: p.Col}
}

// errors gives errors of the text the places in their files. An error of an
// #include that stayed is what is wrong with it.
func (u *unit) errors(err error) error {
	refused := slices.Collect(maps.Values(u.refused))
	if list, ok := err.(interface{ Unwrap() []error }); ok {
		var out, first []error
		for _, e := range list.Unwrap() {
			if e := u.errors(e); slices.Contains(refused, e) {
				first = append(first, e)
			} else {
				out = append(out, e)
			}
		}
		if len(first) > 0 {
			return errors.Join(first...) // the others follow from what is missing
		}
		return errors.Join(out...)
	}
	e, ok := err.(*loop.Error)
	if !ok {
		return err
	}
	if missing := strings.HasPrefix(e.Msg, notFound); missing && e.Pos.File == u.file {
		if why := u.refused[e.Pos.Line]; why != nil {
			return why
		}
		if strings.HasPrefix(e.Msg, notFound+`"`) {
			return &loop.Error{Pos: u.at(e.Pos), Msg: "this form of #include is not supported, expected a line with #include \"name\", written out, and nothing besides"}
		}
		return &loop.Error{Pos: u.at(e.Pos), Msg: e.Msg + systemHeaders}
	}
	inside := regexp.MustCompile(regexp.QuoteMeta(u.file) + `:(\d+):(\d+)`)
	msg := inside.ReplaceAllStringFunc(e.Msg, func(s string) string {
		var p loop.Pos
		m := inside.FindStringSubmatch(s)
		if _, err := fmt.Sscan(m[1]+" "+m[2], &p.Line, &p.Col); err != nil {
			return s
		}
		p.File = u.file
		return u.at(p).String()
	})
	return &loop.Error{Pos: u.at(e.Pos), Msg: msg}
}

// How the parser begins the message of a header that it does not find, and how
// that of one in angle brackets ends.
const (
	notFound      = "include file not found: "
	systemHeaders = `, expected math.h, stddef.h or stdint.h, or #include "name" for a file of the program`
)
