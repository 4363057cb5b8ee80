package analysis

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/method/makespan"
	"github.com/warpbound/warpbound/internal/path"
	"github.com/warpbound/warpbound/internal/seq"
)

// MakespanOptions choose what Makespans takes together.
type MakespanOptions struct {
	// Class is the class of blocks, an index into Path.Classes.
	Class int
	// Blocks is how many equal blocks are on the SM together; 0 means 1.
	Blocks int64
}

// MakespanProblem is a launch in the terms of Berezovskyi2012: the warps of one or
// several equal blocks as instruction strings over the letters of the SM's units.
//
// Every unit of the SM serves every warp, an instruction that occupies its unit for
// k cycles becomes k letters (Section 3), and repetitions stay repetitions. Ignored
// says what of the kernel and the GPU the model cannot express. Where it is empty
// the machine is one of the model's, and a worst case of the model is one of the
// blocks on it; elsewhere only the makespan method (Run) says what is a bound.
type MakespanProblem struct {
	Kernel string
	GPU    string
	// FirstBlock is the number of a block of the class, and Blocks how many
	// blocks are on the SM together.
	FirstBlock int64
	Blocks     int64
	Warps      int64 // of all these blocks
	// Mapping is in the order of the machine's units, without those not used.
	Mapping []MakespanUnit
	Ignored []string
	// Sections are the parts between barriers; equal ones are listed once, in the
	// order of the first of each.
	Sections []MakespanSection
	// BarrierModel says what must hold for the makespans of the sections to add up
	// to the block's; empty where there is one section.
	BarrierModel string
	// VolumeCycles is the sum of the volume bounds of all sections.
	VolumeCycles int64
}

// MakespanUnit is a kind of unit and its letter.
type MakespanUnit struct {
	Unit   string `json:"unit"`
	Letter string `json:"letter"`
	// Capacity is σ: the units of the kind that the SM has, each of which takes an
	// instruction of a whole warp.
	Capacity int64 `json:"capacity"`
	// Instructions is how many the warps execute, Letters what they become: more
	// where an instruction occupies its unit for more than a cycle.
	Instructions int64 `json:"instructions"`
	Letters      int64 `json:"letters"`
	// LongestInitiationCycles and LongestLatencyCycles are of the instructions
	// executed. The latency, which begins when the unit is free again, is ignored.
	LongestInitiationCycles int64 `json:"longest_initiation_cycles"`
	LongestLatencyCycles    int64 `json:"longest_latency_cycles"`
}

// MakespanSection is what the warps execute between two barriers.
type MakespanSection struct {
	First int64 // its number, from 0
	Count int64 // how many sections are equal to it
	// Warps is how many execute something in it.
	Warps   int64
	Classes []MakespanClass
	// Identical warps make an Instance, to which the exact methods and the published
	// figures apply. Otherwise it is nil, and Why says so.
	Identical bool
	Instance  *makespan.Instance
	Why       string
	// Volume bounds the section whether or not the warps are identical
	// (docs/soundness/makespan.md, theorem 14 (volume)).
	Volume makespan.Volume
}

// MakespanClass is warps that execute the same string.
type MakespanClass struct {
	Warps int64
	// Text is the string, cut at MaxMakespanText bytes.
	Text string
	// Length is the number of letters, Counts how many of each kind, by Mapping.
	Length int64
	Counts []int64
}

// MaxMakespanText is how much of an instruction string is kept as text.
const MaxMakespanText = 120

// Makespans abstracts the blocks of a class to instruction strings. It fails where
// barriers are not of the whole block, where several blocks have barriers, which
// the model does not keep apart, and where the kernel uses more than 26 kinds.
func Makespans(r *Report, opt MakespanOptions) (*MakespanProblem, error) {
	blocks := max(opt.Blocks, 1)
	if opt.Class < 0 || opt.Class >= len(r.Path.Classes) {
		return nil, fmt.Errorf("block class %d, expected 0 to %d", opt.Class, len(r.Path.Classes)-1)
	}
	c := &r.Path.Classes[opt.Class]
	switch {
	case r.Path.Timed:
		return nil, errors.New(r.Path.Irregular)
	case r.Path.Irregular != "":
		return nil, fmt.Errorf("the makespan model has barriers of all warps only: %s", r.Path.Irregular)
	case opt.Blocks < 0 || blocks > c.Blocks || blocks > r.Occupancy.Blocks:
		return nil, fmt.Errorf("%d blocks together, expected 1 to %d: the launch has %d equal to block %d and an SM holds %d",
			opt.Blocks, min(c.Blocks, r.Occupancy.Blocks), c.Blocks, c.First, r.Occupancy.Blocks)
	}
	a := &abstraction{
		r: r, blocks: blocks, letteredOf: map[*seq.Seq]*seq.Seq{}, stringOf: map[*seq.Seq]int{},
		hashed: map[uint64][]int{}, bodies: map[*seq.Seq]*makespan.Body{},
	}
	for _, wc := range c.Warps {
		a.sections = max(a.sections, len(wc.Warp.Sections))
	}
	if blocks > 1 && a.sections > 1 {
		return nil, fmt.Errorf("%d blocks together: each has barriers of its own, and the makespan model has barriers of all warps only", blocks)
	}
	p := &MakespanProblem{Kernel: r.Kernel, GPU: r.Machine.Desc.Name, FirstBlock: c.First, Blocks: blocks, Warps: int64(r.Warps) * blocks}
	if err := a.mapping(p, c); err != nil {
		return nil, err
	}
	p.Ignored = a.ignored(p)
	if err := a.split(p, c); err != nil {
		return nil, err
	}
	if a.sections > 1 {
		p.BarrierModel = fmt.Sprintf("%d sections, one after the other: a section begins in the cycle after the last warp has executed everything before it; barrier delays are not included", a.sections)
	}
	return p, nil
}

// abstraction turns recorded symbols into letters.
type abstraction struct {
	r        *Report
	blocks   int64
	sections int
	kindOf   []int // of a unit, index into Mapping; -1 where it is not used
	letters  []byte
	capacity []int64

	letteredOf map[*seq.Seq]*seq.Seq // over letters as symbols
	strings    []*seq.Seq            // over letters, all different
	stringOf   map[*seq.Seq]int      // of a recorded sequence, index into strings
	hashed     map[uint64][]int      // by hash, indices into strings
	bodies     map[*seq.Seq]*makespan.Body
}

// mapping chooses letters and counts what the warps execute.
func (a *abstraction) mapping(p *MakespanProblem, c *path.BlockClass) error {
	r := a.r
	counts := make([]int64, len(r.Path.Symbols))
	for _, wc := range c.Warps {
		if err := wc.Warp.Whole.Counts(wc.Count*a.blocks, counts); err != nil {
			return err
		}
	}
	units := make([]MakespanUnit, len(r.Machine.Units))
	for i, n := range counts {
		if n == 0 {
			continue
		}
		s := r.Path.Symbols[i]
		t := &r.Timing[s.PC]
		u, k := &units[t.Unit], t.Initiation(int(s.Transactions))
		if n > maxCount/k-u.Letters {
			return fmt.Errorf("unit %s: %w", r.Machine.Units[t.Unit].Name, bound.ErrOverflow)
		}
		u.Instructions += n
		u.Letters += n * k
		u.LongestInitiationCycles = max(u.LongestInitiationCycles, k)
		u.LongestLatencyCycles = max(u.LongestLatencyCycles, t.LatencyCycles)
	}
	taken := map[byte]bool{}
	a.kindOf = make([]int, len(units))
	for i, u := range units {
		if a.kindOf[i] = -1; u.Instructions == 0 {
			continue
		}
		letter, ok := freeLetter(r.Machine.Units[i].Name, taken)
		if !ok {
			return errors.New("more than 26 kinds of unit: no letters are left")
		}
		taken[letter] = true
		u.Unit, u.Letter, u.Capacity = r.Machine.Units[i].Name, string(rune(letter)), servers(&r.Machine.Units[i], r.Machine.Desc.SM.Schedulers)
		a.kindOf[i] = len(p.Mapping)
		p.Mapping = append(p.Mapping, u)
		a.letters = append(a.letters, letter)
		a.capacity = append(a.capacity, u.Capacity)
	}
	return nil
}

// maxCount keeps sums of counts, and their products with small numbers, in int64.
const maxCount = int64(1) << 60

// freeLetter is the first letter of a name that is not taken, or else the first of
// the alphabet.
func freeLetter(name string, taken map[byte]bool) (byte, bool) {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	for _, c := range []byte(strings.ToUpper(name) + alphabet) {
		if strings.IndexByte(alphabet, c) >= 0 && !taken[c] {
			return c, true
		}
	}
	return 0, false
}

// servers is how many units of a kind an SM has.
func servers(u *gpu.Unit, schedulers int) int64 {
	if u.Shared {
		return int64(u.Count)
	}
	return int64(u.Count) * int64(schedulers)
}

// ignored says what the model leaves out of this kernel and this GPU.
func (a *abstraction) ignored(p *MakespanProblem) []string {
	d := a.r.Machine.Desc
	var out, late, long []string
	waits := false
	for _, u := range p.Mapping {
		if u.LongestLatencyCycles > 0 {
			late = append(late, fmt.Sprintf("%s up to %d", u.Unit, u.LongestLatencyCycles))
		}
		if u.LongestInitiationCycles > 1 {
			long = append(long, fmt.Sprintf("%s up to %d", u.Unit, u.LongestInitiationCycles))
		}
		waits = waits || u.Capacity < p.Warps
	}
	if len(late) > 0 {
		out = append(out, fmt.Sprintf("latencies: %s cycles beyond the initiation", strings.Join(late, ", ")))
	}
	if len(long) > 0 {
		out = append(out, fmt.Sprintf("long initiations: %s cycles are so many letters, which the model executes one by one, other warps between them", strings.Join(long, ", ")))
	}
	if waits && a.r.Machine.Queue != gpu.NoQueue {
		out = append(out, fmt.Sprintf("queues (%s): an instruction can be issued and wait for its unit while its warp goes on; in the model the warp stands", a.r.Machine.Queue))
	}
	if s := d.SM.Schedulers; int64(s)*int64(d.Issue.PerCycle) < p.Warps {
		out = append(out, fmt.Sprintf("issue width: %d scheduler(s) issue at most %d instruction(s) each in a cycle; in the model every warp can", s, d.Issue.PerCycle))
	}
	if s := d.SM.Schedulers; s > 1 {
		out = append(out, fmt.Sprintf("sub-cores: warps belong to one of %d schedulers with units of its own; in the model every unit serves every warp", s))
	}
	if d.Barrier.DelayCycles > 0 && a.sections > 1 {
		out = append(out, fmt.Sprintf("barrier delay: %d cycles", d.Barrier.DelayCycles))
	}
	if n := d.Dispatch.StartDelayCycles; n > 0 {
		out = append(out, fmt.Sprintf("block start delay: %d cycles", n))
	}
	return out
}

// split makes the sections.
func (a *abstraction) split(p *MakespanProblem, c *path.BlockClass) error {
	index := map[string]int{}
	var key []byte
	for k := range a.sections {
		key = key[:0]
		parts := make([]int, len(c.Warps))
		for i, wc := range c.Warps {
			parts[i] = -1
			if k < len(wc.Warp.Sections) && wc.Warp.Sections[k].Len() > 0 {
				var err error
				if parts[i], err = a.letterString(wc.Warp.Sections[k]); err != nil {
					return fmt.Errorf("section %d: %w", k, err)
				}
			}
			key = binary.AppendVarint(key, int64(parts[i]))
		}
		if i, ok := index[string(key)]; ok {
			p.Sections[i].Count++
			continue
		}
		s := MakespanSection{First: int64(k), Count: 1}
		if err := a.section(&s, c, parts); err != nil {
			return fmt.Errorf("section %d: %w", k, err)
		}
		index[string(key)] = len(p.Sections)
		p.Sections = append(p.Sections, s)
	}
	for i := range p.Sections {
		s := &p.Sections[i]
		if s.Volume.Cycles > 0 && s.Count > (maxCount-p.VolumeCycles)/s.Volume.Cycles {
			return fmt.Errorf("all sections: %w", bound.ErrOverflow)
		}
		p.VolumeCycles += s.Count * s.Volume.Cycles
	}
	return nil
}

// section bounds one section, whose strings are by class of warps, -1 for none.
func (a *abstraction) section(s *MakespanSection, c *path.BlockClass, parts []int) error {
	var volumes []makespan.Class
	var only *makespan.Pattern
	at := map[int]int{}
	for i, id := range parts {
		if id < 0 {
			continue
		}
		warps := c.Warps[i].Count * a.blocks
		s.Warps += warps
		if j, ok := at[id]; ok {
			s.Classes[j].Warps += warps
			volumes[j].Warps += warps
			continue
		}
		at[id] = len(volumes)
		var err error
		if only, err = a.pattern(id); err != nil {
			return err
		}
		counts := make([]int64, len(a.letters))
		for kind, letter := range a.letters {
			counts[kind] = only.Count(letter)
		}
		s.Classes = append(s.Classes, MakespanClass{Warps: warps, Text: only.Source(), Length: a.strings[id].Len(), Counts: counts})
		volumes = append(volumes, makespan.Class{Warps: warps, Counts: counts})
	}
	switch len(volumes) {
	case 0:
		s.Why = "no warp executes anything"
		return nil
	case 1:
		s.Identical = true
		var err error
		if s.Instance, err = a.instance(only, s.Warps); err != nil {
			return err
		}
	default:
		s.Why = fmt.Sprintf("%d different strings: exact methods and published figures are for identical warps", len(volumes))
	}
	var err error
	s.Volume, err = makespan.VolumeBound(volumes, a.capacity, 0)
	return err
}
