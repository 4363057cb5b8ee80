package patches

import (
	"fmt"
	"slices"
	"strings"
)

// edit puts lines in place of the lines [from, to) of a file.
type edit struct {
	from, to int
	lines    []string
	pos      string // of the patch
}

// Apply makes the edits of one file's patches, each of which is looked for in src as it
// is: the order of the patches matters only where they add lines at the same place.
func Apply(src string, patches []Patch) (string, error) {
	lines := strings.Split(src, "\n")
	var edits []edit
	for i := range patches {
		more, err := patches[i].find(lines)
		if err != nil {
			return "", err
		}
		edits = append(edits, more...)
	}
	slices.SortStableFunc(edits, func(a, b edit) int {
		if a.from != b.from {
			return a.from - b.from
		}
		return a.to - b.to
	})
	var out []string
	at := 0
	for i, e := range edits {
		if e.from < at {
			return "", fmt.Errorf("%s: it changes line %d, as the patch at %s does; make one patch of them", e.pos, e.from+1, edits[i-1].pos)
		}
		out = append(append(out, lines[at:e.from]...), e.lines...)
		at = e.to
	}
	return strings.Join(append(out, lines[at:]...), "\n"), nil
}

// find finds the one place of a patch in a file.
func (p *Patch) find(lines []string) ([]edit, error) {
	var want []string
	for _, l := range p.Lines {
		if l.Mark != '+' {
			want = append(want, l.Text)
		}
	}
	if len(want) == 0 {
		return nil, p.errorf("it says nowhere where it belongs; give it a line marked ' ' or '-'")
	}
	place, times := 0, 0
	for at := range len(lines) - len(want) + 1 {
		if slices.Equal(lines[at:at+len(want)], want) {
			place = at
			times++
		}
	}
	if times != 1 {
		hint := "add lines marked ' ' around them"
		if times == 0 {
			hint = "bring them up to date"
			for _, line := range want {
				if !slices.Contains(lines, line) {
					hint += fmt.Sprintf(": the file has no line %q", line)
					break
				}
			}
		}
		return nil, p.errorf("its lines marked ' ' and '-' are at %d places of %s, and expected at one; %s", times, p.File, hint)
	}
	var edits []edit
	at, open := place, false
	for _, l := range p.Lines {
		if l.Mark == ' ' {
			at, open = at+1, false
			continue
		}
		if !open {
			edits = append(edits, edit{from: at, to: at, pos: p.Pos})
			open = true
		}
		e := &edits[len(edits)-1]
		if l.Mark == '-' {
			at++
			e.to = at
		} else {
			e.lines = append(e.lines, l.Text)
		}
	}
	if len(edits) == 0 {
		return nil, p.errorf("it changes nothing; give it a line marked '-' or '+'")
	}
	return edits, nil
}

func (p *Patch) errorf(format string, args ...any) error {
	return fmt.Errorf("%s: %s: %s", p.Pos, strings.Join(p.Faults, ", "), fmt.Sprintf(format, args...))
}
