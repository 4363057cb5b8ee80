package ptxexec

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/testkit/golden"
	"github.com/warpbound/warpbound/internal/testkit/ptxas"
	"github.com/warpbound/warpbound/ptx"
)

const verdictFile = "../../../docs/ptxas.md"

// verdict is what is thought of one text.
type verdict struct {
	name         string
	ours, theirs string // what is wrong; "" where it is accepted
}

// ptxasVersion is the last PTX ISA that CUDA 11.8 knows: 7.8.
const ptxasVersion = 78

// moduleVerdicts asks about every PTX file of the repository.
func moduleVerdicts(t *testing.T, asm *ptxas.Assembler) (list []verdict) {
	which, texts := map[string][]int{}, map[string][]string{} // by architecture
	err := filepath.WalkDir("../../..", func(path string, e fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".ptx") {
			return err
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		v := verdict{name: strings.TrimPrefix(filepath.ToSlash(path), "../../../")}
		m, err := ptx.Parse(filepath.Base(path), src)
		if err == nil {
			err = ptx.Check(m)
		}
		v.ours = firstLine(err)
		arch := "sm_90"
		if m != nil && slices.Contains([]string{"sm_35", "sm_50", "sm_60", "sm_70", "sm_75", "sm_80", "sm_86"}, m.Targets[0]) {
			arch = m.Targets[0]
		}
		which[arch], texts[arch] = append(which[arch], len(list)), append(texts[arch], string(src))
		list = append(list, v)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for arch := range which {
		all, err := asm.CheckAll(arch, texts[arch])
		if err != nil {
			t.Fatal(err)
		}
		for i, complaints := range all {
			if len(complaints) > 0 {
				list[which[arch][i]].theirs = fmt.Sprintf("line %d: %s", complaints[0].Line, complaints[0].Text)
			}
		}
	}
	return list
}

func firstLine(err error) string {
	if err == nil {
		return ""
	}
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// formVerdicts asks about every form of the opcode table that is executed and that
// the assembler is old enough to know.
func formVerdicts(t *testing.T, asm *ptxas.Assembler) (list []verdict) {
	head := strings.Split(tableKernel("INSTRUCTION"), "INSTRUCTION;")
	head[0] = regexp.MustCompile(`\.target sm_\d+`).ReplaceAllString(head[0], ".target sm_90")
	head[0] = regexp.MustCompile(`\.version \d+\.\d+`).ReplaceAllString(head[0], ".version 7.8")
	forms(func(op string, v *ptx.Variant, mods []string) {
		if op == "call" || v.PTX > ptxasVersion {
			return
		}
		for _, places := range v.Operands {
			form, err := (&ptx.Inst{Op: op, Mods: mods, Operands: make([]ptx.Operand, len(places))}).Form()
			if err != nil || form.Variant.State != ptx.Executed || form.Variant.PTX > ptxasVersion {
				continue
			}
			inst := strings.Join(append([]string{op}, mods...), ".")
			for i, p := range places {
				if i > 0 {
					inst += ","
				}
				inst += " " + operandText(p, &form, op, i)
			}
			list = append(list, verdict{name: inst})
		}
	})
	for i := range list {
		_, err := Lower(parse(t, head[0]+list[i].name+";"+head[1]), "k")
		m, _ := ptx.Parse("t.ptx", []byte(head[0]+list[i].name+";"+head[1]))
		if err == nil {
			err = ptx.Check(m)
		}
		list[i].ours = firstLine(err)
	}
	ask(t, asm, head, list)
	return list
}

// pieceVerdicts reads what the assembler thinks of versions, targets, declarations and
// operands: package ptx records it and holds it against the assembler.
func pieceVerdicts(t *testing.T) (list []verdict) {
	for _, c := range ptxas.Cases(t, "../../../ptx/testdata/verdicts.txt") {
		v := verdict{name: c.Text}
		m, err := ptx.Parse("t.ptx", []byte(c.Module()))
		if err == nil {
			err = ptx.Check(m)
		}
		if v.ours = firstLine(err); !c.Legal {
			v.theirs = "it is refused"
		}
		list = append(list, v)
	}
	return list
}

// ask puts the instructions into one module, a line for each, and takes those out
// at which the assembler stops.
func ask(t *testing.T, asm *ptxas.Assembler, head []string, list []verdict) {
	first := strings.Count(head[0], "\n") + 1
	stopped := map[int]bool{}
	for {
		var b strings.Builder
		b.WriteString(head[0])
		for i := range list {
			if !stopped[i] {
				b.WriteString(list[i].name + ";")
			}
			b.WriteByte('\n')
		}
		b.WriteString(head[1])
		complaints, err := asm.Check("sm_90", b.String())
		if err != nil {
			t.Fatal(err)
		}
		again := false
		for _, c := range complaints {
			i := c.Line - first
			if i < 0 || i >= len(list) {
				t.Fatalf("ptxas: line %d: %s", c.Line, c.Text)
			}
			if list[i].theirs == "" {
				list[i].theirs = c.Text
			}
			if strings.HasPrefix(c.Text, "Parsing error") && !stopped[i] {
				stopped[i], again = true, true
			}
		}
		if !again {
			return
		}
	}
}

// reasons says why what is accepted here is refused there, by a part of what the
// assembler says of an instruction.
var reasons = []struct{ opcode, part, why string }{
	{"", "Unknown modifier '.v8'", "Vectors of eight are of PTX 8.8."},
	{"", "Parsing error near ':'", "`.param::entry` and `.param::func` are of PTX 8.3."},
	{"", "'.L1::eviction_priority' syntax expected", "Priorities in the L2 cache are of PTX 8.8."},
	{"", "Multiple cache eviction priority", "Priorities in both caches are of PTX 8.8."},
	{"mbarrier", "Illegal modifier", "Order and scope of `mbarrier` are of PTX 8.0."},
	{"atom", "Illegal modifier '.L2::cache_hint'", "PTX ISA has a cache policy for `atom.cas`, too; this assembler takes none."},
	{"cvt", "Unexpected instruction types", "`.satfinite` to these types is of PTX 8.1."},
	{"cvt", "", "Conversions of `.bf16` are checked as PTX ISA lists them; this assembler takes fewer, and of 8-bit integers none."},
	{"ptx/testdata/traps", "texmode_unified", "The file collects what is hard to parse. That samplers of their own need `.target texmode_independent` is not checked: the launch file says which sampler is used."},
}

// why is the reason of a verdict that differs, "" where none is known.
func (v *verdict) why() string {
	for _, r := range reasons {
		if strings.HasPrefix(v.name, r.opcode) && strings.Contains(v.theirs, r.part) {
			return r.why
		}
	}
	return ""
}

// TestPTXAS asks NVIDIA's assembler about every PTX file of the repository and every
// form that is executed, and keeps docs/ptxas.md equal to its answers;
// UPDATE_GOLDEN=1 writes it. What it takes is accepted here; what it refuses is
// refused here, but for reasons that are named.
func TestPTXAS(t *testing.T) {
	asm := ptxas.Need(t)
	modules, instructions, pieces := moduleVerdicts(t, asm), formVerdicts(t, asm), pieceVerdicts(t)
	if len(modules) < 60 || len(instructions) < 1500 || len(pieces) < 400 {
		t.Errorf("%d modules, %d instructions and %d pieces", len(modules), len(instructions), len(pieces))
	}
	var page strings.Builder
	page.WriteString(`# Beside NVIDIA's assembler

Generated by a test where CUDA is installed (` + "`go test ./internal/simt/ptxexec -run PTXAS`" + `); nothing needs CUDA. Every PTX file of the repository, every form of the opcode table that is executed and that PTX 7.8 knows, and pieces about versions, targets, declarations and operands (ptx/testdata/verdicts.txt) are put to ` + "`ptxas`" + ` of CUDA 11.8 and to the checker here.

| corpus | accepted by both | refused by both | accepted here only | accepted by ptxas only |
|:--- | ---:| ---:| ---:| ---:|
`)
	var differ []verdict
	for _, c := range []struct {
		name string
		list []verdict
	}{{"PTX files", modules}, {"forms of instructions", instructions}, {"versions, targets, declarations, operands", pieces}} {
		var n [4]int
		for _, v := range c.list {
			switch ours, theirs := v.ours == "", v.theirs == ""; {
			case ours && theirs:
				n[0]++
			case !ours && !theirs:
				n[1]++
			case ours:
				n[2]++
				differ = append(differ, v)
			default:
				n[3]++
				t.Errorf("%s: ptxas takes it; here: %s", v.name, v.ours)
			}
		}
		fmt.Fprintf(&page, "| %s | %d | %d | %d | %d |\n", c.name, n[0], n[1], n[2], n[3])
	}
	page.WriteString("\nThe forms refused by both are combinations of modifiers that the table makes and the ISA excludes. Why the others differ:\n\n| accepted here only | number | for example | ptxas says |\n|:--- | ---:|:--- |:--- |\n")
	for _, r := range reasons {
		count, first := 0, verdict{}
		for _, v := range differ {
			if v.why() == r.why {
				if count++; count == 1 {
					first = v
				}
			}
		}
		if count == 0 {
			t.Errorf("the reason %q explains nothing any more", r.why)
			continue
		}
		fmt.Fprintf(&page, "| %s | %d | `%s` | %s |\n", r.why, count, first.name, first.theirs)
	}
	for _, v := range differ {
		if v.why() == "" {
			t.Errorf("%s is accepted here; ptxas: %s", v.name, v.theirs)
		}
	}
	golden.File(t, verdictFile, page.String())
}
