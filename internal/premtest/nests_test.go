package premtest

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/prem/cfront"
	"github.com/warpbound/warpbound/prem/depend"
	"github.com/warpbound/warpbound/prem/device"
	"github.com/warpbound/warpbound/prem/loop"
)

var (
	nests = flag.Int("nests", 400, "random loop nests to compile and execute")
	seed  = flag.Uint64("seed", 1, "of the first random loop nest")
)

// tally counts what became of random nests.
type tally struct {
	undefined, dependent, nests int
	plans, separate, unfit      int
	reasons                     map[string]int
	loaded, needed              int // elements, by SDMA and by DAE without duplicates
}

// checkNest compiles a nest for each size of the scratchpad and each scheme, and
// compares what the kernels compute with the sequential program.
func checkNest(n *Nest, sizes []int64, c *tally) error {
	p, err := cfront.Parse("nest.c", n.Source, nil)
	if err != nil {
		return err
	}
	want := n.Args()
	if err := loop.Run(p, Function, want); err != nil {
		c.undefined++
		return nil
	}
	if depend.Kernel(p, p.Funcs[0].Kernels()[0]) != nil {
		c.dependent++
		return nil
	}
	c.nests++
	for i, spm := range sizes {
		var base, dae *movement
		for _, s := range schemes {
			reverse := (i+int(s))%2 == 1
			r, err := newPlanned(p, Function, s, spm)
			if errors.Is(err, errUnfit) {
				c.unfit++
				break
			}
			if err != nil {
				return fmt.Errorf("%s, %d bytes: %w", s, spm, err)
			}
			got := n.Args()
			m, err := r.run(got, reverse)
			if err != nil {
				return fmt.Errorf("%s, %d bytes: %w", s, spm, err)
			}
			if err := difference(got.Arrays, want.Arrays); err != nil {
				return fmt.Errorf("%s, %d bytes: %w", s, spm, err)
			}
			separate := r.plans[0].Compatible == nil
			switch s {
			case device.Base:
				base = m
				c.plans++
				if separate {
					c.separate++
				} else {
					c.reasons[reason(r.plans[0].Compatible.Msg)]++
				}
			case device.DAE:
				dae = m
			}
			if s < device.DAE || !separate {
				continue
			}
			if err := conform(s, m, base, r.plans); err != nil {
				return fmt.Errorf("%s, %d bytes: %w", s, spm, err)
			}
			if s == device.SDMA {
				c.loaded += loads(m)
				c.needed += loads(dae)
			}
		}
	}
	return nil
}

// sort is what stays of an error's text without names, numbers and positions, so
// that a smaller case fails in the same way.
func sort(err error) string {
	return regexp.MustCompile(`[A-Za-z]?\d+(:\d+)*`).ReplaceAllString(err.Error(), "")
}

// reason is the part of a plan's explanation that names nothing of the program.
func reason(msg string) string {
	for _, part := range []string{"is not an affine expression", "would have to be tiled, but it stands under a condition",
		"differs from thread to thread and its step", "may be one element"} {
		if strings.Contains(msg, part) {
			return part
		}
	}
	return msg
}

// loads counts the elements loaded, each once a phase.
func loads(m *movement) int {
	n := 0
	for x := range m.moves {
		if !x.write {
			n++
		}
	}
	return n
}

// sizesOf gives the sizes of the scratchpad a nest is compiled for: one that holds
// all, and one that makes tiles small.
func sizesOf(seed uint64) []int64 {
	return []int64{48 << 10, []int64{2048, 256, 1024, 512, 4096, 8192}[seed%6]}
}

func TestRandomNests(t *testing.T) {
	c := tally{reasons: make(map[string]int)}
	for i := range uint64(*nests) {
		s := *seed + i
		choices := Seeded(s)
		err := checkNest(Generate(choices), sizesOf(s), &c)
		if err == nil {
			continue
		}
		small := Shrink(choices, 600, func(x *Choices) bool {
			e := checkNest(Generate(x), sizesOf(s), &tally{reasons: make(map[string]int)})
			return e != nil && sort(e) == sort(err)
		})
		n := Generate(small)
		t.Errorf("seed %d: %v\nmade smaller: %v\n%s", s, err, checkNest(n, sizesOf(s), &c), n.Source)
	}
	t.Logf("%d nests (and %d with dependent iterations, %d undefined), %d plans, %d of them with separate phases, %d nests did not fit a size; SDMA loads %d elements, DAE %d different ones",
		c.nests, c.dependent, c.undefined, c.plans, c.separate, c.unfit, c.loaded, c.needed)
	for _, r := range slices.Sorted(maps.Keys(c.reasons)) {
		t.Logf("%d compatible: ... %s ...", c.reasons[r], r)
	}
}
