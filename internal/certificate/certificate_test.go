package certificate

import (
	"reflect"
	"strings"
	"testing"
)

// A certificate is read as it was written, and nothing else is read.
func TestWrittenIsRead(t *testing.T) {
	c := &Certificate{
		Format: Format, MadeBy: "devel", Method: "sum", Kernel: Kernel{"k.ptx", Hash([]byte("a < b")), "k"}, Launch: &File{"k.toml", Hash(nil)},
		GPU: GPU{Name: "g", SHA256: Hash(nil), Text: "a = '<&>'\n"}, Grid: [3]int64{1, 2, 3}, Block: [3]int64{4, 5, 6},
		Registers: []string{"%r1"}, Instructions: []Instruction{{Line: 1, Column: 2, Opcode: "add.u32"}}, FactsFile: &File{"k.facts", Hash(nil)},
		Symbols: []Symbol{{Transactions: 1, Unit: "INT", Initiation: 1, Back: true}}, Nodes: []Node{{Kind: "run", Run: []int64{0}}},
		Limits: []Limit{{Kind: "counts", Places: []string{"A"}, Factors: []int64{1}, Most: 3}}, Prices: []Prices{{}, {{0, 7}}},
		Vectors: []Vector{{}, {{1, 2}, {9, 7}}}, Uses: []Use{{Prices: 1, Weight: -3, Rounds: []Round{{First: []int64{0}, Groups: 2, Last: []int64{0}}}}},
		Sections: []Section{{Uses: []int64{0}, Charges: [][][2]int64{{{1, -4}}}}}, Warps: []Warp{{Sections: []int64{0}}}, Stages: []Node{{Kind: "run", Run: []int64{0}}},
		Blocks:    []BlockClass{{Count: 6, Groups: []Group{{Count: 1}}, Stages: new(int64)}},
		AllInputs: true, Facts: []string{}, Assumptions: []Assumption{{ID: "A2", Status: "assumed"}}, Result: Result{Blocks: []BlockResult{{1, 2, 3}}, Launch: 4},
	}
	for _, c := range []*Certificate{c, {Format: Format}} {
		data, err := c.Encode()
		if err != nil {
			t.Fatal(err)
		}
		got, err := Read(data)
		if err != nil {
			t.Fatalf("%v\n%s", err, data)
		}
		if !reflect.DeepEqual(got, c) {
			t.Errorf("read\n%+v, written\n%+v", got, c)
		}
		if _, err := Read(append(data, "{}"...)); err == nil || !strings.Contains(err.Error(), "something follows it") {
			t.Errorf("with another document behind it: %v", err)
		}
	}
	for text, want := range map[string]string{
		"":                              "not a certificate: EOF",
		"grid = [1]":                    "not a certificate: invalid character",
		`{"format": "other/1"}`:         `format "other/1", expected "warpbound-certificate/2"`,
		`{"format": 7}`:                 "not a certificate: ",
		`{"proofs": []}`:                `unknown field "proofs"`,
		`{"grid": [1.5, 1, 1]}`:         "not a certificate: ",
		`{"nodes": [{"count": 1e300}]}`: "not a certificate: ",
	} {
		if _, err := Read([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected %q", text, err, want)
		}
	}
}
