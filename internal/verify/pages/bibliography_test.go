package pages

import (
	"regexp"
	"strings"
	"testing"
)

// TestPapersAreInTheBibliography: every paper cited by its key is in the
// bibliography, with authors, title, venue and year, and everything in it is cited
// by its key or in the words that it says.
func TestPapersAreInTheBibliography(t *testing.T) {
	const page = "docs/bibliography.md"
	entry := regexp.MustCompile(`(?s)^([A-Z][a-z]+(\d{4}))\n\n([^*\n]+)\. \*([^*]+)\.?\* ([^\n]*)\n(.*)`)
	as := regexp.MustCompile(`Cited as: (.*)`)
	month := regexp.MustCompile(`^(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)`)
	cited := map[string]string{}
	var all strings.Builder
	for _, file := range files(t, ".go", ".md", ".toml", ".txtar") {
		if file == page || strings.HasPrefix(file, "internal/verify/pages/") {
			continue
		}
		text := read(t, file)
		all.WriteString(text)
		for _, key := range paper.FindAllString(text, -1) {
			if !month.MatchString(key) {
				cited[key] = file
			}
		}
	}
	text := all.String()
	listed := map[string]bool{}
	for i, part := range strings.Split("\n"+read(t, page), "\n### ") {
		if i == 0 {
			continue
		}
		m := entry.FindStringSubmatch(part)
		if m == nil || !strings.Contains(m[5], m[2]) {
			t.Errorf("expected a key, authors, a title, a venue and the year:\n%s", part)
			continue
		}
		listed[m[1]] = true
		if words := as.FindStringSubmatch(m[6]); words != nil {
			if !strings.Contains(text, strings.TrimSpace(words[1])) {
				t.Errorf("%s: nothing says %q", m[1], words[1])
			}
		} else if cited[m[1]] == "" {
			t.Errorf("%s is not cited", m[1])
		}
	}
	for key, file := range cited {
		if !listed[key] {
			t.Errorf("%s cites %s, which is not in %s", file, key, page)
		}
	}
	if len(cited) < 5 {
		t.Errorf("only %d papers cited", len(cited))
	}
}
