package witness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/certificate"
	"github.com/warpbound/warpbound/internal/choice"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/seq"
	"github.com/warpbound/warpbound/isa"
)

// ErrTooLarge says that a launch takes more potentials than a certificate may hold.
var ErrTooLarge = errors.New("the certificate would be too large")

// maxUses limits the potentials evaluated.
const maxUses = 1 << 20

// Options limit the evaluation. Zero values mean the defaults.
type Options struct {
	// Followed is how many iterations of a loop are followed in search of a period;
	// default 4096. Behind them each one left is taken to move all times as far as any.
	Followed int
}

// Of is the certificate of a launch on a plain machine whose path is known; b is a bound
// on it by sum, for its theorems and assumptions. What names files and the version is
// left to the caller, and so is the result.
func Of(ctx context.Context, f *method.Facts, b *bound.Bound, opt Options) (*certificate.Certificate, error) {
	text, err := f.Machine.Desc.Encode()
	if err != nil {
		return nil, err
	}
	m := &maker{
		ctx: ctx, f: f, build: choice.NewBuilder(), followed: cmp.Or(opt.Followed, maxFollowed),
		c: &certificate.Certificate{
			Format: certificate.Format, Method: "sum",
			GPU: certificate.GPU{Name: f.Machine.Desc.Name, SHA256: certificate.Hash(text), Text: string(text)},
			Occupancy: certificate.Occupancy{
				RegistersPerThread: int64(f.Registers), RegisterRule: f.RegisterRule, SharedBytes: f.SharedBytes, BlocksPerSM: f.Occupancy.Blocks,
			},
			AllInputs: f.AllInputs(), Facts: []string{},
			Result: certificate.Result{Theorems: b.Theorem},
		},
		nodes: map[*choice.Expr]int64{}, vectors: map[string]int64{}, memo: map[useKey]int64{}, raised: map[raiseKey]int64{},
		sections: map[sectionKey]int64{}, stages: map[*choice.Expr]int64{}, prices: map[string]int64{}, known: map[*choice.Limits]*choice.Limits{}, seqs: map[*seq.Seq]*choice.Expr{}, streams: map[*method.Stream]int64{},
	}
	if f.ThisInput != nil || f.Unrecorded != "" {
		m.c.Facts = append(m.c.Facts, f.LoopBounds...)
	}
	if within := f.Within(); within != "" && f.AllInputs() {
		m.c.Facts = append(m.c.Facts, within)
	}
	for d := range 3 {
		m.c.Grid[d], m.c.Block[d] = int64(f.Grid[d]), int64(f.Block[d])
	}
	for _, a := range b.Assumptions {
		m.c.Assumptions = append(m.c.Assumptions, certificate.Assumption{ID: string(a.ID), Name: a.Name, Status: a.Status.String(), Note: a.Note})
	}
	m.table()
	m.intern(make([]int64, m.dims))
	m.pricesOf(nil)
	for _, class := range f.Classes() {
		out := certificate.BlockClass{Count: class.Count}
		for _, w := range class.Block.Classes {
			id, err := m.stream(w.Stream)
			if err != nil {
				return nil, err
			}
			out.Groups = append(out.Groups, certificate.Group{Warp: id, Scheduler: int64(w.SubCore), Count: w.Count})
		}
		if stages := class.Block.Classes[0].Stream.Stages; stages != nil {
			id := m.stage(stages)
			out.Stages = &id
		}
		m.c.Blocks = append(m.c.Blocks, out)
	}
	m.prune()
	return m.c, nil
}

// maker makes a certificate.
type maker struct {
	ctx      context.Context
	f        *method.Facts
	followed int
	c        *certificate.Certificate
	build    *choice.Builder // for sequences without choice

	ops  []op
	dims int

	dense    [][]int64 // of each vector
	vectors  map[string]int64
	nodes    map[*choice.Expr]int64
	exprs    []*choice.Expr // by node
	memo     map[useKey]int64
	raised   map[raiseKey]int64
	sections map[sectionKey]int64
	stages   map[*choice.Expr]int64
	prices   map[string]int64
	known    map[*choice.Limits]*choice.Limits
	priced   []priced
	seqs     map[*seq.Seq]*choice.Expr
	streams  map[*method.Stream]int64
	key      []byte
}

// useKey names an evaluation, raiseKey one whose result was raised, sectionKey a section.
type (
	useKey     struct{ node, before, prices int64 }
	raiseKey   struct{ use, weight, behind int64 }
	sectionKey struct {
		e *choice.Expr
		l *choice.Limits
	}
)

// op is a symbol over the components of vectors.
type op struct {
	unit          int
	init, lambda  int64
	waits, writes []int
}

// Components of vectors; units and the registers that somebody waits for follow.
const (
	next  = iota // earliest issue of the next instruction
	end          // latest completion
	units        // the first unit
)

// table lists symbols, instructions and registers.
func (m *maker) table() {
	p := m.f.Program
	instruction, slot := map[int32]int64{}, map[isa.Reg]int{}
	first := units + len(m.f.Machine.Units)
	m.dims = first
	for i, s := range m.f.Path.Symbols {
		id, ok := instruction[s.PC]
		if !ok {
			in := &p.Instructions[s.PC]
			id = int64(len(m.c.Instructions))
			instruction[s.PC] = id
			m.c.Instructions = append(m.c.Instructions, certificate.Instruction{Line: int64(in.Pos.Line), Column: int64(in.Pos.Col), Opcode: in.Opcode})
			for _, list := range [][]isa.Reg{in.Reads, in.Writes} {
				byName := func(a, b isa.Reg) int { return strings.Compare(p.Registers[a], p.Registers[b]) }
				for _, r := range slices.SortedFunc(slices.Values(list), byName) {
					if _, ok := slot[r]; !ok {
						slot[r] = m.dims
						m.dims++
						m.c.Registers = append(m.c.Registers, p.Registers[r])
					}
				}
			}
		}
		o := &m.f.Ops()[i]
		m.c.Symbols = append(m.c.Symbols, certificate.Symbol{
			Instruction: id, Transactions: max(1, int64(s.Transactions)), Unit: m.f.Machine.Units[o.Unit].Name, Initiation: o.InitCycles, Latency: o.LatencyCycles, Back: s.Back,
		})
	}
	for _, o := range m.f.Ops() {
		x := op{unit: units + o.Unit, init: o.InitCycles, lambda: o.InitCycles + o.LatencyCycles}
		for _, r := range o.Reads {
			x.waits = append(x.waits, slot[isa.Reg(r)])
		}
		for _, r := range o.Writes {
			x.writes = append(x.writes, slot[isa.Reg(r)])
		}
		m.ops = append(m.ops, x)
	}
}

// stream is what a warp executes.
func (m *maker) stream(s *method.Stream) (int64, error) {
	if id, ok := m.streams[s]; ok {
		return id, nil
	}
	limits := m.stated(s.Limits)
	w := certificate.Warp{}
	for k := range s.Len() {
		var e *choice.Expr
		switch {
		case k < len(s.Choices):
			e = s.Choices[k]
		case s.Sections[k] != nil:
			var ok bool
			if e, ok = m.seqs[s.Sections[k]]; !ok {
				var err error
				if e, err = m.build.FromSeq(s.Sections[k]); err != nil {
					return 0, err
				}
				m.seqs[s.Sections[k]] = e
			}
		}
		id, err := m.section(e, limits)
		if err != nil {
			return 0, fmt.Errorf("section %d: %w", k, err)
		}
		w.Sections = append(w.Sections, id)
	}
	id := int64(len(m.c.Warps))
	m.c.Warps = append(m.c.Warps, w)
	m.streams[s] = id
	return id, nil
}

// section is an expression from the start of a section on, of which limits are known.
func (m *maker) section(e *choice.Expr, limits *choice.Limits) (int64, error) {
	if e != nil && e.Len() == 0 {
		e = nil
	}
	key := sectionKey{e, limits}
	if id, ok := m.sections[key]; ok {
		return id, nil
	}
	s := certificate.Section{Node: -1}
	if e != nil {
		if err := m.figures(&s, e, limits); err != nil {
			return 0, err
		}
	}
	id := int64(len(m.c.Sections))
	m.c.Sections = append(m.c.Sections, s)
	m.sections[key] = id
	return id, nil
}

var kinds = map[choice.Kind]string{
	choice.Empty: "run", choice.Run: "run", choice.Concat: "concat", choice.One: "one", choice.Any: "any", choice.Repeat: "repeat", choice.AtMost: "at-most",
}

// node numbers an expression and its parts.
func (m *maker) node(e *choice.Expr) int64 {
	if id, ok := m.nodes[e]; ok {
		return id
	}
	n := m.shape(e, m.node)
	id := int64(len(m.c.Nodes))
	m.c.Nodes = append(m.c.Nodes, n)
	m.exprs = append(m.exprs, e)
	m.nodes[e] = id
	return id
}

// stage numbers an expression over sections and its parts.
func (m *maker) stage(e *choice.Expr) int64 {
	if id, ok := m.stages[e]; ok {
		return id
	}
	n := m.shape(e, m.stage)
	id := int64(len(m.c.Stages))
	m.c.Stages = append(m.c.Stages, n)
	m.stages[e] = id
	return id
}

// shape is an expression as a node; number numbers its parts.
func (m *maker) shape(e *choice.Expr, number func(*choice.Expr) int64) certificate.Node {
	n := certificate.Node{Kind: kinds[e.Kind()]}
	for _, p := range e.Parts() {
		n.Parts = append(n.Parts, number(p))
	}
	if body := e.Body(); body != nil {
		n.Body = number(body)
		switch n.Count = e.Count(); {
		case e.Kind() == choice.Repeat:
			n.Reason = "executed"
		case n.Count == 1:
			n.Reason = "fork"
		case m.f.Closed:
			n.Reason = "closed"
		case len(m.f.LoopBounds) > 0:
			n.Reason = "fact"
		default:
			n.Reason = "fork"
		}
	}
	for _, s := range e.Run() {
		n.Run = append(n.Run, int64(s))
	}
	return n
}

// prune drops uses, vectors and prices that no section needs: those of trials.
func (m *maker) prune() {
	c := m.c
	used := make([]bool, len(c.Uses))
	for _, s := range c.Sections {
		for _, use := range s.Uses {
			used[use] = true
		}
	}
	for i := len(c.Uses) - 1; i >= 0; i-- {
		if used[i] {
			for _, list := range partsOf(&c.Uses[i]) {
				for _, p := range list {
					used[p] = true
				}
			}
		}
	}
	use, vector := make([]int64, len(c.Uses)), make([]int64, len(c.Vectors))
	var uses []certificate.Use
	for i, u := range c.Uses {
		if used[i] {
			use[i] = int64(len(uses))
			uses = append(uses, u)
		}
	}
	for i := range vector {
		vector[i] = -1
	}
	var vectors []certificate.Vector
	keep := func(v *int64) {
		if vector[*v] < 0 {
			vector[*v] = int64(len(vectors))
			vectors = append(vectors, c.Vectors[*v])
		}
		*v = vector[*v]
	}
	zero := int64(0)
	keep(&zero)
	prices := m.keepPrices()
	for i := range uses {
		u := &uses[i]
		prices(&u.Prices)
		keep(&u.Before)
		keep(&u.Behind)
		for _, list := range partsOf(u) {
			for j := range list {
				list[j] = use[list[j]]
			}
		}
	}
	for i := range c.Sections {
		s := &c.Sections[i]
		for j := range s.Uses {
			s.Uses[j] = use[s.Uses[j]]
		}
		for _, cases := range s.Charges {
			for j := range cases {
				prices(&cases[j][0])
			}
		}
	}
	c.Uses, c.Vectors = uses, vectors
}

// partsOf are the lists of uses that a use names. No two uses share one.
func partsOf(u *certificate.Use) [][]int64 {
	out := [][]int64{u.Parts}
	for i := range u.Rounds {
		out = append(out, u.Rounds[i].First, u.Rounds[i].Last)
	}
	return out
}
