package gpu

import (
	"strings"
	"testing"
)

func TestRISCVTable(t *testing.T) {
	text, err := PresetText("example")
	if err != nil {
		t.Fatal(err)
	}
	d, err := Load("x.toml", append(text, "\n[riscv]\nvariant = \"feb2024\"\nsource = \"test\"\n"...))
	if err != nil || d.RISCV == nil || d.RISCV.Variant != "feb2024" {
		t.Errorf("%+v, %v", d, err)
	}
	if d, err = Load("x.toml", text); err != nil || d.RISCV != nil {
		t.Errorf("a table out of nothing: %v", err)
	}
	for table, want := range map[string]string{
		"variant = \"v2.1\"\nsource = \"test\"\n": `riscv.variant is "v2.1", expected one of v2.2 or feb2024`,
		"variant = \"v2.2\"\n":                    `no key "source" in riscv`,
		"source = \"test\"\n":                     `no key "variant" in riscv`,
	} {
		if _, err := Load("x.toml", append(text[:len(text):len(text)], "\n[riscv]\n"+table...)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", table, err)
		}
	}
}
