package ptx

import (
	"fmt"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/testkit/golden"
)

const supportFile = "../docs/ptx-support.md"

// TestSupportDoc keeps docs/ptx-support.md equal to the opcode table.
// UPDATE_GOLDEN=1 writes it anew.
func TestSupportDoc(t *testing.T) {
	got := supportDoc()
	golden.File(t, supportFile, got)
}

// supportDoc renders the opcode table as Markdown.
func supportDoc() string {
	var b strings.Builder
	count := map[State]int{}
	for _, name := range Opcodes() {
		info := Lookup(name)
		fmt.Fprintf(&b, "\n## %s\n\n| modifiers | types | PTX | sm | state |\n| --- | --- | --- | --- | --- |\n", name)
		for i := range info.Variants {
			v := &info.Variants[i]
			mods, types := slotColumns(v)
			state := v.State.String()
			if v.Reason != "" {
				state += ": " + v.Reason
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", mods, types, version(v.PTX), dash(v.SM), state)
			count[v.State]++
		}
	}
	head := fmt.Sprintf(`# PTX instructions

Generated from the opcode table of package ptx; do not edit.

Everything below parses, prints and checks. What is executed runs on the functional machine and can be analysed and simulated. What is refused is
refused by name and position, with the reason given here, when a kernel that contains it is executed or analysed, and not before.

The table has %d opcodes in %d lines: %d executed, %d refused.

A line allows one modifier of each group, in any order; a group in square brackets may be left out. Types stand in the order written in the
instruction, the destination's first. The columns PTX and sm give the first ISA version and architecture with the line as far as the table knows;
assemblers and hardware decide.
`, len(Opcodes()), count[Executed]+count[Refused], count[Executed], count[Refused])
	return head + b.String()
}

func version(ptx int) string {
	if ptx == 0 {
		return "-"
	}
	return fmt.Sprintf("%d.%d", ptx/10, ptx%10)
}

func dash(n int) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprint(n)
}

func slotColumns(v *Variant) (mods, types string) {
	var m, t []string
	for _, s := range v.Slots {
		switch {
		case s.Kind == SlotAny:
			m = append(m, "any")
			continue
		case s.Kind >= SlotType && s.Kind <= SlotType4:
			t = append(t, group(s))
		default:
			m = append(m, group(s))
		}
	}
	return strings.Join(m, " "), strings.Join(t, ", ")
}

func group(s Slot) string {
	text := "`." + strings.Join(s.Values, "` `.") + "`"
	switch {
	case s.Opt:
		return "[" + text + "]"
	case len(s.Values) > 1 && s.Kind > SlotType4:
		return "(" + text + ")"
	}
	return text
}
