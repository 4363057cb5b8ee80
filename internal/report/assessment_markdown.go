package report

import (
	"fmt"
	"strings"
)

// Markdown is a short form for pull requests: what came of it, the launches, the errors,
// what has changed.
func (d *AssessmentDocument) Markdown() []byte {
	var b strings.Builder
	title := "GPU timing"
	if d.Name != "" {
		title += ": " + d.Name
	}
	fmt.Fprintf(&b, "## %s\n\n**%s**\n\n", markdownText(title), strings.TrimSuffix(d.summaryText(), "\n"))
	b.WriteString(markdownSheet(d.caseSheet()))
	var errors, others []string
	for i := range d.Findings {
		f := &d.Findings[i]
		line := fmt.Sprintf("- %s: **%s**: %s\n", markdownText(f.At.String()), f.Rule, markdownText(f.Message))
		if f.Level == LevelError {
			errors = append(errors, line)
		} else {
			others = append(others, line)
		}
	}
	if len(errors) > 0 {
		fmt.Fprintf(&b, "\n### Errors\n\n%s", strings.Join(errors, ""))
	}
	if d.Changes != nil {
		b.WriteString("\n### Changes\n\n")
		if len(*d.Changes) == 0 {
			b.WriteString("No figure and no verdict is another than before.\n")
		} else {
			b.WriteString(markdownSheet(changeSheet(*d.Changes)))
		}
	}
	if len(others) > 0 {
		fmt.Fprintf(&b, "\n<details><summary>%s</summary>\n\n%s\n</details>\n", plural(int64(len(others)), "remark"), strings.Join(others, ""))
	}
	fmt.Fprintf(&b, "\n<sub>warpbound %s; `%s`</sub>\n", markdownText(d.Warpbound.Version), codeMarks.Replace(d.Command))
	return []byte(b.String())
}

// markdownSheet is a sheet as a table, in which nothing is markup.
func markdownSheet(s *Sheet) string {
	t := s.table(Markdown)
	for _, row := range t.Rows {
		for i := range row {
			row[i] = markdownText(row[i])
		}
	}
	return t.Render(Markdown)
}

// markdownMarks are what Markdown takes for markup; a table writes | itself.
var markdownMarks = strings.NewReplacer("\\", "\\\\", "`", "\\`", "*", "\\*", "_", "\\_", "[", "\\[", "]", "\\]", "<", "&lt;", ">", "&gt;", "&", "&amp;", "\n", " ", "\r", " ")

// codeMarks are what ends a span of code.
var codeMarks = strings.NewReplacer("`", "'", "\n", " ", "\r", " ")

// markdownText is a text in which nothing is markup.
func markdownText(s string) string { return markdownMarks.Replace(s) }
