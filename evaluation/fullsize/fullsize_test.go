package fullsize

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/testkit/settings"
)

const (
	examplesDir = "../../examples"
	page        = "../../docs/performance.md"
	begin, end  = "<!-- full sizes: written by go test ./evaluation/fullsize -->\n", "<!-- end of full sizes -->\n"
	// preset is the GPU that the table is for.
	preset = "rtx3070"
	// What a bound may take: processor time, since the machine may do other work.
	mostTime  = 10 * time.Second
	mostBytes = 1 << 30
)

// outcome is what one process says of one case.
type outcome struct {
	Blocks, Executed, Instructions, Stepped, Cycles int64
	Method                                          string
	Dependent                                       int
	Elapsed                                         time.Duration
}

func (c *Case) outcome(t *testing.T) outcome {
	t.Helper()
	d, err := gpu.Preset(preset)
	if err != nil {
		t.Fatal(err)
	}
	m, err := d.Machine()
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	r, err := c.Bound(t.Context(), examplesDir, m)
	if err != nil {
		t.Fatalf("%s: %v", c.Launch, err)
	}
	if r.Best == nil {
		t.Fatalf("%s has no bound", c.Launch)
	}
	return outcome{r.Blocks, r.Path.Executed, r.Path.Instructions, r.Path.Stepped, r.Best.Cycles, r.Best.Method, len(r.InputDependent), time.Since(start)}
}

// fixed is the part of a row that does not depend on the machine it is made on.
func (c *Case) fixed(o outcome) string {
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s | %s |", c.Launch, c.Size, count(o.Blocks), count(o.Instructions), count(o.Executed), count(o.Stepped), count(o.Cycles))
}

func count(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// TestOneCase is run by TestFullSizes in a process of its own.
func TestOneCase(t *testing.T) {
	name := settings.Child("full size")
	for i := range Cases {
		if c := &Cases[i]; c.Launch == name {
			data, err := json.Marshal(c.outcome(t))
			if err != nil {
				t.Fatal(err)
			}
			fmt.Printf("OUTCOME %s\n", data)
		}
	}
}

// measured runs a case in a process of its own, for its memory.
func measured(t *testing.T, c *Case) (outcome, int64) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestOneCase$")
	cmd.Env = append(os.Environ(), settings.AskChild("full size", c.Launch))
	text, err := cmd.CombinedOutput()
	_, line, found := bytes.Cut(text, []byte("OUTCOME "))
	if err != nil || !found {
		t.Fatalf("%s: %v\n%s", c.Launch, err, text)
	}
	line, _, _ = bytes.Cut(line, []byte("\n"))
	var o outcome
	if err := json.Unmarshal(line, &o); err != nil {
		t.Fatal(err)
	}
	kib := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss
	o.Elapsed = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return o, kib << 10
}

// Every launch is bounded for all inputs, as the table says; UPDATE_GOLDEN=1
// writes the table and measures what it takes.
func TestFullSizes(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), begin)
	old, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s has no place for the table", page)
	}
	if !settings.Updating(t) {
		for i := range Cases {
			c := &Cases[i]
			if c.Whole {
				if !strings.Contains(old, "| "+c.Launch+" | "+c.Size+" |") {
					t.Errorf("%s has no row for %s", page, c.Launch)
				}
				continue // takes seconds: measured where the table is written
			}
			o := c.outcome(t)
			if o.Dependent != 0 {
				t.Errorf("%s depends on its input", c.Launch)
			}
			if row := c.fixed(o); !strings.Contains(old, row) {
				t.Errorf("%s has no row\n%s", page, row)
			}
			if o.Executed == o.Blocks && o.Blocks > 1000 {
				t.Errorf("%s: all %d blocks are executed", c.Launch, o.Blocks)
			}
		}
		return
	}
	var b strings.Builder
	b.WriteString("| launch | size | blocks | warp instructions | blocks executed | warp instructions executed | bound, cycles | processor time | memory |\n|---|---|---|---|---|---|---|---|---|\n")
	for i := range Cases {
		c := &Cases[i]
		o, bytes := measured(t, c)
		if o.Elapsed > mostTime || bytes > mostBytes || o.Dependent != 0 {
			t.Errorf("%s: %v, %d bytes, %d dependences", c.Launch, o.Elapsed, bytes, o.Dependent)
		}
		fmt.Fprintf(&b, "%s %.2f s | %d MB |\n", c.fixed(o), o.Elapsed.Seconds(), bytes/1e6)
	}
	if err := os.WriteFile(page, []byte(before+begin+b.String()+end+after), 0o666); err != nil {
		t.Fatal(err)
	}
}
