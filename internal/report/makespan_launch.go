package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/method/makespan/study"
	"github.com/warpbound/warpbound/internal/version"
)

// MakespanLaunch is where the strings of a launch come from.
type MakespanLaunch struct {
	Launch string `json:"launch"`
	Kernel string `json:"kernel"`
	MachineIdentity
	// HoldsForAllInputs is as in AnalysisDocument.
	HoldsForAllInputs bool `json:"holds_for_all_inputs"`
	// BlockClasses is how many kinds of blocks execute different instructions; the
	// document is of the one with the largest bound, of which FirstBlock is one, and
	// of Blocks such blocks together.
	BlockClasses int64                   `json:"block_classes"`
	FirstBlock   int64                   `json:"first_block"`
	Blocks       int64                   `json:"blocks"`
	Warps        int64                   `json:"warps"`
	Mapping      []analysis.MakespanUnit `json:"mapping"`
	// Ignored is what the model leaves out of the kernel and the GPU. Where it is
	// empty the figures are of the kernel on the GPU.
	Ignored      []string `json:"ignored"`
	BarrierModel string   `json:"barrier_model,omitempty"`
}

// MakespanSection is what the warps execute between two barriers.
type MakespanSection struct {
	First   int64            `json:"first"`
	Count   int64            `json:"count"`
	Warps   int64            `json:"warps"`
	Strings []MakespanString `json:"strings"`
	// Why says why the warps are not identical, to which only the volume bound
	// applies; Rows then has nothing else.
	Why   string         `json:"why,omitempty"`
	Rows  []MakespanRow  `json:"rows"`
	Exact *MakespanExact `json:"exact"`
	Best  MakespanBest   `json:"best"`

	study *study.Study
}

// MakespanString is a string that some warps execute.
type MakespanString struct {
	Warps  int64  `json:"warps"`
	Text   string `json:"string"`
	Length int64  `json:"length"`
}

// Volume is the method of sections whose warps are not identical.
const Volume = "volume"

const volumeTheorem = "docs/soundness.md, theorem 14"

// MakespanLaunchOf makes the part of the document that says where strings come
// from.
func MakespanLaunchOf(path string, r *analysis.Report, p *analysis.MakespanProblem) (*MakespanLaunch, error) {
	id, err := identity(r.Machine.Desc)
	if err != nil {
		return nil, err
	}
	return &MakespanLaunch{
		Launch: path, Kernel: p.Kernel, MachineIdentity: id, HoldsForAllInputs: r.AllInputs(),
		BlockClasses: int64(len(r.Path.Classes)), FirstBlock: p.FirstBlock, Blocks: p.Blocks, Warps: p.Warps,
		Mapping: append([]analysis.MakespanUnit{}, p.Mapping...), Ignored: append([]string{}, p.Ignored...), BarrierModel: p.BarrierModel,
	}, nil
}

// MakespanSections makes the JSON form of a launch of several sections, or of one
// whose warps are not identical. studies are those of the sections; nil where the
// warps differ or the command was interrupted before.
func MakespanSections(l *MakespanLaunch, p *analysis.MakespanProblem, studies []*study.Study, o MakespanOptions) *MakespanDocument {
	d := &MakespanDocument{Warpbound: version.Get(), Rows: []MakespanRow{}, Curve: []MakespanPoint{}}
	d.sections(l, p, studies, o)
	d.Complete = true
	for _, s := range studies {
		d.Complete = d.Complete && (s == nil || s.Complete)
	}
	d.total()
	return d
}

// OfLaunch says that the document is of a launch of one section.
func (d *MakespanDocument) OfLaunch(l *MakespanLaunch, p *analysis.MakespanProblem, o MakespanOptions) {
	d.sections(l, p, []*study.Study{d.study}, o)
	d.Instance.DefaultUnits = false
}

func (d *MakespanDocument) sections(l *MakespanLaunch, p *analysis.MakespanProblem, studies []*study.Study, o MakespanOptions) {
	d.Launch, d.Sections = l, []MakespanSection{}
	for i := range p.Sections {
		from := &p.Sections[i]
		s := MakespanSection{First: from.First, Count: from.Count, Warps: from.Warps, Strings: []MakespanString{}, Why: from.Why, Rows: []MakespanRow{}}
		for _, c := range from.Classes {
			s.Strings = append(s.Strings, MakespanString{c.Warps, c.Text, c.Length})
		}
		if of := studies[i]; of != nil {
			s.study = of
			for j := range of.Rows {
				s.Rows = append(s.Rows, makespanRow(&of.Rows[j], o.Times))
			}
			s.Exact = makespanExact(of, o)
			s.Best = MakespanBest{Cycles: of.Best.Cycles, Method: of.Best.Method, Exact: of.Exact != nil}
		} else {
			cycles := from.Volume.Cycles
			s.Rows = append(s.Rows, MakespanRow{Method: Volume, Kind: study.SafeBound, Cycles: &cycles, Theorem: volumeTheorem})
			s.Best = MakespanBest{Cycles: cycles, Method: Volume}
		}
		d.Sections = append(d.Sections, s)
	}
}

// total adds up the sections, one after the other. A figure that a section lacks,
// or that leaves int64, is null.
func (d *MakespanDocument) total() {
	d.Pessimistic = d.sum(func(s *MakespanSection) *int64 { return makespanCycles(s.Rows, study.Paper) })
	d.Potential = d.sum(func(s *MakespanSection) *int64 { return makespanCycles(s.Rows, study.Potential) })
	d.Safe = d.sum((*MakespanSection).safe)
	exact := d.sum(func(s *MakespanSection) *int64 {
		if s.Exact == nil {
			return nil
		}
		return &s.Exact.Cycles
	})
	best := d.sum(func(s *MakespanSection) *int64 { return &s.Best.Cycles })
	method := ""
	for i := range d.Sections {
		switch m := d.Sections[i].Best.Method; {
		case method == "":
			method = m
		case method != m:
			method = "several"
		}
	}
	if exact != nil {
		d.Exact = &MakespanExact{Cycles: *exact, Method: method}
	}
	// No figure of a section exceeds its volume bound, whose sum has been computed.
	d.Best = MakespanBest{Cycles: *best, Method: method, Exact: exact != nil}
}

func (d *MakespanDocument) sum(of func(*MakespanSection) *int64) *int64 {
	sum := int64(0)
	for i := range d.Sections {
		s := &d.Sections[i]
		c := of(s)
		if c == nil || *c > 0 && s.Count > (math.MaxInt64-sum) / *c {
			return nil
		}
		sum += s.Count * *c
	}
	return &sum
}

// launchSection says where the strings come from, and what the model leaves out.
func (d *MakespanDocument) launchSection() Section {
	l := d.Launch
	var lead, notes strings.Builder
	fmt.Fprintf(&lead, "%s: %s on %s, %s of %s\n", l.Launch, l.Kernel, l.GPU, plural(l.Blocks, "block"), plural(l.Warps, "warp"))
	if l.BlockClasses > 1 {
		fmt.Fprintf(&lead, "of %d kinds of blocks that with the largest bound, such as block %d\n", l.BlockClasses, l.FirstBlock)
	}
	if !l.HoldsForAllInputs {
		lead.WriteString("THIS INPUT ONLY: what is executed depends on buffers not marked known (warpbound analyze says where)\n")
	}
	lead.WriteString("\n")
	if len(l.Ignored) == 0 {
		notes.WriteString("the model leaves nothing out of this kernel on this GPU: the figures are of the kernel\n")
	} else {
		notes.WriteString("the figures are of the model, not of the kernel (analyze --method makespan bounds that); the model leaves out:\n")
		for _, s := range l.Ignored {
			notes.WriteString("- " + s + "\n")
		}
	}
	if l.BarrierModel != "" {
		notes.WriteString(l.BarrierModel + "\n")
	}
	return Section{ID: "launch", Lead: lead.String(), Notes: notes.String(), Sheet: NewSheet("launch.mapping[]", l.Mapping, []Of[analysis.MakespanUnit]{
		{Column{ID: "letter", Heading: "letter"}, func(u *analysis.MakespanUnit) any { return u.Letter }},
		{Column{ID: "unit", Heading: "unit"}, func(u *analysis.MakespanUnit) any { return u.Unit }},
		{Column{ID: "capacity", Heading: "σ", Unit: "units", Type: Integer}, func(u *analysis.MakespanUnit) any { return u.Capacity }},
		{Column{ID: "instructions", Heading: "instructions", Unit: "warp instructions", Type: Amount}, func(u *analysis.MakespanUnit) any { return u.Instructions }},
		{Column{ID: "letters", Heading: "letters", Unit: "letters", Type: Amount}, func(u *analysis.MakespanUnit) any { return u.Letters }},
	})}
}

// stringRow is a string of a section, the first of which says what is of all.
type stringRow struct {
	*MakespanSection
	index int
}

func (r *stringRow) of() *MakespanString { return &r.Strings[r.index] }

// ofSection is a value of the section, which stands beside its first string.
func ofSection(c Column, value func(*MakespanSection) any) Of[stringRow] {
	return Of[stringRow]{c, func(r *stringRow) any {
		if r.index > 0 {
			return ""
		}
		return value(r.MakespanSection)
	}}
}

// stringsSection has a row a section and string.
func (d *MakespanDocument) stringsSection() Section {
	var rows []stringRow
	var notes strings.Builder
	for i := range d.Sections {
		s := &d.Sections[i]
		for j := range s.Strings {
			rows = append(rows, stringRow{s, j})
		}
		if s.Why != "" {
			fmt.Fprintf(&notes, "section %d: %s\n", s.First, s.Why)
		}
		for _, r := range s.Rows {
			if r.Unfinished != "" {
				fmt.Fprintf(&notes, "section %d, %s: %s\n", s.First, r.Method, r.Unfinished)
			}
			if r.Kind == study.PublishedUnsafe {
				fmt.Fprintf(&notes, "section %d, %s: %s\n", s.First, r.Method, r.Note)
			}
		}
	}
	return Section{ID: "sections", Notes: notes.String(), Sheet: NewSheet("", rows, []Of[stringRow]{
		ofSection(Column{ID: "section", Heading: "section", Unit: "sections", Type: Integer}, func(s *MakespanSection) any { return s.First }),
		ofSection(Column{ID: "times", Heading: "times", Unit: "sections", Type: Amount}, func(s *MakespanSection) any { return s.Count }),
		{Column{ID: "warps", Heading: "warps", Unit: "warps", Type: Amount}, func(r *stringRow) any { return r.of().Warps }},
		{Column{ID: "length", Heading: "length", Unit: "letters", Type: Amount}, func(r *stringRow) any { return r.of().Length }},
		ofSection(Column{ID: "paper", Heading: "paper", Unit: "cycles", Type: Amount}, func(s *MakespanSection) any { return maybe(makespanCycles(s.Rows, study.Paper)) }),
		ofSection(Column{ID: "safe", Heading: "safe", Unit: "cycles", Type: Amount}, func(s *MakespanSection) any { return maybe(s.safe()) }),
		ofSection(Column{ID: "best", Heading: "best", Unit: "cycles", Type: Amount}, func(s *MakespanSection) any { return s.Best.Cycles }),
		ofSection(Column{ID: "method", Heading: "method"}, func(s *MakespanSection) any {
			if s.Best.Exact {
				return s.Best.Method + ", exact"
			}
			return s.Best.Method
		}),
		{Column{ID: "string", Heading: "string"}, func(r *stringRow) any { return abbreviated(r.of().Text) }},
	})}
}

// safe is the safe figure of a section: of the closed form, or where warps differ the
// volume bound, which it equals for identical warps.
func (s *MakespanSection) safe() *int64 {
	if c := makespanCycles(s.Rows, study.Safe); c != nil {
		return c
	}
	return makespanCycles(s.Rows, Volume)
}

// sectionSchedules are the witnesses of the sections.
func (d *MakespanDocument) sectionSchedules() []Section {
	var out []Section
	for i := range d.Sections {
		if s := &d.Sections[i]; s.Exact != nil && s.Exact.Schedule != nil {
			out = append(out, Section{ID: "schedule", Write: func(p *Printer) {
				fmt.Fprintf(p, "section %d\n%s", s.First, ScheduleText(s.study.Instance, s.study.Exact.Schedule))
			}})
		}
	}
	return out
}
