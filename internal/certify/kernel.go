package certify

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// kernel is a kernel of a PTX module with the functions that it calls, one instruction
// after the other.
type kernel struct {
	code  []instruction
	funcs []*function // the kernel first
	byPos map[place]int
	// labels are the instructions at the labels of all functions and scopes, by name.
	labels map[string][]int
}

type place struct{ line, column int64 }

// instruction is what is read of one.
type instruction struct {
	place
	opcode        string // with modifiers
	fn            int
	reads, writes []register
	class         class
	guarded       bool
	targets       []int // of a branch
	callee        int   // of a call, or -1
	ends          bool  // ret or exit
	exits         bool  // exit or trap: of the lanes' program, not of the function
	barrier       bool  // of the block
}

// register is one of a scope of the text; scopes are numbered over the module.
type register struct {
	scope int
	name  string
}

// function is one of the module.
type function struct {
	name        string
	entry       bool
	body        []token // with the braces around it
	scope       *scope
	rets        []register // of results that are registers
	params      []register // of parameters that are
	first, last int        // instructions of the kernel
}

// scope is a block of the text: the registers and labels declared in it.
type scope struct {
	id     int
	parent *scope
	names  map[string]bool
	ranges map[string]int64 // "%r" to 10 for %r<10>
	labels map[string]*label
}

// label is at an instruction, or names the targets of a branch.
type label struct {
	at      int
	targets []string
}

// token is a word, a string or a sign of the text.
type token struct {
	text string
	place
}

// lexeme is a comment, a place in the source or a pragma, which mean nothing here, a guard or a token.
var lexeme = regexp.MustCompile(`(//[^\n]*|/\*(?s:.*?)\*/|\.(?:loc|file)\s[^\n]*|\.pragma[^;]*;|\n)|"[^"\n]*"|@\s*!?\s*[\w$%.]+|[\w$%.]+(?:::[\w.]+)*|\S`)

// tokens splits a module.
func tokens(text string) []token {
	var out []token
	line, start := int64(1), 0 // of the line
	for _, m := range lexeme.FindAllStringSubmatchIndex(text, -1) {
		t := token{text[m[0]:m[1]], place{line, int64(m[0] - start + 1)}}
		if n := strings.LastIndexByte(t.text, '\n'); n >= 0 {
			line, start = line+int64(strings.Count(t.text, "\n")), m[0]+n+1
		}
		if m[2] < 0 {
			out = append(out, t)
		}
	}
	return out
}

// reader reads a module.
type reader struct {
	toks   []token
	funcs  map[string]*function
	scopes int
	out    *kernel
	copies []register // the registers that stand for asynchronous copies
}

// readKernel reads the kernel of that name.
func readKernel(text []byte, entry string) *kernel {
	r := &reader{toks: tokens(string(text)), funcs: map[string]*function{}, out: &kernel{byPos: map[place]int{}, labels: map[string][]int{}}}
	r.module()
	f := r.funcs[entry]
	need(f != nil && f.entry, "kernel", "no kernel named %q", entry)
	r.out.funcs = []*function{f}
	for i := 0; i < len(r.out.funcs); i++ {
		r.function(i)
	}
	for i := range r.out.code {
		in := &r.out.code[i]
		if in.class.family == "copy" && (strings.Contains(in.opcode, "wait") || strings.Contains(in.opcode, "mbarrier")) {
			in.reads = append(in.reads, r.copies...)
		}
	}
	return r.out
}

func (r *reader) newScope(parent *scope) *scope {
	r.scopes++
	return &scope{id: r.scopes, parent: parent, names: map[string]bool{}, ranges: map[string]int64{}, labels: map[string]*label{}}
}

// nesting is by how much a sign nests what follows.
var nesting = map[string]int{"{": 1, "(": 1, "[": 1, "}": -1, ")": -1, "]": -1}

// closing is the index of the sign that closes the one at i.
func closing(toks []token, i int) int {
	for k, depth := i, 0; k < len(toks); k++ {
		if depth += nesting[toks[k].text]; depth == 0 {
			return k
		}
	}
	refuse("kernel", "%d:%d: %q is not closed", toks[i].line, toks[i].column, toks[i].text)
	return 0
}

// module finds the functions that have a body.
func (r *reader) module() {
	for i := 0; i < len(r.toks); i++ {
		switch r.toks[i].text {
		case "{":
			i = closing(r.toks, i)
		case ".entry", ".func":
			i = r.header(i)
		}
	}
}

// header reads a function from its directive to its end.
func (r *reader) header(i int) int {
	f := &function{entry: r.toks[i].text == ".entry", scope: r.newScope(nil)}
	var lists [2][]token // results, parameters
	for i++; i < len(r.toks) && r.toks[i].text != ";"; i++ {
		switch t := r.toks[i]; {
		case t.text == "(":
			end := closing(r.toks, i)
			lists[min(len(f.name), 1)] = r.toks[i+1 : end]
			i = end
		case t.text == "{":
			end := closing(r.toks, i)
			f.body = r.toks[i : end+1]
			f.rets, f.params = f.scope.formals(lists[0]), f.scope.formals(lists[1])
			r.funcs[f.name] = f
			return end
		case f.name == "" && t.text[0] != '.':
			f.name = t.text
		}
	}
	return i
}

// formals are the registers that a list of parameters declares.
func (s *scope) formals(list []token) []register {
	var out []register
	for _, d := range split(list) {
		if len(d) > 0 && d[0].text == ".reg" {
			s.declare(d)
			out = append(out, register{s.id, d[len(d)-1].text})
		}
	}
	return out
}

// split cuts a list at its commas.
func split(list []token) [][]token {
	var out [][]token
	depth, from := 0, 0
	for i, t := range list {
		depth += nesting[t.text]
		if t.text == "," && depth == 0 {
			out = append(out, list[from:i])
			from = i + 1
		}
	}
	return append(out, list[from:])
}

// statement is an instruction whose registers and targets are not resolved yet.
type statement struct {
	guard, toks []token // the predicate without signs; opcode and operands
	at          place
	scope       *scope
}

// function reads the body of function fn.
func (r *reader) function(fn int) {
	f := r.out.funcs[fn]
	f.first = len(r.out.code)
	var list []statement
	sc := r.newScope(f.scope)
	for i := 1; i < len(f.body)-1; i++ {
		t, end := f.body[i], i
		for end < len(f.body)-1 && f.body[end].text != ";" {
			end++
		}
		switch {
		case t.text == "{":
			sc = r.newScope(sc)
		case t.text == "}":
			sc = sc.parent
		case f.body[i+1].text == ":":
			l := &label{at: f.first + len(list)}
			sc.labels[t.text] = l
			r.out.labels[t.text] = append(r.out.labels[t.text], l.at)
			if i++; f.body[i+1].text == ".branchtargets" {
				for _, x := range split(f.body[i+2 : end]) {
					l.targets = append(l.targets, x[0].text)
				}
			}
		case t.text == ".reg":
			sc.declare(f.body[i:end])
			i = end
		case t.text[0] == '.':
			i = end
		case t.text != ";":
			s := statement{toks: f.body[i:end], at: t.place, scope: sc}
			if t.text[0] == '@' {
				s.guard, s.toks = []token{{strings.TrimLeft(t.text, "@! \t\r\n"), t.place}}, s.toks[1:]
			}
			s.need(len(s.toks) != 0, "a guard without an instruction")
			list = append(list, s)
			i = end
		}
	}
	for i := range list {
		r.instruction(fn, &list[i])
	}
	if n := len(r.out.code); n == f.first || r.out.code[n-1].guarded || !r.out.code[n-1].ends && len(r.out.code[n-1].targets) == 0 || slices.ContainsFunc(r.out.code[f.first:], func(in instruction) bool { return slices.Contains(in.targets, n) }) {
		end := f.body[len(f.body)-1].place
		r.add(instruction{place: end, opcode: "ret", fn: fn, class: class{family: "return"}, reads: f.rets, ends: true, callee: -1})
	}
	f.last = len(r.out.code) - 1
}

func (r *reader) add(in instruction) {
	r.out.byPos[in.place] = len(r.out.code)
	r.out.code = append(r.out.code, in)
}

// declare reads a .reg declaration.
func (s *scope) declare(toks []token) {
	for _, d := range split(toks) {
		at, last := toks[0].place, len(d)-1
		need(!slices.ContainsFunc(d, func(t token) bool { return t.text == ".v2" || t.text == ".v4" }), "kernel", "%d:%d: vector registers are not read", at.line, at.column)
		if d[last].text != ">" {
			s.names[d[last].text] = true
			continue
		}
		n, err := strconv.ParseInt(d[last-1].text, 0, 32)
		need(err == nil, "kernel", "%d:%d: %q is no number of registers", at.line, at.column, d[last-1].text)
		s.ranges[d[last-3].text] = n
	}
}

// find is the register of a name; ok is false where it is none.
func (s *scope) find(name string) (register, bool) {
	for ; s != nil; s = s.parent {
		known := s.names[name]
		for cut := len(name) - 1; cut > 0 && name[cut] >= '0' && name[cut] <= '9'; cut-- {
			n, err := strconv.ParseInt(name[cut:], 10, 32)
			most, ok := s.ranges[name[:cut]]
			known = known || ok && err == nil && n < most && (name[cut] != '0' || cut == len(name)-1)
		}
		if known {
			return register{s.id, name}, true
		}
	}
	return register{}, false
}

// label is that of a name.
func (s *statement) label(name string) *label {
	for sc := s.scope; sc != nil; sc = sc.parent {
		if l := sc.labels[name]; l != nil {
			return l
		}
	}
	s.need(false, "no label %s", name)
	return nil
}

func (s *statement) need(holds bool, format string, args ...any) {
	need(holds, "kernel", "%d:%d: %s", s.at.line, s.at.column, fmt.Sprintf(format, args...))
}

// within lists the registers named in some operands.
func (s *scope) within(operands ...[]token) []register {
	var out []register
	for _, o := range operands {
		for _, t := range o {
			if x, ok := s.find(t.text); ok && !slices.Contains(out, x) {
				out = append(out, x)
			}
		}
	}
	return out
}
