package certify

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	cert "github.com/warpbound/warpbound/internal/certificate"
)

// Report is what a certificate shows.
type Report struct {
	// Symbols, Nodes, Potentials and Pairs count what was checked: instructions with
	// their timing, expressions, uses of them, and instructions that follow each other.
	Symbols, Nodes, Potentials, Pairs int
	Trusted                           []string // what was not checked
}

// Refusal says what of a certificate does not hold.
type Refusal struct {
	Where string // in the certificate, or "kernel", "launch" or "gpu.text"
	What  string // the inequality that fails, with its numbers
}

func (r *Refusal) Error() string { return r.Where + ": " + r.What }

// refuse ends a check: see caught.
func refuse(where, format string, args ...any) { panic(&Refusal{where, fmt.Sprintf(format, args...)}) }

// need refuses what does not hold.
func need(holds bool, where, format string, args ...any) {
	if !holds {
		refuse(where, format, args...)
	}
}

// index refuses what is no index into a list of n.
func index(where string, i int64, n int) {
	if i < 0 || i >= int64(n) {
		refuse(where, "%d, expected 0 to %d", i, n-1)
	}
}

// caught makes an error of a refusal.
func caught(err *error) {
	switch x := recover().(type) {
	case nil:
	case *Refusal:
		*err = x
	default: // an index that nothing above has refused
		*err = &Refusal{"certificate", fmt.Sprint("malformed: ", x)}
	}
}

func at(list string, i int) string { return fmt.Sprintf("%s[%d]", list, i) }

// maxTime limits every number, and most those of the certificate, so that sums of a few
// fit an int64.
const (
	maxTime = int64(1) << 61
	most    = maxTime / 4
)

// checker is a certificate that is being checked.
type checker struct {
	*cert.Certificate
	m         *machine
	k         *kernel
	code      []int     // of each instruction of the certificate, that of the kernel
	ops       []op      // by symbol
	vector    [][]int64 // each as its components
	names     []string  // of the components
	component map[register]int
	limit     []terms
	priced    []terms
	pairs     map[[2]int]bool
}

// Files are what a certificate is checked against: the text of the kernel, and of the launch
// file and the file of facts where the certificate has them.
type Files struct{ Kernel, Launch, Facts []byte }

// Check checks a certificate. The error is a *Refusal.
func Check(c *cert.Certificate, f Files) (_ *Report, err error) {
	defer caught(&err)
	k, result := follow(c, f)
	need(c.Result.Block == result.Block, "result.block_cycles", "%d, but it follows that a block takes at most %d", c.Result.Block, result.Block)
	need(c.Result.Launch == result.Launch, "result.launch_cycles", "%d, but it follows that the launch takes at most %d", c.Result.Launch, result.Launch)
	need(reflect.DeepEqual(c.Result, result), "result", "%+v, but it follows that %+v", c.Result, result)
	return &Report{Symbols: len(c.Symbols), Nodes: len(c.Nodes), Potentials: len(c.Uses), Pairs: len(k.pairs), Trusted: k.trusted()}, nil
}

// Conclude sets the result of a certificate to what follows from it. The error is a
// *Refusal where something of it does not hold.
func Conclude(c *cert.Certificate, f Files) (err error) {
	defer caught(&err)
	_, c.Result = follow(c, f)
	return nil
}

// hash compares one that is stated with that of the contents.
func hash(where, stated string, of []byte) {
	need(stated == cert.Hash(of), where, "%s, but the contents have %s", stated, cert.Hash(of))
}

// follow checks everything but the result, and returns what it is.
func follow(c *cert.Certificate, f Files) (*checker, cert.Result) {
	k := &checker{Certificate: c, component: map[register]int{}, pairs: map[[2]int]bool{}}
	need(c.Format == cert.Format, "format", "%q, expected %q", c.Format, cert.Format)
	need(c.Method == "sum", "method", "%q, expected sum", c.Method)
	hash("kernel.sha256", c.Kernel.SHA256, f.Kernel)
	hash("gpu.sha256", c.GPU.SHA256, []byte(c.GPU.Text))
	k.launch(f.Launch, f.Facts)
	k.m = readMachine(c.GPU.Text)
	need(k.m.Name == c.GPU.Name, "gpu.name", "%q, but gpu.text is of %q", c.GPU.Name, k.m.Name)
	k.k = readKernel(f.Kernel, c.Kernel.Entry)
	for _, step := range []func(){k.instructions, k.symbols, k.vectors, k.neighbours, k.limits, k.price, k.uses} {
		step()
	}
	return k, k.conclude()
}

// trusted lists what the bound rests on besides.
func (k *checker) trusted() []string {
	out := []string{
		"the expressions hold every path of every warp, with its transactions, numbers of iterations and ways back to heads of loops, and the classes hold every block",
		fmt.Sprintf("a thread takes %d registers (%s), a block %d bytes of shared memory", k.Occupancy.RegistersPerThread, k.Occupancy.RegisterRule, k.Occupancy.SharedBytes),
		"the theorems: " + k.Result.Theorems,
		"the GPU is as gpu.text says",
	}
	if k.Launch == nil {
		out = append(out, "grid and block, which no launch file states")
	}
	if k.Launch == nil && k.FactsFile == nil && len(k.Limits) > 0 {
		out = append(out, fmt.Sprintf("limits, which no file states: %+v", k.Limits))
	}
	for _, f := range k.Facts {
		out = append(out, "stated by the launch: "+f)
	}
	for _, a := range k.Assumptions {
		if a.Status == "assumed" {
			out = append(out, strings.TrimSuffix("assumption "+a.ID+" "+a.Name+": "+a.Note, ": "))
		}
	}
	return out
}

// instructions holds each instruction against the text, and numbers the components of
// vectors: registers are numbered as instructions read and write them, by name.
func (k *checker) instructions() {
	k.names = []string{"next issue", "completion"}
	for _, u := range k.m.Units {
		k.names = append(k.names, "unit "+u.Name)
	}
	first := len(k.names)
	for i, in := range k.Instructions {
		pc, ok := k.k.byPos[place{in.Line, in.Column}]
		need(ok, at("instructions", i), "no instruction begins at %d:%d of the kernel", in.Line, in.Column)
		text := &k.k.code[pc]
		need(in.Opcode == text.opcode || text.callee >= 0 && in.Opcode == "call", at("instructions", i), "%s, but the kernel has %s at %d:%d", in.Opcode, text.opcode, in.Line, in.Column)
		k.code = append(k.code, pc)
		for _, list := range [][]register{text.reads, text.writes} {
			byName := func(a, b register) int { return strings.Compare(a.name, b.name) }
			for _, r := range slices.SortedFunc(slices.Values(list), byName) {
				if k.component[r] == 0 {
					k.component[r] = len(k.names)
					k.names = append(k.names, r.name)
				}
			}
		}
	}
	need(slices.Equal(k.names[first:], k.Registers), "registers", "%v, but those of the instructions are %v", k.Registers, k.names[first:])
}

// op is what a symbol is to the recurrence of times, by the components of vectors.
type op struct {
	unit          int
	init, lambda  int64 // λ is initiation and latency
	waits, writes []int
}

// Components of vectors; units and the registers that somebody waits for follow.
const (
	next  = iota // earliest issue of the next instruction
	end          // latest completion
	units        // the first unit
)

// symbols holds the timing of each symbol against the description.
func (k *checker) symbols() {
	for i, s := range k.Symbols {
		where := at("symbols", i)
		index(where+".instruction", s.Instruction, len(k.Instructions))
		text := &k.k.code[k.code[s.Instruction]]
		r := k.m.rule(text.class)
		need(s.Transactions >= 1 && s.Transactions <= maxCycles, where, "%d transactions, expected at least 1", s.Transactions)
		initiation, latency := k.m.times(r, s.Transactions)
		need(!r.NotIssued && s.Unit == r.Unit && s.Initiation == initiation && s.Latency == latency, where,
			"unit %s, initiation %d, latency %d, but %s (class %s) has unit %s, initiation %d, latency %d (not issued: %t)",
			s.Unit, s.Initiation, s.Latency, text.opcode, text.class, r.Unit, initiation, latency, r.NotIssued)
		o := op{unit: units + k.m.unit[s.Unit], init: initiation, lambda: initiation + latency}
		for _, r := range text.reads {
			o.waits = append(o.waits, k.component[r])
		}
		for _, r := range text.writes {
			o.writes = append(o.writes, k.component[r])
		}
		if k.m.Issue.InterlockWAW {
			o.waits = append(o.waits, o.writes...)
		}
		k.ops = append(k.ops, o)
	}
}

// vectors lists the components of every vector. The vector 0 has none: sections begin
// with it.
func (k *checker) vectors() {
	for i, v := range k.Vectors {
		dense := make([]int64, len(k.names))
		for _, x := range v {
			index(at("vectors", i), x[0], len(dense))
			need(x[1] >= 0 && x[1] <= most && x[0] != next && i > 0, at("vectors", i), "%s %d, expected 0 to %d, and none in the first", k.names[x[0]], x[1], most)
			dense[x[0]] = x[1]
		}
		k.vector = append(k.vector, dense)
	}
}
