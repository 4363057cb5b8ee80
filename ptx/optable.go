package ptx

import (
	"fmt"
	"slices"
	"strings"
)

// OpInfo is what is known of an opcode: the word up to the first dot.
type OpInfo struct {
	Name     string
	Variants []Variant
}

// Variant is one line of the opcode table: an allowed set of modifiers with
// its operands. Modifiers match in any order, as assemblers accept them, but
// types among themselves in the order written.
type Variant struct {
	Slots []Slot
	// Operands holds the allowed operand lists, shortest first.
	Operands [][]OperandSpec
	// PTX is the first ISA version with the variant, times ten, and SM the
	// first architecture; 0 where the table does not say.
	PTX, SM int
	State   State
	Reason  string // why it is refused; "" where Executed
}

// Slot is a place for one modifier.
type Slot struct {
	Kind SlotKind
	// Opt slots may stay empty.
	Opt bool
	// Values are the modifiers that fit, without dots; nil for SlotAny, which
	// takes any number of any modifiers.
	Values []string
}

// OperandKind is what an operand's place takes.
type OperandKind uint8

const (
	_               OperandKind = iota
	OperandDst                  // a register to write; or "_"
	OperandDstVec               // as many registers as the vector modifier says
	OperandDstPair              // a register, or "d|p" with a predicate
	OperandPredPair             // a predicate to write, or "p|q"
	OperandSrc                  // a register or a constant
	OperandSrcVec               // as many of these as the vector modifier says
	OperandPred                 // a predicate to read, perhaps "!p"
	OperandImm                  // a constant
	OperandAddr                 // an address in brackets
	OperandLabel                // a label
	OperandAny                  // anything
	OperandRest                 // anything, any number of times
)

// TypeRule is how a register's type follows from the instruction's.
type TypeRule uint8

const (
	RuleNone TypeRule = iota
	// RuleFixed wants OperandSpec.Type.
	RuleFixed
	// RuleType to RuleType3 want the first to third type of the instruction.
	RuleType
	RuleType2
	RuleType3
	// RuleWide wants twice the width of the first type.
	RuleWide
	// RuleMemory and RuleMemory2 take wider registers than the first and the
	// second type, too: ld, st and cvt.
	RuleMemory
	RuleMemory2
	// RuleAddress wants 32 or 64 bits, an address.
	RuleAddress
)

// OperandSpec is the place of one operand.
type OperandSpec struct {
	Kind OperandKind
	Rule TypeRule
	Type Type // for RuleFixed
}

// row is a line of the table as written in the source: for the opcodes Ops,
// see parseSlots and parseOperands for Mods and Operands.
type row struct {
	ops      string
	mods     string
	operands string
	ptx, sm  int
	refused  string
}

// Reasons for refusal that several rows share.
const (
	noPacked  = "packed arithmetic is not modelled"
	noBF16    = "bfloat16 and narrower formats are not modelled"
	noTexture = "textures of other forms, and surfaces, are not modelled"
	noMatrix  = "matrix instructions of other shapes and types are not modelled"
	noBulk    = "bulk copies are not modelled"
	noCluster = "thread block clusters are not modelled"
	noVideo   = "video instructions are not modelled"
	noStack   = "dynamic stack allocation is not modelled"
	no128     = "128-bit operations are not modelled"
	noPolicy  = "cache policies are not modelled"
	noMixed   = "mixed-precision arithmetic is not modelled"
	noVector  = "vector atomics are not modelled"
)

// sets are the named lists of modifiers that rows refer to by "@name".
var sets = map[string]string{
	"int":   "u16,u32,u64,s16,s32,s64",
	"uint":  "u16,u32,u64",
	"sint":  "s16,s32,s64",
	"i3264": "u32,u64,s32,s64",
	"i32":   "u32,s32",
	"bits":  "b16,b32,b64",
	"frnd":  "rn,rz,rm,rp",
	"rnd":   "rn,rz,rm,rp,rni,rzi,rmi,rpi",
	"cmps":  "eq,ne,lt,le,gt,ge",
	"cmpu":  "eq,ne,lt,le,gt,ge,lo,ls,hi,hs",
	"cmpf":  "eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan",
	"bool":  "and,or,xor",
	"mem":   "b8,b16,b32,b64,u8,u16,u32,u64,s8,s16,s32,s64,f32,f64",
	"sel":   "b16,b32,b64,u16,u32,u64,s16,s32,s64,f32,f64",
	"num":   "u8,u16,u32,u64,s8,s16,s32,s64,f16,f32,f64",
	"bf":    "bf16,bf16x2",
	"half2": "f16x2,bf16,bf16x2",
	"vec":   "v2,v4,v8",
	"ldsp":  "const,global,local,param,param::entry,param::func,shared,shared::cta",
	"stsp":  "global,local,param,param::func,shared,shared::cta",
	"atsp":  "global,shared,shared::cta",
	"scope": "cta,cluster,gpu,sys",
	"l1":    "L1::evict_normal,L1::evict_unchanged,L1::evict_first,L1::evict_last,L1::no_allocate",
	"l2":    "L2::evict_normal,L2::evict_first,L2::evict_last",
	"pf":    "L2::64B,L2::128B,L2::256B",
}

// opTable maps opcodes to their lines. It is built once, from the rows in
// the files optable_*.go, and only read afterwards.
var opTable = buildTable(arithmeticRows, floatRows, dataRows, memoryRows, controlRows, refusedRows)

func buildTable(groups ...[]row) map[string]*OpInfo {
	t := make(map[string]*OpInfo)
	for _, g := range groups {
		for _, r := range g {
			v := Variant{Slots: parseSlots(r.mods), Operands: parseOperands(r.operands), PTX: r.ptx, SM: r.sm, State: Executed}
			if r.refused != "" {
				v.State, v.Reason = Refused, r.refused
			}
			for _, op := range strings.Fields(r.ops) {
				if t[op] == nil {
					t[op] = &OpInfo{Name: op}
				}
				t[op].Variants = append(t[op].Variants, v)
			}
		}
	}
	return t
}

// Lookup returns what the table knows of an opcode, the word up to the first
// dot; nil for words that are no PTX opcode.
func Lookup(op string) *OpInfo { return opTable[op] }

// Opcodes returns all opcodes of the table, sorted.
func Opcodes() []string {
	names := make([]string, 0, len(opTable))
	for n := range opTable {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// parseSlots reads the modifiers of a row: words "kind:value,value" or
// "kind?:..." for an optional one, where a missing value list stands for the
// kind's own name ("ftz?") and a value "@set" for a named list. "*" takes
// whatever is left.
func parseSlots(s string) []Slot {
	var slots []Slot
	for _, w := range strings.Fields(s) {
		if w == "*" {
			slots = append(slots, Slot{Kind: SlotAny, Opt: true})
			continue
		}
		name, values, _ := strings.Cut(w, ":")
		name, opt := strings.CutSuffix(name, "?")
		if values == "" {
			values = name
			if own := ownValue[name]; own != "" {
				values = own
			}
		}
		slot := Slot{Kind: slotKind(name), Opt: opt}
		for _, v := range strings.Split(values, ",") {
			if set, ok := strings.CutPrefix(v, "@"); ok {
				slot.Values = append(slot.Values, strings.Split(mustSet(set), ",")...)
			} else {
				slot.Values = append(slot.Values, v)
			}
		}
		slots = append(slots, slot)
	}
	return slots
}

func mustSet(name string) string {
	s, ok := sets[name]
	if !ok {
		panic("ptx: opcode table names unknown set " + name)
	}
	return s
}

// operandKinds are the words for operand places in rows.
var operandKinds = map[string]OperandKind{
	"d": OperandDst, "dv": OperandDstVec, "dp": OperandDstPair, "pq": OperandPredPair,
	"s": OperandSrc, "sv": OperandSrcVec, "p": OperandPred, "i": OperandImm,
	"a": OperandAddr, "l": OperandLabel, "x": OperandAny, "*": OperandRest,
}

// operandRules are the words for type rules in rows.
var operandRules = map[string]TypeRule{
	"T": RuleType, "T2": RuleType2, "T3": RuleType3, "W": RuleWide,
	"M": RuleMemory, "M2": RuleMemory2, "A": RuleAddress,
}

// parseOperands reads the operands of a row: alternatives separated by "/",
// each a list of "kind:rule" or "kind:type".
func parseOperands(s string) [][]OperandSpec {
	var alts [][]OperandSpec
	for _, alt := range strings.Split(s, "/") {
		list := []OperandSpec{}
		for _, w := range strings.Fields(alt) {
			kind, rule, _ := strings.Cut(w, ":")
			o := OperandSpec{Kind: operandKinds[kind], Rule: operandRules[rule]}
			if rule != "" && o.Rule == RuleNone {
				o.Rule, o.Type = RuleFixed, TypeByName(rule)
			}
			if o.Kind == 0 || o.Rule == RuleFixed && o.Type == TypeNone {
				panic("ptx: opcode table has an unknown operand " + w)
			}
			list = append(list, o)
		}
		alts = append(alts, list)
	}
	return alts
}

// match resolves modifiers against the variant. n is the number of modifiers
// before the first without a slot; ok tells that there is none and that no
// required slot is left.
func (v *Variant) match(mods []string) (f Form, n int, ok bool) {
	var filled uint64
	for _, m := range mods {
		i := v.slot(m, filled)
		if i < 0 {
			return f, n, false
		}
		if v.Slots[i].Kind != SlotAny {
			filled |= 1 << i
		}
		setters[v.Slots[i].Kind](&f, m)
		n++
	}
	for i := range v.Slots {
		if !v.Slots[i].Opt && filled&(1<<i) == 0 {
			return f, n, false
		}
	}
	return f, n, true
}

// slot returns the first free slot that takes m, or -1. Of the types only
// the first free one counts: they have an order.
func (v *Variant) slot(m string, filled uint64) int {
	typed := false
	for i := range v.Slots {
		s := &v.Slots[i]
		if filled&(1<<i) != 0 {
			continue
		}
		if isType := s.Kind >= SlotType && s.Kind <= SlotType4; isType {
			if typed {
				continue
			}
			typed = true
		}
		if s.Kind == SlotAny || slices.Contains(s.Values, m) {
			return i
		}
	}
	return -1
}

// fits reports whether one of the variant's operand lists has n operands.
func (v *Variant) fits(n int) bool {
	return slices.ContainsFunc(v.Operands, func(list []OperandSpec) bool { return operandsFit(list, n) })
}

func operandsFit(list []OperandSpec, n int) bool {
	if k := len(list); k > 0 && list[k-1].Kind == OperandRest {
		return n >= k-1
	}
	return n == len(list)
}

// Form resolves the opcode and modifiers of i by the opcode table. Where
// several lines of the table match, the number of operands decides. The error
// is an *Error without a file name.
func (i *Inst) Form() (Form, error) {
	return resolve(i.Op, i.Mods, len(i.Operands), i.Pos)
}

func resolve(op string, mods []string, operands int, pos Pos) (Form, error) {
	info := Lookup(op)
	if info == nil {
		return Form{}, &Error{Pos: pos.in(""), Msg: fmt.Sprintf("unknown opcode %s, expected a PTX instruction", quoteShort(op))}
	}
	var form Form
	var best *Variant
	var most, matched int
	for k := range info.Variants {
		v := &info.Variants[k]
		f, n, ok := v.match(mods)
		if ok {
			f.Info, f.Variant = info, v
			if v.fits(operands) {
				return f, nil
			}
			if form.Variant == nil {
				form = f
			}
		}
		if known := n - len(f.Other); known > most || best == nil {
			best, most, matched = v, known, n
		}
	}
	if form.Variant != nil {
		return form, nil
	}
	return Form{}, &Error{Pos: pos.in(""), Msg: best.complain(op, mods, matched)}
}

// complain says why the modifiers do not match v, the first n of which do.
func (v *Variant) complain(op string, mods []string, n int) string {
	var filled uint64
	for _, m := range mods[:n] {
		if i := v.slot(m, filled); i >= 0 && v.Slots[i].Kind != SlotAny {
			filled |= 1 << i
		}
	}
	var want []string
	for i, s := range v.Slots {
		if filled&(1<<i) != 0 || s.Kind == SlotAny || n == len(mods) && s.Opt {
			continue
		}
		want = append(want, "."+strings.Join(s.Values, " ."))
		if n == len(mods) {
			break
		}
	}
	expected := "no more modifiers"
	if len(want) > 0 {
		expected = "one of " + strings.Join(want, " ")
	}
	if n == len(mods) {
		return fmt.Sprintf("instruction %s lacks a modifier, expected %s", quoteShort(joinOpcode(op, mods)), expected)
	}
	return fmt.Sprintf("modifier %s does not fit instruction %s, expected %s",
		quoteShort("."+mods[n]), quoteShort(joinOpcode(op, mods)), expected)
}
