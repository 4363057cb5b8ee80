package host

import (
	"math"
	"testing"
)

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
