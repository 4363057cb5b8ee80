package prem

import (
	"bytes"
	"errors"
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestEveryFileIsListedAndEveryEntryHasAFile(t *testing.T) {
	files, err := filepath.Glob("programs/*")
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, p := range All() {
		listed = append(listed, p.File())
		onDisk, err := os.ReadFile(p.File())
		if err != nil {
			t.Error(err)
		}
		if text, err := p.Source(); err != nil || text != string(onDisk) {
			t.Errorf("%s: the embedded text differs from the file (error %v)", p.Name, err)
		}
	}
	if !slices.Equal(files, listed) {
		t.Errorf("All lists\n%s\nthe files are\n%s", strings.Join(listed, "\n"), strings.Join(files, "\n"))
	}
}

func TestTheSuitesAlgorithmsAreAllThere(t *testing.T) {
	want := strings.Fields(`2DCONV 2MM 3DCONV 3MM ADI ATAX BICG CORR COVAR DOITGEN FDTD-2D GEMM GEMVER GESUMMV GRAMSCHM
		JACOBI1D JACOBI2D LU MVT SYR2K SYRK`)
	var got []string
	for _, p := range All() {
		if p.Algorithm != "" {
			got = append(got, p.Algorithm)
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("the algorithms are %v, want %v", got, want)
	}
}

var (
	macroLine = regexp.MustCompile(`(?m)^#ifndef (\w+)\n#define (\w+) (\d+)\n#endif$`)
	function  = regexp.MustCompile(`(?m)^void (\w+)\(([^)]*)\)\n\{$`)
	parameter = regexp.MustCompile(`^(const )?(float|double|int) (\w+)((?:\[[^\]]*\])*)$`)
	dimension = regexp.MustCompile(`\[(restrict )?([^\]]*)\]`)
	spaces    = regexp.MustCompile(`\s+`)
)

// declared reads a program's parameters from its text.
func declared(text string) (name string, params []Param, constants []bool, err error) {
	macros := map[string]string{}
	for _, m := range macroLine.FindAllStringSubmatch(text, -1) {
		if m[1] != m[2] {
			return "", nil, nil, fmt.Errorf("macro %s is guarded as %s", m[2], m[1])
		}
		macros[m[1]] = m[3]
	}
	all := function.FindAllStringSubmatch(text, -1)
	if len(all) != 1 {
		return "", nil, nil, fmt.Errorf("%d functions", len(all))
	}
	for word := range strings.SplitSeq(spaces.ReplaceAllString(all[0][2], " "), ", ") {
		m := parameter.FindStringSubmatch(word)
		if m == nil {
			return "", nil, nil, fmt.Errorf("parameter %q is not understood", word)
		}
		p := Param{Name: m[3], Type: Type(m[2])}
		for i, d := range dimension.FindAllStringSubmatch(m[4], -1) {
			if (d[1] != "") != (i == 0) {
				return "", nil, nil, fmt.Errorf("parameter %q: restrict belongs to the first dimension", word)
			}
			sum := regexp.MustCompile(`[A-Z]+`).ReplaceAllStringFunc(d[2], func(m string) string { return macros[m] })
			v, err := types.Eval(token.NewFileSet(), nil, token.NoPos, sum)
			if err != nil {
				return "", nil, nil, fmt.Errorf("parameter %q: %w", word, err)
			}
			n, _ := constant.Int64Val(v.Value)
			p.Dims = append(p.Dims, int(n))
		}
		params, constants = append(params, p), append(constants, m[1] != "")
	}
	return all[0][1], params, constants, nil
}

func TestTheTableSaysWhatTheProgramsDeclare(t *testing.T) {
	for _, p := range All() {
		text, err := p.Source()
		if err != nil {
			t.Fatal(err)
		}
		name, params, constants, err := declared(text)
		if err != nil {
			t.Errorf("%s: %v", p.Name, err)
			continue
		}
		if name != p.Function() || !strings.HasPrefix(text, "/* "+p.Name+": ") {
			t.Errorf("%s: the function is %s, the comment starts %.30q", p.Name, name, text)
		}
		if len(params) != len(p.Params) {
			t.Errorf("%s: %d parameters, want %d", p.Name, len(params), len(p.Params))
			continue
		}
		for i, q := range p.Params {
			d := params[i]
			if d.Name != q.Name || d.Type != q.Type || !slices.Equal(d.Dims, q.Dims) {
				t.Errorf("%s: parameter %d is %v, the table says %v %v %v", p.Name, i, d, q.Name, q.Type, q.Dims)
			}
			if constants[i] && q.Result {
				t.Errorf("%s: result %s is const", p.Name, q.Name)
			}
		}
	}
}

func TestEveryClauseIsSomewhere(t *testing.T) {
	var all strings.Builder
	ranks := map[int]bool{}
	for _, p := range All() {
		text, err := p.Source()
		if err != nil {
			t.Fatal(err)
		}
		text = spaces.ReplaceAllString(strings.ReplaceAll(text, "\\\n", " "), " ")
		loops := strings.Count(text, "#pragma omp target teams distribute parallel for ")
		if loops == 0 {
			t.Errorf("%s: no target loop", p.Name)
		}
		for _, clause := range []string{" num_teams(", " num_threads(", " schedule(static)"} {
			if n := strings.Count(text, clause); n != loops {
				t.Errorf("%s: %d loops, but%s %d times", p.Name, loops, clause, n)
			}
		}
		all.WriteString(text)
		for _, q := range p.Params {
			ranks[len(q.Dims)] = true
		}
	}
	for _, clause := range []string{
		"map(to:", "map(from:", "map(tofrom:", "map(alloc:", "reduction(+:", "reduction(max:", "reduction(min:",
		"collapse(2)", "collapse(3)", "firstprivate(", "#pragma omp target data ",
	} {
		if !strings.Contains(all.String(), clause) {
			t.Errorf("no program has %s", clause)
		}
	}
	if want := map[int]bool{0: true, 1: true, 2: true, 3: true, 4: true}; !reflect.DeepEqual(ranks, want) {
		t.Errorf("the ranks are %v, want %v", ranks, want)
	}
}

func TestInit(t *testing.T) {
	f := Init{Mul: 3, Add: 1, Mod: 7, Div: 2, Off: -1, Diag: 100}
	for _, c := range []struct {
		p    Param
		want any
	}{
		{Param{Type: Double, Dims: []int{2, 3}, Init: f}, []float64{99.5, 1, -1, 0.5, 102, 0}},
		{Param{Type: Double, Dims: []int{3, 2}, Init: f}, []float64{99.5, 1, -1, 100.5, 2, 0}},
		{Param{Type: Double, Dims: []int{2, 2, 2}, Init: f}, []float64{99.5, 1, -1, 0.5, 2, 0, 1.5, 99.5}},
		{Param{Type: Float, Dims: []int{2}, Init: Init{Mul: 1, Add: 1, Mod: 10, Div: 3, Diag: 5}}, []float32{1.0 / 3, 2.0 / 3}},
		{Param{Type: Int, Dims: []int{3}, Init: Init{Mul: 5, Mod: 7, Off: 2}}, []int32{2, 7, 5}},
		{Param{Type: Float, Init: Init{Off: 1.5}}, []float32{1.5}},
	} {
		if got := c.p.initial(); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%v: %v, want %v", c.p, got, c.want)
		}
	}
}

// TestReferencesWriteResultsOnly runs every reference twice: it computes the same, changes what is a result, leaves alone
// what the function takes as const, and makes no infinity or NaN.
func TestReferencesWriteResultsOnly(t *testing.T) {
	for _, p := range All() {
		text, err := p.Source()
		if err != nil {
			t.Fatal(err)
		}
		_, _, constants, err := declared(text)
		if err != nil {
			t.Fatal(err)
		}
		before, got, again := p.Inputs(), p.Inputs(), p.Inputs()
		if err := errors.Join(p.Run(got), p.Run(again), p.Compare(got, again)); err != nil {
			t.Error(err)
		}
		for i, q := range p.Params {
			if q.Result == reflect.DeepEqual(before[i], got[i]) && (q.Result || constants[i]) {
				t.Errorf("%s: the table says result %v of %s, the reference does not", p.Name, q.Result, q.Name)
			}
			for e := range q.Len() {
				if v := reflect.ValueOf(got[i]).Index(e); q.Type != Int && (math.IsNaN(v.Float()) || math.IsInf(v.Float(), 0)) {
					t.Errorf("%s: %s%v is %v", p.Name, q.Name, q.subscripts(e), v)
					break
				}
			}
		}
	}
}

func TestCompareSeesOneBit(t *testing.T) {
	for _, p := range All() {
		want, got := p.Inputs(), p.Inputs()
		i := slices.IndexFunc(p.Params, func(q Param) bool { return q.Result })
		last := p.Params[i].Len() - 1
		switch v := got[i].(type) {
		case []float32:
			v[last] = math.Nextafter32(v[last], 1e9)
		case []float64:
			v[last] = math.Nextafter(v[last], 1e9)
		case []int32:
			v[last] ^= 1
		}
		err := p.Compare(got, want)
		if at := fmt.Sprint(p.Params[i].Name, p.Params[i].subscripts(last)); err == nil || !strings.Contains(err.Error(), at+" is ") {
			t.Errorf("%s: %v, want an error that names %s", p.Name, err, at)
		}
		a, errA := p.Digest(got)
		b, errB := p.Digest(want)
		if a == b || errA != nil || errB != nil {
			t.Errorf("%s: digests %s and %s, errors %v and %v", p.Name, a, b, errA, errB)
		}
	}
	p, _ := Lookup("mm2")
	want, got := p.Inputs(), p.Inputs()
	got[2].([]float32)[0]++
	if err := p.Compare(got, want); err != nil {
		t.Errorf("an array that is no result differs, and: %v", err)
	}
}

func TestCompareOfSpecialValues(t *testing.T) {
	p, _ := Lookup("reduce")
	nan := math.Float32frombits
	for _, c := range []struct {
		a, b float32
		same bool
	}{{nan(0x7fc00000), nan(0xffc00001), true}, {nan(0x7fc00000), 1, false}, {0, float32(math.Copysign(0, -1)), false}} {
		a, b := p.Inputs(), p.Inputs()
		a[2].([]float32)[1], b[2].([]float32)[1] = c.a, c.b
		if err := p.Compare(a, b); (err == nil) != c.same {
			t.Errorf("%v and %v: %v", c.a, c.b, err)
		}
	}
}

func TestMemoriesThatDoNotFit(t *testing.T) {
	p, ok := Lookup("reduce")
	if !ok {
		t.Fatal("no program reduce")
	}
	good := p.Inputs()
	for name, m := range map[string]Memory{
		"none":         nil,
		"too few":      good[:2],
		"too many":     append(slices.Clone(good), []float32{1}),
		"wrong type":   {good[0], make([]float64, 300), good[2]},
		"wrong length": {good[0], good[1], make([]float32, 2)},
		"no array":     {good[0], good[1], "out"},
		"nil array":    {nil, good[1], good[2]},
	} {
		_, digest := p.Digest(m)
		for i, err := range []error{p.Check(m), p.Run(m), p.Compare(m, good), p.Compare(good, m), digest} {
			if !errors.Is(err, ErrMemory) {
				t.Errorf("%s, call %d: %v, want an error that is ErrMemory", name, i, err)
			}
		}
	}
	if _, ok := Lookup("nosuch"); ok {
		t.Error("Lookup finds a program nosuch")
	}
	if _, err := (Benchmark{Name: "nosuch"}).Source(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Source of no program: %v", err)
	}
	if err := (Benchmark{}).Run(nil); err == nil {
		t.Error("a program without reference runs")
	}
}

func TestAllReturnsCopies(t *testing.T) {
	All()[0].Params[0].Name = "changed"
	if All()[0].Params[0].Name == "changed" {
		t.Error("a caller's change reaches the table")
	}
}

// TestDigests compares the references with what the compiled C programs computed when testdata/digests.txt was written.
func TestDigests(t *testing.T) {
	want, err := os.ReadFile(digestFile)
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	for _, p := range All() {
		m := p.Inputs()
		if err := p.Run(m); err != nil {
			t.Fatal(err)
		}
		d, err := p.Digest(m)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&got, "%s %s\n", d, p.Name)
	}
	lines := strings.Split(string(want), "\n")
	for i, line := range strings.Split(got.String(), "\n") {
		if i >= len(lines) || line != lines[i] {
			t.Errorf("the reference computes %s, which is not line %d of %s", line, i+1, digestFile)
		}
	}
}
