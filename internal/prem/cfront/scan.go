package cfront

import (
	"regexp"
	"strings"
)

// scanned is what preprocessing needs to know of a file in advance.
type scanned struct {
	directives []included
	open       bool // a comment is open at its end
	// unbalanced is the line of a conditional that is not whole in the file, 0 where
	// there is none.
	unbalanced int
}

// included is a line #include "name", or #pragma once before any conditional.
type included struct {
	line, col int
	name      string
	once      bool
}

var (
	includeLine = regexp.MustCompile(`^[ \t\f\v]*(?:#|%:)[ \t\f\v]*include[ \t\f\v]*"([^"\n]*)"[ \t\f\v\r]*(?://[^\\]*|/\*(?:[^*\\]|\*+[^*/\\])*\*+/[ \t\f\v\r]*)?$`)
	onceLine    = regexp.MustCompile(`^[ \t\f\v]*(?:#|%:)[ \t\f\v]*pragma[ \t\f\v]+once[ \t\f\v\r]*$`)
	conditional = regexp.MustCompile(`^[ \t\f\v]*(?:#|%:)[ \t\f\v]*(if|ifdef|ifndef|elif|else|endif)\b`)
)

// scan finds directives where a line begins that is neither part of a comment nor
// continues the one before.
func scan(text string) scanned {
	var out scanned
	var opened []int // lines of conditionals
	var r lexer
	n := 0
	for l := range strings.Lines(text) {
		n++
		l = strings.TrimSuffix(l, "\n")
		if r.mode == inCode && !r.continued {
			switch m := conditional.FindStringSubmatch(l); {
			case m == nil:
				if i := includeLine.FindStringSubmatchIndex(l); i != nil {
					out.directives = append(out.directives, included{line: n, col: i[2], name: l[i[2]:i[3]]})
				} else if len(opened) == 0 && onceLine.MatchString(l) {
					out.directives = append(out.directives, included{line: n, once: true})
				}
			case strings.HasPrefix(m[1], "if"):
				opened = append(opened, n)
			case len(opened) == 0:
				if out.unbalanced == 0 {
					out.unbalanced = n
				}
			case m[1] == "endif":
				opened = opened[:len(opened)-1]
			}
		}
		r.line(l)
	}
	if len(opened) > 0 && out.unbalanced == 0 {
		out.unbalanced = opened[0]
	}
	out.open = r.mode == inComment
	return out
}

// lexer knows what a line of C begins in.
type lexer struct {
	mode      mode
	last      byte // the character before, 0 where that does not matter
	continued bool // the line before ends in a backslash
}

type mode uint8

const (
	inCode mode = iota
	inComment
	inLineComment
	inText // in quotes
	inLetter
)

// line reads a line without its end.
func (r *lexer) line(l string) {
	end := strings.TrimSuffix(l, "\r")
	body, continued := strings.CutSuffix(end, `\`)
	for i := range len(body) {
		c := body[i]
		switch {
		case r.mode == inComment:
			if r.last == '*' && c == '/' {
				r.mode, c = inCode, 0
			}
		case r.mode == inLineComment:
		case r.mode != inCode:
			switch {
			case r.last == '\\':
				c = 0
			case r.mode == inText && c == '"', r.mode == inLetter && c == '\'':
				r.mode, c = inCode, 0
			}
		case c == '"':
			r.mode, c = inText, 0
		case c == '\'':
			r.mode, c = inLetter, 0
		case r.last == '/' && c == '/':
			r.mode = inLineComment
		case r.last == '/' && c == '*':
			r.mode, c = inComment, 0
		}
		r.last = c
	}
	if r.continued = continued; continued {
		return
	}
	r.last = 0
	if r.mode != inComment {
		r.mode = inCode // quotes end with the line, as in text that is skipped
	}
}
