package external

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/warpbound/warpbound/internal/milp"
)

// Errors of this package.
var (
	// ErrNotFound: the program is not on PATH.
	ErrNotFound = errors.New("program not found")
	// ErrOutput: the program's output was not understood.
	ErrOutput = errors.New("output not understood")
)

// Solver drives one external program.
type Solver struct {
	name, program, debian, title string
	args                         func(opts milp.Options) []string
	versionArgs                  []string
	parse                        func(p *milp.Problem) parser
	grace                        time.Duration
}

// The names of the files in the temporary directory, where the program runs.
const (
	modelFile    = "model.lp"
	solutionFile = "solution.txt"
)

// parser understands one program's log and solution file.
type parser interface {
	// line takes a line of the log.
	line(s string)
	// result takes the solution file and returns what was found; ambiguous
	// means "infeasible or unbounded". Errors wrap ErrOutput.
	result(solution []byte) (sol *milp.Solution, ambiguous bool, err error)
	// version returns the version that the log told, "" for none.
	version() string
}

// Name returns the name by which the solver is chosen.
func (s *Solver) Name() string { return s.name }

// Path returns the program's path, or an error wrapping ErrNotFound that names
// the Debian package.
func (s *Solver) Path() (string, error) {
	path, err := exec.LookPath(s.program)
	if err != nil {
		return "", fmt.Errorf("%w: %s is not on PATH (Debian package %s)", ErrNotFound, s.program, s.debian)
	}
	return path, nil
}

// Version asks the program for its version.
func (s *Solver) Version() string {
	path, err := s.Path()
	if err != nil {
		return s.title + " (not found)"
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	parser := s.parse(&milp.Problem{})
	cmd := exec.CommandContext(ctx, path, s.versionArgs...)
	cmd.Stdout = &lineWriter{emit: parser.line}
	if err := cmd.Run(); err != nil {
		return s.title + " (" + err.Error() + ")"
	}
	return s.describe(parser)
}

func (s *Solver) describe(p parser) string {
	if v := p.version(); v != "" {
		return s.title + " " + v
	}
	return s.title
}

// Solve implements milp.Solver. MemoryBytes is not honoured.
func (s *Solver) Solve(ctx context.Context, p *milp.Problem, opts milp.Options) (*milp.Solution, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if sol := milp.Screen(p); sol != nil {
		return sol, nil
	}
	path, err := s.Path()
	if err != nil {
		return nil, err
	}
	began := time.Now()
	sol, ambiguous, err := s.once(ctx, path, p, opts)
	if err == nil && ambiguous {
		err = s.settle(ctx, path, p, opts, sol)
	}
	if err != nil {
		return nil, err
	}
	sol.Elapsed = time.Since(began)
	return sol, nil
}

// settle decides whether a problem that is infeasible or unbounded has a
// feasible point.
func (s *Solver) settle(ctx context.Context, path string, p *milp.Problem, opts milp.Options, sol *milp.Solution) error {
	q := *p
	q.Constant = 0
	q.Columns = append([]milp.Column(nil), p.Columns...)
	for i := range q.Columns {
		q.Columns[i].Cost = 0
	}
	second, ambiguous, err := s.once(ctx, path, &q, opts)
	switch {
	case err != nil:
		return err
	case ambiguous:
	case second.Status == milp.Infeasible:
		sol.Status = milp.Infeasible
	case second.Status == milp.Optimal || second.Status == milp.Feasible:
		sol.Status = milp.Unbounded
	}
	return nil
}

// once runs the program on p.
func (s *Solver) once(ctx context.Context, path string, p *milp.Problem, opts milp.Options) (*milp.Solution, bool, error) {
	dir, err := os.MkdirTemp("", "warpbound-milp-")
	if err != nil {
		return nil, false, err
	}
	defer os.RemoveAll(dir)
	var model bytes.Buffer
	if err := milp.WriteLP(&model, p); err != nil {
		return nil, false, err
	}
	if err := os.WriteFile(filepath.Join(dir, modelFile), model.Bytes(), 0o600); err != nil {
		return nil, false, err
	}
	parser := s.parse(p)
	overdue, last, err := s.execute(ctx, path, dir, opts, parser)
	if err != nil {
		return nil, false, err
	}
	if overdue {
		return &milp.Solution{
			Objective: math.NaN(), DualBound: p.Unproved(), Nodes: -1, Solver: s.describe(parser),
			Message: fmt.Sprintf("killed %v after the time limit of %v", s.grace, opts.TimeLimit),
		}, false, nil
	}
	solution, err := os.ReadFile(filepath.Join(dir, solutionFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, fmt.Errorf("%w: %s wrote no solution file; it said:\n%s", ErrOutput, s.program, last)
	} else if err != nil {
		return nil, false, err
	}
	sol, ambiguous, err := parser.result(solution)
	if err != nil {
		return nil, false, fmt.Errorf("%w; it said:\n%s", err, last)
	}
	sol.Solver = s.describe(parser)
	return sol, ambiguous, nil
}

// execute runs the program in dir. overdue says that it was killed for
// overshooting its limit; last holds the log's last lines.
func (s *Solver) execute(ctx context.Context, path, dir string, opts milp.Options, parser parser) (overdue bool, last string, err error) {
	inner, cancel := ctx, context.CancelFunc(func() {})
	if opts.TimeLimit > 0 {
		inner, cancel = context.WithTimeout(ctx, opts.TimeLimit+s.grace)
	}
	defer cancel()
	tail := &tailBuffer{}
	log := &lineWriter{emit: func(line string) {
		tail.add(line)
		parser.line(line)
		if opts.Progress != nil {
			opts.Progress(line)
		}
	}}
	cmd := exec.CommandContext(inner, path, s.args(opts)...)
	cmd.Dir = dir
	// The parsers read English words and decimal points.
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	cmd.Stdout, cmd.Stderr = log, log
	cmd.WaitDelay = time.Second
	killGroup(cmd)
	runErr := cmd.Run()
	log.flush()
	last = tail.String()
	switch {
	case ctx.Err() != nil:
		return false, last, context.Cause(ctx)
	case inner.Err() != nil:
		return true, last, nil
	case runErr != nil:
		return false, last, fmt.Errorf("%w; it said:\n%s", runErr, last)
	}
	return false, last, nil
}

// lineWriter splits what is written to it into lines.
type lineWriter struct {
	emit    func(line string)
	pending []byte
}

func (w *lineWriter) Write(b []byte) (int, error) {
	n := len(b)
	for {
		i := bytes.IndexByte(b, '\n')
		if i < 0 {
			w.pending = append(w.pending, b...)
			return n, nil
		}
		w.emit(strings.TrimRight(string(append(w.pending, b[:i]...)), "\r"))
		w.pending, b = w.pending[:0], b[i+1:]
	}
}

func (w *lineWriter) flush() {
	if len(w.pending) > 0 {
		w.emit(string(w.pending))
		w.pending = nil
	}
}

var _ io.Writer = (*lineWriter)(nil)

// tailBuffer keeps the last lines that are not blank, for error messages.
type tailBuffer struct{ lines []string }

func (t *tailBuffer) add(line string) {
	if strings.TrimSpace(line) == "" {
		return
	}
	if len(t.lines) == 10 {
		t.lines = append(t.lines[:0], t.lines[1:]...)
	}
	t.lines = append(t.lines, line)
}

func (t *tailBuffer) String() string { return strings.Join(t.lines, "\n") }

// seconds rounds a time limit up to whole seconds, at least 1.
func seconds(d time.Duration) int64 {
	return max(1, int64(math.Ceil(d.Seconds())))
}
