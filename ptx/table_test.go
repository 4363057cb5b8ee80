package ptx

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// tableRegisters declares registers for every type that operands have.
const tableRegisters = `.reg .pred %p<9>;
.reg .b16 %rs<9>;
.reg .b32 %r<9>;
.reg .b64 %rd<9>;
.reg .b128 %rq<9>;
.reg .f32 %f<9>;
.reg .f64 %fd<9>;
L: T: .branchtargets L;
`

// registerFor names register i of a type that w takes.
func registerFor(w want, i int) string {
	prefix := map[int]string{1: "%p", 4: "%rs", 8: "%rs", 16: "%rs", 32: "%r", 64: "%rd", 128: "%rq"}[w.t.Bits()]
	switch {
	case w.address:
		prefix = "%rd"
	case w.t == F32:
		prefix = "%f"
	case w.t == F64:
		prefix = "%fd"
	case w.t == TypeNone:
		prefix = "%r"
	}
	return fmt.Sprintf("%s%d", prefix, i)
}

// operandFor writes operand i of an instruction as its line of the table
// says.
func operandFor(f *Form, s OperandSpec, i int) string {
	w := s.want(f)
	reg := registerFor(w, i+1)
	switch s.Kind {
	case OperandDstVec, OperandSrcVec:
		if f.Vec > 0 {
			return "{" + strings.Repeat(reg+", ", int(f.Vec)-1) + reg + "}"
		}
	case OperandDstPair:
		return reg + "|%p7"
	case OperandPredPair:
		return "%p1|%p2"
	case OperandPred:
		return "!%p3"
	case OperandImm:
		return "4"
	case OperandAddr:
		return "[%rd8]"
	case OperandLabel:
		return "L"
	case OperandAny:
		if f.Info.Name == "brx" {
			return "T"
		}
		return "%p5"
	}
	return reg
}

// tableInstructions writes, for every line of the table, the instruction
// without optional modifiers and one for each value of each modifier.
func tableInstructions(visit func(v *Variant, text string)) {
	for _, op := range Opcodes() {
		info := Lookup(op)
		for i := range info.Variants {
			v := &info.Variants[i]
			for s := range v.Slots {
				for _, value := range v.Slots[s].Values {
					tableInstruction(op, v, s, value, visit)
				}
			}
			if len(v.Slots) == 0 {
				tableInstruction(op, v, -1, "", visit)
			}
		}
	}
}

func tableInstruction(op string, v *Variant, s int, value string, visit func(*Variant, string)) {
	var mods []string
	for k, slot := range v.Slots {
		switch {
		case k == s:
			mods = append(mods, value)
		case slot.Kind != SlotAny && !slot.Opt:
			mods = append(mods, slot.Values[0])
		}
	}
	f, _, ok := v.match(mods)
	if !ok {
		return
	}
	f.Info = Lookup(op)
	for _, specs := range v.Operands {
		var operands []string
		for i, spec := range specs {
			if spec.Kind != OperandRest {
				operands = append(operands, operandFor(&f, spec, i))
			}
		}
		visit(v, joinOpcode(op, mods)+" "+strings.Join(operands, ", ")+";")
	}
}

// againstRule tells whether all that is wrong is modifiers that do not go together,
// which the lines of the table do not say: TestRules does.
func againstRule(err error) bool {
	var list ErrorList
	return errors.As(err, &list) && len(list) == 1 && strings.Contains(list[0].Msg, "instruction \"") && strings.Contains(list[0].Msg, "\": ")
}

// TestTableChecks lets instructions written as the table says through the
// checker, and the same with an operand too many not.
func TestTableChecks(t *testing.T) {
	n := 0
	known := recorded(t)
	tableInstructions(func(v *Variant, text string) {
		if strings.HasPrefix(text, "call") || refusedByPtxas(known, text) {
			return // has a statement of its own; modifiers that go with other types
		}
		n++
		f := mustParse(t, "t.ptx", []byte(module(".entry k() {\n"+tableRegisters+text+"\n}")))
		if err := Check(f); err != nil && !againstRule(err) {
			t.Errorf("%s: %v", text, err)
		}
		roundTrip(t, f)
		if rest := v.Operands[0]; len(rest) > 0 && rest[len(rest)-1].Kind == OperandRest {
			return
		}
		more := strings.TrimSuffix(text, ";") + strings.Repeat(", %r1", 5) + ";"
		more = strings.Replace(more, " ,", " ", 1)
		if err := Check(mustParse(t, "t.ptx", []byte(module(".entry k() {\n"+tableRegisters+more+"\n}")))); err == nil {
			t.Errorf("%s: no error", more)
		}
	})
	if n < 1000 {
		t.Errorf("%d instructions, want at least 1000", n)
	}
}
