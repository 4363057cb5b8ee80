package certify

import (
	"fmt"
	"slices"
	"strings"
)

// families are the families of timing classes by opcode (docs/ptx-support.md).
var families = func() map[string]string {
	out := map[string]string{}
	for family, opcodes := range map[string]string{
		"move": "mov", "convert": "cvt cvta", "compare": "setp set testp isspacep", "select": "selp slct",
		"logic": "and or xor not cnot lop3", "shift": "shl shr shf", "bitfield": "bfe bfi brev popc clz bfind fns szext bmsk",
		"permute": "prmt", "absneg": "abs neg copysign", "add": "add sub addc subc", "minmax": "min max", "mul": "mul", "mad": "mad madc fma",
		"mul24": "mul24", "mad24": "mad24", "sad": "sad", "dot": "dp4a dp2a", "div": "div rem", "sqrt": "sqrt", "rsqrt": "rsqrt", "rcp": "rcp",
		"sin": "sin", "cos": "cos", "exp2": "ex2", "log2": "lg2", "tanh": "tanh", "shuffle": "shfl", "vote": "vote activemask elect",
		"match": "match", "redux": "redux", "load": "ld ldu ldmatrix", "store": "st", "atomic": "atom red mbarrier", "prefetch": "prefetch prefetchu",
		"copy": "cp", "tensor": "mma", "texture": "tex tld4", "fence": "membar fence", "barrier": "bar barrier",
		"branch": "bra brx", "call": "call", "return": "ret", "exit": "exit trap",
	} {
		for _, op := range strings.Fields(opcodes) {
			out[op] = family
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
	in := instruction{place: s.at, opcode: opcode, fn: fn, callee: -1, guarded: len(s.guard) > 0, class: class{family: families[op]}}
	s.need(in.class.family != "", "%s is not among the instructions that are read", op)
	s.need(!slices.Contains(mods, "cc") && op != "addc" && op != "subc" && op != "madc", "%s: the carry flag is not read", opcode)
	in.barrier = in.class.family == "barrier" && !slices.Contains(mods, "warp")
	in.class.typ, in.class.space = typeOf(op, mods), spaceOf(op, mods)
	operands := split(s.toks[1:])
	s.sums(operands)
	in.reads = s.scope.within(s.guard)
	read := func(list ...[]token) { in.reads = union(in.reads, s.scope.within(list...)) }
	switch op {
	case "call":
		r.call(&in, s, operands)
	case "bra":
		in.targets = []int{s.label(s.name(operands, 0))}
	case "brx":
		read(operands[0])
		r.table(&in, s, s.name(operands, 1))
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

// name is the name that an operand is.
func (s *statement) name(operands [][]token, i int) string {
	s.need(i < len(operands) && len(operands[i]) > 0, "no operand %d", i)
	return operands[i][0].text
}

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
		for i, t := range o {
			if i == 0 || o[0].text == "[" || t.text != "+" && t.text != "-" {
				continue
			}
			x, ok := s.scope.find(o[i-1].text)
			s.need(!ok, "a sum with register %s is not read", x.name)
		}
	}
}

// table is the targets of an indexed branch.
func (r *reader) table(in *instruction, s *statement, name string) {
	for sc := s.scope; sc != nil && in.targets == nil; sc = sc.parent {
		for _, l := range sc.targets[name] {
			in.targets = append(in.targets, s.label(l))
		}
	}
	s.need(in.targets != nil, "no .branchtargets %s", name)
}

// call reads call (results), function, (arguments): without parentheses where there are
// none.
func (r *reader) call(in *instruction, s *statement, operands [][]token) {
	var lists [2][]token
	var callee *function
	for _, o := range operands {
		switch {
		case len(o) > 1 && o[0].text == "(" && callee == nil:
			lists[0] = o[1 : len(o)-1]
		case len(o) > 1 && o[0].text == "(":
			lists[1] = o[1 : len(o)-1]
		case len(o) == 1 && callee == nil:
			callee = r.funcs[o[0].text]
		}
	}
	s.need(callee != nil && !callee.entry, "%s: only calls of functions of the module by their name are read", in.opcode)
	in.writes = union(s.scope.within(lists[0]), callee.params)
	in.reads = union(in.reads, s.scope.within(lists[1]))
	if in.callee = slices.Index(r.out.funcs, callee); in.callee < 0 {
		in.callee = len(r.out.funcs)
		r.out.funcs = append(r.out.funcs, callee)
	}
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

// spaceOf is the state space of an access, "" of other instructions.
func spaceOf(op string, mods []string) string {
	switch op {
	case "ld", "ldu", "ldmatrix", "st", "atom", "red", "prefetch", "prefetchu":
		for _, m := range mods {
			if name, _, _ := strings.Cut(m, "::"); spaces[name] {
				return name
			}
		}
		return "generic"
	case "mbarrier":
		return "shared"
	case "tex", "tld4":
		return "global"
	case "cp":
		switch {
		case slices.Contains(mods, "mbarrier"):
			return "shared"
		case !slices.Contains(mods, "commit_group") && !slices.Contains(mods, "wait_group") && !slices.Contains(mods, "wait_all"):
			return "global"
		}
	}
	return ""
}
