package certify

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/gpu"
	cert "github.com/warpbound/warpbound/internal/certificate"
	"github.com/warpbound/warpbound/internal/choice"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/path"
	"github.com/warpbound/warpbound/internal/witness"
	"github.com/warpbound/warpbound/isa"
)

// opened is a checker of a drawn certificate, which has no kernel but a program.
type opened struct {
	*checker
	program *isa.Program
}

// drawn is an expression on a machine, as a launch of one warp of a program.
func drawn(t testing.TB, r *rand.Rand, opt witness.Options) (*cert.Certificate, *isa.Program) {
	t.Helper()
	const units, registers, symbols = 3, 4, 6
	d := &gpu.Description{Name: "drawn"}
	d.Issue.InterlockWAW = r.IntN(2) == 0
	d.SM.Count, d.SM.Schedulers = 1, 1
	m := &gpu.Machine{Desc: d, Queue: gpu.QueueKind(r.IntN(4))}
	d.Queue.Kind = []string{"unbounded", "slots", "none", "pooled"}[m.Queue]
	for u := range units {
		m.Units = append(m.Units, gpu.Unit{Name: fmt.Sprint("u", u)})
	}
	d.Units = m.Units
	f := &method.Facts{Program: &isa.Program{}, Machine: m, Path: &path.Recorded{Instructions: 1}, Warps: 1, Occupancy: gpu.Occupancy{Blocks: 1}}
	for range registers {
		f.Program.Registers = append(f.Program.Registers, fmt.Sprint("%r", len(f.Program.Registers)))
	}
	some := func() (out []isa.Reg) {
		for reg := range registers {
			if r.IntN(3) == 0 {
				out = append(out, isa.Reg(reg))
			}
		}
		return out
	}
	long := r.Int64N(2) * 8
	for i := range int32(symbols) {
		f.Program.Instructions = append(f.Program.Instructions, isa.Instruction{Reads: some(), Writes: some()})
		f.Timing = append(f.Timing, gpu.Timing{Unit: int32(r.IntN(units)), InitiationCycles: 1 + r.Int64N(3+long), LatencyCycles: r.Int64N(12)})
		f.Path.Symbols = append(f.Path.Symbols, path.Symbol{PC: i, Transactions: 1})
	}
	return proved(t, f, expression(t, r, choice.NewBuilder(), symbols, 3), opt), f.Program
}

// proved is the certificate of an expression as a launch of one warp.
func proved(t testing.TB, f *method.Facts, e *choice.Expr, opt witness.Options) *cert.Certificate {
	t.Helper()
	f.Path.Classes = []path.BlockClass{{Warps: []path.WarpClass{{Warp: &path.Warp{Choices: []*choice.Expr{e}}, IDs: []int{0}, Count: 1}}, Blocks: 1}}
	c, err := witness.Of(context.Background(), f, &bound.Bound{}, opt)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// leftOut says what is wrong with an instruction that may overwrite a register, or be left
// out: then the register has its value later than behind it.
func leftOut(t testing.TB) string {
	b := choice.NewBuilder()
	made := func(e *choice.Expr, err error) *choice.Expr {
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	for _, middle := range []*choice.Expr{made(b.Any(made(b.Run(1)), made(b.Run(2)))), made(b.AtMost(1, made(b.Run(1))))} {
		d := &gpu.Description{Name: "drawn", Units: []gpu.Unit{{Name: "a"}, {Name: "b"}}}
		d.SM.Count, d.SM.Schedulers, d.Queue.Kind = 1, 1, "unbounded"
		f := &method.Facts{Program: &isa.Program{Registers: []string{"%r0"}}, Machine: &gpu.Machine{Desc: d, Units: d.Units}, Path: &path.Recorded{Instructions: 1}, Warps: 1, Occupancy: gpu.Occupancy{Blocks: 1}}
		for i, in := range []isa.Instruction{{Writes: []isa.Reg{0}}, {Writes: []isa.Reg{0}}, {Writes: []isa.Reg{0}}, {Reads: []isa.Reg{0}}} {
			f.Program.Instructions = append(f.Program.Instructions, in)
			f.Timing = append(f.Timing, gpu.Timing{Unit: int32(i % 2), InitiationCycles: 1, LatencyCycles: []int64{100, 1, 2, 1}[i]})
			f.Path.Symbols = append(f.Path.Symbols, path.Symbol{PC: int32(i), Transactions: 1})
		}
		c := proved(t, f, made(b.Concat(made(b.Run(0)), middle, made(b.Run(3)))), witness.Options{})
		k, err := open(c, f.Program)
		if err != nil {
			return err.Error()
		}
		at := slices.IndexFunc(c.Uses, func(u cert.Use) bool { return c.Nodes[u.Node].Kind == "any" || c.Nodes[u.Node].Kind == "at-most" })
		u := clone(c.Uses[at])
		if x := &c.Nodes[u.Node]; x.Kind == "any" {
			k.hurry(&u)
		} else {
			child := cert.Use{Node: x.Body, Before: u.Before}
			times := append(k.times("", 0, u.Before), 0)
			k.execute(c.Nodes[x.Body].Run[0], times)
			k.ends(&child, times)
			c.Uses = append(c.Uses, child)
			u.Rounds = []cert.Round{{First: []int64{int64(len(c.Uses) - 1)}, Groups: 1}}
			k.ends(&u, times)
		}
		c.Uses = append(c.Uses, u)
		if k, err := open(c, f.Program); err == nil {
			if wrong := k.violated(100); wrong != "" {
				return wrong
			}
		}
	}
	return ""
}

// What may be left out is looked at so.
func TestSidesMayBeLeftOut(t *testing.T) {
	if wrong := leftOut(t); wrong != "" {
		t.Error(wrong)
	}
}

// expression draws one.
func expression(t testing.TB, r *rand.Rand, b *choice.Builder, symbols, depth int) *choice.Expr {
	t.Helper()
	var e *choice.Expr
	var err error
	parts := func(n int) (out []*choice.Expr) {
		for range n {
			out = append(out, expression(t, r, b, symbols, depth-1))
		}
		return out
	}
	kind := r.IntN(7)
	if depth == 0 {
		kind = 6
	}
	switch kind {
	case 0:
		e, err = b.Concat(parts(2 + r.IntN(2))...)
	case 1:
		e, err = b.One(parts(2)...)
	case 2:
		e, err = b.Any(parts([]int{2, 3, 4, 5, 7}[r.IntN(5)])...)
	case 3:
		e, err = b.Repeat(2+r.Int64N(40), expression(t, r, b, symbols, depth-1))
	case 4:
		e, err = b.AtMost(1+r.Int64N(5), expression(t, r, b, symbols, depth-1))
	default:
		var run []int32
		for range 1 + r.IntN(4) {
			run = append(run, int32(r.IntN(symbols)))
		}
		e, err = b.Run(run...)
	}
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// open checks a drawn certificate.
func open(c *cert.Certificate, p *isa.Program) (_ *opened, err error) {
	defer caught(&err)
	k := &opened{&checker{Certificate: c, m: readUnits(c)}, p}
	k.names = []string{"next issue", "completion"}
	for _, u := range k.m.Units {
		k.names = append(k.names, u.Name)
	}
	k.names = append(k.names, c.Registers...)
	for i, s := range c.Symbols {
		o := op{unit: units + k.m.unit[s.Unit], init: s.Initiation, lambda: s.Initiation + s.Latency}
		reads, writes := k.registers(int64(i))
		if k.m.Issue.InterlockWAW {
			reads = slices.Concat(reads, writes)
		}
		for _, r := range reads {
			o.waits = append(o.waits, slices.Index(k.names, r))
		}
		for _, r := range writes {
			o.writes = append(o.writes, slices.Index(k.names, r))
		}
		k.ops = append(k.ops, o)
	}
	k.vectors()
	endsOf("nodes", c.Nodes, func(s int64) ends { return ends{} }, func(string, []int, []int) {})
	k.price()
	k.uses()
	k.sections()
	return k, nil
}

// registers are the names of those that a symbol reads and writes.
func (k *opened) registers(symbol int64) (reads, writes []string) {
	in := &k.program.Instructions[symbol]
	return names(k.program, in.Reads), names(k.program, in.Writes)
}

// readUnits is a machine of which only queue, interlock and units are known.
func readUnits(c *cert.Certificate) *machine {
	m := &machine{unit: map[string]int{}}
	var d gpu.Description
	if err := toml.Unmarshal([]byte(c.GPU.Text), &d); err != nil {
		refuse("gpu.text", "%v", err)
	}
	m.Queue.Kind, m.Issue.InterlockWAW = d.Queue.Kind, d.Issue.InterlockWAW
	for i, u := range d.Units {
		m.Units = append(m.Units, struct {
			Name   string `toml:"name"`
			Shared bool   `toml:"shared"`
		}{Name: u.Name})
		m.unit[u.Name] = i
	}
	return m
}

// paths calls follow with what every path of a node does to times, up to a number of
// paths; more is false where that was not all.
func (k *opened) paths(node int64, times []int64, left *int, then func(times []int64)) {
	if *left <= 0 {
		return
	}
	x := &k.Nodes[node]
	switch x.Kind {
	case "run":
		*left--
		times = slices.Clone(times)
		for _, s := range x.Run {
			k.execute(s, times)
		}
		then(times)
	case "concat":
		var follow func(i int, times []int64)
		follow = func(i int, times []int64) {
			if i == len(x.Parts) {
				then(times)
				return
			}
			k.paths(x.Parts[i], times, left, func(t []int64) { follow(i+1, t) })
		}
		follow(0, times)
	case "one":
		for _, p := range x.Parts {
			k.paths(p, times, left, then)
		}
	case "any":
		var follow func(used int, times []int64)
		follow = func(used int, times []int64) {
			then(times)
			for i, p := range x.Parts {
				if used>>i&1 == 0 {
					k.paths(p, times, left, func(t []int64) { follow(used|1<<i, t) })
				}
			}
		}
		follow(0, times)
	default:
		var follow func(n int64, times []int64)
		follow = func(n int64, times []int64) {
			if n == 0 || x.Kind == "at-most" {
				then(times)
			}
			if n > 0 {
				k.paths(x.Body, times, left, func(t []int64) { follow(n-1, t) })
			}
		}
		follow(x.Count, times)
	}
}

// execute takes times behind a symbol, by the recurrence of docs/soundness/inputs.md, and
// by nothing of the checker but the numbers of its components.
func (k *opened) execute(symbol int64, times []int64) {
	s := &k.Symbols[symbol]
	component := func(name string) int { return slices.Index(k.names, name) }
	a := times[0]
	waits, writes := k.registers(symbol)
	if k.m.Issue.InterlockWAW {
		waits = slices.Concat(waits, writes)
	}
	for _, r := range waits {
		a = max(a, times[component(r)])
	}
	unit := component(s.Unit)
	d := max(a, times[unit])
	times[unit] = d + s.Initiation
	times[1] = max(times[1], d+s.Initiation+s.Latency)
	times[len(k.names)] += s.Initiation
	for _, r := range writes {
		times[component(r)] = d + s.Initiation + s.Latency
	}
	times[0] = map[string]int64{"unbounded": a + 1, "slots": d + 1, "none": d + 1, "pooled": d + s.Initiation}[k.m.Queue.Kind]
}

// violated says what a path of some node does against its use, "" where every path that
// is followed does as its use says.
func (k *opened) violated(most int) string {
	wrong := ""
	charged := heaviest(k.Nodes, func(s int64) int64 { return k.ops[s].init })
	for i := range k.Uses {
		u := &k.Uses[i]
		to := k.times("", u.Weight, u.Behind)
		left := most
		charge := len(k.names) // what the path charges, behind the components
		k.paths(u.Node, append(k.times("", 0, u.Before), 0), &left, func(times []int64) {
			if times[charge] > charged[u.Node] {
				wrong = fmt.Sprintf("node %d (%s): a path charges %d > %d", u.Node, k.Nodes[u.Node].Kind, times[charge], charged[u.Node])
			}
			for c := range times[:charge] {
				// Times before the next issue count as the next issue.
				if max(times[c], times[next]) > to[c] {
					wrong = fmt.Sprintf("use %d of node %d (%s): %s %d > %d", i, u.Node, k.Nodes[u.Node].Kind, k.names[c], times[c], to[c])
				}
			}
		})
	}
	return wrong
}

// exact is the largest isolated time of any path of the section, and whether all paths
// were followed.
func (k *opened) exact(most int) (int64, bool) {
	longest, left := int64(0), most
	k.paths(k.Sections[0].Node, make([]int64, len(k.names)+1), &left, func(times []int64) { longest = max(longest, times[end]) })
	return longest, left > 0
}

// tried counts what was tried of potentials.
type tried struct {
	whole, exact, changed, accepted int
	forms                           map[string]int // of proofs, by what they have
	followed                        int            // iterations of a loop, 0 for as many as certificates do
}

// potentials tries the certificates of drawn expressions, and changed ones. It says what
// is wrong: a part that a path of it does not obey, or a bound that is too low.
func (n *tried) potentials(t testing.TB, seeds, changes int) string {
	const most = 2000
	n.forms = map[string]int{}
	for seed := range uint64(seeds) {
		r := rand.New(rand.NewPCG(seed, 7))
		c, p := drawn(t, r, witness.Options{Followed: n.followed})
		k, err := open(c, p)
		if err != nil {
			return fmt.Sprintf("seed %d: %v", seed, err)
		}
		if wrong := k.violated(most); wrong != "" {
			return fmt.Sprintf("seed %d: %s", seed, wrong)
		}
		for _, u := range c.Uses {
			if x := &c.Nodes[u.Node]; x.Kind == "any" {
				n.forms[map[bool]string{true: "rounds of sides", false: "orders"}[len(x.Parts) > mostOrdered]]++
			}
			for _, r := range u.Rounds {
				if r.Groups > 1 {
					n.forms[map[bool]string{true: "apart", false: "even"}[len(r.Last) > 0]+" "+c.Nodes[u.Node].Kind]++
				}
			}
		}
		u := &c.Uses[c.Sections[0].Uses[0]]
		certified := u.Weight + k.vector[u.Behind][end]
		if longest, whole := k.exact(most); whole {
			n.whole++
			if certified < longest {
				return fmt.Sprintf("seed %d: %d cycles certified, a path takes %d", seed, certified, longest)
			}
			if certified == longest {
				n.exact++
			}
		}
		for i := range changes {
			var undo func()
			if i%2 == 0 {
				undo = change(c, r)
			} else {
				undo = k.bend(r)
			}
			n.changed++
			if k, err := open(c, p); err == nil {
				n.accepted++
				if wrong := k.violated(most); wrong != "" {
					return fmt.Sprintf("seed %d, changed: %s", seed, wrong)
				}
			}
			undo()
		}
	}
	return ""
}

// TestPotentialsHoldOfEveryPath: what certificates of drawn expressions say of every part
// is true of every path, and exact where every order is followed; and so it is of what
// is accepted of changed ones.
func TestPotentialsHoldOfEveryPath(t *testing.T) {
	var n tried
	if wrong := n.potentials(t, 700, 30); wrong != "" {
		t.Fatal(wrong)
	}
	t.Logf("%d expressions followed whole, %d exact; %d changes, %d accepted; %v", n.whole, n.exact, n.changed, n.accepted, n.forms)
	for _, form := range []string{"orders", "rounds of sides", "even repeat", "even at-most", "apart repeat", "apart at-most"} {
		if n.forms[form] < 10 {
			t.Errorf("only %d proofs have %s", n.forms[form], form)
		}
	}
	// Where no period is looked for, certificates hold but are not exact.
	short := tried{followed: 2}
	if wrong := short.potentials(t, 300, 10); wrong != "" {
		t.Fatalf("with loops followed for two iterations: %s", wrong)
	}
	if short.exact == short.whole || short.exact < short.whole/2 {
		t.Errorf("with loops followed for two iterations %d of %d are exact", short.exact, short.whole)
	}
	if n.whole < 400 || n.exact < n.whole*9/10 || n.accepted < n.changed/100 {
		t.Errorf("too few: %d expressions followed whole, %d exact; %d of %d changes accepted", n.whole, n.exact, n.accepted, n.changed)
	}
}

// change changes a number of the vectors, uses or charges of a certificate.
func change(c *cert.Certificate, r *rand.Rand) (undo func()) {
	var of []reflect.Value
	var walk func(v reflect.Value)
	walk = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Int64:
			of = append(of, v)
		case reflect.Pointer:
			if !v.IsNil() {
				walk(v.Elem())
			}
		case reflect.Struct:
			for i := range v.NumField() {
				walk(v.Field(i))
			}
		case reflect.Slice, reflect.Array:
			for i := range v.Len() {
				walk(v.Index(i))
			}
		}
	}
	walk(reflect.ValueOf(&c.Uses))
	walk(reflect.ValueOf(&c.Vectors))
	walk(reflect.ValueOf(&c.Sections))
	x := of[r.IntN(len(of))]
	old := x.Int()
	x.SetInt([]int64{old - 1, old + 1, old - r.Int64N(5), r.Int64N(8)}[r.IntN(4)])
	return func() { x.SetInt(old) }
}
