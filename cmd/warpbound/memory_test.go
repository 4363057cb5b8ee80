package main

import "testing"

func TestParseBytes(t *testing.T) {
	for text, want := range map[string]int64{"1KiB": 1024, "512MiB": 512 << 20, "4 GiB": 4 << 30, "1TiB": 1 << 40} {
		if got, err := parseBytes("memory", text); got != want || err != nil {
			t.Errorf("%s: %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "GiB", "4", "4GB", "-1GiB", "0KiB", "1.5GiB", "99999999999TiB"} {
		if got, err := parseBytes("memory", text); err == nil {
			t.Errorf("%q: %d", text, got)
		}
	}
}
