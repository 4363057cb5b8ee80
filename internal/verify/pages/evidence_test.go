package pages

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/report"
	"github.com/warpbound/warpbound/internal/testkit/golden"
)

const evidence = "docs/soundness/evidence.md"

// TestEvidenceIsUpToDate compares the summary of the campaigns, which is made of the
// page's own tables, and the tables of planted faults without figures of their own.
func TestEvidenceIsUpToDate(t *testing.T) {
	page := read(t, evidence)
	table := report.Table{Header: []string{"campaign", "command", "what was tried", "outcome"}, Left: []int{1, 2, 3}}
	for _, c := range campaigns {
		tried, outcome := c.tried(t, page)
		table.Add(fmt.Sprintf("[%s](#%s)", c.name, c.anchor), "`"+c.command+"`", tried, outcome)
	}
	lists, all := Faults(), len(Planted())
	table.Add("[planted faults](#13-planted-faults)", "`go test -tags warpbound_faults -run Planted -v` with the packages named there",
		fmt.Sprintf("%d small unsound edits by name, of which %d survive, and others by hand", all, len(Survivors)), "")
	page = golden.Part(t, page, "campaigns", table.Render(report.Markdown))
	for _, part := range []string{"paths", "caches", "frontends", "phases", "inputs", "formulas", "certify", "covering", "riscv", "costs"} {
		list := report.Table{Header: []string{"fault", "edit"}, Left: []int{1}}
		for _, d := range lists[part] {
			list.Add(d.Name, d.Edit)
		}
		page = golden.Part(t, page, "faults-"+part, list.Render(report.Markdown))
	}
	golden.File(t, filepath.Join(root, evidence), page)
}

// TestTablesOfFaultsAreComplete: the tables that say by what a fault was found have a
// row for every fault of their list, with its edit.
func TestTablesOfFaultsAreComplete(t *testing.T) {
	page := read(t, evidence)
	for _, part := range []string{"bounds", "road", "taint"} {
		for _, d := range Faults()[part] {
			if !strings.Contains(page, fmt.Sprintf("| %s | %s | ", d.Name, d.Edit)) {
				t.Errorf("%s: no row for %s: %s", evidence, d.Name, d.Edit)
			}
		}
	}
	row := regexp.MustCompile(`(?m)^\| ((?:[a-z]+-)+[a-z]+) \| `)
	known := map[string]bool{}
	for _, name := range Planted() {
		known[name] = true
	}
	for _, m := range row.FindAllStringSubmatch(page[strings.Index(page, "## 13."):], -1) {
		if !known[m[1]] {
			t.Errorf("%s: %s is no planted fault", evidence, m[1])
		}
	}
}

// summary is a row of the table of campaigns.
type summary struct {
	name, anchor, command string
	tried                 func(t *testing.T, page string) (what, outcome string)
}

var campaigns = []summary{
	{"random systems: blocks, grids, loops, climbs, PTX kernels", "12-evidence", "warpbound soundness --seeds 100000", func(t *testing.T, page string) (string, string) {
		var cases, comparisons int
		for _, m := range regexp.MustCompile(`(?m)^[a-zA-Z, ]+? {2,}([\d,]+) +([\d,]+) +\d+$`).FindAllStringSubmatch(page, -1) {
			cases += number(t, m[1])
			comparisons += number(t, m[2])
		}
		const outcome = "no safe bound was violated"
		if !strings.Contains(page, "\n"+outcome+"\n") || cases == 0 {
			t.Error("the page does not show what the command prints")
		}
		return fmt.Sprintf("%s cases, %s comparisons", report.Count(int64(cases)), report.Count(int64(comparisons))), outcome
	}},
	{"complete small scopes", "12-evidence", "warpbound soundness --scopes all", func(t *testing.T, page string) (string, string) {
		_, outcome := said("212,450 blocks", "0 violations; ten minutes")(t, page)
		return report.Count(int64(sum(t, page, "| scope | warp programs | blocks |", 3))) + " blocks, each on several machines", strings.TrimSuffix(outcome, "; ten minutes")
	}},
	{"makespans", "makespans", "go test ./internal/method/makespan/... -run AllShort -full", said("all 504 instances", "no bound below the exact value")},
	{"turns and the enforced order", "turns-and-the-enforced-order", "go test ./internal/method/ordered ./internal/method/segment", func(t *testing.T, page string) (string, string) {
		const table = "| | executions | violations | tightness |"
		return "theorems 19 to 22 and 26, a row each", violations(sum(t, page, table, 3))
	}},
	{"occupied places, SMs in turn", "occupation-of-the-memory-and-sms-in-turn", "go test ./internal/analysis -run AtRandom", said("48,000 simulations of 6,000 launches", "0 violations")},
	{"the enforced order, classes of blocks", "the-enforced-access-order-and-blocks-that-share-a-path", "go test ./internal/cache/l1d ./internal/path", said("8,000 random kernels", "the replayed sequence is the executed one")},
	{"hits and misses in any order", "hits-and-misses-in-any-order", "go test ./internal/analysis -run UnderAttack", said("8,000 launches with 5.2 million requests", "nothing contradicted")},
	{"front ends", "front-ends", "go test ./internal/analysis -run Replay", said("6,344 launches, 184,147,517 cycles", "all equal")},
	{"phases", "phases", "go test ./internal/premtime/budget", func(t *testing.T, page string) (string, string) {
		const table = "| what | launches | phases compared | violations | bound / simulation |"
		return fmt.Sprintf("%s phases of %s launches", report.Count(int64(sum(t, page, table, 3))), report.Count(int64(sum(t, page, table, 2)))), violations(sum(t, page, table, 4))
	}},
	{"small scopes of control", "small-scopes-of-control", "WARPBOUND_ALL=1 go test ./internal/verify/soundness/inputs -run SmallScopes -v", func(t *testing.T, page string) (string, string) {
		const table = "| scope | words | kernels | in closed form | with stages | executions | different paths | attained; within totals | violations |"
		return fmt.Sprintf("%s executions of %s kernels", report.Count(int64(sum(t, page, table, 6))), report.Count(int64(sum(t, page, table, 3)))), violations(sum(t, page, table, 9))
	}},
	{"paths", "paths", "WARPBOUND_CASES=100000 go test ./internal/verify/soundness/claims -v", func(t *testing.T, page string) (string, string) {
		const table = "| kernels | claimed | claimed but for open results (A35) | executions | violations |"
		return fmt.Sprintf("%s executions of claims", report.Count(int64(sum(t, page, table, 4)))), violations(sum(t, page, table, 5))
	}},
}

// violations says how many there were.
func violations(n int) string { return fmt.Sprintf("%d violations", n) }

// said is what was tried and what came of it where the page says both in words, in
// one paragraph.
func said(what, outcome string) func(*testing.T, string) (string, string) {
	return func(t *testing.T, page string) (string, string) {
		t.Helper()
		for line := range strings.Lines(page) {
			if strings.Contains(line, what) && strings.Contains(line, outcome) {
				return what, outcome
			}
		}
		t.Errorf("%s does not say of %q that %q", evidence, what, outcome)
		return "", ""
	}
}

// sum adds a column of a table of the page, counted from 1; cells that begin with no
// number count nothing.
func sum(t *testing.T, page, header string, column int) int {
	t.Helper()
	_, rest, ok := strings.Cut(page, header+"\n")
	if !ok {
		t.Fatalf("%s has no table %s", evidence, header)
	}
	total, rows := 0, 0
	for line := range strings.Lines(rest) {
		if !strings.HasPrefix(line, "|") {
			break
		}
		rows++
		cell := strings.TrimSpace(strings.Split(line, "|")[column])
		if digits := regexp.MustCompile(`^[\d,]+`).FindString(cell); digits != "" {
			total += number(t, digits)
		}
	}
	if rows < 2 { // the line below the header and a row
		t.Errorf("%s: table %s is empty", evidence, header)
	}
	return total
}

func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(strings.ReplaceAll(text, ",", ""))
	if err != nil {
		t.Fatal(err)
	}
	return n
}
