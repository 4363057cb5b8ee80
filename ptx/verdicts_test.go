package ptx

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/testkit/golden"
	"github.com/warpbound/warpbound/internal/testkit/ptxas"
	"github.com/warpbound/warpbound/internal/testkit/settings"
)

const verdictFile = "testdata/verdicts.txt"

// What NVIDIA's assembler refuses of operands, declarations, versions and targets is
// refused here with a position inside the piece, and what it takes is taken.
func TestVerdicts(t *testing.T) {
	cases := ptxas.Cases(t, verdictFile)
	refused := 0
	for _, c := range cases {
		text := c.Module()
		var err error
		if f, parseErr := Parse("t.ptx", []byte(text)); parseErr != nil {
			err = parseErr
		} else {
			err = Check(f)
		}
		if c.Legal != (c.Want == "") {
			t.Errorf("%s: recorded as legal %v, with error %q", c, c.Legal, c.Want)
		}
		if c.Legal {
			if err != nil {
				t.Errorf("%s: %v", c, err)
			}
			continue
		}
		refused++
		first, _, _ := strings.Cut(text, c.Text)
		line := 1 + strings.Count(first, "\n")
		if want := fmt.Sprintf("t.ptx:%d:%s", line, c.Want); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", c, err, want)
		}
	}
	if len(cases) < 250 || refused < 120 {
		t.Errorf("%d cases, %d refused", len(cases), refused)
	}
}

// The file says what the assembler thinks; UPDATE_GOLDEN=1 writes it.
func TestVerdictsRecorded(t *testing.T) {
	asm := ptxas.Need(t)
	cases := ptxas.Cases(t, verdictFile)
	before, err := os.ReadFile(verdictFile)
	if err != nil {
		t.Fatal(err)
	}
	var after strings.Builder
	for line := range strings.Lines(string(before)) {
		if !strings.HasPrefix(line, "#") {
			break
		}
		after.WriteString(line)
	}
	doubtful, err := asm.Doubtful("sm_90", cases)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range cases {
		if _, ask := slices.BinarySearch(doubtful, i); ask || settings.Updating(t) {
			complaints, err := asm.Check("sm_90", c.Module())
			if err != nil {
				t.Fatal(err)
			}
			c.Legal = len(complaints) == 0
		}
		after.WriteString(c.String() + "\n")
	}
	golden.File(t, verdictFile, after.String())
}
