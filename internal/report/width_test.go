package report

import (
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/warpbound/warpbound/internal/terminal"
)

func narrow(t *testing.T, columns int) {
	t.Helper()
	terminal.SetWidth(columns)
	t.Cleanup(func() { terminal.SetWidth(0) })
}

// A table that is too wide is several, each within the width and with the first
// column, and no cell is lost. Columns without a word are.
func TestWideTables(t *testing.T) {
	table := Table{Header: []string{"launch", "kernel", "policy", "bound", "simulated", ""}, Left: []int{1, 2, 5}}
	table.Add("a", "some kernel", "lrr", "1,234,567,890", "1,000,000,000", "")
	table.Add("b", "other", "gto", "7", "5", "")
	wide := table.Render(Text)
	csv := table.Render(CSV)
	narrow(t, 45)
	got := table.Render(Text)
	for _, line := range strings.Split(got, "\n") {
		if n := utf8.RuneCountInString(line); n > 45 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	if n := strings.Count(got, "launch"); n != 2 || strings.Contains(wide, "\n\n") || !strings.Contains(got, "\n\n") {
		t.Errorf("%d tables\n%s", n, got)
	}
	for _, word := range strings.Fields(wide) {
		if !strings.HasPrefix(word, "─") && !strings.Contains(got, word) {
			t.Errorf("no %s in\n%s", word, got)
		}
	}
	if table.Render(CSV) != csv {
		t.Error("values separated by commas depend on a terminal")
	}
	terminal.SetWidth(200)
	if table.Render(Text) != wide {
		t.Error("a table that fits is not as it was")
	}
}

// The second column of a table of two is wrapped where it has no room, and text is
// what it holds.
func TestWideColumn(t *testing.T) {
	table := Table{Header: []string{"name", "about"}, Left: []int{1}}
	table.Add("a", strings.Repeat("word ", 20)+"end")
	table.Add("b", "short")
	wide, csv := table.Render(Text), table.Render(CSV)
	narrow(t, 40)
	got := table.Render(Text)
	for _, line := range strings.Split(got, "\n") {
		if n := utf8.RuneCountInString(line); n > 40 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	if strings.Count(got, "word") != 20 || strings.Count(wide, "\n") != 4 || table.Render(CSV) != csv {
		t.Errorf("%s\n%s", got, wide)
	}
}

func TestFold(t *testing.T) {
	long := "POLICY  " + strings.Repeat("word ", 20) + "end\n"
	if got := terminal.Fold(long); got != long {
		t.Errorf("%q", got)
	}
	narrow(t, 40)
	for _, c := range []struct{ in, want string }{
		{"short\n", "short\n"},
		{long, "POLICY  word word word word word word\n        word word word word word word\n        word word word word word word\n        word word end\n"},
		{"        " + strings.Repeat("word ", 7) + "end", "        word word word word word word\n        word end"},
		{"plain " + strings.Repeat("x", 50) + " y\n", "plain\n" + strings.Repeat("x", 50) + "\ny\n"},
		{"  " + strings.Repeat("x", 50) + " y\n", "  " + strings.Repeat("x", 50) + "\n    y\n"},
		{strings.Repeat("漢 ", 20) + "\n", strings.Repeat("漢 ", 12) + "漢\n" + strings.Repeat("漢 ", 7) + "\n"},
		{strings.Repeat("x", 50) + "\n", strings.Repeat("x", 50) + "\n"},
	} {
		if got := terminal.Fold(c.in); got != c.want {
			t.Errorf("%q\nbecomes %q\nwant    %q", c.in, got, c.want)
		}
	}
	if got := wrap(strings.Fields(strings.Repeat("word ", 12)), "", ""); strings.Count(got, "\n") != 2 {
		t.Errorf("%q", got)
	}
}

// A text has the width that it is asked for, whatever others are asked for beside it.
func TestTextsAtOnce(t *testing.T) {
	d := premDocuments(t)[3]
	wide, narrow := d.Text(), string(d.Folded(50))
	if wide == narrow {
		t.Fatal("a document that fits 50 columns says nothing here")
	}
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for range 20 {
				if got := d.Text(); got != wide {
					t.Errorf("folded:\n%s", got)
				}
			}
		})
		wait.Go(func() {
			for range 20 {
				if got := string(d.Folded(50)); got != narrow {
					t.Errorf("not as narrow as asked for:\n%s", got)
				}
			}
		})
	}
	wait.Wait()
}
