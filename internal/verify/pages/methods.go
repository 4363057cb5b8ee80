package pages

import (
	"fmt"
	"strings"

	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/report"
)

// machines says how the machine that a method is for is asked for.
var machines = map[method.MachineKind]string{
	method.Plain:        "plain: any work-conserving policy",
	method.WithFrontEnd: "front end, declared policies: `--variant swas`",
	method.InOrder:      "enforced order of accesses: `--l1-order reorder`",
	method.InTurns:      "strict turns: `--policy srr`, `gsrr`, `segments`",
}

// Methods is the table of methods for a page: names, one line on each, theorems and
// machine. With links, the numbers of the theorems lead to their pages from docs.
func Methods(links bool) (string, error) {
	table := report.Table{Header: []string{"method", "what it is", "theorems", "machine"}, Left: []int{1, 2, 3}}
	for _, m := range analysis.Table {
		var cited []string
		for _, n := range m.Theorems {
			s := Find(fmt.Sprint(n))
			if s == nil {
				return "", fmt.Errorf("method %s: there is no theorem %d", m.Name, n)
			}
			number := fmt.Sprint(n)
			if links {
				number = fmt.Sprintf("[%d](soundness/%s.md)", n, s.Page)
			}
			cited = append(cited, number+" ("+s.Name+")")
		}
		if machines[m.Machine] == "" {
			return "", fmt.Errorf("method %s: its machine has no words", m.Name)
		}
		table.Add("`"+m.Name+"`", m.Doc, strings.Join(cited, ", "), machines[m.Machine])
	}
	return table.Render(report.Markdown), nil
}
