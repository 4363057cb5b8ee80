package launch

import (
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/internal/conf"
)

// FactKind is what a Fact is about.
type FactKind uint8

// The kinds of facts.
const (
	// LoopEntry bounds how often a thread goes back to the head of a loop, for each
	// time it comes to the loop from outside.
	LoopEntry FactKind = iota
	// LoopThread bounds how often a thread does in all.
	LoopThread
	// LoopWarp bounds how often a warp does in all.
	LoopWarp
	// UniformBranch says that all active threads of a warp take a branch alike.
	UniformBranch
	// ExclusivePlaces says that no warp comes to both of two places.
	ExclusivePlaces
	// CountSum bounds the sum of factors times executions of places by a warp.
	CountSum
)

// Fact is something that holds in every execution, as the launch says: bounds for all
// inputs rely on it.
type Fact struct {
	Kind    FactKind
	Places  []string // labels, or file:line
	Factors []int64  // CountSum: of each place
	Most    int64    // of LoopEntry, LoopThread, LoopWarp and CountSum
	// AnyOrder says that the bound on a loop holds in whatever order warps and blocks
	// are executed.
	AnyOrder bool
	Pos      Pos
}

// String is the fact as a launch file states it.
func (f *Fact) String() string {
	switch f.Kind {
	case LoopEntry:
		return fmt.Sprintf("loops.%q = %d", f.Places[0], f.Most)
	case LoopThread:
		return fmt.Sprintf("loops.%q.total = %d", f.Places[0], f.Most)
	case LoopWarp:
		return fmt.Sprintf("loops.%q.warp_total = %d", f.Places[0], f.Most)
	case UniformBranch:
		return fmt.Sprintf("facts.uniform %q", f.Places[0])
	case ExclusivePlaces:
		return fmt.Sprintf("facts.exclusive %q and %q", f.Places[0], f.Places[1])
	}
	var b strings.Builder
	for i, p := range f.Places {
		n := f.Factors[i]
		switch {
		case i > 0 && n < 0:
			b.WriteString(" - ")
			n = -n
		case i > 0:
			b.WriteString(" + ")
		case n < 0:
			b.WriteString("-")
			n = -n
		}
		if n != 1 {
			fmt.Fprintf(&b, "%d x ", n)
		}
		fmt.Fprintf(&b, "%q", p)
	}
	return fmt.Sprintf("facts.counts %s <= %d", b.String(), f.Most)
}

// factTable is the table [facts] as it is written.
type factTable struct {
	File      string     `toml:"file,omitempty"`
	Uniform   []string   `toml:"uniform,omitempty"`
	Exclusive [][]string `toml:"exclusive,omitempty"`
	Counts    []countSum `toml:"counts,omitempty"`
}

type countSum struct {
	Most   int64            `toml:"most" range:"0..4611686018427387904"`
	Places map[string]int64 `toml:"places" range:"-1048576..1048576"`
}

// loopTable is a loop of [loops] that is no number.
type loopTable struct {
	Max       *int64 `toml:"max,omitempty" range:"0..4611686018427387904"`
	Total     *int64 `toml:"total,omitempty" range:"0..4611686018427387904"`
	WarpTotal *int64 `toml:"warp_total,omitempty" range:"0..4611686018427387904"`
	AnyOrder  bool   `toml:"any_order,omitempty"`
}

// factsFile is a file of facts as it is written.
type factsFile struct {
	Loops *conf.Node `toml:"loops,omitempty"`
	Facts *factTable `toml:"facts,omitempty"`
}

// loopFacts reads the table [loops].
func loopFacts(n *conf.Node, errs *conf.ErrorList) []Fact {
	if n == nil {
		return nil
	}
	if n.Kind != conf.Table {
		errs.Addf(n.Pos, "loops is %s, expected a table", n.Kind)
		return nil
	}
	var out []Fact
	for _, e := range n.Entries {
		if e.Key == "" {
			errs.Addf(e.Pos, "a loop without a name, expected a label or file:line")
			continue
		}
		where := conf.Join("loops", fmt.Sprintf("%q", e.Key))
		var t loopTable
		switch e.Value.Kind {
		case conf.Table:
			conf.Bind(e.Value, &t, where, errs)
			if t.Max == nil && t.Total == nil && t.WarpTotal == nil {
				errs.Addf(e.Value.Pos, "%s has none of max, total and warp_total, expected at least one", where)
			}
		case conf.Integer:
			most, err := e.Value.Int()
			if f := conf.Fields(reflect.TypeFor[loopTable]())[0]; err != nil || most < f.Least || most > f.Largest {
				errs.Addf(e.Value.Pos, "%s is %s, expected an integer from %d to %d", where, e.Value.Text, f.Least, f.Largest)
			}
			t.Max = &most
		default:
			errs.Addf(e.Value.Pos, "%s is %s, expected an integer, or a table with max, total or warp_total", where, e.Value.Kind)
		}
		for _, x := range []struct {
			kind FactKind
			most *int64
		}{{LoopEntry, t.Max}, {LoopThread, t.Total}, {LoopWarp, t.WarpTotal}} {
			if x.most != nil {
				out = append(out, Fact{Kind: x.kind, Places: []string{e.Key}, Most: *x.most, AnyOrder: t.AnyOrder, Pos: e.Pos})
			}
		}
	}
	return out
}

// otherFacts reads the table [facts], which is n.
func otherFacts(t *factTable, n *conf.Node, errs *conf.ErrorList) []Fact {
	if t == nil {
		return nil
	}
	var out []Fact
	named := func(pos Pos, where string, places []string) {
		for _, p := range places {
			if p == "" {
				errs.Addf(pos, "%s has a place without a name, expected a label or file:line", where)
			}
		}
	}
	for i, place := range t.Uniform {
		pos := n.Get("uniform").Items[i].Pos
		named(pos, "facts.uniform", []string{place})
		out = append(out, Fact{Kind: UniformBranch, Places: []string{place}, Pos: pos})
	}
	for i, pair := range t.Exclusive {
		pos := n.Get("exclusive").Items[i].Pos
		named(pos, "facts.exclusive", pair)
		if len(pair) != 2 || pair[0] == pair[1] {
			errs.Addf(pos, "facts.exclusive.%d has %d places, expected two different ones", i, len(slices.Compact(slices.Sorted(slices.Values(pair)))))
			continue
		}
		out = append(out, Fact{Kind: ExclusivePlaces, Places: pair, Pos: pos})
	}
	for i, c := range t.Counts {
		pos := n.Get("counts").Items[i].Pos
		if len(c.Places) == 0 {
			errs.Addf(pos, "facts.counts.%d has no places, expected at least one", i)
			continue
		}
		f := Fact{Kind: CountSum, Most: c.Most, Pos: pos}
		for _, place := range slices.Sorted(maps.Keys(c.Places)) {
			if c.Places[place] == 0 {
				errs.Addf(pos, "facts.counts.%d counts %q 0 times, expected another factor", i, place)
			}
			f.Places, f.Factors = append(f.Places, place), append(f.Factors, c.Places[place])
		}
		named(pos, "facts.counts", f.Places)
		out = append(out, f)
	}
	return out
}

// ParseFacts reads a file of facts: [loops] and [facts] as in a launch file, or, where the
// name ends in .ff, OTAWA's flow facts (docs/launch-format.md). The error is an ErrorList.
func ParseFacts(name string, data []byte) ([]Fact, error) {
	if strings.EqualFold(filepath.Ext(name), ".ff") {
		return parseFF(name, string(data))
	}
	root, err := conf.Parse(name, data)
	if err != nil {
		return nil, err
	}
	var errs conf.ErrorList
	var f factsFile
	conf.Bind(root, &f, "", &errs)
	out := loopFacts(root.Get("loops"), &errs)
	out = append(out, otherFacts(f.Facts, root.Get("facts"), &errs)...)
	if file := root.Get("facts").Get("file"); file != nil {
		errs.Addf(file.Pos, "facts.file is set, expected it in a launch file only")
	}
	if len(out) == 0 && len(errs) == 0 {
		errs.Addf(root.Pos, "no fact, expected a table [loops] or [facts]")
	}
	return out, errs.Err()
}

// readFacts adds the facts of the file that the launch names.
func (l *Launch) readFacts() error {
	if l.factsFile == "" {
		return nil
	}
	var errs conf.ErrorList
	if _, err := regularFile(l.factsFile); err != nil {
		errs.Addf(l.factsPos, "facts.file: %s: %v", l.factsFile, err)
		return errs
	}
	data, err := conf.Read(l.factsFile)
	if err != nil {
		errs.Addf(l.factsPos, "facts.file: %s: %v", l.factsFile, bare(err))
		return errs
	}
	more, err := ParseFacts(l.factsFile, data)
	if err != nil {
		return err
	}
	l.addFacts(more)
	return nil
}

// AddFacts states more of all executions of the launch.
func (l *Launch) AddFacts(more []Fact) { l.addFacts(more) }

func (l *Launch) addFacts(more []Fact) {
	l.Facts = append(l.Facts, more...)
	for i := range more {
		f := &more[i]
		if f.Kind != LoopEntry {
			continue
		}
		if l.Loops == nil {
			l.Loops = map[string]int64{}
		}
		if most, twice := l.Loops[f.Places[0]]; !twice || f.Most < most {
			l.Loops[f.Places[0]] = f.Most
		}
	}
}

// Program is what a kernel has of what facts name.
type Program interface {
	// Heads are the instructions at which the loops of a place begin, Branches its
	// conditional branches, and Instructions all of it. ok says that the kernel has it.
	Heads(place string) (pcs []int32, ok bool)
	Branches(place string) (pcs []int32, ok bool)
	Instructions(place string) (pcs []int32, ok bool)
	// Labels are names to suggest.
	Labels() []string
}

// BoundFact is a fact with the instructions of each of its places.
type BoundFact struct {
	*Fact
	PCs [][]int32
}

// BindFacts finds what the facts of the launch are about. The error is an ErrorList.
func (l *Launch) BindFacts(p Program) ([]BoundFact, error) {
	var errs conf.ErrorList
	var out []BoundFact
	for i := range l.Facts {
		f := &l.Facts[i]
		of, none := p.Instructions, ""
		switch f.Kind {
		case LoopEntry, LoopThread, LoopWarp:
			of, none = p.Heads, "no loop begins at %q, expected the head of one"
		case UniformBranch:
			of, none = p.Branches, "no conditional branch is at %q, expected the label of a block that ends in one, or its line"
		}
		b := BoundFact{Fact: f}
		for _, place := range f.Places {
			pcs, ok := of(place)
			switch {
			case !ok:
				errs.Addf(f.Pos, "the kernel has no label or line %q, %s", place, suggestLabel(place, p.Labels()))
			case len(pcs) == 0:
				errs.Addf(f.Pos, none, place)
			}
			b.PCs = append(b.PCs, pcs)
		}
		if f.Kind == ExclusivePlaces && slices.ContainsFunc(b.PCs[0], func(pc int32) bool { return slices.Contains(b.PCs[1], pc) }) {
			errs.Addf(f.Pos, "%q and %q share an instruction, expected places apart", f.Places[0], f.Places[1])
		}
		out = append(out, b)
	}
	// One message for a line of the file, whatever it states of a place.
	errs = slices.CompactFunc(errs, func(a, b *conf.Error) bool { return a.Pos == b.Pos && a.Msg == b.Msg })
	return out, errs.Err()
}

func suggestLabel(name string, names []string) string {
	if len(names) == 0 {
		return "expected file:line of one of its instructions: it has no labels"
	}
	return conf.Suggest(name, names)
}
