package rv

import (
	"fmt"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/testkit/golden"
)

const supportFile = "../../docs/riscv-support.md"

// TestSupportDoc keeps docs/riscv-support.md equal to the tables.
// UPDATE_GOLDEN=1 writes it anew.
func TestSupportDoc(t *testing.T) {
	got := supportDoc()
	golden.File(t, supportFile, got)
}

// supportDoc renders the instruction table as Markdown.
func supportDoc() string {
	var b strings.Builder
	fmt.Fprintf(&b, `# RISC-V instructions

Generated from the instruction table of package rv; do not edit.

Programs are statically linked ELF32 files for RV32IMF with Zicsr, Zifencei and Zicond, with the SIMT instructions of Vortex on custom-0: %d
instructions. `+"`-march=rv32imf_zicsr -mabi=ilp32f`"+` (or `+"`ilp32`"+`) makes GCC and Clang emit nothing else. Compressed, 64-bit, atomic, vector and
double-precision instructions are refused, as are encodings the manuals reserve: a word that is no instruction below is an error when it is executed,
with its address and the reason.

In the columns of bits a dot is a bit that operands use or that is ignored. Operands are written as assemblers do; rm is a rounding mode, left out
where it is the dynamic one, and its reserved values 5 and 6 are an error when executed. The class is the key of a GPU description's timing rules.
`, len(Ops()))
	for e := RV32I; e <= Vortex; e++ {
		fmt.Fprintf(&b, "\n## %s\n\n| instruction | operands | bits 31-25 | 24-20 | 19-15 | 14-12 | 11-7 | 6-0 | kind | class |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n", e)
		for _, op := range Ops() {
			if op.Extension() == e {
				fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", op, operandNames(op), bitColumns(op), timings[op].kind, op.class())
			}
		}
	}
	b.WriteString(`
The suffix _n on vx_split and vx_pred negates the predicate: bit 0 of the rs2 field and of the rd field. jal and jalr are calls where they link,
jalr through ra or t0 is a return where it does not, and so is a jump to another function. A vx_tmc of the zero register ends its warp and is an exit.
fence.i does nothing to the instructions: a program cannot change its own text.

## Data

Analyses follow which values depend on data that is not known ([soundness/paths.md](soundness/paths.md#risc-v-programs)): where neither control nor
an address of an access whose transactions count does, a bound holds for all inputs. Control is what branches, indirect jumps, vx_split, vx_pred,
vx_tmc, vx_join, vx_wspawn and vx_bar look at. [examples/README.md](../examples/README.md#vortex) lists the programs of the examples.

## Control and status registers

Names the disassembler knows. Values of the counters, and of those that tell one machine from another, are not known to analyses; those of mscratch,
fflags, frm and fcsr are as known as what was written there, and of what raised the flags; which warps are active is known as long as only one is. The
numbers of thread, warp and core, how many there are of each, the active threads and the address of the local memory are known.

| number | name |
| --- | --- |
`)
	for csr := range uint16(0x1000) {
		if name := CSRName(csr); !strings.HasPrefix(name, "0x") {
			fmt.Fprintf(&b, "| 0x%03x | %s |\n", csr, name)
		}
	}
	return b.String()
}

// operandNames spells out the operand letters of op.
func operandNames(op Op) string {
	names := map[byte]string{
		'd': "rd", 's': "rs1", 't': "rs2", 'D': "frd", 'S': "frs1", 'T': "frs2", 'R': "frs3", 'i': "imm", 'o': "offset", 'q': "offset",
		'h': "shamt", 'b': "target", 'a': "target", 'u': "imm20", 'c': "csr", 'z': "uimm5", 'm': "rm", 'f': "pred, succ",
	}
	var b strings.Builder
	operands := strings.NewReplacer(",n", "", ",N", "").Replace(table[op].operands)
	for k := range len(operands) {
		if name, ok := names[operands[k]]; ok {
			b.WriteString(name)
		} else {
			b.WriteString(strings.ReplaceAll(operands[k:k+1], ",", ", "))
		}
	}
	return b.String()
}

// bitColumns shows the fixed bits of op by field, from the top.
func bitColumns(op Op) string {
	mask, match := op.Encoding()
	var fields []string
	high := 31
	for _, low := range []int{25, 20, 15, 12, 7, 0} {
		var f strings.Builder
		for bit := high; bit >= low; bit-- {
			switch {
			case mask>>bit&1 == 0:
				f.WriteByte('.')
			default:
				f.WriteByte('0' + byte(match>>bit&1))
			}
		}
		fields = append(fields, f.String())
		high = low - 1
	}
	return strings.Join(fields, " | ")
}
