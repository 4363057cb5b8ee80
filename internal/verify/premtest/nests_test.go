package premtest

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/prem/cfront"
	"github.com/warpbound/warpbound/internal/prem/depend"
	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/prem/tile"
	"github.com/warpbound/warpbound/internal/testkit/settings"
	"github.com/warpbound/warpbound/internal/verify/loopkit"
)

// tally counts what became of random nests.
type tally struct {
	undefined, dependent, nests int
	plans, separate, unfit      int
	reasons                     map[string]int
	forms                       map[string]int // plans with separate phases by what occurs in them
	loaded, needed              int            // elements, by SDMA and by DAE without duplicates
}

func newTally() *tally { return &tally{reasons: make(map[string]int), forms: make(map[string]int)} }

// checkNest compiles a nest with each of its options and under each scheme, and
// compares what the kernels compute with the sequential program.
func checkNest(n *Nest, c *tally) error {
	p, err := cfront.Parse("nest.c", n.Source, nil)
	if err != nil {
		return err
	}
	var want []loop.Args
	for v := range n.Variants() {
		want = append(want, n.Args(v))
		if err := loopkit.Run(p, Function, want[v]); err != nil {
			c.undefined++
			return nil
		}
	}
	if depend.Kernel(p, p.Funcs[0].Kernels()[0]) != nil {
		c.dependent++
		return nil
	}
	c.nests++
	for i, o := range optionsOf(p, n) {
		variants := len(want)
		if o.Scalars != nil {
			variants = 1
		}
		roads := make([]*planned, len(schemes))
		for _, s := range schemes {
			if roads[s], err = newPlanned(p, Function, s, o); err != nil {
				break
			}
		}
		if errors.Is(err, errUnfit) {
			c.unfit++
			continue
		}
		if err != nil {
			return fmt.Errorf("%+v: %w", o, err)
		}
		c.plan(roads[device.Base].plans[0])
		for v := range variants {
			if err := c.execute(n, roads, v, i%2 == 1, want[v].Arrays); err != nil {
				return fmt.Errorf("%+v, %v: %w", o, n.Known(v), err)
			}
		}
	}
	return nil
}

// execute runs the kernels of all schemes on a variant of the arguments.
func (c *tally) execute(n *Nest, roads []*planned, variant int, reverse bool, want map[string]*loop.Buffer) error {
	var base, dae *movement
	for _, s := range schemes {
		r := roads[s]
		args := n.Args(variant)
		m, err := r.run(args, reverse)
		if err == nil {
			err = difference(args.Arrays, want)
		}
		if s > device.CMPT && r.plans[0].Compatible == nil && err == nil {
			err = conform(s, m, base, r.plans)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
		switch reverse = !reverse; s {
		case device.Base:
			base = m
		case device.DAE:
			dae = m
		case device.SDMA:
			if r.plans[0].Compatible == nil {
				c.loaded += loads(m)
				c.needed += loads(dae)
			}
		}
	}
	return nil
}

func (c *tally) plan(p *tile.Plan) {
	c.plans++
	if p.Compatible != nil {
		c.reasons[reason(p.Compatible.Msg)]++
		return
	}
	c.separate++
	for f := range forms(p) {
		c.forms[f]++
	}
}

// class is what stays of an error's text without names, numbers and options, so
// that a smaller case fails in the same way.
func class(err error) string {
	text := regexp.MustCompile(`^.*(base|cmpt|dae|sdma): `).ReplaceAllString(err.Error(), "")
	return regexp.MustCompile(`map\[[^\]]*\]|[A-Za-z]?\d+(:\d+)*`).ReplaceAllString(text, "")
}

// forms names what occurs in a plan.
func forms(p *tile.Plan) map[string]bool {
	out := make(map[string]bool)
	for _, d := range p.Dims {
		out["several iterations a thread"] = out["several iterations a thread"] || d.Per > 1
	}
	var walk func(body []tile.Node, depth int)
	walk = func(body []tile.Node, depth int) {
		intervals := 0
		for _, n := range body {
			switch n := n.(type) {
			case *tile.Plain:
				out["plain statements"] = true
			case *tile.Walk:
				out[fmt.Sprintf("walk of depth %d", depth)] = true
				out["walk over several bounds"] = out["walk over several bounds"] || len(n.Lo) > 1 || len(n.Hi) > 1
				walk(n.Body, depth+1)
			case *tile.Interval:
				intervals++
				out["tiled loop"] = out["tiled loop"] || n.Tile != nil
				out["tile of one iteration"] = out["tile of one iteration"] || n.Tile != nil && n.Tile.Count == 1
				out["tile under a walk"] = out["tile under a walk"] || n.Tile != nil && depth > 1
				for _, b := range n.Boxes {
					out["elements from another box"] = out["elements from another box"] || len(b.After) > 0
					out["marks"] = out["marks"] || b.Mask >= 0
					out["exact"] = out["exact"] || b.Exact
					out["exact and not read"] = out["exact and not read"] || b.Exact && !b.Read
					for _, d := range b.Dims {
						out["strided box"] = out["strided box"] || d.Step > 1
						out["several ends"] = out["several ends"] || len(d.Begin) > 1 || len(d.End) > 1
					}
				}
			}
		}
		out["several intervals"] = out["several intervals"] || intervals > 1
	}
	walk(p.Body, 1)
	maps.DeleteFunc(out, func(_ string, v bool) bool { return !v })
	return out
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
	for key := range m.moves {
		if !m.move(key).write {
			n++
		}
	}
	return n
}

// optionsOf gives what a nest is compiled with: a scratchpad that holds all, about
// the least one that a plan is found for and one between, and tile sizes and
// parameters that are given.
func optionsOf(p *loop.Unit, n *Nest) []tile.Options {
	f := p.Funcs[0]
	k := f.Kernels()[0]
	fits := func(spm int64) (*tile.Plan, bool) {
		plan, err := tile.Make(p, f, k, tile.Options{SPMBytes: spm})
		return plan, err == nil && plan.Compatible == nil
	}
	const large int64 = 48 << 10
	all := []tile.Options{{SPMBytes: large}}
	plan, ok := fits(large)
	if !ok {
		return all
	}
	least, below := plan.Bytes, int64(0)
	for least-below > max(8, least/16) {
		mid := (least + below) / 2
		if _, ok := fits(mid); ok {
			least = mid
		} else {
			below = mid
		}
	}
	all = append(all, tile.Options{SPMBytes: least}, tile.Options{SPMBytes: (least + plan.Bytes) / 2},
		tile.Options{SPMBytes: large, Override: n.Override})
	if n.Variants() > 1 {
		all = append(all, tile.Options{SPMBytes: least + least/4, Scalars: n.Known(0)})
	}
	return all
}

// Nests of which a kernel was wrong once. Integer parameters are 9, and then 4.
func TestKnownNests(t *testing.T) {
	files, err := filepath.Glob("testdata/nests/*.c")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		p, err := cfront.Parse(f, string(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		n := &Nest{Source: string(text)}
		n.scalars = [2]map[string]loop.Value{make(map[string]loop.Value), make(map[string]loop.Value)}
		for _, q := range p.Funcs[0].Params {
			if q.Var != nil {
				n.scalars[0][q.Var.Name], n.scalars[1][q.Var.Name] = loop.OfInt(9), loop.OfInt(4)
				continue
			}
			a := argument{name: q.Array.Name, elem: q.Array.Elem}
			for _, x := range q.Array.Extents {
				a.shape = append(a.shape, x.(*loop.IntLit).Value)
			}
			n.arrays = append(n.arrays, a)
		}
		c := newTally()
		if err := checkNest(n, c); err != nil || c.nests != 1 || c.separate == 0 {
			t.Errorf("%s: %v, %d of %d plans with separate phases", f, err, c.separate, c.plans)
		}
	}
}

// Any choices give a nest that is well-formed, and its kernels compute what it does.
// To be fuzzed with -fuzzminimizetime 1x: coverage is not the same twice.
func FuzzNests(f *testing.F) {
	for seed := range uint64(4) {
		c := Seeded(seed)
		Generate(c)
		var data []byte
		for _, v := range c.taken {
			data = append(data, byte(v))
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c := &Choices{}
		for _, b := range data[:min(len(data), 400)] {
			c.replay = append(c.replay, int(b))
		}
		if n := Generate(c); checkNest(n, newTally()) != nil {
			t.Fatalf("%v\n%s", checkNest(n, newTally()), n.Source)
		}
	})
}

func TestRandomNests(t *testing.T) {
	c := newTally()
	nests, seed := settings.Cases(t, 300), settings.Seed(t, 1)
	for i := range nests {
		s := uint64(seed + i)
		choices := Seeded(s)
		err := checkNest(Generate(choices), c)
		if err == nil {
			continue
		}
		small := Shrink(choices, 600, func(x *Choices) bool {
			e := checkNest(Generate(x), newTally())
			return e != nil && class(e) == class(err)
		})
		n := Generate(small)
		t.Errorf("seed %d: %v\nmade smaller: %v\n%s", s, err, checkNest(n, c), n.Source)
	}
	t.Logf("%d nests (and %d with dependent iterations, %d undefined), %d plans, %d of them with separate phases, %d nests did not fit a size; SDMA loads %d elements, DAE %d different ones",
		c.nests, c.dependent, c.undefined, c.plans, c.separate, c.unfit, c.loaded, c.needed)
	for _, f := range []string{"several iterations a thread", "plain statements", "walk of depth 1", "walk of depth 2",
		"tiled loop", "tile of one iteration", "tile under a walk", "elements from another box", "marks", "exact", "exact and not read",
		"strided box", "several ends", "several intervals"} {
		if c.forms[f] == 0 && c.nests >= 200 {
			t.Errorf("no plan has %s", f)
		}
	}
	t.Logf("plans by what occurs in them: %v", c.forms)
	for _, r := range slices.Sorted(maps.Keys(c.reasons)) {
		t.Logf("%d compatible: ... %s ...", c.reasons[r], r)
	}
}
