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

// product is of numbers from 0 on; ok is false where it is beyond maxTime.
func product(a, b int64) (p int64, ok bool) {
	if a < 0 || b < 0 || b > 0 && a > maxTime/b {
		return 0, false
	}
	return a * b, true
}

// checker is a certificate that is being checked.
type checker struct {
	*cert.Certificate
	m      *machine
	k      *kernel
	code   []int     // of each instruction of the certificate, that of the kernel
	ops    []op      // by symbol
	vector [][]int64 // each as its components
	names  []string  // of the components
	first  [][]int   // of each node, the instructions of the kernel that a path may begin with
	last   [][]int   // and end with
	empty  []bool    // a path may be empty
	pairs  map[[2]int]bool
}

// Check checks a certificate against the text of the kernel and, unless the certificate
// has none, of the launch file. The error is a *Refusal.
func Check(c *cert.Certificate, kernel, launch []byte) (_ *Report, err error) {
	defer caught(&err)
	k, result := follow(c, kernel, launch)
	need(c.Result.Block == result.Block, "result.block_cycles", "%d, but it follows that a block takes at most %d", c.Result.Block, result.Block)
	need(c.Result.Launch == result.Launch, "result.launch_cycles", "%d, but it follows that the launch takes at most %d", c.Result.Launch, result.Launch)
	need(reflect.DeepEqual(c.Result, result), "result", "%+v, but it follows that %+v", c.Result, result)
	return &Report{Symbols: len(c.Symbols), Nodes: len(c.Nodes), Potentials: len(c.Uses), Pairs: len(k.pairs), Trusted: k.trusted()}, nil
}

// Conclude sets the result of a certificate to what follows from it. The error is a
// *Refusal where something of it does not hold.
func Conclude(c *cert.Certificate, kernel, launch []byte) (err error) {
	defer caught(&err)
	_, c.Result = follow(c, kernel, launch)
	return nil
}

// follow checks everything but the result, and returns what it is.
func follow(c *cert.Certificate, kernel, launch []byte) (*checker, cert.Result) {
	k := &checker{Certificate: c, pairs: map[[2]int]bool{}}
	need(c.Format == cert.Format, "format", "%q, expected %q", c.Format, cert.Format)
	need(c.Method == "sum", "method", "%q, expected sum", c.Method)
	hash := func(where, stated string, of []byte) {
		need(stated == cert.Hash(of), where, "%s, but the contents have %s", stated, cert.Hash(of))
	}
	hash("kernel.sha256", c.Kernel.SHA256, kernel)
	hash("gpu.sha256", c.GPU.SHA256, []byte(c.GPU.Text))
	if c.Launch != nil {
		hash("launch.sha256", c.Launch.SHA256, launch)
		checkLaunch(c, launch)
	}
	k.m = readMachine(c.GPU.Text)
	need(k.m.Name == c.GPU.Name, "gpu.name", "%q, but gpu.text is of %q", c.GPU.Name, k.m.Name)
	k.k = readKernel(kernel, c.Kernel.Entry)
	for _, step := range []func(){k.instructions, k.symbols, k.vectors, k.nodes, k.neighbours, k.uses} {
		step()
	}
	return k, k.conclude()
}

// trusted lists what the bound rests on besides.
func (k *checker) trusted() []string {
	out := []string{
		"the expressions hold every path of every warp, with its transactions and its numbers of iterations, and the classes hold every block",
		fmt.Sprintf("a thread takes %d registers (%s), a block %d bytes of shared memory", k.Occupancy.RegistersPerThread, k.Occupancy.RegisterRule, k.Occupancy.SharedBytes),
		"the theorems: " + k.Result.Theorems,
		"the GPU is as gpu.text says",
	}
	if k.Launch == nil {
		out = append(out, "grid and block, which no launch file states")
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

// instructions holds each instruction against the text: where it is, its opcode, and
// which registers it reads and writes. Registers of the certificate and of the text are
// matched by their names within each instruction; the match is one to one.
func (k *checker) instructions() {
	of, from := map[int64]register{}, map[register]int64{}
	for i := range k.Instructions {
		in := &k.Instructions[i]
		where := at("instructions", i)
		pc, ok := k.k.byPos[place{in.Line, in.Column}]
		need(ok, where, "no instruction begins at %d:%d of the kernel", in.Line, in.Column)
		text := &k.k.code[pc]
		need(in.Opcode == text.opcode || text.callee >= 0 && in.Opcode == "call", where, "%s, but the kernel has %s at %d:%d", in.Opcode, text.opcode, in.Line, in.Column)
		match := func(what string, ids []int64, regs []register) {
			need(len(ids) == len(regs), where, "%s %d registers, but at %d:%d of the kernel they are %d", what, len(ids), in.Line, in.Column, len(regs))
			for _, id := range ids {
				index(where+"."+what, id, len(k.Registers))
			}
			for _, r := range regs { // each is another one
				at := slices.IndexFunc(ids, func(id int64) bool { return k.Registers[id] == r.name })
				need(at >= 0, where, "%s not register %s, as at %d:%d of the kernel", what, r.name, in.Line, in.Column)
				x, known := of[ids[at]]
				y, named := from[r]
				need((!known || x == r) && (!named || y == ids[at]), where, "register %d, %s, is another one elsewhere", ids[at], r.name)
				of[ids[at]], from[r] = r, ids[at]
			}
		}
		match("reads", in.Reads, text.reads)
		match("writes", in.Writes, text.writes)
		k.code = append(k.code, pc)
	}
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
	k.names = []string{"next issue", "completion"}
	for _, u := range k.m.Units {
		k.names = append(k.names, "unit "+u.Name)
	}
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
		k.ops = append(k.ops, op{unit: units + k.m.unit[s.Unit], init: initiation, lambda: initiation + latency})
	}
}

// vectors numbers the components, and lists those of every vector. The vector 0 has
// none: sections begin with it.
func (k *checker) vectors() {
	slot := map[int64]int{} // of the registers that somebody waits for
	for i, s := range k.Symbols {
		in := &k.Instructions[s.Instruction]
		waits := in.Reads
		if k.m.Issue.InterlockWAW {
			waits = slices.Concat(in.Reads, in.Writes)
		}
		for _, r := range waits {
			if _, ok := slot[r]; !ok {
				slot[r] = len(k.names)
				k.names = append(k.names, "register "+k.Registers[r])
			}
			k.ops[i].waits = append(k.ops[i].waits, slot[r])
		}
	}
	for i, s := range k.Symbols {
		for _, r := range k.Instructions[s.Instruction].Writes {
			if at, ok := slot[r]; ok {
				k.ops[i].writes = append(k.ops[i].writes, at)
			}
		}
	}
	for i, v := range k.Vectors {
		dense := make([]int64, len(k.names))
		where := at("vectors", i)
		dense[end] = v.End
		for _, x := range v.Units {
			index(where+".units", x[0], len(k.m.Units))
			dense[units+int(x[0])] = x[1]
		}
		for _, x := range v.Registers {
			at, ok := slot[x[0]]
			need(ok, where, "register %d is none that an instruction waits for", x[0])
			dense[at] = x[1]
		}
		for at, x := range dense {
			need(x >= 0 && x <= most && (x == 0 || i > 0), where, "%s %d, expected 0 to %d, and 0 in the first", k.names[at], x, most)
		}
		k.vector = append(k.vector, dense)
	}
	need(len(k.vector) > 0, "vectors", "there is none")
}
