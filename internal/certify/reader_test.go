package certify

import (
	"bufio"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/simt/ptxexec"
	"github.com/warpbound/warpbound/isa"
	"github.com/warpbound/warpbound/ptx"
)

const root = "../.."

// unread are the reasons for which a kernel is not read although the analysis reads it.
var unread = regexp.MustCompile(`the carry flag is not read|vector registers are not read|a sum with register|is not among the instructions that are read|only calls of functions of the module by their name are read`)

// The reader of the checker and the front end of the analysis, which share nothing, say
// the same of every kernel of the repository: where instructions are, what they read and
// write, their timing class, where they go, and where lanes that part meet.
func TestReaderAgreesWithTheFrontEnd(t *testing.T) { agrees(t) }

func agrees(t testing.TB) {
	kernels, instructions, refused := 0, 0, map[string]int{}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && strings.HasPrefix(d.Name(), ".") && file != root {
			return err
		}
		if filepath.Ext(file) != ".ptx" {
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		module, err := ptx.Parse(file, text)
		if err != nil || ptx.Check(module) != nil {
			return nil // a test of errors
		}
		for _, decl := range module.Decls {
			f, ok := decl.(*ptx.Func)
			if !ok || !f.Entry || f.Body == nil {
				continue
			}
			code, err := ptxexec.Lower(module, f.Name)
			if err != nil {
				continue // not executed
			}
			k, err := read(text, f.Name)
			if err != nil {
				why := unread.FindString(err.Error())
				if refused[why]++; why == "" {
					t.Errorf("%s: %s: %v", file, f.Name, err)
				}
				continue
			}
			kernels++
			instructions += len(k.code)
			compare(t, file, k, code.ISA())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d kernels with %d instructions; not read: %v", kernels, instructions, refused)
	if kernels < 100 || instructions < 10_000 {
		t.Errorf("%d kernels with %d instructions, expected more", kernels, instructions)
	}
}

func read(text []byte, entry string) (_ *kernel, err error) {
	defer caught(&err)
	return readKernel(text, entry), nil
}

// compare holds a kernel against a program.
func compare(t testing.TB, file string, k *kernel, p *isa.Program) {
	t.Helper()
	if len(k.code) != len(p.Instructions) {
		t.Errorf("%s: %s: %d instructions, expected %d", file, p.Name, len(k.code), len(p.Instructions))
		return
	}
	flow := newFlow(k, func(class) bool { return true })
	of := map[register]isa.Reg{}
	same := func(found []register, want []isa.Reg) bool {
		if len(found) != len(want) {
			return false
		}
		for _, w := range want {
			i := slices.IndexFunc(found, func(r register) bool { return r.name == p.Registers[w] })
			if i < 0 {
				return false
			}
			if x, ok := of[found[i]]; ok && x != w {
				return false
			}
			of[found[i]] = w
		}
		return true
	}
	for pc := range k.code {
		in, want := &k.code[pc], &p.Instructions[pc]
		switch {
		case in.line != int64(want.Pos.Line) || in.column != int64(want.Pos.Col):
			t.Errorf("%s: %s at %d:%d", want.Pos, want.Opcode, in.line, in.column)
		case in.opcode != want.Opcode && want.Opcode != "call":
			t.Errorf("%s: %s, expected %s", want.Pos, in.opcode, want.Opcode)
		case in.class.String() != strings.TrimSuffix(want.Class.String(), "."):
			t.Errorf("%s: %s has class %s, expected %s", want.Pos, in.opcode, in.class, want.Class)
		case !same(in.reads, want.Reads) || !same(in.writes, want.Writes):
			t.Errorf("%s: %s reads %v and writes %v, expected %v and %v", want.Pos, in.opcode, in.reads, in.writes, names(p, want.Reads), names(p, want.Writes))
		case in.guarded != (want.Guard != isa.NoReg) || in.ends != (want.Kind == isa.Exit || want.Kind == isa.Return):
			t.Errorf("%s: %s guarded %t, ends %t", want.Pos, in.opcode, in.guarded, in.ends)
		case want.Kind == isa.Branch && !slices.Equal(in.targets, ints(want.Targets)):
			t.Errorf("%s: %s goes to %v, expected %v", want.Pos, in.opcode, in.targets, want.Targets)
		case want.Kind == isa.Call && !slices.Equal(ints(want.Targets), []int{k.funcs[in.callee].first}):
			t.Errorf("%s: call of %s, expected of %v", want.Pos, k.funcs[in.callee].name, want.Targets)
		}
	}
	for fn := range p.Functions {
		c, err := isa.BuildCFG(p, fn)
		if err != nil {
			t.Fatal(err)
		}
		for pc := p.Functions[fn].Entry; pc < p.Functions[fn].End; pc++ {
			meet, parts := flow.meet[int(pc)]
			if !parts {
				if len(flow.succs(int(pc))) > 1 {
					t.Errorf("%s: lanes meet nowhere", p.Instructions[pc].Pos)
				}
				continue
			}
			want := int(c.Reconvergence(pc))
			if want < 0 {
				want = len(k.code) + fn
			}
			if meet != want {
				t.Errorf("%s: lanes meet at %d, expected at %d", p.Instructions[pc].Pos, meet, want)
			}
		}
	}
}

func ints(list []int32) (out []int) {
	for _, x := range list {
		out = append(out, int(x))
	}
	return out
}

func names(p *isa.Program, list []isa.Reg) (out []string) {
	for _, r := range list {
		out = append(out, p.Registers[r])
	}
	return out
}

// maxLines is what a checker that is to be read may have.
const maxLines = 1500

// The checker stays small: lines that are neither blank nor comments.
func TestCheckerIsSmall(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for s := bufio.NewScanner(f); s.Scan(); {
			if line := strings.TrimSpace(s.Text()); line != "" && !strings.HasPrefix(line, "//") {
				lines++
			}
		}
	}
	t.Logf("%d lines", lines)
	if lines >= maxLines || lines < 500 {
		t.Errorf("%d lines, expected fewer than %d", lines, maxLines)
	}
}
