//go:build unix

package external

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/warpbound/warpbound/internal/milp"
)

// fake puts a shell script in place of cbc.
func fake(t *testing.T, script string) *Solver {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "cbc"), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return CBC()
}

func TestProgramErrors(t *testing.T) {
	for _, c := range []struct {
		name, script, want string
		is                 error
	}{
		{"exit code", "echo licence expired; exit 3\n", "exit status 3; it said:\nlicence expired", nil},
		{"no solution file", "echo cannot read; exit 0\n", "wrote no solution file; it said:\ncannot read", ErrOutput},
		{"strange solution", "echo hello; echo bye > solution.txt\n", "solution starts with \"bye\"; it said:\nhello", ErrOutput},
		{"killed", "kill -9 $$\n", "signal: killed", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := fake(t, c.script).Solve(context.Background(), named("negative"), milp.Options{})
			if err == nil || !strings.Contains(err.Error(), c.want) || c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

// TestLog: the last line counts even without a newline, and only the last ten
// lines are quoted.
func TestLog(t *testing.T) {
	s := fake(t, "for i in 1 2 3 4 5 6 7 8 9 10 11; do echo line $i; done; printf end; exit 1\n")
	var lines []string
	_, err := s.Solve(context.Background(), named("negative"), milp.Options{Progress: func(l string) { lines = append(lines, l) }})
	if err == nil || !strings.HasSuffix(err.Error(), "line 11\nend") || strings.Contains(err.Error(), "line 2\n") {
		t.Errorf("error %v", err)
	}
	if len(lines) != 12 {
		t.Errorf("%d lines of progress, want 12", len(lines))
	}
}

// TestKilled: a program that ignores its limit, and what it started, is killed.
func TestKilled(t *testing.T) {
	pidFile := filepath.Join(t.TempDir(), "pid")
	s := fake(t, "sleep 60 & echo $! > "+pidFile+"; wait\n")
	s.grace = 100 * time.Millisecond
	sol, err := s.Solve(context.Background(), named("negative"), milp.Options{TimeLimit: 200 * time.Millisecond})
	if err != nil || sol.Status != milp.Failed || !strings.Contains(sol.Message, "killed 100ms after the time limit of 200ms") {
		t.Errorf("%+v, %v", sol, err)
	}
	gone(t, pidFile)

	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	if _, err := s.Solve(ctx, named("negative"), milp.Options{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want context.DeadlineExceeded", err)
	}
	gone(t, pidFile)
}

// gone waits until the process is dead or a zombie that nobody here reaps.
func gone(t *testing.T, pidFile string) {
	t.Helper()
	data, err := os.ReadFile(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		if syscall.Kill(pid, 0) != nil {
			return
		}
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err == nil && strings.Contains(string(stat), ") Z ") {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("process %d is still there", pid)
}

func TestMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for s, debian := range map[*Solver]string{CBC(): "coinor-cbc", GLPK(): "glpk-utils"} {
		_, err := s.Solve(context.Background(), named("negative"), milp.Options{})
		if !errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), "Debian package "+debian) {
			t.Errorf("%s: error %v", s.Name(), err)
		}
		if v := s.Version(); !strings.HasSuffix(v, "(not found)") {
			t.Errorf("version %q", v)
		}
	}
}
