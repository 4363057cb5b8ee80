package cfront_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/warpbound/warpbound/internal/prem/cfront"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/testkit/settings"
)

// garbageChild is what the child process is asked for: the folder of its inputs follows.
const garbageChild = "garbage"

// Limits of the child: seconds that one input may take, and bytes of memory.
const (
	garbageSeconds = 20
	garbageBytes   = 1 << 30
)

// TestGarbageChild is the child of TestGarbage: it reads the inputs one by one, and
// says which one it is at, so that one that ends the process is known.
func TestGarbageChild(t *testing.T) {
	dir := settings.Child(garbageChild)
	if dir == "" {
		return
	}
	debug.SetMemoryLimit(garbageBytes)
	debug.SetMaxStack(64 << 20)
	go func() {
		for m := new(runtime.MemStats); ; time.Sleep(50 * time.Millisecond) {
			if runtime.ReadMemStats(m); m.HeapAlloc > garbageBytes {
				fmt.Printf("\nlarge: %d bytes\n", m.HeapAlloc)
				os.Exit(4)
			}
		}
	}()
	for i := 0; ; i++ {
		text, err := os.ReadFile(filepath.Join(dir, strconv.Itoa(i)+".c"))
		if errors.Is(err, os.ErrNotExist) {
			fmt.Println("\nend", i)
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println("\nat", i)
		late := time.AfterFunc(garbageSeconds*time.Second, func() {
			fmt.Printf("\nlate %d\n", i)
			os.Exit(3)
		})
		// The inputs are one another's headers.
		headers := cfront.Headers{Read: func(name string) (string, error) {
			b, err := os.ReadFile(filepath.Join(dir, name))
			return string(b), err
		}}
		p, err := cfront.ParseWith("a.c", string(text), nil, headers)
		late.Stop()
		if err == nil {
			if err := loop.Check(p); err != nil {
				fmt.Printf("\nunsound %d: %v\n", i, err)
			}
			continue
		}
		for _, e := range flatten(err) {
			var at *loop.Error
			if errors.As(e, &at) && at.Pos.Line < 1 {
				fmt.Printf("\nunplaced %d: %v\n", i, e)
			}
		}
	}
}

// TestGarbage puts damaged programs and plain garbage to Parse, in a process of its
// own that may neither hang nor grow nor die.
func TestGarbage(t *testing.T) {
	dir := t.TempDir()
	inputs := garbage(t)
	for i, text := range inputs {
		if err := os.WriteFile(filepath.Join(dir, strconv.Itoa(i)+".c"), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestGarbageChild$")
	cmd.Env = append(os.Environ(), settings.AskChild(garbageChild, dir))
	out, err := cmd.CombinedOutput()
	at, ended := -1, false
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		word, rest, _ := strings.Cut(lines.Text(), " ")
		switch word {
		case "at":
			at, _ = strconv.Atoi(rest)
		case "end":
			ended = rest == strconv.Itoa(len(inputs))
		case "unsound", "unplaced":
			t.Errorf("%s\n%s", lines.Text(), inputs[at])
		}
	}
	if err != nil || !ended {
		t.Fatalf("the process ended at input %d of %d: %v\n%s\n%.2000s", at, len(inputs), err, inputs[max(at, 0)], out[max(0, len(out)-2000):])
	}
	t.Logf("%d inputs", len(inputs))
}

// garbage is the corpus in testdata/garbage, and the programs of the other tests
// with seeded damage: cut off, spliced, with tokens lost, doubled or swapped, with
// bytes changed.
func garbage(t *testing.T) [][]byte {
	t.Helper()
	var out [][]byte
	for _, f := range inputs(t, "garbage", 8) {
		out = append(out, []byte(read(t, f)))
	}
	var whole []string
	for _, dir := range []string{"golden", "refuse"} {
		for _, f := range inputs(t, dir, 4) {
			whole = append(whole, read(t, f))
		}
	}
	r := rand.New(rand.NewPCG(6, 19))
	for range 400 {
		s := whole[r.IntN(len(whole))]
		for range r.IntN(3) * r.IntN(2) {
			lines := strings.SplitAfter(s, "\n")
			lines[r.IntN(len(lines))] = fmt.Sprintf("#include \"%d.c\"\n", r.IntN(420))
			s = strings.Join(lines, "")
		}
		tokens := strings.SplitAfter(s, " ")
		switch r.IntN(6) {
		case 0:
			s = s[:r.IntN(len(s))]
		case 1:
			s = s[r.IntN(len(s)):]
		case 2:
			other := whole[r.IntN(len(whole))]
			s = s[:r.IntN(len(s))] + other[r.IntN(len(other)):]
		case 3:
			for range 1 + r.IntN(4) {
				i := r.IntN(len(tokens))
				tokens[i] = [...]string{"", tokens[i] + tokens[i], tokens[r.IntN(len(tokens))], "struct ", "*", "(", "{", "#"}[r.IntN(8)]
			}
			s = strings.Join(tokens, "")
		case 4:
			b := []byte(s)
			for range 1 + r.IntN(8) {
				b[r.IntN(len(b))] = byte(r.IntN(256))
			}
			s = string(b)
		case 5:
			const letters = "(){}[];*&.,=<>+-#\"'/\\ \nabi019"
			b := make([]byte, r.IntN(200))
			for i := range b {
				b[i] = letters[r.IntN(len(letters))]
			}
			s = string(b)
		}
		out = append(out, []byte(s))
	}
	return out
}
