package settings

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

// The names of the settings.
const (
	CasesName        = "WARPBOUND_CASES"
	TimesName        = "WARPBOUND_TIMES"
	SeedName         = "WARPBOUND_SEED"
	AllName          = "WARPBOUND_ALL"
	MachineName      = "WARPBOUND_MACHINE"
	HardwareName     = "WARPBOUND_HARDWARE"
	RequireToolsName = "WARPBOUND_REQUIRE_TOOLS"
	ToolsLogName     = "WARPBOUND_TOOLS_LOG"
	ChildName        = "WARPBOUND_CHILD"
	UpdateGoldenName = "UPDATE_GOLDEN"
	CollectorName    = "GOGC"
)

// Setting is a variable of the environment that tests read.
type Setting struct {
	// Name is that of the variable.
	Name string
	// Value is what it holds, as a reader of the list needs it.
	Value string
	// Doc is a sentence on what it does.
	Doc string
}

// All lists the settings in the order in which pages show them.
func All() []Setting {
	return []Setting{
		{UpdateGoldenName, "`1`", "golden files, generated pages and recorded runs are written anew instead of compared"},
		{CasesName, "a number", "how many random cases a test draws, instead of its own number"},
		{TimesName, "a number", "the tests of the reference for RISC-V (`internal/simt/rvexec/...`) draw that many times their own number of random cases"},
		{SeedName, "a number", "the first random case, instead of the test's own"},
		{AllName, "`1`", "every example, program, machine and policy instead of a selection"},
		{MachineName, "`\"gtx480 sm.count=1\"`", "the GPU, with changes, on which `TestOrderedOverestimation` of `internal/analysis` measures all examples"},
		{HardwareName, "a file", "what a processor computed, in the form of `internal/simt/rvexec/internal/reference/testdata/hardware.txt`, to compare with instead of that file"},
		{RequireToolsName, "`clang,gcc,cbc`", "programs whose absence fails tests instead of skipping them; a name without a version stands for all versions"},
		{ToolsLogName, "a file", "each test that asked for a program appends a line: `ran` or `skipped`, the program, the package, the test"},
		{CollectorName, "a number", "how often Go's garbage collector runs, which some packages of tests set themselves otherwise (`internal/testkit/testgc`)"},
		{ChildName, "set by tests", "what a test that runs its own binary again asks of it"},
	}
}

// Cases returns how many random cases to draw: n, unless the environment says otherwise.
func Cases(t testing.TB, n int) int {
	t.Helper()
	return number(t, CasesName, n, 1)
}

// Times returns by what to multiply the number of random cases: 1, unless the environment
// says otherwise.
func Times(t testing.TB) int {
	t.Helper()
	return number(t, TimesName, 1, 1)
}

// Seed returns the first random case: first, unless the environment says otherwise.
func Seed(t testing.TB, first int) int {
	t.Helper()
	return number(t, SeedName, first, 0)
}

// Everything says whether to try everything instead of a selection.
func Everything(t testing.TB) bool {
	t.Helper()
	return number(t, AllName, 0, 0) != 0
}

// Updating says whether golden files are written instead of compared.
func Updating(t testing.TB) bool {
	t.Helper()
	return number(t, UpdateGoldenName, 0, 0) != 0
}

// Machine returns the name of a GPU and the changes made to it, or otherwise where the
// environment names none.
func Machine(otherwise ...string) (words []string, named bool) {
	if words := strings.Fields(os.Getenv(MachineName)); len(words) > 0 {
		return words, true
	}
	return otherwise, false
}

// Text returns the value of a setting that is a text, or otherwise where it is not set.
func Text(name, otherwise string) string {
	if text := os.Getenv(name); text != "" {
		return text
	}
	return otherwise
}

// Child returns what the test that started this process asks of it, or "" in a process that
// no test started. The name of the question comes first, a colon between it and the rest.
func Child(question string) string {
	rest, _ := strings.CutPrefix(os.Getenv(ChildName), question+":")
	if rest == os.Getenv(ChildName) {
		return ""
	}
	return rest
}

// AskChild returns the entry of the environment with which [Child] returns the rest for the
// question.
func AskChild(question, rest string) string { return ChildName + "=" + question + ":" + rest }

func number(t testing.TB, name string, otherwise, least int) int {
	t.Helper()
	n, err := parse(name, os.Getenv(name), otherwise, least)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func parse(name, text string, otherwise, least int) (int, error) {
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least {
		return 0, fmt.Errorf("%s=%s: expected a whole number from %d on", name, text, least)
	}
	return n, nil
}

// FirstFailure makes property tests report the first failure as it is: it is neither made
// smaller nor kept in a file.
func FirstFailure(t testing.TB) {
	t.Helper()
	for _, f := range [][2]string{{"rapid.nofailfile", "true"}, {"rapid.shrinktime", "1ms"}} {
		if err := flag.Set(f[0], f[1]); err != nil {
			t.Fatal(err)
		}
	}
}
