package golden

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/testkit/settings"
)

// asked is a test that notes what it is told instead of failing.
type asked struct {
	testing.TB
	said string
}

func (a *asked) Helper()                        {}
func (a *asked) Errorf(format string, x ...any) { a.said += fmt.Sprintf(format, x...) }

func TestFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "sub", "a.txt")
	compare := func(update, want string) string {
		t.Helper()
		t.Setenv(settings.UpdateGoldenName, update)
		a := &asked{TB: t}
		File(a, file, want)
		return a.said
	}
	if said := compare("", "one\n"); !strings.Contains(said, "UPDATE_GOLDEN=1 go test -run TestFile") {
		t.Errorf("without a file: %q", said)
	}
	if said := compare("1", "one\ntwo\n"); said != "" {
		t.Errorf("updating: %q", said)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "one\ntwo\n" {
		t.Errorf("written: %q, %v", text, err)
	}
	if said := compare("", "one\ntwo\n"); said != "" {
		t.Errorf("the same: %q", said)
	}
	if said := compare("", "one\nthree\n"); !strings.Contains(said, `"two"`) || !strings.Contains(said, `"three"`) {
		t.Errorf("another: %q", said)
	}
	if said := compare("", "\xff"); said == "" || strings.Contains(said, "- the file") {
		t.Errorf("no text: %q", said)
	}
}

func TestPart(t *testing.T) {
	got := Part(t, "a\n<!-- x:begin -->\nold\n<!-- x:end -->\nb\n", "x", "new\n")
	if want := "a\n<!-- x:begin -->\nnew\n<!-- x:end -->\nb\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
