package policy

import (
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/warpbound/warpbound/internal/sim/slotset"
	"github.com/warpbound/warpbound/internal/sim/splitmix"
	"github.com/warpbound/warpbound/isa"
)

// ErrScript is how a run ends whose script does not fit it.
var ErrScript = errors.New("script does not fit the run")

// Policy names an issue policy. Ties are always broken by the lower warp slot.
//
//	lrr            loose round robin: slot order, starting after the last issued
//	gto            greedy then oldest: the last issued while ready, then oldest
//	srr            strict round robin: the turn stays with a warp until it issues
//	gsrr           greedy, then strict round robin: a warp keeps its turn while it
//	               is ready in every cycle, and for at least one instruction
//	segments       strict round robin over segments (Huangfu2017, Section IV-A): a
//	               warp keeps its turn, ready or not, until its next instruction
//	               waits for a register written in the turn, or to a barrier
//	oldest         the warp that started first
//	two-level:N    groups of N slots, round robin inside the group last issued
//	               from, the next group with a ready warp after it
//	random:SEED    any ready warp
//	script         Script, warp slots in issue order; oldest when it is used up
//	starve:SLOT    the warp in SLOT only when nobody else is ready, else lrr
//	ahead          the warp that issued most instructions
//	behind         the warp that issued least instructions
//
// Strict policies (srr, gsrr, segments) wait for the warp that has the turn, and
// pass over warps that have ended or are at a barrier (strict.go).
type Policy struct {
	Name   string
	Seed   uint64
	Param  int   // group size of two-level, slot of starve
	Script []int // warp slots of script
}

var policyNames = []string{"lrr", "gto", "srr", "gsrr", "segments", "oldest", "two-level", "random", "script", "starve", "ahead", "behind"}

// Names lists the policies.
func Names() []string { return append([]string(nil), policyNames...) }

const defaultGroup = 8

// Parse reads "gto", "random:7", "two-level:8", "starve:3" and
// "script:0,0,1".
func Parse(s string) (Policy, error) {
	name, arg, hasArg := strings.Cut(s, ":")
	p := Policy{Name: name}
	var err error
	switch name {
	case "random":
		if hasArg {
			p.Seed, err = strconv.ParseUint(arg, 10, 64)
		}
	case "two-level", "starve":
		if hasArg {
			p.Param, err = strconv.Atoi(arg)
		} else if name == "two-level" {
			p.Param = defaultGroup
		}
	case "script":
		for _, f := range strings.FieldsFunc(arg, func(r rune) bool { return r == ',' }) {
			n, e := strconv.Atoi(f)
			if e != nil {
				err = e
			}
			p.Script = append(p.Script, n)
		}
	default:
		if hasArg {
			return p, fmt.Errorf("policy %q takes no argument", name)
		}
	}
	if err != nil {
		return p, fmt.Errorf("policy %q: %w", s, err)
	}
	return p, p.Check()
}

// String prints what Parse reads.
func (p Policy) String() string {
	switch p.Name {
	case "random":
		return fmt.Sprintf("random:%d", p.Seed)
	case "two-level", "starve":
		return fmt.Sprintf("%s:%d", p.Name, p.Param)
	case "script":
		words := make([]string, len(p.Script))
		for i, w := range p.Script {
			words[i] = strconv.Itoa(w)
		}
		return "script:" + strings.Join(words, ",")
	}
	return p.Name
}

// WorkConserving tells whether the policy always issues when some warp is
// ready: what every bound of docs/soundness.md asks of it.
func (p Policy) WorkConserving() bool { return !strictPolicy(p.Name) }

// Check tells what is wrong with a policy that Parse has not made.
func (p Policy) Check() error {
	for _, n := range policyNames {
		if n != p.Name {
			continue
		}
		if p.Name == "two-level" && p.Param < 1 || p.Name == "starve" && p.Param < 0 {
			return fmt.Errorf("policy %s", p)
		}
		return nil
	}
	return fmt.Errorf("policy %q: expected one of %s", p.Name, strings.Join(policyNames, ", "))
}

// Candidates is what a policy may look at: the warps of one scheduler, by
// local slot (slot / number of schedulers).
type Candidates struct {
	Ready  []uint64 // bit set: may issue now
	Turn   []uint64 // bit set: may have the turn (neither ended nor at a barrier)
	Age    []int64  // start order of the warp
	Issued []int64  // instructions the warp issued
	First  int      // slot number of local slot 0
	Stride int      // slots between local slots
	Now    int64    // the cycle
}

// A Picker is the state of a policy in one scheduler. Pick returns a local slot
// whose ready bit is set, or -1 to issue nothing; it is not called when no bit
// is set. IssuedFrom tells that the warp picked was issued.
type Picker interface {
	Pick(c *Candidates) (int, error)
	IssuedFrom(local int, c *Candidates)
}

// A TurnPicker is a picker whose turns end by what their holder executes, not only by
// what is ready.
type TurnPicker interface {
	Picker
	// Executed is told, after an issue, the registers that the instruction wrote
	// and those that the warp's next one waits for.
	Executed(local int, writes, waits []isa.Reg)
	// Leaves is told that a warp has ended or arrived at a barrier.
	Leaves(local int)
}

// memoryless is embedded by policies that do not care what was issued last.
type memoryless struct{}

func (memoryless) IssuedFrom(int, *Candidates) {}

// Picker begins the policy in a scheduler of an SM.
func (p Policy) Picker(sm, scheduler int) Picker {
	switch p.Name {
	case "gto":
		return &gto{last: -1}
	case "srr":
		return &strict{}
	case "gsrr":
		return &greedyStrict{}
	case "segments":
		return &segmentStrict{}
	case "oldest":
		return oldest{}
	case "two-level":
		return &twoLevel{last: -1, group: p.Param}
	case "random":
		return &random{rng: splitmix.New(p.Seed, uint64(sm)<<16|uint64(scheduler))}
	case "script":
		return &scripted{script: p.Script}
	case "starve":
		return &starve{victim: p.Param, rest: lrr{last: -1}}
	case "ahead":
		return byIssued{sign: -1}
	case "behind":
		return byIssued{sign: 1}
	}
	return &lrr{last: -1}
}

type lrr struct{ last int }

func (p *lrr) Pick(c *Candidates) (int, error) { return slotset.First(c.Ready, p.last+1), nil }

func (p *lrr) IssuedFrom(local int, _ *Candidates) { p.last = local }

type gto struct {
	last    int
	lastAge int64 // a new warp in the slot is not the one last issued
}

func (p *gto) Pick(c *Candidates) (int, error) {
	if p.last >= 0 && slotset.Has(c.Ready, p.last) && c.Age[p.last] == p.lastAge {
		return p.last, nil
	}
	return slotset.Least(c.Ready, c.Age), nil
}

func (p *gto) IssuedFrom(local int, c *Candidates) { p.last, p.lastAge = local, c.Age[local] }

type oldest struct{ memoryless }

func (oldest) Pick(c *Candidates) (int, error) { return slotset.Least(c.Ready, c.Age), nil }

type twoLevel struct{ last, group int }

func (p *twoLevel) Pick(c *Candidates) (int, error) {
	if p.last < 0 {
		return slotset.First(c.Ready, 0), nil
	}
	start := p.last / p.group * p.group
	end := start + p.group
	if i := slotset.First(c.Ready, p.last+1); i > p.last && i < end {
		return i, nil
	}
	if i := slotset.First(c.Ready, start); i >= start && i <= p.last {
		return i, nil
	}
	return slotset.First(c.Ready, end), nil
}

func (p *twoLevel) IssuedFrom(local int, _ *Candidates) { p.last = local }

type random struct {
	memoryless
	rng splitmix.Source
}

func (p *random) Pick(c *Candidates) (int, error) { return pickRandom(c.Ready, &p.rng), nil }

func pickRandom(set []uint64, rng *splitmix.Source) int {
	n := 0
	for _, m := range set {
		n += bits.OnesCount64(m)
	}
	k := int(rng.Below(uint64(n)))
	for w, m := range set {
		if c := bits.OnesCount64(m); k >= c {
			k -= c
			continue
		}
		for ; k > 0; k-- {
			m &= m - 1
		}
		return w<<6 + bits.TrailingZeros64(m)
	}
	return -1
}

type scripted struct {
	script []int
	at     int
}

func (p *scripted) Pick(c *Candidates) (int, error) {
	if p.at == len(p.script) {
		return slotset.Least(c.Ready, c.Age), nil
	}
	want := (p.script[p.at] - c.First) / c.Stride
	if want < 0 || want >= len(c.Age) || !slotset.Has(c.Ready, want) {
		return -1, fmt.Errorf("%w: issue %d names warp slot %d, which is not ready while others are", ErrScript, p.at, p.script[p.at])
	}
	return want, nil
}

func (p *scripted) IssuedFrom(int, *Candidates) { p.at = min(p.at+1, len(p.script)) }

type starve struct {
	victim int
	rest   lrr
	others []uint64
}

func (p *starve) Pick(c *Candidates) (int, error) {
	local := p.victim - c.First
	if local < 0 || local%c.Stride != 0 || local/c.Stride >= len(c.Age) {
		return p.rest.Pick(c)
	}
	local /= c.Stride
	p.others = append(p.others[:0], c.Ready...)
	p.others[local>>6] &^= 1 << (local & 63)
	if i := slotset.First(p.others, p.rest.last+1); i >= 0 {
		return i, nil
	}
	return local, nil
}

func (p *starve) IssuedFrom(local int, c *Candidates) {
	if local != p.victim/c.Stride || p.victim%c.Stride != c.First {
		p.rest.last = local
	}
}

type byIssued struct {
	memoryless
	sign int64
}

func (p byIssued) Pick(c *Candidates) (int, error) {
	best := -1
	for w, m := range c.Ready {
		for ; m != 0; m &= m - 1 {
			i := w<<6 + bits.TrailingZeros64(m)
			if best < 0 || p.sign*c.Issued[i] < p.sign*c.Issued[best] {
				best = i
			}
		}
	}
	return best, nil
}
