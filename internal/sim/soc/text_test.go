package soc

import (
	"slices"
	"testing"

	"github.com/warpbound/warpbound/gpu"
)

// Cores are taken in the order of the description, whatever their tables.
func TestParseTraffic(t *testing.T) {
	d := &gpu.Description{Name: "two", CPUs: []gpu.CPU{{Name: "big", Cores: 2}, {Name: "little", Cores: 4}}}
	for _, c := range []struct {
		text string
		want []Traffic
	}{
		{"stress", []Traffic{{CPU: "big", Cores: 2, SequentialPermille: 1000, WritePermille: 500}, {CPU: "little", Cores: 4, SequentialPermille: 1000, WritePermille: 500}}},
		{"random:cores=2", []Traffic{{CPU: "big", Cores: 2, WritePermille: 500}}},
		{"random:seed=18446744073709551615,cores=3,rate=64", []Traffic{
			{CPU: "big", Cores: 2, WritePermille: 500, BytesPerKilocycle: 64, Seed: 1<<64 - 1}, {CPU: "little", Cores: 1, WritePermille: 500, BytesPerKilocycle: 64, Seed: 1<<64 - 1},
		}},
	} {
		got, err := ParseTraffic(d, c.text)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%q: %+v, %v; want %+v", c.text, got, err, c.want)
		}
	}
	for _, text := range []string{"", "strss", "stress:cores=7", "stress:cores=0", "stress:rate=1099511627777", "stress:cores", "stress:cores=", "stress,cores=1", "stress:seed=1,", ":cores=1"} {
		if got, err := ParseTraffic(d, text); err == nil {
			t.Errorf("%q: %+v, expected an error", text, got)
		}
	}
}
