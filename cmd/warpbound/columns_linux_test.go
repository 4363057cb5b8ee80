package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"
	"unsafe"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound/internal/filekind"
)

// A pseudoterminal, as pty(7) has it: what is written to the terminal is read from
// the other side.
func openTerminal(t *testing.T, columns uint16) (terminal, other *os.File) {
	t.Helper()
	ioctl := func(f *os.File, request uintptr, arg unsafe.Pointer) {
		t.Helper()
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), request, uintptr(arg)); errno != 0 {
			t.Fatal(errno)
		}
	}
	other, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	var unlock, number int32
	ioctl(other, syscall.TIOCSPTLCK, unsafe.Pointer(&unlock))
	ioctl(other, syscall.TIOCGPTN, unsafe.Pointer(&number))
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	size := [4]uint16{24, columns, 0, 0}
	ioctl(terminal, syscall.TIOCSWINSZ, unsafe.Pointer(&size))
	return terminal, other
}

// onTerminal is what a command prints on a terminal of so many columns.
func onTerminal(t *testing.T, columns uint16, args ...string) string {
	t.Helper()
	return onTerminalOf(t, "dumb", columns, args...)
}

// onTerminalOf is onTerminal of a kind of terminals, as the variable TERM says.
func onTerminalOf(t *testing.T, kind string, columns uint16, args ...string) string {
	t.Helper()
	t.Setenv("TERM", kind)
	t.Setenv("NO_COLOR", "")
	terminal, other := openTerminal(t, columns)
	defer other.Close()
	read := make(chan string)
	go func() {
		text, _ := io.ReadAll(other) // ends in EIO where the terminal is closed
		read <- string(text)
	}()
	var errs bytes.Buffer
	code := run(context.Background(), args, terminal, &errs)
	terminal.Close()
	if errs.Len() > 0 {
		t.Errorf("%v: exit code %d, %s", args, code, &errs)
	}
	return strings.ReplaceAll(<-read, "\r\n", "\n")
}

func tooWide(text string, columns int) []string {
	var wide []string
	for line := range strings.SplitSeq(text, "\n") {
		if utf8.RuneCountInString(line) > columns {
			wide = append(wide, line)
		}
	}
	return wide
}

// fits runs a command on a terminal of 80 columns and fails where a line is longer,
// or nothing is printed.
func fits(t *testing.T, args ...string) string {
	t.Helper()
	text := onTerminal(t, 80, args...)
	if wide := tooWide(text, 80); len(wide) > 0 || text == "" {
		t.Errorf("%v: %d lines are too wide:\n%s", args, len(wide), strings.Join(wide, "\n"))
	}
	return text
}

// Help fits terminals of all usual widths. Examples that are broken work when they
// are copied: a backslash ends what is not their last line.
func TestHelpFits(t *testing.T) {
	root := newRoot()
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	commands, broken := 0, 0
	every(root, func(cmd *cobra.Command) {
		args := append(strings.Fields(cmd.CommandPath())[1:], "--help")
		for _, columns := range []uint16{72, 80, 200} {
			text := onTerminal(t, columns, args...)
			if wide := tooWide(text, int(columns)); len(wide) > 0 || !strings.Contains(text, "Usage:") {
				t.Errorf("%v on %d columns:\n%s", args, columns, strings.Join(wide, "\n"))
			}
			broken += strings.Count(text, " \\\n    ")
			joined := strings.ReplaceAll(text, " \\\n    ", " ")
			for line := range strings.SplitSeq(cmd.Example, "\n") {
				if !strings.Contains(joined, line) {
					t.Errorf("%v on %d columns: no example %q", args, columns, line)
				}
			}
		}
		commands++
	})
	if commands < 15 || broken == 0 {
		t.Errorf("%d commands, %d examples broken", commands, broken)
	}
}

// Reports on all examples fit 80 columns, by the commands that are quick; the others
// are tried on some.
func TestReportsFit(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	var launches, programs, all []string
	err := filepath.WalkDir("examples", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		switch filekind.Of(path, data) {
		case filekind.Launch:
			launches = append(launches, path)
		case filekind.C:
			if strings.HasPrefix(path, "examples/prem/programs/") {
				programs = append(programs, path)
			}
		case filekind.PTX, filekind.RISCV, filekind.GPU:
		default:
			return nil
		}
		all = append(all, path)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(launches) < 140 || len(programs) < 30 {
		t.Fatalf("%d launches, %d programs", len(launches), len(programs))
	}
	fits(t, append([]string{"check"}, all...)...)
	for i, l := range launches {
		fits(t, "run", l)
		fits(t, "cfg", l)
		if i%12 != 0 || strings.Contains(l, "feb2024") {
			continue
		}
		gpu := "tx1"
		if strings.Contains(l, "vortex") {
			gpu = "vortex-32x32"
		}
		fits(t, "analyze", l, "--explain", "--gpu", gpu)
		fits(t, "simulate", l, "--gpu", gpu)
		fits(t, "compare", l, "--gpu", gpu)
	}
	for _, p := range programs {
		fits(t, "prem", p, "--explain")
	}
	fits(t, "prem", "examples/prem/programs/jacobi1d.c", "--schedule", "best", "--guarded", "--explain")
	fits(t, "report", "examples/basic/saxpy/saxpy.toml", "examples/inputs/kernels/nearest/nearest.toml", "--policies", "lrr")
	fits(t, "makespan", saxpy[len("../../"):])
	fits(t, "makespan", "LLCLL", "--units", "L=32,C=32", "--warps", "40", "--schedule")
	fits(t, "gpu", "list")
	fits(t, "cache", saxpy[len("../../"):], "--gpu", "gtx480")
}

// What is not for reading stays as it is on a terminal: graphs, listings, code,
// files, and what programs print. So does everything in a pipe.
func TestListingsAreNotFolded(t *testing.T) {
	piped := func(args ...string) string {
		var out, errs bytes.Buffer
		if code := run(context.Background(), args, &out, &errs); code != 0 {
			t.Errorf("%v: exit code %d, %s", args, code, &errs)
		}
		return out.String()
	}
	t.Chdir(filepath.Join("..", ".."))
	for _, args := range [][]string{
		{"cfg", "examples/basic/reduce/reduce.toml", "--dot"},
		{"prem", "examples/prem/programs/gemm.c", "--emit", "cuda"},
		{"gpu", "show", "example", "--raw"},
		{"compare", "examples/basic/saxpy/saxpy.toml", "--csv"},
		{"analyze", "examples/basic/saxpy/saxpy.toml", "--json"},
	} {
		got, want := onTerminal(t, 60, args...), piped(args...)
		if got != want || len(tooWide(want, 60)) == 0 {
			t.Errorf("%v:\n%s\nwant:\n%s", args, got, want)
		}
	}
	for _, args := range [][]string{{"analyze", "examples/basic/saxpy/saxpy.toml"}, {"prem", "examples/prem/programs/gemm.c"}, {"run", "--help"}} {
		if len(tooWide(piped(args...), 80)) == 0 && args[0] != "run" {
			t.Errorf("%v has no line of more than 80 columns in a pipe", args)
		}
	}
	listing := onTerminal(t, 40, "cfg", "examples/basic/reduce/reduce.toml", "--instructions")
	if _, wide, _ := strings.Cut(piped("cfg", "examples/basic/reduce/reduce.toml", "--instructions"), "\n\n"); !strings.HasSuffix(listing, wide) {
		t.Errorf("the listing is folded:\n%s\nwant:\n%s", listing, wide)
	}
}

// A name with control characters is folded by what is shown of it.
func TestFoldedNamesAreSafe(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a"+strings.Repeat(" \x1b[2J", 20)+".ptx")
	if err := os.WriteFile(name, []byte(".version 7.0\n.target sm_70\n.entry k() { ret; }\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	text := fits(t, "check", name)
	if strings.Contains(text, "\x1b") || !strings.Contains(text, `\x1b[2J`) {
		t.Errorf("%q", text)
	}
}
