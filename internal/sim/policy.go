package sim

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

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
// pass over warps that have ended or are at a barrier (policy_strict.go).
type Policy struct {
	Name   string
	Seed   uint64
	Param  int   // group size of two-level, slot of starve
	Script []int // warp slots of script
}

var policyNames = []string{"lrr", "gto", "srr", "gsrr", "segments", "oldest", "two-level", "random", "script", "starve", "ahead", "behind"}

// PolicyNames lists the policies.
func PolicyNames() []string { return append([]string(nil), policyNames...) }

const defaultGroup = 8

// ParsePolicy reads "gto", "random:7", "two-level:8", "starve:3" and
// "script:0,0,1".
func ParsePolicy(s string) (Policy, error) {
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
	return p, p.check()
}

// String prints what ParsePolicy reads.
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

func (p Policy) check() error {
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

// candidates is what a policy may look at: the warps of one scheduler, by
// local slot (slot / number of schedulers).
type candidates struct {
	ready  []uint64 // bit set: may issue now
	turn   []uint64 // bit set: may have the turn (neither ended nor at a barrier)
	age    []int64  // start order of the warp
	issued []int64  // instructions the warp issued
	first  int      // slot number of local slot 0
	stride int      // slots between local slots
	now    int64    // the cycle
}

// picker is the state of a policy in one scheduler. pick returns a local slot
// whose ready bit is set, or -1 to issue nothing; it is not called when no bit
// is set. issuedFrom tells that the warp picked was issued.
type picker interface {
	pick(c *candidates) (int, error)
	issuedFrom(local int, c *candidates)
}

// memoryless is embedded by policies that do not care what was issued last.
type memoryless struct{}

func (memoryless) issuedFrom(int, *candidates) {}

func (p Policy) picker(sm, scheduler int) picker {
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
		return &random{rng: newSplitMix(p.Seed, uint64(sm)<<16|uint64(scheduler))}
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

// firstFrom is the first set bit at or after from, wrapping around; -1 if none.
func firstFrom(set []uint64, from int) int {
	w := from >> 6
	if w < len(set) {
		if m := set[w] &^ (1<<(from&63) - 1); m != 0 {
			return w<<6 + bits.TrailingZeros64(m)
		}
		for i := w + 1; i < len(set); i++ {
			if set[i] != 0 {
				return i<<6 + bits.TrailingZeros64(set[i])
			}
		}
	}
	for i := 0; i <= w && i < len(set); i++ {
		if set[i] != 0 {
			return i<<6 + bits.TrailingZeros64(set[i])
		}
	}
	return -1
}

func hasBit(set []uint64, i int) bool { return set[i>>6]&(1<<(i&63)) != 0 }

type lrr struct{ last int }

func (p *lrr) pick(c *candidates) (int, error) { return firstFrom(c.ready, p.last+1), nil }

func (p *lrr) issuedFrom(local int, _ *candidates) { p.last = local }

type gto struct {
	last    int
	lastAge int64 // a new warp in the slot is not the one last issued
}

func (p *gto) pick(c *candidates) (int, error) {
	if p.last >= 0 && hasBit(c.ready, p.last) && c.age[p.last] == p.lastAge {
		return p.last, nil
	}
	return minBy(c.ready, c.age), nil
}

func (p *gto) issuedFrom(local int, c *candidates) { p.last, p.lastAge = local, c.age[local] }

type oldest struct{ memoryless }

func (oldest) pick(c *candidates) (int, error) { return minBy(c.ready, c.age), nil }

// minBy is the set bit of least key, the lowest one of equals.
func minBy[K int32 | int64](set []uint64, key []K) int {
	best := -1
	for w, m := range set {
		for ; m != 0; m &= m - 1 {
			i := w<<6 + bits.TrailingZeros64(m)
			if best < 0 || key[i] < key[best] {
				best = i
			}
		}
	}
	return best
}

type twoLevel struct{ last, group int }

func (p *twoLevel) pick(c *candidates) (int, error) {
	if p.last < 0 {
		return firstFrom(c.ready, 0), nil
	}
	start := p.last / p.group * p.group
	end := start + p.group
	if i := firstFrom(c.ready, p.last+1); i > p.last && i < end {
		return i, nil
	}
	if i := firstFrom(c.ready, start); i >= start && i <= p.last {
		return i, nil
	}
	return firstFrom(c.ready, end), nil
}

func (p *twoLevel) issuedFrom(local int, _ *candidates) { p.last = local }

type random struct {
	memoryless
	rng splitMix
}

func (p *random) pick(c *candidates) (int, error) { return pickRandom(c.ready, &p.rng), nil }

func pickRandom(set []uint64, rng *splitMix) int {
	n := 0
	for _, m := range set {
		n += bits.OnesCount64(m)
	}
	k := int(rng.below(uint64(n)))
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

func (p *scripted) pick(c *candidates) (int, error) {
	if p.at == len(p.script) {
		return minBy(c.ready, c.age), nil
	}
	want := (p.script[p.at] - c.first) / c.stride
	if want < 0 || want >= len(c.age) || !hasBit(c.ready, want) {
		return -1, fmt.Errorf("%w: issue %d names warp slot %d, which is not ready while others are", ErrScript, p.at, p.script[p.at])
	}
	return want, nil
}

func (p *scripted) issuedFrom(int, *candidates) { p.at = min(p.at+1, len(p.script)) }

type starve struct {
	victim int
	rest   lrr
	others []uint64
}

func (p *starve) pick(c *candidates) (int, error) {
	local := p.victim - c.first
	if local < 0 || local%c.stride != 0 || local/c.stride >= len(c.age) {
		return p.rest.pick(c)
	}
	local /= c.stride
	p.others = append(p.others[:0], c.ready...)
	p.others[local>>6] &^= 1 << (local & 63)
	if i := firstFrom(p.others, p.rest.last+1); i >= 0 {
		return i, nil
	}
	return local, nil
}

func (p *starve) issuedFrom(local int, c *candidates) {
	if local != p.victim/c.stride || p.victim%c.stride != c.first {
		p.rest.last = local
	}
}

type byIssued struct {
	memoryless
	sign int64
}

func (p byIssued) pick(c *candidates) (int, error) {
	best := -1
	for w, m := range c.ready {
		for ; m != 0; m &= m - 1 {
			i := w<<6 + bits.TrailingZeros64(m)
			if best < 0 || p.sign*c.issued[i] < p.sign*c.issued[best] {
				best = i
			}
		}
	}
	return best, nil
}

// splitMix is the SplitMix64 generator: small, seedable, the same everywhere.
type splitMix struct{ state uint64 }

func newSplitMix(seed, stream uint64) splitMix {
	s := splitMix{state: seed}
	s.state = s.next() ^ stream
	return s
}

func (s *splitMix) next() uint64 {
	s.state += 0x9e3779b97f4a7c15
	z := s.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below is a number in [0, n), n > 0; its bias of n/2^64 does not matter here.
func (s *splitMix) below(n uint64) uint64 {
	hi, _ := bits.Mul64(s.next(), n)
	return hi
}
