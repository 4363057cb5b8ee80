package report

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/prem/tile"
	"github.com/warpbound/warpbound/internal/version"
)

// PremPlans is the document of plans: how the kernels of a C file are cut into
// intervals.
type PremPlans struct {
	Warpbound version.Info `json:"warpbound"`
	File      string       `json:"file"`
	MachineIdentity
	SPMBytes int64      `json:"spm_bytes"`
	Kernels  []PremPlan `json:"kernels"`
}

// PremPlan is the plan of one kernel.
type PremPlan struct {
	Kernel  string    `json:"kernel"` // FUNCTION_NUMBER
	At      string    `json:"at"`
	Teams   int64     `json:"teams"`
	Threads int64     `json:"threads"`
	SIMT    []PremDim `json:"simt"`
	// Tiled are the loops cut into tiles, Walked those taken one iteration at a time.
	Tiled  []PremLoop `json:"tiled"`
	Walked []string   `json:"walked"`
	// Intervals are those of one tile of the SIMT space, in the text of the program.
	Intervals []PremInterval `json:"intervals"`
	Bytes     int64          `json:"bytes"`
	// Compatible says why the kernel can only run as compatible intervals, null
	// where phases can be separated.
	Compatible *string `json:"compatible"`
}

// PremDim is a loop of the SIMT space: a tile covers threads * per iterations.
type PremDim struct {
	Loop    string `json:"loop"`
	Threads int64  `json:"threads"`
	Per     int64  `json:"per"`
}

// PremLoop is a loop that is cut into tiles of Count iterations.
type PremLoop struct {
	Loop  string `json:"loop"`
	Count int64  `json:"count"`
}

// PremInterval is what an interval holds in the scratchpad.
type PremInterval struct {
	Bytes int64     `json:"bytes"`
	Boxes []PremBox `json:"boxes"`
}

// PremBox is a strided box of an array.
type PremBox struct {
	Array   string  `json:"array"`
	Counts  []int64 `json:"counts"`
	Bytes   int64   `json:"bytes"`
	Read    bool    `json:"read"`
	Written bool    `json:"written"`
	Marked  bool    `json:"marked"`
}

// NewPremPlans begins the document of a file.
func NewPremPlans(file string, d *gpu.Description, spmBytes int64) (*PremPlans, error) {
	id, err := identity(d)
	if err != nil {
		return nil, err
	}
	return &PremPlans{Warpbound: version.Get(), File: file, MachineIdentity: id, SPMBytes: spmBytes, Kernels: []PremPlan{}}, nil
}

// Add adds the plan of a kernel.
func (d *PremPlans) Add(kernel string, p *tile.Plan) {
	k := PremPlan{
		Kernel: kernel, At: p.Kernel.At.String(), Teams: p.Teams, Threads: p.Threads, Bytes: p.Bytes,
		SIMT: []PremDim{}, Tiled: []PremLoop{}, Walked: []string{}, Intervals: []PremInterval{},
	}
	for _, dim := range p.Dims {
		k.SIMT = append(k.SIMT, PremDim{dim.Loop.Var.Name, dim.Threads, dim.Per})
	}
	if p.Compatible != nil {
		why := p.Compatible.Error()
		k.Compatible = &why
	}
	k.nodes(p.Body)
	d.Kernels = append(d.Kernels, k)
}

func (k *PremPlan) nodes(nodes []tile.Node) {
	for _, n := range nodes {
		switch n := n.(type) {
		case *tile.Walk:
			k.Walked = append(k.Walked, n.Loop.Var.Name)
			k.nodes(n.Body)
		case *tile.Interval:
			if n.Tile != nil {
				k.Tiled = append(k.Tiled, PremLoop{n.Tile.Loop.Var.Name, n.Tile.Count})
			}
			i := PremInterval{Bytes: n.Bytes, Boxes: []PremBox{}}
			for _, b := range n.Boxes {
				box := PremBox{Array: b.Array.Name, Counts: []int64{}, Bytes: b.Bytes, Read: b.Read, Written: b.Written, Marked: b.Mask >= 0}
				for _, d := range b.Dims {
					box.Counts = append(box.Counts, d.Count)
				}
				i.Boxes = append(i.Boxes, box)
			}
			k.Intervals = append(k.Intervals, i)
		}
	}
}

// lineOf is the line of a position file:line:col, with the file's name where that is
// another than the program's, such as a header.
func lineOf(at, file string) string {
	at = at[:max(strings.LastIndexByte(at, ':'), 0)]
	if line, ok := strings.CutPrefix(at, file+":"); ok {
		return line
	}
	return path.Base(filepath.ToSlash(at))
}

// tile is a tile of the SIMT loops.
func (k *PremPlan) tile() string {
	var out []string
	for _, dim := range k.SIMT {
		s := fmt.Sprintf("%s by %d", dim.Loop, dim.Threads)
		if dim.Per != 1 {
			s += fmt.Sprintf("x%d", dim.Per)
		}
		out = append(out, s)
	}
	return strings.Join(out, ", ")
}

// cut are the loops around intervals and those cut into tiles, nil where there are none.
func (k *PremPlan) cut() any {
	var out []string
	for _, w := range k.Walked {
		out = append(out, w+" by 1")
	}
	for _, l := range k.Tiled {
		out = append(out, fmt.Sprintf("%s by %d", l.Loop, l.Count))
	}
	if len(out) == 0 {
		return nil
	}
	return strings.Join(out, ", ")
}

// phases says whether memory and compute phases can be told apart.
func (k *PremPlan) phases() string {
	if k.Compatible != nil {
		return "compatible only"
	}
	return "separate"
}

// sheet has a row for each kernel.
func (d *PremPlans) sheet() *Sheet {
	return NewSheet("kernels[]", d.Kernels, []Of[PremPlan]{
		{Column{ID: "kernel", Heading: "kernel"}, func(k *PremPlan) any { return k.Kernel }},
		{Column{ID: "line", Heading: "line", Type: Label}, func(k *PremPlan) any { return lineOf(k.At, d.File) }},
		{Column{ID: "teams", Heading: "teams", Unit: "teams", Type: Amount}, func(k *PremPlan) any { return k.Teams }},
		{Column{ID: "threads", Heading: "threads", Unit: "threads", Type: Amount}, func(k *PremPlan) any { return k.Threads }},
		{Column{ID: "intervals", Heading: "intervals", Type: Label}, func(k *PremPlan) any { return Count(int64(len(k.Intervals))) }},
		{Column{ID: "bytes", Heading: "bytes", Unit: "bytes", Type: Amount}, func(k *PremPlan) any { return k.Bytes }},
		{Column{ID: "simt", Heading: "a tile of the SIMT loops"}, func(k *PremPlan) any { return k.tile() }},
		{Column{ID: "tiles", Heading: "cut into tiles"}, func(k *PremPlan) any { return k.cut() }},
		{Column{ID: "phases", Heading: "phases"}, func(k *PremPlan) any { return k.phases() }},
	})
}

// Document gives the plans their forms; explained is text about each, by its name,
// nil where none was asked for.
func (d *PremPlans) Document(explained func(kernel int) string) *Document {
	notes := ""
	for i := range d.Kernels {
		if k := &d.Kernels[i]; k.Compatible != nil {
			notes += fmt.Sprintf("%s: no separate phases: %s\n", k.Kernel, *k.Compatible)
		}
	}
	out := &Document{Kind: "prem", Provenance: Written(d.Warpbound, []string{d.File}, d.MachineIdentity), JSON: d, Sections: []Section{{
		ID: "plans", Lead: fmt.Sprintf("%s for %s, %s bytes of scratchpad a team\n\n", d.File, d.GPU, Count(d.SPMBytes)), Sheet: d.sheet(), Notes: notes,
	}}}
	for i := range d.Kernels {
		if explained != nil {
			out.Sections = append(out.Sections, Section{ID: "explanation", Lead: d.Kernels[i].Kernel + "\n" + explained(i)})
		}
	}
	return out
}
