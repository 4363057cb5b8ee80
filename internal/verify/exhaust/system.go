package exhaust

import (
	"fmt"
	"strconv"
	"strings"
)

// Instr is one instruction of a warp. Times are in cycles; Src are indices of
// earlier instructions of the warp; Section counts the barriers before it.
type Instr struct {
	Unit, Init, Lat int
	Src             []int
	Section         int
}

// Sequence is the instructions of one warp in order.
type Sequence []Instr

// System is the warps of one block.
type System struct {
	Warps []Sequence
}

// Units is one more than the largest unit used.
func (s *System) Units() int {
	n := 0
	for _, w := range s.Warps {
		for _, in := range w {
			n = max(n, in.Unit+1)
		}
	}
	return n
}

// Sections is one more than the largest section used.
func (s *System) Sections() int {
	n := 0
	for _, w := range s.Warps {
		for _, in := range w {
			n = max(n, in.Section+1)
		}
	}
	return n
}

// Len is the number of instructions of all warps.
func (s *System) Len() int {
	n := 0
	for _, w := range s.Warps {
		n += len(w)
	}
	return n
}

// Clone copies the system.
func (s *System) Clone() System {
	out := System{Warps: make([]Sequence, len(s.Warps))}
	for i, w := range s.Warps {
		out.Warps[i] = make(Sequence, len(w))
		for j, in := range w {
			in.Src = append([]int(nil), in.Src...)
			out.Warps[i][j] = in
		}
	}
	return out
}

// Validate checks indices and sizes.
func (s *System) Validate() error {
	if len(s.Warps) == 0 {
		return fmt.Errorf("no warps")
	}
	for w, p := range s.Warps {
		for j, in := range p {
			if in.Unit < 0 || in.Init < 1 || in.Lat < 0 {
				return fmt.Errorf("warp %d, instruction %d: unit %d, initiation %d, latency %d", w, j, in.Unit, in.Init, in.Lat)
			}
			if in.Section < 0 || (j > 0 && in.Section < p[j-1].Section) {
				return fmt.Errorf("warp %d, instruction %d: section %d goes back", w, j, in.Section)
			}
			for _, b := range in.Src {
				if b < 0 || b >= j {
					return fmt.Errorf("warp %d, instruction %d: source %d is not an earlier instruction", w, j, b)
				}
			}
		}
	}
	return nil
}

// String prints warps as F<unit>/<init>/<lat>(<sources>), separated by " ; ",
// with " | " at barriers. ParseSystem reads it back.
func (s System) String() string {
	var b strings.Builder
	for i, w := range s.Warps {
		if i > 0 {
			b.WriteString(" ; ")
		}
		section := 0
		for j, in := range w {
			for ; section < in.Section; section++ {
				b.WriteString("| ")
			}
			fmt.Fprintf(&b, "F%d/%d/%d", in.Unit, in.Init, in.Lat)
			for k, src := range in.Src {
				sep := ","
				if k == 0 {
					sep = "("
				}
				b.WriteString(sep + strconv.Itoa(src))
			}
			if len(in.Src) > 0 {
				b.WriteByte(')')
			}
			if j < len(w)-1 {
				b.WriteByte(' ')
			}
		}
	}
	return b.String()
}

// ParseSystem reads the notation that String prints. "2× " or "2x " before a
// warp repeats it.
func ParseSystem(text string) (System, error) {
	var s System
	for w, part := range strings.Split(text, ";") {
		var p Sequence
		count, section := 1, 0
		for i, field := range strings.Fields(part) {
			if n, ok := strings.CutSuffix(strings.Replace(field, "×", "x", 1), "x"); ok && i == 0 {
				c, err := strconv.Atoi(n)
				if err != nil || c < 1 || c > 1024 {
					return s, fmt.Errorf("warp %d: %q, expected a count like 2×, at most 1024", w, field)
				}
				count = c
				continue
			}
			if field == "|" {
				section++
				continue
			}
			in, err := parseInstr(field)
			if err != nil {
				return s, fmt.Errorf("warp %d: %w", w, err)
			}
			in.Section = section
			p = append(p, in)
		}
		for range count {
			s.Warps = append(s.Warps, p)
		}
	}
	return s, s.Validate()
}

func parseInstr(field string) (Instr, error) {
	var in Instr
	head, srcs, has := strings.Cut(field, "(")
	if has {
		list, ok := strings.CutSuffix(srcs, ")")
		if !ok {
			return in, fmt.Errorf("%q: expected ')' at the end", field)
		}
		for _, x := range strings.Split(list, ",") {
			n, err := strconv.Atoi(x)
			if err != nil {
				return in, fmt.Errorf("%q: source %q is not a number", field, x)
			}
			in.Src = append(in.Src, n)
		}
	}
	parts := strings.Split(strings.TrimPrefix(head, "F"), "/")
	if len(parts) != 3 || !strings.HasPrefix(head, "F") {
		return in, fmt.Errorf("%q: expected F<unit>/<init>/<lat>", field)
	}
	for i, dst := range []*int{&in.Unit, &in.Init, &in.Lat} {
		n, err := strconv.Atoi(parts[i])
		if err != nil || n < 0 || n > 1<<20 {
			return in, fmt.Errorf("%q: %q is not a number from 0 to %d", field, parts[i], 1<<20)
		}
		*dst = n
	}
	return in, nil
}

// Rules say on what kind of SM a system runs.
type Rules struct {
	// Slots is the number of waiting places: of each unit, or of all together if
	// Pooled (then at least 1). Negative: unbounded. 0: an instruction issues only
	// to a free unit.
	Slots  int
	Pooled bool
	// FIFO: units serve in issue order. Otherwise in any order, which keeps the
	// order of a warp if OwnOrder.
	FIFO, OwnOrder bool
	// Draining: barriers wait for completion, not only for issue.
	Draining bool
	// ShortLat and ShortInit let the adversary shorten each execution.
	ShortLat, ShortInit bool
}

// String names the machine in a few words.
func (m Rules) String() string {
	var b strings.Builder
	switch {
	case m.Slots < 0:
		b.WriteString("unbounded")
	case m.Pooled:
		fmt.Fprintf(&b, "pool-%d", m.Slots)
	default:
		fmt.Fprintf(&b, "slots-%d", m.Slots)
	}
	switch {
	case m.FIFO:
		b.WriteString(" fifo")
	case m.OwnOrder:
		b.WriteString(" any-order")
	default:
		b.WriteString(" no-order")
	}
	if m.Draining {
		b.WriteString(" draining")
	}
	if m.ShortLat {
		b.WriteString(" short-lat")
	}
	if m.ShortInit {
		b.WriteString(" short-init")
	}
	return b.String()
}
