package ptx

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/testkit/golden"
	"github.com/warpbound/warpbound/internal/testkit/ptxas"
)

// conversions are all pairs of types, destination first, with all sets of modifiers.
func conversions() (pairs []string, mods []string) {
	types := strings.Split(sets["num"], ",")
	for _, to := range types {
		for _, from := range types {
			pairs = append(pairs, to+"."+from)
		}
	}
	for _, round := range append([]string{""}, strings.Split(sets["rnd"], ",")...) {
		for _, ftz := range []string{"", ".ftz"} {
			for _, sat := range []string{"", ".sat"} {
				if round != "" {
					round = "." + strings.TrimPrefix(round, ".")
				}
				mods = append(mods, round+ftz+sat)
			}
		}
	}
	return pairs, mods
}

// conversionModule has an instruction a line for every pair and set of modifiers.
func conversionModule() (text string, at map[int][2]string) {
	const head = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n" +
		".reg .b16 %b16x<2>;\n.reg .b32 %b32x<2>;\n.reg .b64 %b64x<2>;\n"
	var b strings.Builder
	b.WriteString(head)
	at = map[int][2]string{}
	line := strings.Count(head, "\n")
	pairs, mods := conversions()
	for _, pair := range pairs {
		to, from, _ := strings.Cut(pair, ".")
		for _, m := range mods {
			fmt.Fprintf(&b, "cvt%s.%s %%b%dx0, %%b%dx1;\n", m, pair, max(16, TypeByName(to).Bits()), max(16, TypeByName(from).Bits()))
			line++
			at[line] = [2]string{pair, m}
		}
	}
	b.WriteString("ret;\n}\n")
	return b.String(), at
}

// refusedByPtxas tells whether ptxas refuses the modifiers of a conversion it knows.
func refusedByPtxas(known map[string][]string, text string) bool {
	words := strings.Split(strings.Fields(text)[0], ".")
	if words[0] != "cvt" || len(words) < 3 {
		return false
	}
	n := len(words) - 2
	taken, ok := known[strings.Join(words[n:], ".")]
	m := strings.Join(words[1:n], ".")
	if m != "" {
		m = "." + m
	}
	return ok && !slices.Contains(taken, m)
}

const conversionFile = "testdata/cvt.txt"

// recorded reads which modifiers ptxas took of each pair.
func recorded(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(conversionFile)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	s := bufio.NewScanner(strings.NewReader(string(text)))
	for s.Scan() {
		if f := strings.Fields(s.Text()); len(f) > 0 && f[0] != "#" {
			for _, m := range f[1:] {
				out[f[0]] = append(out[f[0]], strings.TrimPrefix(m, "-"))
			}
		}
	}
	return out
}

// The checker takes a conversion if, and only if, ptxas does.
func TestConversionsAsPtxas(t *testing.T) {
	want := recorded(t)
	text, at := conversionModule()
	// A list of errors ends before it has all of them: check each line by itself.
	lines := strings.Split(text, "\n")
	head, count := strings.Join(lines[:8], "\n"), 0
	for line, c := range at {
		err := Check(mustParse(t, "t.ptx", []byte(head+"\n"+lines[line-1]+"\nret;\n}\n")))
		if taken := slices.Contains(want[c[0]], c[1]); taken != (err == nil) {
			t.Errorf("cvt%s.%s: ptxas takes it: %v; we say: %v", c[1], c[0], taken, err)
		} else if taken {
			count++
		}
	}
	if pairs, _ := conversions(); len(want) != len(pairs) || count < len(pairs) {
		t.Errorf("%d pairs recorded of %d, %d conversions taken", len(want), len(pairs), count)
	}
}

// What is recorded of ptxas is what it says; UPDATE_GOLDEN=1 records it.
func TestConversionsRecorded(t *testing.T) {
	a := ptxas.Need(t)
	text, at := conversionModule()
	complaints, err := a.Check("sm_70", text)
	if err != nil {
		t.Fatal(err)
	}
	wrong := map[int]bool{}
	for _, c := range complaints {
		wrong[c.Line] = true
	}
	byPair := map[string][]string{}
	for line := range at {
		if !wrong[line] {
			byPair[at[line][0]] = append(byPair[at[line][0]], "-"+at[line][1])
		}
	}
	var b strings.Builder
	b.WriteString("# Modifiers of cvt that ptxas 11.8 (sm_70) takes, by destination and source type; - is none.\n# go test ./ptx -run ConversionsRecorded, UPDATE_GOLDEN=1 writes it.\n")
	pairs, mods := conversions()
	for _, p := range pairs {
		list := byPair[p]
		slices.SortFunc(list, func(x, y string) int { return slices.Index(mods, x[1:]) - slices.Index(mods, y[1:]) })
		fmt.Fprintln(&b, p, strings.Join(list, " "))
	}
	golden.File(t, conversionFile, b.String())
}

// What is wrong with a conversion is said in its terms.
func TestConversionErrors(t *testing.T) {
	for _, c := range []struct{ inst, want string }{
		{"cvt.rn.s64.s32 %rd1, %r1;", "rounding .rn from .s32 to .s64, which is exact or cuts bits off, expected none"},
		{"cvt.rn.f64.f32 %fd1, %f1;", "rounding .rn from .f32 to .f64, which is exact or cuts bits off, expected none"},
		{"cvt.f32.s32 %f1, %r1;", "no rounding from .s32 to .f32, expected .rn, .rz, .rm or .rp"},
		{"cvt.s32.f32 %r1, %f1;", "no rounding from .f32 to .s32, expected .rni, .rzi, .rmi or .rpi"},
		{"cvt.rn.s32.f32 %r1, %f1;", "rounding .rn from .f32 to .s32, expected .rni, .rzi, .rmi or .rpi"},
		{"cvt.rni.f32.f64 %f1, %fd1;", "rounding .rni from .f64 to .f32, expected .rn, .rz, .rm or .rp"},
		{"cvt.rp.f32.f32 %f1, %f1;", "rounding .rp from .f32 to .f32, expected none, or .rni, .rzi, .rmi or .rpi"},
		{"cvt.ftz.s32.u32 %r1, %r1;", ".ftz from .u32 to .s32, expected it only where one of the types is .f32"},
		{"cvt.sat.s64.u32 %rd1, %r1;", ".sat from .u32 to .s64, which holds all of its values, expected none"},
	} {
		wantErrors(t, Check(mustParse(t, "t.ptx", []byte(kernel(c.inst)))), c.want)
	}
}
