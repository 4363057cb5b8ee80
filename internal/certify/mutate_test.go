package certify

import (
	"fmt"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/certificate"
)

// attacked are the launches whose certificates are changed, by machine.
func attacked(t *testing.T) map[string]*certified {
	out := map[string]*certified{}
	var sides, apart bool // parts in any order; rounds with a last group of its own
	var priced, stages bool
	for _, of := range []struct {
		file string
		gpu  string
		set  []string
	}{
		{example("basic/saxpy/saxpy.toml"), "ecrts2025-200", []string{"sm.count=3"}},
		{example("basic/reduce/reduce-1block.toml"), "rtx3070", []string{"queue.order=any", "queue.keeps_warp_order=false"}},
		{example("inputs/kernels/kmp/kmp-almost.toml"), "ecrts2025-200", []string{"sm.schedulers=2", "units.MEM.shared=true"}},
		// Units that get more than they can serve: loops whose times move apart.
		{example("basic/calls/polynomial.toml"), "ecrts2025-200", []string{"timing.lsu.initiation_cycles=40", "timing.f32.initiation_cycles=7", "sm.max_blocks=1"}},
		// Prices of both sides of an exclusive pair, of sums, and of a difference.
		{withinFacts(t, "exclusive and counts"), "ecrts2025-200", []string{"sm.schedulers=2", "units.SFU.shared=true"}},
		{withinFacts(t, "a difference"), "ecrts2025-200", nil},
		{withinFacts(t, "warp_total"), "ecrts2025-200", nil},
		{smallStaged(t, 4), "ecrts2025-200", []string{"barrier.delay_cycles=3"}},
	} {
		c := made(t, of.file, preset(t, of.gpu, of.set...))
		if c == nil {
			t.Fatalf("%s: no bound", of.file)
		}
		out[fmt.Sprintf("%s on %s %v", of.file, of.gpu, of.set)] = c
		for _, u := range c.Uses {
			priced, stages = priced || u.Prices > 0, stages || len(c.Stages) > 0
			sides = sides || c.Nodes[u.Node].Kind == "any"
			apart = apart || slices.ContainsFunc(u.Rounds, func(r certificate.Round) bool { return len(r.Last) > 0 })
		}
	}
	if !sides || !apart || !priced || !stages {
		t.Fatalf("no certificate has parts in any order (%t), or loops whose times move apart (%t), or prices (%t), or stages (%t)", sides, apart, priced, stages)
	}
	return out
}

// numbers visits every number of a value, by its place.
func numbers(v reflect.Value, place string, visit func(place string, x reflect.Value)) {
	switch v.Kind() {
	case reflect.Int64:
		visit(place, v)
	case reflect.Pointer:
		if !v.IsNil() {
			numbers(v.Elem(), place, visit)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			key, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			numbers(v.Field(i), strings.TrimPrefix(place+"."+key, "."), visit)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			numbers(v.Index(i), fmt.Sprintf("%s[%d]", place, i), visit)
		}
	}
}

// lists visits every list of a value.
func lists(v reflect.Value, place string, visit func(place string, x reflect.Value)) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			lists(v.Elem(), place, visit)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			key, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			lists(v.Field(i), strings.TrimPrefix(place+"."+key, "."), visit)
		}
	case reflect.Slice:
		visit(place, v)
		for i := range v.Len() {
			lists(v.Index(i), fmt.Sprintf("%s[%d]", place, i), visit)
		}
	}
}

func example(name string) string { return filepath.Join(root, "examples", name) }

// trusted are the places that say which warp executes what, and which sections come in
// which order, which the checker takes from the certificate. A change there can lower what
// follows; counts of loops within sections, limits, prices and everything within expressions
// can not, since charges and potentials stay.
var trusted = regexp.MustCompile(`^(sections|stages.*|blocks\[\d+\]\.stages|warps|warps\[\d+\]\.sections(\[\d+\])?|blocks\[\d+\]\.groups\[\d+\]\.warp)$`)

// attack changes something of a certificate, and undoes it.
type attack struct {
	what     string
	do, undo func()
}

// attacks are changes of every number and of every list.
func attacks(c *certificate.Certificate, visit func(place string, a attack)) {
	numbers(reflect.ValueOf(c).Elem(), "", func(place string, x reflect.Value) {
		old := x.Int()
		tried := []int64{old}
		for _, n := range []int64{old - 1, old + 1, 0} {
			if !slices.Contains(tried, n) {
				tried = append(tried, n)
				visit(place, attack{fmt.Sprintf("%s: %d for %d", place, n, old), func() { x.SetInt(n) }, func() { x.SetInt(old) }})
			}
		}
	})
	lists(reflect.ValueOf(c).Elem(), "", func(place string, x reflect.Value) {
		n := x.Len()
		if n == 0 {
			return
		}
		old := reflect.ValueOf(x.Interface())
		undo := func() { x.Set(old) }
		change := func(what string, make func(list reflect.Value) reflect.Value) {
			visit(place, attack{place + what, func() {
				list := reflect.MakeSlice(x.Type(), n, n)
				reflect.Copy(list, old)
				x.Set(make(list))
			}, undo})
		}
		for _, i := range slices.Compact([]int{0, n / 2, n - 1}) {
			change(fmt.Sprintf(" without element %d of %d", i, n), func(list reflect.Value) reflect.Value {
				return reflect.AppendSlice(list.Slice3(0, i, i), list.Slice(i+1, n))
			})
			if i == n-1-i {
				continue
			}
			change(fmt.Sprintf(" with element %d in the place of %d", i, n-1-i), func(list reflect.Value) reflect.Value {
				list.Index(n - 1 - i).Set(list.Index(i))
				return list
			})
			if i > 0 {
				change(fmt.Sprintf(" with elements %d and %d exchanged", i-1, i), func(list reflect.Value) reflect.Value {
					reflect.Swapper(list.Interface())(i-1, i)
					return list
				})
			}
		}
	})
}

// attack tries every change of a certificate. It says which one is accepted although it
// makes the figures lower.
func (c *certified) attack() (wrong string, n, concluded, accepted int) {
	launch, block, result := c.Result.Launch, c.Result.Block, c.Result
	attacks(c.Certificate, func(place string, a attack) {
		n++
		a.do()
		defer func() {
			a.undo()
			c.Result = result
		}()
		if strings.HasPrefix(place, "result") {
			if _, err := Check(c.Certificate, c.files); err == nil {
				wrong = a.what + " is accepted"
			}
			return
		}
		if Conclude(c.Certificate, c.files) != nil {
			return // and Check refuses it for the same reason
		}
		if concluded++; reflect.DeepEqual(c.Result, result) {
			accepted++ // by Check, with the same figures
		}
		if (c.Result.Launch < launch || c.Result.Block < block) && !trusted.MatchString(place) {
			wrong = fmt.Sprintf("from %s follow %d and %d cycles, %d and %d before", a.what, c.Result.Launch, c.Result.Block, launch, block)
		}
	})
	return wrong, n, concluded, accepted
}

// TestLowerFiguresAreRefused changes each number of certificates, leaves elements of each
// list out, repeats them, and exchanges neighbours. No other result is accepted than the
// one that follows; so what is accepted has no lower figure. And the result that follows
// from a change is lower only where the change is of what is trusted: which warp executes
// what.
func TestLowerFiguresAreRefused(t *testing.T) {
	for name, c := range attacked(t) {
		wrong, n, concluded, accepted := c.attack()
		if wrong != "" {
			t.Errorf("%s: %s", name, wrong)
		}
		if _, err := Check(c.Certificate, c.files); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		t.Logf("%s: %d changes, %d with a result that follows, %d with the same", name, n, concluded, accepted)
	}
}
