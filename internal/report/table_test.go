package report

import (
	"strings"
	"testing"
)

// A time is never shown smaller than it is.
func TestTimeRoundsUp(t *testing.T) {
	for _, c := range []struct {
		cycles, kHz int64
		want        string
	}{
		{0, 1000, "0.000 µs"},
		{1, 1000000, "0.001 µs"},
		{1, 100000000, "0.001 µs"},
		{1, 1000, "1.000 µs"},
		{5670, 1132000, "5.009 µs"}, // 5.00883...
		{5, 1132000, "0.005 µs"},
		{999_999, 1000000, "999.999 µs"},
		{9_999_999, 10000000, "1.000 ms"}, // 999.9999 µs
		{1_000_000, 1000000, "1.000 ms"},
		{1_000_001, 1000000, "1.001 ms"},
		{999_999_001, 1000000, "1.000 s"},
		{1 << 62, 1000000, "4611686018.428 s"}, // no overflow on the way
		{3, 1, "3.000 ms"},
		{3, 0, "unknown time"},
		{-1, 1000, "unknown time"},
	} {
		if got := Time(c.cycles, c.kHz); got != c.want {
			t.Errorf("%d cycles at %d kHz: %s, want %s", c.cycles, c.kHz, got, c.want)
		}
	}
}

func TestPercent(t *testing.T) {
	for x, want := range map[float64]string{0: "0.00 %", 0.12: "12.00 %", 1.8965: "189.65 %", -0.5: "-50.00 %"} {
		if got := Percent(x); got != want {
			t.Errorf("%v: %s, want %s", x, got, want)
		}
	}
}

func TestTableForms(t *testing.T) {
	tab := Table{Header: []string{"name", "cycles", "note"}, Left: []int{2}}
	tab.Add("a, b", Count(1234), "says \"x\"")
	tab.Add("c", 5, "")
	tab.Footer = []string{"all", "1,239", ""}
	for f, want := range map[Format]string{
		Text: `name  cycles  note
────────────────────────
a, b   1,234  says "x"
c          5
all    1,239
`,
		CSV: `name,cycles,note
"a, b","1,234","says ""x"""
c,5,
all,"1,239",
`,
		Markdown: `| name | cycles | note |
|:--- | ---:|:--- |
| a, b | 1,234 | says "x" |
| c | 5 |  |
| all | 1,239 |  |
`,
	} {
		if got := tab.Render(f); got != want {
			t.Errorf("form %d:\n%s\nwant\n%s", f, got, want)
		}
	}
	empty := Table{Header: []string{"a", "b"}}
	if got := empty.Render(Text); !strings.HasPrefix(got, "a  b") || strings.Count(got, "\n") != 2 {
		t.Errorf("an empty table: %q", got)
	}
}

func TestWrap(t *testing.T) {
	word := strings.Repeat("x", 40)
	if got, want := wrap([]string{word, word, word}, ",", " "), "  "+word+", "+word+",\n  "+word+"\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	long := strings.Repeat("y", lineWidth+5)
	if got, want := wrap([]string{long, "end"}, "", ""), " "+long+"\n end\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
