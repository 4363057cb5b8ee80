package certify_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/certificate"
	"github.com/warpbound/warpbound/internal/certify"
	"github.com/warpbound/warpbound/internal/testkit/golden"
)

// Every refusal names the place in the certificate and what does not hold, with its
// numbers. UPDATE_GOLDEN=1 writes the example of docs/certificates.md.
func TestRefusalsSayWhatFails(t *testing.T) {
	file := filepath.Join(root, "examples/basic/reduce/reduce.toml")
	m := machine(t, "ecrts2025-200")
	example := ""
	for _, x := range []struct {
		what   string
		change func(c *certified)
	}{
		// The first is the example of the page.
		{"uses[0] (run): ", func(c *certified) { c.Uses[0].Weight-- }},
		{`method: "fua", expected sum`, func(c *certified) { c.Method = "fua" }},
		{`format: "x", expected "warpbound-certificate/1"`, func(c *certified) { c.Format = "x" }},
		{"kernel.sha256: ", func(c *certified) { c.kernel = append(bytes.Clone(c.kernel), '\n') }},
		{"launch.sha256: ", func(c *certified) { c.launch = append(bytes.Clone(c.launch), '\n') }},
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
		{`kernel: no kernel named "other"`, func(c *certified) { c.Launch, c.Kernel.Entry = nil, "other" }},
		{"grid: [", func(c *certified) { c.Grid[0]++ }},
		{"block: [", func(c *certified) { c.Block[0]-- }},
		{"instructions[3]: no instruction begins at ", func(c *certified) { c.Instructions[3].Column = 99 }},
		{"instructions[2]: nop, but the kernel has ", func(c *certified) { c.Instructions[2].Opcode = "nop" }},
		{" registers, but at ", func(c *certified) { in := reads(c, 2); in.Reads = in.Reads[:1] }},
		{", is another one elsewhere", func(c *certified) {
			in := reads(c, 1)
			c.Registers = append(c.Registers, c.Registers[in.Reads[0]])
			in.Reads[0] = int64(len(c.Registers) - 1)
		}},
		{"begins at ", func(c *certified) { n := &c.Nodes[first(c)]; n.Run = n.Run[1:] }},
		{" does not follow ", func(c *certified) { n := &c.Nodes[first(c)]; n.Run = append(n.Run[:1:1], n.Run[2:]...) }},
		{"charge of ", func(c *certified) { c.Nodes[0].Charge-- }},
		{"vectors[0]: ", func(c *certified) { c.Vectors[0].End = 1 }},
		{"sections[0]: use ", func(c *certified) { c.Sections[0].Use = int64(len(c.Uses)) - 1 }},
		{"occupancy.blocks_per_sm: 33, expected 1 to ", func(c *certified) { c.Occupancy.BlocksPerSM = 33 }},
		{"occupancy: a block of ", func(c *certified) { c.Occupancy.RegistersPerThread = 256 }},
		{" warps on scheduler 0, but ", func(c *certified) { c.Blocks[0].Groups = append(c.Blocks[0].Groups, c.Blocks[0].Groups[0]) }},
		{"blocks: ", func(c *certified) { c.Blocks[0].Count++ }},
		{"result.launch_cycles: ", func(c *certified) { c.Result.Launch-- }},
		{"result.block_cycles: ", func(c *certified) { c.Result.Block-- }},
		{"result.blocks[0]: ", func(c *certified) { c.Result.Blocks[0].Charge-- }},
		{"cycles beyond ", func(c *certified) {
			c.Nodes[len(c.Nodes)-1].Charge = 1 << 61
		}},
	} {
		c := made(t, file, m)
		x.change(c)
		_, err := certify.Check(c.Certificate, c.kernel, c.launch)
		var r *certify.Refusal
		if !errors.As(err, &r) || !strings.Contains(err.Error(), x.what) {
			t.Errorf("expected a refusal with %q, found %v", x.what, err)
		}
		if example == "" && err != nil {
			example = err.Error()
		}
	}
	page := filepath.Join(root, "docs/certificates.md")
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	golden.File(t, page, golden.Part(t, string(text), "refused", "```\nREFUSED      "+example+"\n```\n"))
}

// reads is an instruction of the certificate that reads some registers at least.
func reads(c *certified, n int) *certificate.Instruction {
	for i := range c.Instructions {
		if len(c.Instructions[i].Reads) >= n {
			return &c.Instructions[i]
		}
	}
	return nil
}

// first is the run with which the first warp begins.
func first(c *certified) int64 {
	at := c.Sections[c.Warps[0].Sections[0]].Node
	for c.Nodes[at].Kind != "run" {
		at = c.Nodes[at].Parts[0]
	}
	return at
}
