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
	id      int
	parent  *scope
	names   map[string]bool
	ranges  map[string]int64 // "%r" to 10 for %r<10>
	labels  map[string]int
	targets map[string][]string // of .branchtargets
}

// token is a word, a string or a sign of the text.
type token struct {
	text string
	place
}

var lexeme = regexp.MustCompile(`//[^\n]*|/\*(?s:.*?)\*/|"[^"\n]*"|[\w$%.]+(?:::[\w.]+)*|\S|\n`)

// tokens splits a module.
func tokens(text string) []token {
	var out []token
	line, start := int64(1), 0 // of the line
	for _, m := range lexeme.FindAllStringIndex(text, -1) {
		t := token{text[m[0]:m[1]], place{line, int64(m[0] - start + 1)}}
		if n := strings.LastIndexByte(t.text, '\n'); n >= 0 {
			line, start = line+int64(strings.Count(t.text, "\n")), m[0]+n+1
		}
		if t.text != "\n" && !strings.HasPrefix(t.text, "//") && !strings.HasPrefix(t.text, "/*") {
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
	r := &reader{toks: tokens(string(text)), funcs: map[string]*function{}, out: &kernel{byPos: map[place]int{}}}
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
	return &scope{id: r.scopes, parent: parent, names: map[string]bool{}, ranges: map[string]int64{}, labels: map[string]int{}, targets: map[string][]string{}}
}

// closing is the index behind the sign that closes the one at i.
func closing(toks []token, i int) int {
	for k, depth := i, 0; k < len(toks); k++ {
		switch toks[k].text {
		case "{", "(", "[":
			depth++
		case "}", ")", "]":
			if depth--; depth == 0 {
				return k + 1
			}
		}
	}
	refuse("kernel", "%d:%d: %q is not closed", toks[i].line, toks[i].column, toks[i].text)
	return 0
}

// module finds the functions that have a body.
func (r *reader) module() {
	for i := 0; i < len(r.toks); {
		switch t := r.toks[i]; t.text {
		case "{":
			i = closing(r.toks, i)
		case ".entry", ".func":
			i = r.header(i)
		default:
			i++
		}
	}
}

// header reads a function from its directive on.
func (r *reader) header(i int) int {
	f := &function{entry: r.toks[i].text == ".entry", scope: r.newScope(nil)}
	var lists [2][]token // results, parameters
	for i++; i < len(r.toks); {
		switch t := r.toks[i]; {
		case t.text == "(":
			end := closing(r.toks, i)
			lists[min(len(f.name), 1)] = r.toks[i+1 : end-1]
			i = end
		case t.text == ".pragma":
			i += 3
		case t.text == ";":
			return i + 1
		case t.text == "{":
			end := closing(r.toks, i)
			f.body = r.toks[i:end]
			f.rets, f.params = formals(lists[0], f.scope), formals(lists[1], f.scope)
			r.funcs[f.name] = f
			return end
		case f.name == "" && t.text[0] != '.':
			f.name = t.text
			i++
		default:
			i++
		}
	}
	refuse("kernel", "function %q has no end", f.name)
	return 0
}

// formals are the registers that a list of parameters declares.
func formals(list []token, sc *scope) []register {
	var out []register
	for _, d := range split(list) {
		if len(d) > 0 && d[0].text == ".reg" {
			name := d[len(d)-1].text
			sc.names[name] = true
			out = append(out, register{sc.id, name})
		}
	}
	return out
}

// split cuts a list at its commas.
func split(list []token) [][]token {
	var out [][]token
	depth, from := 0, 0
	for i, t := range list {
		switch t.text {
		case "{", "(", "[":
			depth++
		case "}", ")", "]":
			depth--
		case ",":
			if depth == 0 {
				out = append(out, list[from:i])
				from = i + 1
			}
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
	for i := 1; i < len(f.body)-1; {
		t := f.body[i]
		end := i
		for end < len(f.body)-1 && f.body[end].text != ";" {
			end++
		}
		switch {
		case t.text == "{":
			sc = r.newScope(sc)
			i++
		case t.text == "}":
			sc = sc.parent
			i++
		case t.text == ";":
			i++
		case t.text == ".loc", t.text == ".file":
			for i++; f.body[i].line == t.line && i < len(f.body)-1; {
				i++
			}
		case t.text == ".reg":
			sc.declare(f.body[i:end])
			i = end + 1
		case t.text[0] == '.':
			i = end + 1
		case f.body[i+1].text == ":":
			sc.labels[t.text] = f.first + len(list)
			i += 2
			if f.body[i].text == ".branchtargets" {
				for _, x := range split(f.body[i+1 : end]) {
					sc.targets[t.text] = append(sc.targets[t.text], x[0].text)
				}
			}
		default:
			s := statement{toks: f.body[i:end], at: t.place, scope: sc}
			if t.text == "@" {
				k := i + 1
				if f.body[k].text == "!" {
					k++
				}
				s.guard, s.toks = f.body[k:k+1], f.body[k+1:end]
			}
			need(len(s.toks) != 0, "kernel", "%d:%d: a guard without an instruction", t.line, t.column)
			list = append(list, s)
			i = end + 1
		}
	}
	for i := range list {
		r.instruction(fn, &list[i])
	}
	if n := len(r.out.code); n == f.first || r.out.code[n-1].guarded || !r.out.code[n-1].ends && len(r.out.code[n-1].targets) == 0 || slices.ContainsFunc(r.out.code[f.first:], func(in instruction) bool { return slices.Contains(in.targets, n) }) {
		end := f.body[len(f.body)-1].place
		ret := instruction{place: end, opcode: "ret", fn: fn, class: class{family: "return"}, reads: f.rets, ends: true, callee: -1}
		r.add(ret)
	}
	f.last = len(r.out.code) - 1
}

func (r *reader) add(in instruction) {
	r.out.byPos[in.place] = len(r.out.code)
	r.out.code = append(r.out.code, in)
}

// declare reads a .reg declaration.
func (s *scope) declare(toks []token) {
	for k, t := range toks {
		need(t.text != ".v2" && t.text != ".v4", "kernel", "%d:%d: vector registers are not read", t.line, t.column)
		if t.text[0] == '.' || k > 0 && toks[k-1].text == "<" || strings.ContainsAny(t.text, "<>,") {
			continue
		}
		if k+2 < len(toks) && toks[k+1].text == "<" {
			n, err := strconv.ParseInt(toks[k+2].text, 0, 32)
			need(err == nil, "kernel", "%d:%d: %q is no number of registers", t.line, t.column, toks[k+2].text)
			s.ranges[t.text] = n
			continue
		}
		s.names[t.text] = true
	}
}

// find is the register of a name; ok is false where it is none.
func (s *scope) find(name string) (register, bool) {
	for ; s != nil; s = s.parent {
		if s.names[name] {
			return register{s.id, name}, true
		}
		for cut := len(name) - 1; cut > 0 && name[cut] >= '0' && name[cut] <= '9'; cut-- {
			n, err := strconv.ParseInt(name[cut:], 10, 32)
			most, ok := s.ranges[name[:cut]]
			if ok && err == nil && n < most && (name[cut] != '0' || cut == len(name)-1) {
				return register{s.id, name}, true
			}
		}
	}
	return register{}, false
}

// label is the instruction at a label.
func (s *statement) label(name string) int {
	for sc := s.scope; sc != nil; sc = sc.parent {
		if at, ok := sc.labels[name]; ok {
			return at
		}
	}
	s.need(false, "no label %s", name)
	return 0
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
