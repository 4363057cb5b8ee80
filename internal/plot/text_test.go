package plot

import (
	"regexp"
	"strings"
	"testing"
)

// Every text of an SVG picture names fonts to fall back on, and keeps within the room
// that it was laid out for by fonts a tenth wider: none is as it was laid out.
func TestTextFitsInAnyFont(t *testing.T) {
	f := convergence()
	f.Note = "a.toml on b & c; " + strings.Repeat("word ", 60)
	text := string(render(t, f, SVG))
	all := strings.Count(text, "<text ")
	if n := strings.Count(text, "DejaVu Sans,sans-serif;"); n != all || all < 20 {
		t.Errorf("%d of %d texts have fallbacks", n, all)
	}
	if n := strings.Count(text, `text-anchor="middle"`); n != all {
		t.Errorf("%d of %d texts stand in the middle of their room", n, all)
	}
	if strings.Contains(text, "font-size:10px") || !strings.Contains(text, "font-size:9px") {
		t.Error("texts of the size that they were laid out with")
	}
	if n := strings.Count(text, "word word word</text>"); n < 2 || !strings.Contains(text, "a.toml on b &amp; c; word") {
		t.Errorf("the note has %d lines", n)
	}
	// The title is in the middle of the picture, as before.
	at := regexp.MustCompile(`<text x="([0-9.]+)"[^>]*>LLCLL`).FindStringSubmatch(text)
	if at == nil || !strings.HasPrefix(at[1], "2") && !strings.HasPrefix(at[1], "3") {
		t.Errorf("the title is at %v of 560", at)
	}
}

func TestNoteLines(t *testing.T) {
	if got := noteLines("", 100); got != nil {
		t.Errorf("%q", got)
	}
	if got := noteLines("one two three", 30); len(got) < 2 || strings.Join(got, " ") != "one two three" {
		t.Errorf("%q", got)
	}
}
