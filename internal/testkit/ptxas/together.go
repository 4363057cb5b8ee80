package ptxas

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// about is the file that an error is about.
var about = regexp.MustCompile(`(?m)^ptxas (\d+)\.ptx, line \d+; (?:error|fatal)\s*:`)

// Doubtful returns the indices of those cases of whose recorded verdict the assembler does not convince: they have to be
// asked about one by one. The others it gets together, as many in a process as have one verdict, version and target,
// since most of the time for a case is the start of the assembler. It keeps some state between modules, so a verdict is to
// be recorded only from Check.
func (a *Assembler) Doubtful(arch string, cases []Case) ([]int, error) {
	type group struct {
		version, target string
		legal           bool
	}
	groups := map[group][]int{}
	var doubtful []int
	for i, c := range cases {
		if c.Where == "header" {
			doubtful = append(doubtful, i)
			continue
		}
		g := group{c.Version, c.Target, c.Legal}
		groups[g] = append(groups[g], i)
	}
	for g, members := range groups {
		complained, all, err := a.together(arch, cases, members)
		if err != nil {
			return nil, err
		}
		var left []int // those not complained about
		for _, i := range members {
			if complained[i] == g.legal {
				doubtful = append(doubtful, i)
			}
			if !complained[i] {
				left = append(left, i)
			}
		}
		// One illegal module keeps the assembler from generating code for the legal ones.
		if g.legal && !all {
			if _, all, err = a.together(arch, cases, left); err != nil {
				return nil, err
			}
			if !all {
				doubtful = append(doubtful, left...)
			}
		}
	}
	slices.Sort(doubtful)
	return doubtful, nil
}

// together assembles some of the cases in one process: it returns which of them the assembler complains about by their
// line, and whether it accepts them all.
func (a *Assembler) together(arch string, cases []Case, some []int) (complained map[int]bool, all bool, err error) {
	files, byName := map[string]string{}, map[string]int{}
	for _, i := range some {
		name := fmt.Sprint(i)
		files[name+".ptx"], byName[name] = cases[i].module("k"+name), i
	}
	if len(files) == 0 {
		return nil, true, nil
	}
	out, err := a.run(arch, files)
	if err != nil {
		return nil, false, err
	}
	complained = map[int]bool{}
	for _, m := range about.FindAllStringSubmatch(out, -1) {
		if i, ok := byName[m[1]]; ok {
			complained[i] = true
		}
	}
	return complained, out == "", nil
}

// CheckAll is Check of each of the texts, for an architecture that suits all. It assembles them in one process, in which
// the kernels, functions, variables and source files of a text have names of their own. Those that are not accepted there are asked about
// one by one, so that what is said of a text is what Check says of it.
func (a *Assembler) CheckAll(arch string, texts []string) ([][]Complaint, error) {
	all := make([][]Complaint, len(texts))
	left := make([]int, len(texts))
	for i := range left {
		left[i] = i
	}
	for len(left) > 0 {
		files := map[string]string{}
		for _, i := range left {
			files[fmt.Sprint(i)+".ptx"] = apart(texts[i], i)
		}
		out, err := a.run(arch, files)
		if err != nil || out == "" {
			return all, err
		}
		alone := map[int]bool{}
		for _, m := range about.FindAllStringSubmatch(out, -1) {
			for _, i := range left {
				alone[i] = alone[i] || m[1] == fmt.Sprint(i)
			}
		}
		rest := slices.DeleteFunc(slices.Clone(left), func(i int) bool { return alone[i] })
		if len(rest) == len(left) { // nobody knows which is meant
			rest = nil
		}
		for _, i := range left {
			if slices.Contains(rest, i) {
				continue
			}
			if all[i], err = a.Check(arch, texts[i]); err != nil {
				return nil, err
			}
		}
		left = rest
	}
	return all, nil
}

// global finds the names that a module defines outside functions: kernels, functions, and variables at the beginning of a line.
var global = regexp.MustCompile(`\.entry\s+([\w$]+)|\.func\s+(?:\([^)]*\)\s*)?([\w$]+)|(?m)^(?:\.(?:visible|extern|weak|common)\s+)*\.(?:global|const|shared)\b[^;={(]*?([\w$]+)\s*(?:\[[^\]]*\]\s*)*[;=]`)

// source finds where a module numbers a source file and where it refers to one.
var source = regexp.MustCompile(`(?m)^(\s*\.(?:file|loc)\s+)(\d+)\b`)

// apart makes the names and numbers that module i defines outside functions its own.
func apart(text string, i int) string {
	text, suffix := source.ReplaceAllString(text, fmt.Sprintf("${1}%d${2}", i+1)), fmt.Sprintf("_of_%d", i)
	names := map[string]bool{}
	for _, m := range global.FindAllStringSubmatch(text, -1) {
		names[m[1]+m[2]+m[3]] = true
	}
	var b strings.Builder
	for len(text) > 0 {
		n := strings.IndexFunc(text, func(r rune) bool { return !inName(r) })
		if n < 0 {
			n = len(text)
		}
		if b.WriteString(text[:n]); names[text[:n]] {
			b.WriteString(suffix)
		}
		text = text[n:]
		if n = strings.IndexFunc(text, inName); n < 0 {
			n = len(text)
		}
		b.WriteString(text[:n])
		text = text[n:]
	}
	return b.String()
}

func inName(r rune) bool {
	return r == '_' || r == '$' || r == '%' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}
