package pages

import (
	"go/scanner"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// files lists the files of the tree with one of the extensions, test data and what
// git leaves out aside.
func files(t *testing.T, extensions ...string) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(root, func(file string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && file != root && (name == "corpus" || name == "fuzz" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")) {
			return filepath.SkipDir
		}
		if !d.IsDir() && slices.Contains(extensions, filepath.Ext(name)) {
			relative, err := filepath.Rel(root, file)
			if err != nil {
				return err
			}
			list = append(list, filepath.ToSlash(relative))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func markdown(t *testing.T) []string { t.Helper(); return files(t, ".md") }

// prose is a page without its blocks of code.
func prose(page string) string {
	var b strings.Builder
	code := false
	for line := range strings.Lines(page) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			code = !code
			continue
		}
		if !code {
			b.WriteString(line)
		}
	}
	return b.String()
}

// anchor is the fragment that a heading gets.
func anchor(heading string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(heading) {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
			b.WriteRune(r)
		case r == ' ':
			b.WriteByte('-')
		}
	}
	return b.String()
}

// anchors are the fragments of a page; a second heading with the same text gets a
// number.
func anchors(page string) map[string]bool {
	all, seen := map[string]bool{}, map[string]int{}
	for line := range strings.Lines(prose(page)) {
		if heading := strings.TrimLeft(line, "#"); heading != line && strings.HasPrefix(heading, " ") {
			text := regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`).ReplaceAllString(strings.TrimSpace(heading), "$1")
			a := anchor(text)
			if n := seen[a]; n > 0 {
				all[a+"-"+strconv.Itoa(n)] = true
			}
			seen[a]++
			all[a] = true
		}
	}
	return all
}

// TestLinksResolve: files and headings that pages lead to are there.
func TestLinksResolve(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^()\s]+)\)`)
	spans := regexp.MustCompile("`[^`\n]*`")
	n := 0
	for _, file := range markdown(t) {
		if strings.Contains(file, "testdata/") {
			continue
		}
		for _, m := range link.FindAllStringSubmatch(spans.ReplaceAllString(prose(read(t, file)), ""), -1) {
			target, fragment, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
				continue
			}
			n++
			to := file
			if target != "" {
				to = path.Join(path.Dir(file), target)
			}
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(to))); err != nil {
				t.Errorf("%s: no %s", file, m[1])
				continue
			}
			if fragment != "" && strings.HasSuffix(to, ".md") && !anchors(read(t, to))[fragment] {
				t.Errorf("%s: %s has no heading %q", file, to, fragment)
			}
		}
	}
	if n < 100 {
		t.Errorf("only %d links found", n)
	}
}

var (
	cited = regexp.MustCompile(`(?i)\b(\w+, (?:Definition \d+, )?)?theorems? (\d+)((?:(?: \([^)]*\))?(?:,| and| to|, and| or) (?:theorem )?\d+\b)*)`)
	digit = regexp.MustCompile(`\b\d+\b`)
	paper = regexp.MustCompile(`\b[A-Z][a-z]+(?:19|20)\d\d\b`)
	names = regexp.MustCompile(`\([^)]*\)`)
)

// theorems are the numbers of ours that a text cites. Those of papers have the
// paper's key before them.
func theorems(text string) []string {
	var out []string
	for _, m := range cited.FindAllStringSubmatch(text, -1) {
		if paper.MatchString(m[1]) {
			continue
		}
		out = append(out, m[2])
		out = append(out, digit.FindAllString(names.ReplaceAllString(m[3], ""), -1)...)
	}
	return out
}

// TestCitedTheoremsExist: every theorem, corollary and lemma that code, scripts,
// descriptions or pages cite is in the index, and so is every section of the book.
func TestCitedTheoremsExist(t *testing.T) {
	sections := map[string]bool{"10": true, "11": true, "12": true, "13": true, "14": true, "1": true, "9": true}
	others := map[string]bool{}
	for _, s := range Statements() {
		sections[strconv.Itoa(s.Section)] = true
		if s.Kind != Theorem {
			others[string(s.Kind)+" "+s.ID] = true
		}
	}
	other := regexp.MustCompile(`\b(?:([Ll]emma) ([A-Z]\d?)|([Cc]orollary) (?:of theorem )?(\d+(?:\.\d+)?))\b`)
	section := regexp.MustCompile(`soundness(?:/\w+)?\.md, section (\d+)`)
	n := 0
	for _, file := range files(t, ".go", ".md", ".txtar", ".toml", ".json") {
		if strings.HasPrefix(file, "internal/verify/pages/") {
			continue
		}
		text := read(t, file)
		flat := strings.Join(strings.Fields(strings.ReplaceAll(text, "\n//", "\n")), " ")
		for _, m := range other.FindAllStringSubmatch(flat, -1) {
			if !others[strings.ToLower(m[1]+m[3])+" "+m[2]+m[4]] {
				t.Errorf("%s cites %s, which is not in the index", file, m[0])
			}
		}
		for _, number := range theorems(flat) {
			n++
			if Find(number) == nil {
				t.Errorf("%s cites theorem %s, which is not in the index", file, number)
			}
		}
		for _, m := range section.FindAllStringSubmatch(text, -1) {
			if !sections[m[1]] {
				t.Errorf("%s cites section %s, which is not in the book", file, m[1])
			}
		}
	}
	if n < 200 {
		t.Errorf("only %d citations found", n)
	}
}

// TestCommentsNameTheorems: a comment that leads to a page of the book gives the
// theorem's name beside its number, and the page that it is on.
func TestCommentsNameTheorems(t *testing.T) {
	citation := regexp.MustCompile(`docs/soundness(/\w+)?\.md, ((?:theorems?|corollary) [^;]*)`)
	each := regexp.MustCompile(`(\d+(?:\.\d+)?)(?: \(([^)]*)\))?`)
	n := 0
	for _, file := range files(t, ".go") {
		for _, text := range comments(t, file) {
			for _, m := range citation.FindAllStringSubmatch(text, -1) {
				for _, x := range each.FindAllStringSubmatch(firstList(m[2]), -1) {
					n++
					s := Find(x[1])
					switch {
					case strings.HasPrefix(m[2], "corollary"):
					case s == nil:
						t.Errorf("%s: no theorem %s", file, x[1])
					case s.Name != x[2]:
						t.Errorf("%s: theorem %s: expected its name behind it: (%s)", file, x[1], s.Name)
					case m[1] != "/"+s.Page:
						t.Errorf("%s: theorem %s is on docs/soundness/%s.md", file, x[1], s.Page)
					}
				}
			}
		}
	}
	if n < 30 {
		t.Errorf("only %d citations found", n)
	}
}

// TestFirstCitationNamesTheTheorem: the first comment of a file that cites a theorem
// gives its name beside its number.
func TestFirstCitationNamesTheTheorem(t *testing.T) {
	each := regexp.MustCompile(`(?:[Tt]heorems? |(?:,| and| to) )(\d+)\b(?: \(([^)]*)\))?`)
	for _, file := range files(t, ".go") {
		if strings.HasPrefix(file, "internal/verify/pages/") {
			continue
		}
		seen := map[string]bool{}
		for _, text := range comments(t, file) {
			for _, place := range cited.FindAllStringSubmatchIndex(text, -1) {
				whole := text[place[0]:place[1]]
				if paper.MatchString(whole) || strings.HasSuffix(text[:place[0]], "corollary of ") {
					continue
				}
				for _, x := range each.FindAllStringSubmatch(whole+until(text[place[1]:]), -1) {
					s := Find(x[1])
					if s != nil && !seen[x[1]] && x[2] != s.Name {
						t.Errorf("%s: theorem %s: expected its name behind it where it is first cited: (%s)", file, x[1], s.Name)
					}
					seen[x[1]] = true
				}
			}
		}
	}
}

// until is what stands in parentheses at the begin of a text.
func until(text string) string {
	if !strings.HasPrefix(text, " (") {
		return ""
	}
	return text[:strings.Index(text+")", ")")+1]
}

// firstList is the list of theorems that a text begins with.
func firstList(text string) string {
	return regexp.MustCompile(`^(?:theorems?|corollary)(?:(?:,| and| to)? (?:of )?(?:theorem )?\d+(?:\.\d+)?(?: \([^)]*\))?)+`).FindString(text)
}

// comments are the comments of a file, one for each run of lines.
func comments(t *testing.T, file string) []string {
	t.Helper()
	src := []byte(read(t, file))
	fset := token.NewFileSet()
	f := fset.AddFile(file, -1, len(src))
	var s scanner.Scanner
	s.Init(f, src, nil, scanner.ScanComments)
	var out []string
	last := -2
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			return out
		}
		if tok != token.COMMENT {
			continue
		}
		line := f.Line(pos)
		text = strings.Join(strings.Fields(strings.TrimPrefix(text, "//")), " ")
		if line == last+1 {
			out[len(out)-1] += " " + text
		} else {
			out = append(out, text)
		}
		last = line
	}
}
