package project

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/conf"
)

// The reference names every key, and its example loads.
func TestReferenceIsComplete(t *testing.T) {
	data, err := os.ReadFile("../../docs/report.md")
	if err != nil {
		t.Fatal(err)
	}
	doc := string(data)
	for name, typ := range map[string]reflect.Type{"": reflect.TypeFor[file](), "launches": reflect.TypeFor[entry](), "accepted": reflect.TypeFor[account]()} {
		for _, f := range conf.Fields(typ) {
			if key := conf.Join(name, f.Key); !strings.Contains(doc, "`"+key+"`") {
				t.Errorf("docs/report.md does not mention %s", key)
			}
		}
	}
	for _, f := range conf.Fields(reflect.TypeFor[gpuTable]()) {
		if !strings.Contains(doc, "`"+f.Key+"`") {
			t.Errorf("docs/report.md does not mention %s", f.Key)
		}
	}
	_, example, _ := strings.Cut(doc, "```toml\n")
	example, _, _ = strings.Cut(example, "```")
	dir := folder(t)
	f, err := Parse(filepath.Join(dir, DefaultFile), []byte(example))
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Cases) != 5 || f.Name != "brakes" || len(f.Accepted) != 1 || f.Cases[3].AllInputs || !f.Cases[0].AllInputs {
		t.Errorf("the example: %+v", f)
	}
}
