package cfront

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"modernc.org/cc/v4"

	"github.com/warpbound/warpbound/internal/prem/loop"
)

//go:embed include
var headers embed.FS

// Limits that keep the parser's recursion and macro expansion within bounds on any
// input: bytes of source, depth of brackets, and units of expansion work.
const (
	maxSource    = 256 << 10
	maxDepth     = 200
	maxExpansion = 100_000
)

const predefined = `#define __STDC__ 1
#define __STDC_VERSION__ 199901L
#define __STDC_HOSTED__ 0
#define __LP64__ 1
#define __x86_64__ 1
#define __linux__ 1
#define __SIZE_TYPE__ unsigned long
#define __PTRDIFF_TYPE__ long
#define _OPENMP 201511
int __predefined_declarator;
`

// endText follows every source. At a `*` the parser looks for an identifier or a
// closing bracket and at the end of its input looks for ever, so that the input
// must not end there.
const (
	endName = "<end>"
	endText = "int __warpbound_end;\n"
)

// errParser marks a failure inside the C parser, errLower one in the lowering.
var (
	errParser = errors.New("the C parser failed")
	errLower  = errors.New("the lowering failed")
)

var macroName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// IsMacro says whether a macro can have the name.
func IsMacro(name string) bool { return macroName.MatchString(name) }

// Parse reads source, which positions name file, with the macros defined as if by
// -Dname=value. It includes no files besides the system's headers. The errors are
// *loop.Error values, joined; a program that comes without an error satisfies
// loop.Check.
func Parse(file, source string, defines map[string]string) (*loop.Unit, error) {
	return ParseWith(file, source, defines, Headers{})
}

// ParseWith is Parse of a source that may include headers.
func ParseWith(file, source string, defines map[string]string, headers Headers) (*loop.Unit, error) {
	if file == "" || strings.ContainsAny(file, "\n<>") {
		return nil, fmt.Errorf("file name %q", file)
	}
	source = strings.TrimPrefix(source, "\ufeff") // a byte order mark
	if err := guard(file, source); err != nil {
		return nil, err
	}
	pre := predefined
	for _, name := range slices.Sorted(maps.Keys(defines)) {
		if !macroName.MatchString(name) || strings.ContainsAny(defines[name], "\n\r\\") {
			return nil, fmt.Errorf("macro %q = %q", name, defines[name])
		}
		pre += "#define " + name + " " + defines[name] + "\n"
	}
	u, err := flatten(file, source, headers)
	if err != nil {
		return nil, err
	}
	p, err := parse(file, u.text.String(), pre)
	if err != nil {
		return nil, u.errors(err)
	}
	u.place(p)
	p.Headers = u.read
	if err := loop.Check(p); err != nil {
		return nil, err
	}
	return p, nil
}

// parse reads a translation unit of one file.
func parse(file, source, pre string) (*loop.Unit, error) {
	if err := guard(file, source); err != nil {
		return nil, err
	}
	var ps pragmas
	ast, err := translate(file, source, pre, &ps)
	if err != nil {
		return nil, err
	}
	if ps.operator {
		return nil, &loop.Error{Pos: find(file, source, "_Pragma"), Msg: "the _Pragma operator is not supported"}
	}
	return lower(file, ast, &ps)
}

// translate contains the panics of the parser.
func translate(file, source, pre string, ps *pragmas) (ast *cc.AST, err error) {
	defer func() {
		if r := recover(); r != nil {
			ast, err = nil, fmt.Errorf("%s:1:1: %w: %v", file, errParser, r)
		}
	}()
	abi, err := cc.NewABI("linux", "amd64")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errParser, err)
	}
	cfg := &cc.Config{
		ABI:             abi,
		FS:              headers,
		FSOnly:          true,
		SysIncludePaths: []string{"include"},
		ExpansionLimit:  maxExpansion,
		DefaultSizeT:    cc.ULong,
		DefaultPtrdiffT: cc.Long,
		DefaultWcharT:   cc.Int,
	}
	sources := []cc.Source{{Name: "<predefined>", Value: pre}, {Name: file, Value: source}, {Name: endName, Value: endText}}
	// After an error of the preprocessor, such as a missing header, the parser
	// may not return.
	if err := cc.Preprocess(cfg, sources, io.Discard); err != nil {
		return nil, parserErrors(file, source, err)
	}
	cfg.PragmaHandler = func(t []cc.Token) error { ps.add(file, t); return nil }
	ast, err = cc.Translate(cfg, sources)
	if err != nil {
		return nil, parserErrors(file, source, err)
	}
	return ast, nil
}

var (
	located = regexp.MustCompile(`^(.*?):(\d+):(\d+): (.*)$`)
	// What the parser says of itself.
	inner    = regexp.MustCompile(`\bTODO\b|internal error|\*cc\.|missed/failed type check`)
	internal = regexp.MustCompile(` \([a-z0-9_]+\.go:\d+:[^)]*\)$`)
)

// parserErrors gives the parser's lines positions as values and drops the place in
// the parser's own source that each line ends in.
func parserErrors(file, source string, err error) error {
	var out []error
	var untyped *loop.Error     // the first with a position
	lines := make(map[int]bool) // with a message; later ones there follow from it
	for text := range strings.SplitSeq(err.Error(), "\n") {
		e := &loop.Error{Pos: loop.Pos{File: file, Line: 1, Col: 1}, Msg: internal.ReplaceAllString(text, "")}
		m := located.FindStringSubmatch(e.Msg)
		if m != nil {
			line, lerr := strconv.Atoi(m[2])
			col, cerr := strconv.Atoi(m[3])
			if lerr == nil && cerr == nil {
				e.Pos, e.Msg = loop.Pos{File: m[1], Line: line, Col: col}, m[4]
			}
			if m[1] == endName {
				if len(out) > 0 {
					continue
				}
				e.Pos, e.Msg = offset(file, source, len(source)), "unexpected end of the file"
			}
		}
		if inner.MatchString(e.Msg) {
			e.Msg = "the type of an expression, or what is assigned to, cannot be determined"
			if m == nil {
				e.Msg += " (the C parser does not say where)"
			}
			if untyped == nil || untyped.Pos.Line == 1 && e.Pos.Line > 1 {
				untyped = e
			}
			continue
		}
		if !lines[e.Pos.Line] {
			lines[e.Pos.Line] = true
			out = append(out, e)
		}
	}
	// They follow from the others where there are any.
	if len(out) == 0 && untyped != nil {
		return untyped
	}
	return errors.Join(out...)
}

var lineDirective = regexp.MustCompile(`(?m)^[ \t]*(?:#|%:|\?\?=)[ \t]*(?:line\b|[0-9])`)

// guard refuses what the parser could not bear, and #line, which would move the
// positions by which directives find their loops.
func guard(file, source string) error {
	if len(source) > maxSource {
		return &loop.Error{Pos: loop.Pos{File: file, Line: 1, Col: 1}, Msg: fmt.Sprintf("%d bytes of source, more than %d", len(source), maxSource)}
	}
	if i := strings.IndexByte(source, 0); i >= 0 {
		return &loop.Error{Pos: offset(file, source, i), Msg: "a zero byte is not supported"}
	}
	if m := lineDirective.FindStringIndex(source); m != nil {
		return &loop.Error{Pos: offset(file, source, m[0]), Msg: "#line directive is not supported"}
	}
	// Of the operator's text the parser may never find the end. Where a macro hides
	// it, it is refused after parsing.
	for _, m := range pragmaOperator.FindAllStringIndex(source, -1) {
		if !commented(source, m[0]) {
			return &loop.Error{Pos: offset(file, source, m[0]), Msg: "the _Pragma operator is not supported"}
		}
	}
	for _, m := range hasInclude.FindAllStringIndex(source, -1) {
		if !commented(source, m[0]) {
			return &loop.Error{Pos: offset(file, source, m[0]), Msg: "__has_include of a file that is no system header is not supported"}
		}
	}
	// The parser looks for the continuation of the last line for ever.
	if end := strings.TrimRight(source, " \t\r\n\v\f"); strings.HasSuffix(end, `\`) || strings.HasSuffix(end, "??/") {
		return &loop.Error{Pos: offset(file, source, len(end)-1), Msg: "a line that continues at the end of the file is not supported"}
	}
	depth := 0
	for i := range len(source) {
		switch source[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth = max(depth-1, 0)
		}
		if depth > maxDepth {
			return &loop.Error{Pos: offset(file, source, i), Msg: fmt.Sprintf("brackets nested deeper than %d", maxDepth)}
		}
	}
	return nil
}

// hasInclude asks for a file that is not one of the system's headers: the
// preprocessor, which knows of no others, would say no.
var hasInclude = regexp.MustCompile(`\b__has_include\w*[ \t]*\([ \t]*[^< \t]`)

var pragmaOperator = regexp.MustCompile(`\b_Pragma\s*\(`)

// commented reports whether source[i] stands in a comment, as far as can be said
// without lexing: after the last opening of one on its line, or in an open one.
func commented(source string, i int) bool {
	line := source[strings.LastIndexByte(source[:i], '\n')+1 : i]
	return strings.Contains(line, "//") || strings.LastIndex(source[:i], "/*") > strings.LastIndex(source[:i], "*/")
}

func offset(file, source string, i int) loop.Pos {
	head := source[:i]
	return loop.Pos{File: file, Line: 1 + strings.Count(head, "\n"), Col: i - strings.LastIndexByte(head, '\n')}
}

func find(file, source, word string) loop.Pos {
	if i := strings.Index(source, word); i >= 0 {
		return offset(file, source, i)
	}
	return loop.Pos{File: file, Line: 1, Col: 1}
}
