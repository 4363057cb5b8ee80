package conformance

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// program is the example of package warpbound as a program, with what it prints: go
// test runs the example.
func program(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, "example_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	_, body, begun := strings.Cut(string(data), "\nfunc Example() {\n")
	body, output, ended := strings.Cut(body, "\t// Output: ")
	output, _, closed := strings.Cut(output, "\n}\n")
	if !begun || !ended || !closed || strings.Contains(output, "\n") {
		t.Fatal("example_test.go has no func Example with one line of output")
	}
	return "```go\npackage main\n\nimport (\n\t\"context\"\n\t\"fmt\"\n\t\"log\"\n\n\t\"github.com/warpbound/warpbound\"\n)\n\nfunc main() {\n" +
		body + "}\n```\n\nprints `" + output + "`.\n"
}
