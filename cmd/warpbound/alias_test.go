package main

import (
	"bytes"
	"strings"
	"testing"
)

// The old spelling of a mode does what the command does, and says so.
func TestOldSpellings(t *testing.T) {
	for _, c := range []struct{ old, now, notice string }{
		{"compare ../../examples/basic/barrier/counting.toml --gpu vortex-32x32 --pairs lrr-lrr --csv", "compare pairs ../../examples/basic/barrier/counting.toml --gpu vortex-32x32 --pairs lrr-lrr --csv", "note: compare --pairs is a command now: compare pairs; the next release does not know the flag\n"},
		{"compare ../../examples/basic/barrier/counting.toml --gpu vortex-32x32 --variant=swas", "compare pairs ../../examples/basic/barrier/counting.toml --gpu vortex-32x32 --variant=swas", "note: compare --variant is a command now"},
		{"compare ../../examples/basic/saxpy/saxpy.toml --gpu gtx480 --schemes srr", "compare schemes ../../examples/basic/saxpy/saxpy.toml --gpu gtx480 --schemes srr", "note: compare --schemes is a command now"},
		{"cache ../../examples/huangfu/listing/listing.toml --listing --line 64", "cache listing ../../examples/huangfu/listing/listing.toml --line 64", "note: cache --listing is a command now"},
	} {
		var out, errs bytes.Buffer
		if code := run(t.Context(), strings.Fields(c.old), &out, &errs); code != 0 || !strings.HasPrefix(errs.String(), c.notice) || strings.Count(errs.String(), "\n") != 1 {
			t.Errorf("%s: exit code %d, %s", c.old, code, &errs)
		}
		if now := output1(t, strings.Fields(c.now)...); now != out.String() {
			t.Errorf("%s:\n%s%s:\n%s", c.old, &out, c.now, now)
		}
	}
}

// What is no old spelling stays as it is.
func TestNewSpellings(t *testing.T) {
	for _, line := range []string{
		"compare pairs k.toml --pairs lrr-lrr", "compare pairs k.toml --schemes srr", "compare k.toml --policies lrr", "cache listing k.toml", "simulate k.toml --variant swas", "compare --pairs --help", "compare",
	} {
		if now, notice := respelled(strings.Fields(line)); strings.Join(now, " ") != line || notice != "" {
			t.Errorf("%s became %v, %s", line, now, notice)
		}
	}
}
