package main

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/warpbound/warpbound"
)

// Every option of the library is a flag of the command that asks it, by the name under
// which an error about the option is told.
func TestOptionsAreFlags(t *testing.T) {
	flags := 0
	for path, options := range map[string]any{
		"analyze": warpbound.AnalyzeOptions{}, "compare": warpbound.CompareOptions{}, "compare pairs": warpbound.PairsOptions{},
		"compare schemes": warpbound.SchemesOptions{}, "cache": warpbound.CacheOptions{}, "cache listing": warpbound.ListingOptions{}, "makespan": warpbound.MakespanOptions{},
	} {
		cmd, _, err := newRoot().Find(strings.Fields(path))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range reflect.VisibleFields(reflect.TypeOf(options)) {
			if f.Type.Kind() == reflect.Func || f.Type == reflect.TypeFor[warpbound.FrontEnd]() || f.Type == reflect.TypeFor[[]warpbound.CacheShape]() || path == "analyze" && f.Name == "BlocksPerSM" {
				continue
			}
			flag := strings.TrimPrefix(flagsOf(cmd)(f.Name), "--")
			if cmd.Flags().Lookup(flag) == nil {
				t.Errorf("%s: option %s is no flag --%s", path, f.Name, flag)
			}
			flags++
		}
	}
	if flags < 40 {
		t.Errorf("%d options", flags)
	}
}

// Wrong options are told with the names of flags, several of them one a line.
func TestSpelled(t *testing.T) {
	cmd, _, err := newRoot().Find([]string{"cache"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		err  error
		want string
	}{
		{&warpbound.OptionError{Option: "Shapes[1].LineBytes", Value: 24, Msg: "expected 32"}, "--line 24: expected 32"},
		{errors.Join(&warpbound.OptionError{Option: "Shapes[0]", Msg: "a"}, fmt.Errorf("k: %w", &warpbound.OptionError{Option: "Model", With: "Simulate", Msg: "b"}), errors.New("c")), "--size, --ways and --line: a\n--model with --simulate: b\nc"},
		{&warpbound.OptionError{Option: "BlocksPerSM", Value: -1, Msg: "d"}, "--blocks-per-sm -1: d"},
		{&warpbound.OptionError{Option: "Trace.Window", Value: warpbound.CycleRange{From: 7, To: 3}, Msg: "e"}, "--trace-window 7..3: e"},
	} {
		if got := spelled(c.err, flagsOf(cmd)); got != c.want {
			t.Errorf("%q, expected %q", got, c.want)
		}
	}
}
