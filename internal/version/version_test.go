package version

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestRelease holds the release against CHANGELOG.md, where what comes after it has a
// heading of its own, and against CITATION.cff.
func TestRelease(t *testing.T) {
	log := read(t, "../../CHANGELOG.md")
	headings := regexp.MustCompile(`(?m)^## (.*)$`).FindAllStringSubmatch(log, -1)
	if len(headings) < 2 || headings[0][1] != "Unreleased" {
		t.Fatalf("CHANGELOG.md begins with %q, expected Unreleased and a release", headings)
	}
	name, day, _ := strings.Cut(headings[1][1], " - ")
	if name != Release || !regexp.MustCompile(`^20\d\d-[01]\d-[0-3]\d$`).MatchString(day) {
		t.Errorf("the last release is %q of %q in CHANGELOG.md, expected %s and a day", name, day, Release)
	}
	citation := read(t, "../../CITATION.cff")
	for _, line := range []string{"cff-version: 1.2.0", "message: ", "title: warpbound", "authors:\n  - name: The warpbound maintainers", "version: " + Release + "\n", `date-released: "` + day + `"`, "license: Apache-2.0"} {
		if !strings.Contains("\n"+citation, "\n"+line) {
			t.Errorf("CITATION.cff has no line %q", line)
		}
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
