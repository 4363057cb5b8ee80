package warpbound_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warpbound/warpbound"
	"github.com/warpbound/warpbound/launch"
)

// searches writes a kernel whose loop data end, and a launch of it with more lines.
func searches(t *testing.T, name, more string) *warpbound.Launch {
	t.Helper()
	dir := t.TempDir()
	for file, text := range map[string]string{
		"k.ptx": ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 list) {\n.reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %d<2>;\n" +
			"ld.param.u64 %d0, [list];\nL:\nld.global.u32 %r1, [%d0];\nadd.u64 %d0, %d0, 4;\nsetp.ne.u32 %p0, %r1, 0;\n@%p0 bra L;\nret;\n}\n",
		name: "kernel = \"k.ptx\"\ngrid = [1]\nblock = [32]\n[[args]]\nname = \"list\"\ntype = \"s32\"\ncount = 64\ninit = { iota = { start = 5, step = -1 } }\n" + more,
	} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	l, err := warpbound.Open(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// What is known of loops, what is suggested, and what a wrong fact is.
func TestFacts(t *testing.T) {
	ctx := context.Background()
	a, err := searches(t, "bare.toml", "").Analyze(ctx, warpbound.AnalyzeOptions{Loops: true})
	if err != nil {
		t.Fatal(err)
	}
	if a.AllInputs || len(a.Loops) != 1 || a.Loops[0].Label != "L" || a.Loops[0].Origin != "unbounded" || a.Loops[0].Most != -1 || a.Loops[0].SeenEntry != 5 || !strings.Contains(a.Loops[0].Decides, "argument list") {
		t.Errorf("%+v", a.Loops)
	}
	seen := a.Loops[0].SeenEntry
	s, err := warpbound.SuggestFacts(ctx, []*warpbound.Launch{searches(t, "bare.toml", "")}, warpbound.SuggestOptions{})
	if err != nil || len(s.Facts) != 1 || s.Facts[0].Kind != launch.LoopEntry || s.Facts[0].Most != seen || s.Facts[0].Places[0] != "L" || s.NotCovered[0] != "" {
		t.Errorf("%+v, %v", s, err)
	}
	if _, err := warpbound.SuggestFacts(ctx, nil, warpbound.SuggestOptions{}); err == nil {
		t.Error("facts of no launch")
	}
	a, err = searches(t, "bound.toml", "[loops]\nL = 9\n").Analyze(ctx, warpbound.AnalyzeOptions{Loops: true})
	if err != nil || !a.AllInputs || a.Loops[0].Origin != "fact" || a.Loops[0].Most != 9 || !a.Loops[0].AllInputs || len(a.Loops[0].Facts) != 1 {
		t.Errorf("%+v, %v", a, err)
	}
	if facts := a.FlowFacts(); len(facts) != 1 || facts[0].Most != 9 {
		t.Errorf("%+v", facts)
	}
	_, err = searches(t, "wrong.toml", "[loops]\nL = 0\n").Run(ctx, warpbound.RunOptions{})
	var wrong *warpbound.KernelError
	if !errors.As(err, &wrong) || !errors.Is(err, warpbound.ErrFact) || wrong.Block != 0 || wrong.Thread != 0 || wrong.Pos.Line != 8 {
		t.Errorf("%v", err)
	}
	_, err = searches(t, "policy.toml", "").Analyze(ctx, warpbound.AnalyzeOptions{Loops: true, Policy: "srr"})
	var option *warpbound.OptionError
	if !errors.As(err, &option) || option.Option != "Loops" {
		t.Errorf("%v", err)
	}
}
