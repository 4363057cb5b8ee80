package main

import (
	"fmt"
	"strconv"
	"strings"
)

// parseBytes reads a number of bytes with a unit.
func parseBytes(flag, text string) (int64, error) {
	units := []struct {
		name  string
		bytes int64
	}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}}
	for _, u := range units {
		number, ok := strings.CutSuffix(text, u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
		if err == nil && n >= 1 && n <= 1<<20 {
			return n * u.bytes, nil
		}
	}
	return 0, fmt.Errorf("--%s %q: expected a whole number with KiB, MiB, GiB or TiB, such as 512MiB", flag, text)
}
