package certify

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/certificate"
	"github.com/warpbound/warpbound/internal/testkit/golden"
)

// refusals are changes of the certificate of reduce, each with what its refusal says.
var refusals = []struct {
	what   string
	change func(c *certified)
}{
	// The first is the example of the page.
	{"uses[0] (run): ", func(c *certified) { c.Uses[0].Weight-- }},
	{`method: "fua", expected sum`, func(c *certified) { c.Method = "fua" }},
	{`format: "x", expected "warpbound-certificate/2"`, func(c *certified) { c.Format = "x" }},
	{"kernel.sha256: ", func(c *certified) { c.files.Kernel = append(bytes.Clone(c.files.Kernel), '\n') }},
	{"launch.sha256: ", func(c *certified) { c.files.Launch = append(bytes.Clone(c.files.Launch), '\n') }},
	{"gpu.sha256: ", func(c *certified) {
		c.GPU.Text = strings.Replace(c.GPU.Text, "latency_cycles = 200", "latency_cycles = 199", 1)
	}},
	{"symbols[", func(c *certified) { // the hash mended
		c.GPU.Text = strings.Replace(c.GPU.Text, "latency_cycles = 2\n", "latency_cycles = 3\n", 1)
		c.GPU.SHA256 = certificate.Hash([]byte(c.GPU.Text))
	}},
	{"gpu.text: 2 instructions issue per cycle", func(c *certified) {
		c.GPU.Text = strings.Replace(c.GPU.Text, "per_cycle = 1", "per_cycle = 2", 1)
		c.GPU.SHA256 = certificate.Hash([]byte(c.GPU.Text))
	}},
	{`gpu.name: "rtx3070", but gpu.text is of "ecrts2025-200"`, func(c *certified) { c.GPU.Name = "rtx3070" }},
	{`kernel.entry: "other", but the launch file has "reduce"`, func(c *certified) { c.Kernel.Entry = "other" }},
	{`kernel.file: "other.ptx", but the launch file has "reduce.ptx"`, func(c *certified) { c.Kernel.File = "other.ptx" }},
	{`kernel: no kernel named "other"`, func(c *certified) { c.Launch, c.Kernel.Entry = nil, "other" }},
	{"grid: [", func(c *certified) { c.Grid[0]++ }},
	{"block: [", func(c *certified) { c.Block[0]-- }},
	{"instructions[3]: no instruction begins at ", func(c *certified) { c.Instructions[3].Column = 99 }},
	{"instructions[2]: nop, but the kernel has ", func(c *certified) { c.Instructions[2].Opcode = "nop" }},
	{"registers: [", func(c *certified) { c.Registers[0], c.Registers[1] = c.Registers[1], c.Registers[0] }},
	{"begins at ", func(c *certified) { n := &c.Nodes[first(c)]; n.Run = n.Run[1:] }},
	{" does not follow ", func(c *certified) { n := &c.Nodes[first(c)]; n.Run = append(n.Run[:1:1], n.Run[2:]...) }},
	{"a section ends with a barrier, and nowhere else", func(c *certified) { // two sections as one
		w := &c.Warps[0]
		a, b := &c.Sections[w.Sections[0]], &c.Sections[w.Sections[1]]
		c.Nodes = append(c.Nodes, certificate.Node{Kind: "concat", Parts: []int64{a.Node, b.Node}})
		a.Node = int64(len(c.Nodes) - 1)
		w.Sections = append(w.Sections[:1:1], w.Sections[2:]...)
	}},
	{", where the kernel does not end", func(c *certified) { w := &c.Warps[0]; w.Sections = w.Sections[:1] }},
	{"transactions, expected at least 1", func(c *certified) { c.Symbols[0].Transactions = 0 }},
	{"initiation 0, latency ", func(c *certified) { c.Symbols[0].Initiation = 0 }},
	{"charge of ", func(c *certified) { c.Sections[0].Charges[0][0][1]-- }},
	{"vectors[0]: ", func(c *certified) { c.Vectors[0] = certificate.Vector{{1, 1}} }},
	{"sections[0]: use ", func(c *certified) { c.Sections[0].Uses[0] = int64(len(c.Uses)) - 1 }},
	{"occupancy.blocks_per_sm: 33, expected 1 to ", func(c *certified) { c.Occupancy.BlocksPerSM = 33 }},
	{"occupancy: a block of ", func(c *certified) { c.Occupancy.RegistersPerThread = 256 }},
	{" warps on scheduler 0, but ", func(c *certified) { c.Blocks[0].Groups = append(c.Blocks[0].Groups, c.Blocks[0].Groups[0]) }},
	{"blocks: ", func(c *certified) { c.Blocks[0].Count++ }},
	{"result.launch_cycles: ", func(c *certified) { c.Result.Launch-- }},
	{"result.block_cycles: ", func(c *certified) { c.Result.Block-- }},
	{"result: {Blocks:", func(c *certified) { c.Result.Blocks[0].Charge-- }},
	{"cycles beyond ", func(c *certified) {
		c.Sections[0].Charges[0][0][1] = 1 << 61
	}},
}

// refused says which change is not refused as it should be, and returns the first
// refusal.
func refused(t testing.TB) (wrong, example string) {
	file, m := filepath.Join(root, "examples/basic/reduce/reduce.toml"), preset(t, "ecrts2025-200")
	for _, x := range refusals {
		c := made(t, file, m)
		x.change(c)
		_, err := Check(c.Certificate, c.files)
		var r *Refusal
		if !errors.As(err, &r) || !strings.Contains(err.Error(), x.what) {
			return fmt.Sprintf("expected a refusal with %q, found %v", x.what, err), example
		}
		if example == "" {
			example = err.Error()
		}
	}
	return "", example
}

// Every refusal names the place in the certificate and what does not hold, with its
// numbers. UPDATE_GOLDEN=1 writes the example of docs/certificates.md.
func TestRefusalsSayWhatFails(t *testing.T) {
	wrong, example := refused(t)
	if wrong != "" {
		t.Fatal(wrong)
	}
	page := filepath.Join(root, "docs/certificates.md")
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	golden.File(t, page, golden.Part(t, string(text), "refused", "```\nREFUSED      "+example+"\n```\n"))
}

// first is the run with which the first warp begins.
func first(c *certified) int64 {
	at := c.Sections[c.Warps[0].Sections[0]].Node
	for c.Nodes[at].Kind != "run" {
		at = c.Nodes[at].Parts[0]
	}
	return at
}

// unlocked says of a kernel that overwrites what it loads whether a certificate for a
// machine without an interlock between writes is accepted for one that has it.
func unlocked(t testing.TB) string {
	const kernel = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 out) {\n.reg .b32 %r<2>; .reg .b64 %d<1>;\n" +
		"ld.param.u64 %d0, [out];\nld.global.u32 %r1, [%d0];\nmov.u32 %r1, 5;\nst.global.u32 [%d0], %r1;\nret;\n}\n"
	file := staged(t, kernel, "k", 1, "32", "[[args]]\nname = \"out\"\ntype = \"u32\"\ncount = 64\n")
	free, locked := made(t, file, preset(t, "ecrts2025-200", "issue.interlock_waw=false")), made(t, file, preset(t, "ecrts2025-200"))
	if free.Result.Block >= locked.Result.Block {
		return fmt.Sprintf("%d cycles without interlocks, %d with them", free.Result.Block, locked.Result.Block)
	}
	free.GPU = locked.GPU
	if _, err := Check(free.Certificate, free.files); err == nil {
		return "a certificate for a machine without interlocks holds on one with them"
	}
	return ""
}

// Where a write waits for the one before it, certificates have to know.
func TestInterlocksCount(t *testing.T) {
	if wrong := unlocked(t); wrong != "" {
		t.Error(wrong)
	}
}
