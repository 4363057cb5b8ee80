package certify

import (
	"fmt"
	"slices"
	"strings"
)

// classes are the families of timing classes, with the space of accesses, by how opcodes
// begin (docs/ptx-support.md); those of a generic space may name another.
var classes = func() map[string]class {
	out := map[string]class{}
	for name, opcodes := range map[string]string{
		"move": "mov", "convert": "cvt cvta", "compare": "setp set testp isspacep", "select": "selp slct",
		"logic": "and or xor not cnot lop3", "shift": "shl shr shf", "bitfield": "bfe bfi brev popc clz bfind fns szext bmsk",
		"permute": "prmt", "absneg": "abs neg copysign", "add": "add sub addc subc", "minmax": "min max", "mul": "mul", "mad": "mad madc fma",
		"mul24": "mul24", "mad24": "mad24", "sad": "sad", "dot": "dp4a dp2a", "div": "div rem", "sqrt": "sqrt", "rsqrt": "rsqrt", "rcp": "rcp",
		"sin": "sin", "cos": "cos", "exp2": "ex2", "log2": "lg2", "tanh": "tanh", "shuffle": "shfl", "vote": "vote activemask elect",
		"match": "match", "redux": "redux", "load.generic": "ld ldu ldmatrix", "store.generic": "st", "atomic.generic": "atom red", "prefetch.generic": "prefetch prefetchu",
		"atomic.shared": "mbarrier", "copy.global": "cp", "copy.shared": "cp.async.mbarrier", "copy": "cp.async.commit_group cp.async.wait_group cp.async.wait_all cp.async.bulk.commit_group cp.async.bulk.wait_group",
		"tensor": "mma", "texture.global": "tex tld4", "fence": "membar fence", "barrier": "bar barrier",
		"branch": "bra brx", "call": "call", "return": "ret", "exit": "exit trap",
	} {
		for _, op := range strings.Fields(opcodes) {
			family, space, _ := strings.Cut(name, ".")
			out[op] = class{family: family, space: space}
		}
	}
	return out
}()

// types are those of timing classes by the type's name in an opcode.
var types = map[string]string{
	"pred": "pred", "b8": "i8", "u8": "i8", "s8": "i8", "b16": "i16", "u16": "i16", "s16": "i16", "b32": "i32", "u32": "i32", "s32": "i32",
	"b64": "i64", "u64": "i64", "s64": "i64", "b128": "i128", "f16": "f16", "f16x2": "f16", "bf16": "f16", "bf16x2": "f16", "f32": "f32", "f64": "f64",
}

// width orders types by their bits, floats behind integers of the same width.
var width = map[string]int{"i8": 1, "i16": 2, "f16": 3, "i32": 4, "f32": 5, "i64": 6, "f64": 7, "i128": 8}

// instruction reads a statement: what it is to timing, which registers it waits for and
// writes, and where control goes behind it.
func (r *reader) instruction(fn int, s *statement) {
	opcode := s.toks[0].text
	words := strings.Split(opcode, ".")
	op, mods := words[0], words[1:]
	in := instruction{place: s.at, opcode: opcode, fn: fn, callee: -1, guarded: len(s.guard) > 0, class: classOf(words)}
	s.need(in.class.family != "", "%s is not among the instructions that are read", op)
	s.need(!slices.Contains(mods, "cc") && op != "addc" && op != "subc" && op != "madc", "%s: the carry flag is not read", opcode)
	in.barrier = in.class.family == "barrier" && !slices.Contains(mods, "warp")
	operands := split(s.toks[1:])
	s.sums(operands)
	in.reads = s.scope.within(s.guard)
	read := func(list ...[]token) { in.reads = union(in.reads, s.scope.within(list...)) }
	switch op {
	case "call":
		r.call(&in, s, operands)
	case "bra":
		in.targets = []int{s.label(operands[0][0].text).at}
	case "brx":
		read(operands[0])
		for _, target := range s.label(operands[1][0].text).targets {
			in.targets = append(in.targets, s.label(target).at)
		}
		s.need(len(in.targets) > 0, "no .branchtargets %s", operands[1][0].text)
	case "ret":
		in.ends = true
		in.reads = union(in.reads, r.out.funcs[fn].rets)
	case "exit", "trap":
		in.ends, in.exits = true, true
	default:
		address := len(operands[0]) > 0 && operands[0][0].text == "["
		if address || in.class.family == "barrier" && !slices.Contains(mods, "red") {
			read(operands...)
			break
		}
		in.writes = s.scope.within(operands[0])
		read(operands[1:]...)
	}
	if in.class.family == "copy" && in.class.space == "global" {
		x := register{-2 - len(r.copies), fmt.Sprintf("copy at line %d", s.at.line)}
		r.copies = append(r.copies, x)
		in.writes = append(in.writes, x)
	}
	r.add(in)
}

// union is a with what of b it lacks.
func union(a, b []register) []register {
	for _, x := range b {
		if !slices.Contains(a, x) {
			a = append(a, x)
		}
	}
	return a
}

// sums refuses operands such as %r1+4 outside of addresses, which are made of more
// instructions than one.
func (s *statement) sums(operands [][]token) {
	for _, o := range operands {
		for i := 1; i < len(o) && o[0].text != "["; i++ {
			x, ok := s.scope.find(o[i-1].text)
			s.need(!ok || o[i].text != "+" && o[i].text != "-", "a sum with register %s is not read", x.name)
		}
	}
}

// call reads call (results), function, (arguments): without parentheses where there are
// none.
func (r *reader) call(in *instruction, s *statement, operands [][]token) {
	at := slices.IndexFunc(operands, func(o []token) bool { return len(o) == 1 })
	callee := r.funcs[operands[at][0].text]
	s.need(callee != nil && !callee.entry, "%s: only calls of functions of the module by their name are read", in.opcode)
	in.writes = union(s.scope.within(operands[:at]...), callee.params)
	in.reads = union(in.reads, s.scope.within(operands[at+1:]...))
	if in.callee = slices.Index(r.out.funcs, callee); in.callee < 0 {
		in.callee = len(r.out.funcs)
		r.out.funcs = append(r.out.funcs, callee)
	}
}

// classOf is the timing class of an opcode.
func classOf(words []string) (c class) {
	for n := len(words); n > 0 && c.family == ""; n-- {
		c = classes[strings.Join(words[:n], ".")]
	}
	for _, m := range words[1:] {
		if name, _, _ := strings.Cut(m, "::"); c.space == "generic" && spaces[name] {
			c.space = name
		}
	}
	c.typ = typeOf(words[0], words[1:])
	return c
}

// typeOf is the type of an instruction's timing class: of a conversion the wider of its
// two, of a comparison that of its operands, of a product of 16-bit values to 32 bits
// that of the result.
func typeOf(op string, mods []string) string {
	var list []string
	for _, m := range mods {
		if t := types[m]; t != "" {
			list = append(list, t)
		}
	}
	switch {
	case len(list) == 0 || op == "bar" || op == "barrier":
		return ""
	case (op == "set" || op == "mma") && len(list) > 1:
		return list[1]
	case op == "cvt" && len(list) > 1 && width[list[1]] > width[list[0]]:
		return list[1]
	case list[0] == "i16" && slices.Contains(mods, "wide"):
		return "i32"
	}
	return list[0]
}
