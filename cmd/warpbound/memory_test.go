package main

import (
	"math"
	"strings"
	"testing"
)

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

func TestFreeMemory(t *testing.T) {
	for text, want := range map[string]int64{
		"MemTotal:  10 kB\nMemAvailable:   2048 kB\n": 2 << 20,
		"MemTotal:  10 kB\n":                          math.MaxInt64,
		"MemAvailable: much\n":                        math.MaxInt64,
		"MemAvailable: 9223372036854775807 kB\n":      math.MaxInt64,
	} {
		if got := availableOf([]byte(text)); got != want {
			t.Errorf("%q: %d, expected %d", text, got, want)
		}
	}
	for _, c := range []struct {
		most, used, stat string
		want             int64
	}{
		{"max\n", "5\n", "", math.MaxInt64}, {"10\n", "4\n", "", 6}, {"10\n", "14\n", "", 0}, {"10\n", "", "inactive_file 3\n", 10},
		{"10\n", "9\n", "anon 1\ninactive_file 7\nactive_file 1\n", 8}, {"10\n", "9\n", "inactive_file 70\n", 10},
		{"10\n", "9\n", "inactive_file many\n", 1}, {"10\n", "9\n", "total_inactive_file 7\ninactive_file -7\n", 1},
	} {
		if got := leftOf([]byte(c.most), []byte(c.used), []byte(c.stat)); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

// A budget beyond what the machine has is refused rather than tried.
func TestMemoryFlag(t *testing.T) {
	if freeMemory() == math.MaxInt64 {
		t.Log("the machine does not tell what it has free")
	} else if _, err := memoryFlag("1000000TiB").bytes(1); err == nil || !strings.Contains(err.Error(), "this machine has free") {
		t.Errorf("%v", err)
	}
	if n, err := memoryFlag("").bytes(2 << 20); n != 2<<20 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	// Where nothing is free the budget is small, and not a method's own default.
	if n, err := memoryFlag("").within(1<<40, 0); n != leastMemory || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if n, err := memoryFlag("").within(1<<40, 4<<30); n != 3<<30 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if n, err := memoryFlag("2GiB").within(1<<40, 1<<30); err == nil {
		t.Errorf("%d", n)
	}
}
