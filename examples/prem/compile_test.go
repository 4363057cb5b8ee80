package prem

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/testkit/optional"
	"github.com/warpbound/warpbound/internal/testkit/settings"
)

// digestFile holds the digests of the results of the C programs; UPDATE_GOLDEN=1 writes them from a compiled run.
const digestFile = "testdata/digests.txt"

// compilers are the C compilers that compile the programs.
func compilers() []optional.Tool { return append([]optional.Tool{optional.GCC}, optional.Clangs()...) }

func files() []string {
	var files []string
	for _, p := range All() {
		files = append(files, p.File())
	}
	return files
}

var macro = regexp.MustCompile(`(?m)^\s*#\s*define\s+(\w+)`)

// together writes a file that includes all programs, each without the macros of those before it: most of the time of a
// compiler goes to its start.
func together(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	for _, f := range files() {
		path, err := filepath.Abs(f)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "#include %q\n", filepath.ToSlash(path))
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range macro.FindAllSubmatch(text, -1) {
			fmt.Fprintf(&b, "#undef %s\n", m[1])
		}
	}
	all := filepath.Join(t.TempDir(), "all.c")
	if err := os.WriteFile(all, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestPragmasCompileWithoutWarnings checks the pragmas where the compiler knows OpenMP; all other warnings are errors to
// the tests that execute the programs. To one compiler each program is a file of its own, which shows that none needs what
// another includes.
func TestPragmasCompileWithoutWarnings(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.c")
	if err := os.WriteFile(empty, []byte("int empty;\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	all := []string{together(t)}
	programs := files()
	optional.Each(t, compilers(), func(t *testing.T, cc string) {
		flags := []string{"-std=c99", "-Wall", "-Wextra", "-Werror", "-fopenmp", "-fsyntax-only"}
		if err := exec.Command(cc, append(flags, empty)...).Run(); err != nil { // what macOS calls gcc
			optional.Missing(t, optional.OpenMPGCC, cc+" does not know OpenMP")
		}
		if out, err := exec.Command(cc, append(flags, programs...)...).CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		programs = all
	})
}

// TestProgramsComputeWhatTheReferencesDo compiles the programs with a main that reads all arguments and writes them back
// after the calls, runs it with the pragmas for targets ignored, and compares bit for bit.
func TestProgramsComputeWhatTheReferencesDo(t *testing.T) {
	wants := references(t)
	optional.Each(t, compilers(), func(t *testing.T, cc string) {
		var digests bytes.Buffer
		for i, got := range execute(t, cc, "-fopenmp-simd") {
			p := All()[i]
			if err := p.Compare(got, wants[i]); err != nil {
				t.Error(err)
			}
			d, err := p.Digest(got)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&digests, "%s %s\n", d, p.Name)
		}
		if settings.Updating(t) {
			if err := os.WriteFile(digestFile, digests.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// references are the memories after the host references.
func references(t *testing.T) []Memory {
	t.Helper()
	var all []Memory
	for _, p := range All() {
		m := p.Inputs()
		if err := p.Run(m); err != nil {
			t.Fatal(err)
		}
		all = append(all, m)
	}
	return all
}

// TestTargetLoopsAreParallel runs the programs with their loops spread over threads: of the host, and of a device that has
// the host's processor but memory of its own, so that a wrong map clause shows. Where there is a reduction, the order of
// its additions is the runtime's, and the results are only close.
func TestTargetLoopsAreParallel(t *testing.T) {
	// Threads that wait for one another without spinning do not mind a busy machine.
	t.Setenv("OMP_WAIT_POLICY", "passive")
	t.Setenv("OMP_THREAD_LIMIT", "3")
	wants := references(t)
	for _, run := range []struct {
		name      string
		compilers []optional.Tool
		offload   string
		flags     []string
		runtime   optional.Tool
	}{
		{"gcc", []optional.Tool{optional.GCC}, "DISABLED", []string{"-fopenmp"}, optional.OpenMPGCC},
		// Debian installs one version of the runtime only.
		{"clang", optional.Clangs(), "MANDATORY", []string{"-fopenmp", "-fopenmp-targets=x86_64-pc-linux-gnu"}, optional.OpenMPClang},
	} {
		t.Run(run.name, func(t *testing.T) {
			t.Setenv("OMP_TARGET_OFFLOAD", run.offload)
			why := "there is no " + run.name
			for _, tool := range run.compilers {
				if !optional.Found(tool) {
					continue
				}
				cc := optional.Path(t, tool)
				if err := runtimeWorks(t, cc, run.flags); err != nil {
					why = fmt.Sprintf("%s %v has no runtime: %v", cc, run.flags, err)
					continue
				}
				compareParallel(t, execute(t, cc, run.flags...), wants)
				return
			}
			optional.Missing(t, run.runtime, why)
		})
	}
}

// probe is a target region of one addition.
const probe = `
int main(void)
{
    int a = 1;
#pragma omp target map(tofrom: a)
    a += 1;
    return a == 2 ? 0 : 1;
}
`

// runtimeWorks compiles and runs the probe.
func runtimeWorks(t *testing.T, cc string, flags []string) error {
	t.Helper()
	program := filepath.Join(t.TempDir(), "probe")
	if err := os.WriteFile(program+".c", []byte(probe), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := exec.Command(cc, append(slices.Clone(flags), "-o", program, program+".c")...).Run(); err != nil {
		return fmt.Errorf("compiling a target region: %w", err)
	}
	return exec.Command(program).Run()
}

// compareParallel compares what the programs computed in parallel with the references.
func compareParallel(t *testing.T, memories, wants []Memory) {
	t.Helper()
	for i, got := range memories {
		p, want := All()[i], wants[i]
		if p.Name != "gramschmidt" && p.Name != "reduce" {
			if err := p.Compare(got, want); err != nil {
				t.Errorf("in parallel: %v", err)
			}
			continue
		}
		for j, q := range p.Params {
			for e := range q.Len() {
				g, w := got[j].([]float32)[e], want[j].([]float32)[e]
				if d := g - w; !(d > -1e-3 && d < 1e-3) {
					t.Errorf("%s: %s%v is %v, want about %v", p.Name, q.Name, q.subscripts(e), g, w)
				}
			}
		}
	}
}

// execute compiles all programs into one, runs it on their inputs, and returns the memories after the calls.
func execute(t *testing.T, cc string, flags ...string) []Memory {
	t.Helper()
	dir := t.TempDir()
	mainFile, program := filepath.Join(dir, "main.c"), filepath.Join(dir, "programs")
	if err := os.WriteFile(mainFile, []byte(mainProgram()), 0o644); err != nil {
		t.Fatal(err)
	}
	line := append([]string{"-std=c99", "-O1", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror"}, flags...)
	line = append(line, "-o", program, mainFile, together(t), "-lm")
	if out, err := exec.Command(cc, line...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", cc, err, out)
	}
	var in, out, stderr bytes.Buffer
	for _, p := range All() {
		for _, v := range p.Inputs() {
			if err := binary.Write(&in, binary.NativeEndian, v); err != nil {
				t.Fatal(err)
			}
		}
	}
	cmd := exec.Command(program)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = &in, &out, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: the program: %v\n%s", cc, err, stderr.Bytes())
	}
	var memories []Memory
	for _, p := range All() {
		m := p.Inputs()
		for i, v := range m {
			if len(p.Params[i].Dims) == 0 {
				continue
			}
			if err := binary.Read(&out, binary.NativeEndian, v); err != nil {
				t.Fatalf("%s: %s %s: %v", cc, p.Name, p.Params[i].Name, err)
			}
		}
		memories = append(memories, m)
	}
	if out.Len() != 0 {
		t.Fatalf("%s: %d bytes too many", cc, out.Len())
	}
	return memories
}

// mainProgram returns a C program that, for every example, reads the arguments, calls the function and writes the arrays.
// Its declarations leave out const and restrict, which do not change how an argument is passed.
func mainProgram() string {
	var b strings.Builder
	b.WriteString("#include <stdio.h>\n#include <stdlib.h>\n\n" +
		"static void get(void *p, size_t n) { if (fread(p, 1, n, stdin) != n) exit(2); }\n" +
		"static void put(const void *p, size_t n) { if (fwrite(p, 1, n, stdout) != n) exit(3); }\n")
	for _, p := range All() {
		var declare, vars, reads, names, writes []string
		for _, q := range p.Params {
			d := fmt.Sprintf("%s %s", q.Type, q.Name)
			for _, n := range q.Dims {
				d += fmt.Sprintf("[%d]", n)
			}
			vars = append(vars, "    static "+d+";\n")
			reads = append(reads, "    get(&"+q.Name+", sizeof "+q.Name+");\n")
			names = append(names, q.Name)
			if q.Dims != nil {
				writes = append(writes, "    put("+q.Name+", sizeof "+q.Name+");\n")
			}
			declare = append(declare, d)
		}
		fmt.Fprintf(&b, "\nvoid %s(%s);\nstatic void %s(void)\n{\n%s%s    %s(%s);\n%s}\n", p.Function(), strings.Join(declare, ", "),
			p.Name, strings.Join(vars, ""), strings.Join(reads, ""), p.Function(), strings.Join(names, ", "), strings.Join(writes, ""))
	}
	b.WriteString("\nint main(void)\n{\n")
	for _, p := range All() {
		fmt.Fprintf(&b, "    %s();\n", p.Name)
	}
	b.WriteString("    return fflush(stdout) ? 4 : 0;\n}\n")
	return b.String()
}
