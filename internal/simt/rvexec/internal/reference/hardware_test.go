package reference_test

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/simt/rvexec/internal/reference"
	"github.com/warpbound/warpbound/internal/testkit/settings"
)

// TestHardware compares the exact arithmetic with what an x86-64 processor
// computed: testdata/hardware.c says how. WARPBOUND_HARDWARE may name a file of the
// same form with more lines.
func TestHardware(t *testing.T) {
	file, err := os.Open(settings.Text(settings.HardwareName, "testdata/hardware.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	byName := map[string]*operation{}
	for i := range operations {
		byName[operations[i].name] = &operations[i]
	}
	lines := bufio.NewScanner(file)
	n := 0
	for ; lines.Scan(); n++ {
		fields := strings.Split(lines.Text(), ",")
		o := byName[fields[0]]
		if o == nil || len(fields) != 7 {
			t.Fatalf("line %d: %q", n+1, lines.Text())
		}
		var x [6]uint32 // mode, operands, result, flags
		for i := range x {
			v, err := strconv.ParseUint(fields[i+1], 16, 32)
			if err != nil {
				t.Fatalf("line %d: %v", n+1, err)
			}
			x[i] = uint32(v)
		}
		m := reference.Mode(x[0])
		if value, flags := o.want(x[1], x[2], x[3], m); value != x[4] || flags != x[5] {
			t.Errorf("%s of %08x in mode %d: %08x with flags %05b, hardware has %08x, %05b", o.name, x[1:4], m, value, flags, x[4], x[5])
		}
		o.check(t, x[1], x[2], x[3], m)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	t.Log(n, "lines")
	if n < 1000 {
		t.Errorf("only %d lines", n)
	}
}
