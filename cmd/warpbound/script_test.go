package main

import (
	"bytes"
	"context"
	"debug/elf"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/warpbound/warpbound/internal/conf"
	"github.com/warpbound/warpbound/internal/testkit/settings"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"warpbound": main})
}

// TestScripts runs the command lines in testdata/script, each in a fresh
// directory with the examples beside it. UPDATE_GOLDEN=1 writes the expected
// output.
//
//	wb CODE ARGS...     warpbound, which has to exit with CODE
//	field PATH VALUE    a value of the JSON document last printed; PATH is as in a.b.0.c
//	elf FILE LISTING    a RISC-V program from its listing: a word a line, hexadecimal, text behind
//	                    # left out; of the words after "tls" thread-local variables are made
func TestScripts(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	examples := filepath.Join(here, "..", "..", "examples")
	testscript.Run(t, testscript.Params{
		Dir:                filepath.Join(here, "testdata", "script"),
		UpdateScripts:      settings.Updating(t),
		RequireUniqueNames: true,
		Setup: func(e *testscript.Env) error {
			own := true
			e.Values[ownProcess{}] = &own
			return os.Symlink(examples, filepath.Join(e.WorkDir, "examples"))
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"wb": wb, "field": field, "elf": writeELF},
	})
}

// ownProcess is the key of a script's *bool that says whether its next command line gets a process of its own.
type ownProcess struct{}

// inProcess is held by the command that runs in this process, whose working directory, search path and standard streams
// it takes.
var inProcess sync.Mutex

// wb runs warpbound: the first command line of a script in a process of its own, the others, whose start would take longer
// than they do, in this one. What every command line has to fulfil is checked here: a wrong one prints nothing but at most
// 20 lines on standard error, and a good one nothing there.
func wb(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: wb CODE ARGS...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	var got int
	var stdout, stderr string
	if own := ts.Value(ownProcess{}).(*bool); *own {
		*own = false
		err = ts.Exec("warpbound", args[1:]...)
		var exit *exec.ExitError
		switch {
		case errors.As(err, &exit):
			got = exit.ExitCode()
		case err != nil:
			ts.Fatalf("%v", err)
		}
		stdout, stderr = ts.ReadFile("stdout"), ts.ReadFile("stderr")
	} else {
		got, stdout, stderr = runHere(ts, args[1:])
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d\n%s", got, want, stderr)
	}
	if strings.Contains(stderr, "panic") || strings.Contains(stderr, "goroutine") {
		ts.Fatalf("a panic:\n%s", stderr)
	}
	lines := strings.Split(strings.TrimSuffix(stderr, "\n"), "\n")
	switch {
	case want == 0 && stderr != "":
		ts.Fatalf("standard error of a good command:\n%s", stderr)
	case want == exitUsage && stdout != "":
		ts.Fatalf("standard output of a wrong command:\n%s", stdout)
	case want == exitUsage && (stderr == "" || len(lines) > conf.MaxErrors):
		ts.Fatalf("%d lines of errors:\n%s", len(lines), stderr)
	}
	for _, l := range lines {
		if want == exitUsage && (strings.TrimSpace(l) == "" || strings.HasPrefix(l, " ") || strings.HasPrefix(l, "\t")) {
			ts.Fatalf("a line that says nothing by itself:\n%s", stderr)
		}
	}
}

// runHere runs a command line as main does, and returns its exit code and what it printed. The standard streams are files,
// so that what is written past the streams that run is given counts as well.
func runHere(ts *testscript.TestScript, args []string) (code int, stdout, stderr string) {
	inProcess.Lock()
	defer inProcess.Unlock()
	dir, err := os.Getwd()
	ts.Check(err)
	defer func(path, columns string, out, errs *os.File) {
		os.Stdout, os.Stderr = out, errs
		ts.Check(errors.Join(os.Chdir(dir), os.Setenv("PATH", path), os.Setenv("COLUMNS", columns)))
	}(os.Getenv("PATH"), os.Getenv("COLUMNS"), os.Stdout, os.Stderr)
	ts.Check(errors.Join(os.Chdir(ts.MkAbs(".")), os.Setenv("PATH", ts.Getenv("PATH")), os.Setenv("COLUMNS", ts.Getenv("COLUMNS"))))
	out, err := os.CreateTemp("", "stdout")
	ts.Check(err)
	defer discard(out)
	errs, err := os.CreateTemp("", "stderr")
	ts.Check(err)
	defer discard(errs)
	os.Stdout, os.Stderr = out, errs
	code = run(context.Background(), args, os.Stdout, os.Stderr)
	stdout, stderr = contents(ts, out), contents(ts, errs)
	fmt.Fprint(ts.Stdout(), stdout)
	fmt.Fprint(ts.Stderr(), stderr)
	return code, stdout, stderr
}

func discard(f *os.File) {
	f.Close()
	os.Remove(f.Name())
}

func contents(ts *testscript.TestScript, f *os.File) string {
	data, err := os.ReadFile(f.Name())
	ts.Check(err)
	return string(data)
}

func field(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: field PATH VALUE")
	}
	var v any
	d := json.NewDecoder(strings.NewReader(ts.ReadFile("stdout")))
	d.UseNumber()
	ts.Check(d.Decode(&v))
	for _, step := range strings.Split(args[0], ".") {
		switch at := v.(type) {
		case map[string]any:
			next, ok := at[step]
			if !ok {
				ts.Fatalf("%s: no %s", args[0], step)
			}
			v = next
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(at) {
				ts.Fatalf("%s: no %s of %d", args[0], step, len(at))
			}
			v = at[i]
		default:
			ts.Fatalf("%s: nothing below %v", args[0], v)
		}
	}
	if got := fmt.Sprint(v); (got == args[1]) == neg {
		ts.Fatalf("%s is %s, want %s", args[0], got, args[1])
	}
}

// writeELF writes a program of one segment at 0x80000000, where it starts. Words
// after "tls" are also what thread-local variables start with.
func writeELF(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: elf FILE LISTING")
	}
	const base = 0x80000000
	var text []byte
	le := binary.LittleEndian
	tls := -1
	for _, line := range strings.Split(ts.ReadFile(args[1]), "\n") {
		line, _, _ = strings.Cut(line, "#")
		switch line = strings.TrimSpace(line); line {
		case "":
		case "tls":
			tls = len(text)
		default:
			w, err := strconv.ParseUint(line, 16, 32)
			ts.Check(err)
			text = le.AppendUint32(text, uint32(w))
		}
	}
	headers := []elf.Prog32{{Type: uint32(elf.PT_LOAD), Vaddr: base, Filesz: uint32(len(text)), Memsz: uint32(len(text)), Flags: uint32(elf.PF_R | elf.PF_X)}}
	if tls >= 0 {
		n := uint32(len(text) - tls)
		headers = append(headers, elf.Prog32{Type: uint32(elf.PT_TLS), Vaddr: base + uint32(tls), Filesz: n, Memsz: n + 24, Flags: uint32(elf.PF_R)})
	}
	const headerBytes, programBytes = 52, 32
	at := uint32(headerBytes + programBytes*len(headers))
	h := elf.Header32{
		Type: uint16(elf.ET_EXEC), Machine: uint16(elf.EM_RISCV), Version: 1, Entry: base, Phoff: headerBytes,
		Ehsize: headerBytes, Phentsize: programBytes, Phnum: uint16(len(headers)),
	}
	copy(h.Ident[:], "\x7fELF\x01\x01\x01")
	var b bytes.Buffer
	ts.Check(binary.Write(&b, le, h))
	for i := range headers {
		headers[i].Off = at + headers[i].Vaddr - base
		ts.Check(binary.Write(&b, le, headers[i]))
	}
	b.Write(text)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b.Bytes(), 0o666))
}
