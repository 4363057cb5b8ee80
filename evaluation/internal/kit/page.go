package kit

import (
	"fmt"
	"strings"
)

// Page is the page with the tables, below the root of the module.
const Page = "docs/results.md"

// Fill replaces what stands between the markers `<!-- table NAME -->` and
// `<!-- end -->` by the named tables. Every table must have its markers, and
// every marker its table.
func Fill(text string, tables map[string]string) (string, error) {
	return FillPage(Page, text, tables)
}

// FillPage is Fill for the page of another name.
func FillPage(page, text string, tables map[string]string) (string, error) {
	var out strings.Builder
	seen := map[string]bool{}
	inside := false
	for line := range strings.Lines(text) {
		bare := strings.TrimSpace(line)
		if bare == "<!-- end -->" {
			if !inside {
				return "", fmt.Errorf("%s: an end without a table", page)
			}
			inside = false
		}
		if !inside {
			out.WriteString(line)
		}
		name, ok := strings.CutPrefix(bare, "<!-- table ")
		if !ok {
			continue
		}
		name = strings.TrimSuffix(name, " -->")
		table, known := tables[name]
		if !known || seen[name] || inside {
			return "", fmt.Errorf("%s: table %q is not known, or there twice, or inside another", page, name)
		}
		seen[name], inside = true, true
		out.WriteString(table)
	}
	if inside {
		return "", fmt.Errorf("%s: the last table has no end", page)
	}
	if len(seen) != len(tables) {
		return "", fmt.Errorf("%s has markers for %d of %d tables", page, len(seen), len(tables))
	}
	return out.String(), nil
}
