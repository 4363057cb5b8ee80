package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound/internal/sim/policy"
)

const saxpy = "../../examples/basic/saxpy/saxpy.toml"

// every calls f with each command, the root included.
func every(cmd *cobra.Command, f func(*cobra.Command)) {
	f(cmd)
	for _, c := range cmd.Commands() {
		every(c, f)
	}
}

// A command binds flags, makes a call and prints a report, for which a short file is
// enough. What takes more lines belongs to the library.
func TestCommandsAreShort(t *testing.T) {
	const most = 120
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "_test.go") || !bytes.Contains(text, []byte("cmd := command(\"")) {
			continue
		}
		found++
		if n := bytes.Count(text, []byte("\n")); n >= most {
			t.Errorf("%s has %d lines, expected less than %d", name, n, most)
		}
	}
	if found < 14 {
		t.Errorf("only %d files with commands", found)
	}
}

// Every page of help is one of a command.
func TestPagesOfHelp(t *testing.T) {
	pages, err := helpTexts.ReadDir("help")
	if err != nil {
		t.Fatal(err)
	}
	whole := map[string]bool{}
	every(newRoot(), func(cmd *cobra.Command) { whole[cmd.Long+examplesLine+cmd.Example+"\n"] = true })
	for _, p := range pages {
		text, err := helpTexts.ReadFile("help/" + p.Name())
		if err != nil || !whole[string(text)] {
			t.Errorf("help/%s: not the help of a command, with examples: %v", p.Name(), err)
		}
	}
}

// Every command has an example, but for those that only hold others, and every
// line of an example works in the root of the repository.
func TestExamplesOfHelpWork(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	root := newRoot()
	lines := 0
	every(root, func(cmd *cobra.Command) {
		if cmd.Short == "" || strings.HasSuffix(cmd.Short, ".") {
			t.Errorf("%s: short text %q", cmd.CommandPath(), cmd.Short)
		}
		if cmd.Example == "" && !cmd.HasSubCommands() {
			t.Errorf("%s has no example", cmd.CommandPath())
		}
		if cmd.Example == "" {
			return
		}
		written := t.TempDir()
		for _, line := range strings.Split(cmd.Example, "\n") {
			words := strings.Fields(line)
			if pipe := slices.Index(words, "|"); pipe >= 0 {
				words = words[:pipe]
			}
			if len(words) < 2 || words[0] != "warpbound" {
				t.Errorf("%s: example %q", cmd.CommandPath(), line)
				continue
			}
			var args []string
			for _, w := range words[1:] {
				// What the shell does with patterns, and files a reader may write.
				if found, err := filepath.Glob(w); err == nil && strings.Contains(w, "*") && len(found) > 0 {
					args = append(args, found[:min(len(found), 3)]...)
					continue
				}
				if slices.Contains([]string{".npy", ".svg", ".json", ".pftrace"}, filepath.Ext(w)) {
					name, file, ok := strings.Cut(w, "=")
					if !ok {
						name, file = "", w
					} else {
						name += "="
					}
					w = name + filepath.Join(written, file)
				}
				if w == "10000" { // as many seeds take minutes
					w = "20"
				}
				args = append(args, w)
			}
			ctx, end := context.WithCancel(context.Background())
			if args[0] == "view" { // which ends when it is told to
				args = append(args, "--no-open")
				time.AfterFunc(time.Second, end)
			}
			var out, errs bytes.Buffer
			if code := run(ctx, args, &out, &errs); code != 0 || out.Len() == 0 || errs.Len() > 0 {
				t.Errorf("%q: exit code %d, %s", line, code, &errs)
			}
			end()
			lines++
		}
	})
	if lines < 10 {
		t.Errorf("%d examples", lines)
	}
}

func TestCompletion(t *testing.T) {
	root := newRoot()
	complete := func(args ...string) []string {
		t.Helper()
		var out bytes.Buffer
		root.SetOut(&out)
		root.SetErr(new(bytes.Buffer))
		root.SetArgs(append([]string{cobra.ShellCompNoDescRequestCmd}, args...))
		if err := root.Execute(); err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSpace(out.String()), "\n")
	}
	for _, c := range []struct {
		args []string
		want []string // among what is offered
	}{
		{[]string{""}, []string{"analyze", "simulate", "compare", "run", "cfg", "gpu", "soundness", "version", "completion"}},
		{[]string{"gpu", ""}, []string{"list", "show", "check"}},
		{[]string{"analyze", "x", "--gpu", ""}, []string{"ecrts2025-200", "rtx3070", "tx1"}},
		{[]string{"gpu", "show", "rt"}, []string{"rtx3070"}},
		{[]string{"analyze", "x", "--method", ""}, []string{"all", "gub", "sum", "ref", "serial"}},
		{[]string{"analyze", "x", "--method", "gub,"}, []string{"gub,sum", "gub,serial"}},
		{[]string{"compare", "x", "--methods", ""}, []string{"best", "gub"}},
		{[]string{"compare", "x", "--policies", "lrr,"}, []string{"lrr,gto", "lrr,oldest"}},
		{[]string{"compare", "x", "--scope", ""}, []string{"launch", "block", "warp"}},
		{[]string{"simulate", "x", "--policy", ""}, policy.Names()},
		{[]string{"simulate", "x", "--model", ""}, []string{"abstract", "pipeline", "frontend"}},
		{[]string{"simulate", "x", "--variant", ""}, []string{"baseline", "swas"}},
		{[]string{"simulate", "x", "--fetch-policy", ""}, []string{"lrr", "gtlrr", "gtlo", "srr", "gsrr", "atlrr:16"}},
		{[]string{"analyze", "x", "--issue-policy", ""}, []string{"lrr", "atlo:16"}},
		{[]string{"compare", "pairs", "x", "--pairs", "lrr-lrr,"}, []string{"lrr-lrr,all", "lrr-lrr,lrr-gtlrr", "lrr-lrr,gtlo-gtlo"}},
		{[]string{"compare", "pairs", "x", "--variant", "baseline,"}, []string{"baseline,swas"}},
		{[]string{"soundness", "--plant", ""}, []string{"gub"}},
		{[]string{"analyze", ""}, []string{"toml", ":8"}}, // filter by file extension
	} {
		got := complete(c.args...)
		for _, w := range c.want {
			if !slices.Contains(got, w) {
				t.Errorf("%v: no %s in %v", c.args, w, got)
			}
		}
	}
}

// A command that is interrupted exits with 1, says so, and writes nothing that is
// not finished.
func TestInterrupted(t *testing.T) {
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	file := filepath.Join(t.TempDir(), "out")
	for _, args := range [][]string{
		{"analyze", saxpy}, {"simulate", saxpy}, {"compare", saxpy}, {"cfg", saxpy},
		{"run", saxpy, "--dump", "y=" + file + ".npy"}, {"analyze", saxpy, "-o", file},
	} {
		var out, errs bytes.Buffer
		if code := run(gone, args, &out, &errs); code != 1 || errs.String() != "interrupted\n" && args[0] != "simulate" || !strings.HasPrefix(errs.String(), "interrupted") || out.Len() > 0 {
			t.Errorf("%v: exit code %d, %q, %d bytes of output", args, code, &errs, out.Len())
		}
	}
	if left, _ := filepath.Glob(file + "*"); len(left) > 0 {
		t.Errorf("written: %v", left)
	}

	var out, errs bytes.Buffer
	code := run(gone, []string{"soundness", "--seeds", "100000", "--json"}, &out, &errs)
	if code != 1 || errs.String() != "interrupted\n" || !strings.Contains(out.String(), `"complete": false`) {
		t.Errorf("soundness: exit code %d, %q, %s", code, &errs, &out)
	}
}

// A kernel that never ends is no reason not to.
func TestInterruptedWhileRunning(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"spin.ptx":  ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\nL:\n\tbra L;\n}\n",
		"spin.toml": "kernel = \"spin.ptx\"\ngrid = [1]\nblock = [64]\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	simulated := " in cycle [1-9][0-9]*"
	for _, c := range []struct {
		command string
		when    string
		flags   []string
	}{
		{"run", "", nil},
		{"analyze", "", nil},
		{"simulate", simulated, nil},
		{"compare", "", nil},
		{"compare pairs", simulated, []string{"--gpu", "vortex-32x32", "--pairs", "lrr-gtlrr"}},
		{"cfg", "", nil},
	} {
		want := regexp.MustCompile("^interrupted" + c.when + ` after [1-9][0-9]* warp instructions, at .*spin.ptx:7:2 \(block 0, warp [01], pc 0\)\n$`)
		args := append(append(strings.Fields(c.command), filepath.Join(dir, "spin.toml")), c.flags...)
		var out, errs bytes.Buffer
		for wait := 20 * time.Millisecond; ; wait *= 4 {
			ctx, cancel := context.WithCancel(context.Background())
			time.AfterFunc(wait, cancel)
			out.Reset()
			errs.Reset()
			code := run(ctx, args, &out, &errs)
			cancel()
			if begun := strings.Contains(errs.String(), " after ") && !strings.Contains(errs.String(), " after 0 "); !begun && code == 1 && wait < 10*time.Second {
				continue // on a busy machine, before the kernel was executed
			}
			if code != 1 || !want.MatchString(errs.String()) || out.Len() > 0 {
				t.Errorf("%v: exit code %d, %s%s", args, code, &errs, &out)
			}
			break
		}
	}
}

// cancelAfter is cancelled when it has been asked often enough.
type cancelAfter struct {
	context.Context
	asked, most int
}

func (c *cancelAfter) Err() error {
	if c.asked++; c.asked > c.most {
		return context.Canceled
	}
	return nil
}

// An interrupted comparison prints the launches it has finished.
func TestInterruptedComparison(t *testing.T) {
	files := []string{saxpy, saxpy, saxpy}
	for most := range 60 {
		var out, errs bytes.Buffer
		ctx := &cancelAfter{Context: context.Background(), most: most}
		code := run(ctx, append([]string{"compare", "--json"}, files...), &out, &errs)
		switch {
		case code == 1 && out.Len() > 0:
			if !strings.Contains(out.String(), `"complete": false`) || !strings.Contains(out.String(), `"bound_cycles": 5670`) || !strings.HasPrefix(errs.String(), "interrupted") {
				t.Errorf("%s%s", &out, &errs)
			}
			return
		case code == 0:
			t.Fatal("finished before it was interrupted between two launches")
		}
	}
	t.Error("never interrupted between two launches")
}

// A reader that goes away ends the command without a panic.
func TestClosedPipe(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	link := filepath.Join(dir, "warpbound")
	if err := os.Symlink(exe, link); err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	defer w.Close()
	var errs bytes.Buffer
	cmd := exec.Command(link, "analyze", saxpy, "--json")
	cmd.Stdout, cmd.Stderr = w, &errs
	err = cmd.Run()
	if err == nil || strings.Contains(errs.String(), "panic") || strings.Contains(errs.String(), "goroutine") {
		t.Errorf("%v: %s", err, &errs)
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, fs.ErrClosed }

func TestBrokenOutput(t *testing.T) {
	var errs bytes.Buffer
	if code := run(context.Background(), []string{"version"}, brokenWriter{}, &errs); code != 1 || !strings.HasPrefix(errs.String(), "writing the report: ") {
		t.Errorf("exit code %d, %s", code, &errs)
	}
}

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "report.txt")
	if err := writeFile(file, []byte("one")); err != nil {
		t.Fatal(err)
	}
	// A file keeps its permissions, a link stays one.
	if err := os.Chmod(file, 0o640); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link.txt")
	if err := os.Symlink("report.txt", link); err != nil {
		t.Fatal(err)
	}
	if err := writeFile(link, []byte("two")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(link)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("%v, %v: no link any more", info, err)
	}
	if info, err = os.Stat(file); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v: other permissions", info, err)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "two" {
		t.Errorf("%q, %v", text, err)
	}
	// What is no regular file is written as it is.
	if err := writeFile(os.DevNull, []byte("three")); err != nil {
		t.Error(err)
	}
	if err := writeFile(dir, []byte("four")); err == nil {
		t.Error("a directory was written")
	}
	err = writeFile(filepath.Join(dir, "none", "report.txt"), nil)
	if !errors.Is(err, fs.ErrNotExist) || strings.Contains(fmt.Sprint(err), ".tmp") {
		t.Errorf("%v", err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 2 {
		t.Errorf("%v, %v: expected two files", left, err)
	}
}
