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
	GPU       string       `json:"gpu"`
	SPMBytes  int64        `json:"spm_bytes"`
	Kernels   []PremPlan   `json:"kernels"`
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
func NewPremPlans(file string, m *gpu.Machine, spmBytes int64) *PremPlans {
	return &PremPlans{Warpbound: version.Get(), File: file, GPU: m.Desc.Name, SPMBytes: spmBytes, Kernels: []PremPlan{}}
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

// PremPlansText writes the document as a table.
func PremPlansText(d *PremPlans) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s for %s, %s bytes of scratchpad a team\n\n", d.File, d.GPU, Count(d.SPMBytes))
	t := Table{Header: []string{"kernel", "line", "teams", "threads", "intervals", "bytes", "a tile of the SIMT loops", "cut into tiles", "phases"}, Left: []int{6, 7, 8}}
	notes := ""
	for _, k := range d.Kernels {
		var simt, cut []string
		for _, dim := range k.SIMT {
			s := fmt.Sprintf("%s by %d", dim.Loop, dim.Threads)
			if dim.Per != 1 {
				s += fmt.Sprintf("x%d", dim.Per)
			}
			simt = append(simt, s)
		}
		for _, w := range k.Walked {
			cut = append(cut, w+" by 1")
		}
		for _, l := range k.Tiled {
			cut = append(cut, fmt.Sprintf("%s by %d", l.Loop, l.Count))
		}
		phases := "separate"
		if k.Compatible != nil {
			phases = "compatible only"
			notes += fmt.Sprintf("%s: no separate phases: %s\n", k.Kernel, *k.Compatible)
		}
		t.Add(k.Kernel, lineOf(k.At, d.File), Count(k.Teams), Count(k.Threads), Count(int64(len(k.Intervals))), Count(k.Bytes), strings.Join(simt, ", "), dash(strings.Join(cut, ", ")), phases)
	}
	b.WriteString(t.Render(Text))
	b.WriteString(notes)
	return b.String()
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// Document gives the plans their forms; explained is text about each, by its name,
// nil where none was asked for.
func (d *PremPlans) Document(explained func(kernel int) string) *Document {
	return Sentences("prem", Written(d.Warpbound, []string{d.File}), d, func(p *Printer) {
		p.WriteString(PremPlansText(d))
		for i := range d.Kernels {
			if explained != nil {
				fmt.Fprintf(p, "\n%s\n%s", d.Kernels[i].Kernel, explained(i))
			}
		}
	})
}
