package inputs

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warpbound/warpbound/evaluation/internal/kit"
	"github.com/warpbound/warpbound/examples"
)

var root = filepath.Join("..", "..")

func committed(t *testing.T) []row {
	t.Helper()
	rows, err := kit.Load(root, file, header, decode)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// What the data file says of the first machine is what is measured now.
func TestDataIsUpToDate(t *testing.T) {
	got, err := measure(kit.NewBench(root), gpus[:1])
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(pick(committed(t), func(r *row) bool { return r.GPU == gpus[0] }), got); d != "" {
		t.Errorf("%s is out of date; run: go run ./evaluation inputs\n%s", file, d)
	}
}

// What the page claims of all data: no input takes longer than the bound for all, which
// is the same whichever input it is computed from; and what has no bound says why.
func TestDataHoldsWhatThePageSays(t *testing.T) {
	rows := committed(t)
	bounded := 0
	for i := range rows {
		r := &rows[i]
		switch r.Path {
		case same, covered:
			bounded++
			if r.Bound < worst(rows, r, simulated) || r.Simulated < 1 || r.Path == same && r.Bound != r.Recorded {
				t.Errorf("%+v", r)
			}
			if most := worst(rows, r, func(r *row) int64 { return r.Bound }); r.Bound != most {
				t.Errorf("%s on %s: bound %d, %d by another input", r.Launch, r.GPU, r.Bound, most)
			}
		case notCovered:
			if r.Reason == "" || r.Bound != 0 {
				t.Errorf("%+v", r)
			}
		case tooLarge:
		default:
			t.Errorf("%+v", r)
		}
	}
	if want := 3*(len(examples.All())+len(examples.Inputs())-1) - 3; bounded != want {
		t.Errorf("%d bounds for all inputs, want %d", bounded, want)
	}
}
