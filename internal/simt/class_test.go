package simt

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func drawForm(t *rapid.T, size int64) (f [3]int64) {
	for i := range f {
		f[i] = rapid.Int64Range(-size, size).Draw(t, "form")
	}
	return f
}

// Rows and the reach of forms, against every block of a grid.
func TestBlockClassAgainstItsBlocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		grid := [3]int{rapid.IntRange(1, 9).Draw(t, "x"), rapid.IntRange(1, 4).Draw(t, "y"), rapid.IntRange(1, 3).Draw(t, "z")}
		c := BlockClass{Representative: BlockAt(grid, rapid.Int64Range(0, NumBlocks(grid)-1).Draw(t, "representative"))}
		for range rapid.IntRange(0, 3).Draw(t, "conditions") {
			low, high := rapid.Int64Range(-40, 0).Draw(t, "low"), rapid.Int64Range(0, 40).Draw(t, "high")
			if rapid.IntRange(0, 5).Draw(t, "open") == 0 {
				low, high = -math.MaxInt64, math.MaxInt64
			}
			c.Conditions = append(c.Conditions, Condition{Of: drawForm(t, 12), Low: low, High: high})
		}
		f := drawForm(t, 1<<40)
		low, high, ok := Reach(grid, c.Representative, f)
		if !ok {
			t.Fatalf("form %v has no reach", f)
		}
		least, most := int64(math.MaxInt64), int64(math.MinInt64)
		for i := range NumBlocks(grid) {
			at := BlockAt(grid, i)
			if n := at[0] + int64(grid[0])*(at[1]+int64(grid[1])*at[2]); n != i {
				t.Fatalf("block %d is at %v", i, at)
			}
			from, to := c.Row(at)
			if got, want := from <= at[0] && at[0] <= to, c.Holds(at); got != want {
				t.Errorf("%+v: row %d to %d, block %v holds: %v", c, from, to, at, want)
			}
			x := Dot(f, [3]int64{at[0] - c.Representative[0], at[1] - c.Representative[1], at[2] - c.Representative[2]})
			least, most = min(least, x), max(most, x)
		}
		if least != low || most != high {
			t.Errorf("form %v reaches %d to %d, want %d to %d", f, low, high, least, most)
		}
		if !c.Holds(c.Representative) {
			t.Error("the representative is not in its class")
		}
	})
}

func TestReachBeyondWhatIsCalculatedWith(t *testing.T) {
	grid := [3]int{1 << 20, 2, 1}
	for _, f := range [][3]int64{{1 << 45, 0, 0}, {-1 << 45, 0, 0}, {math.MinInt64, 0, 0}, {0, math.MaxInt64, 0}, {1 << 40, 1 << 61, 0}} {
		if _, _, ok := Reach(grid, [3]int64{}, f); ok {
			t.Errorf("%v has a reach", f)
		}
	}
	if low, high, ok := Reach(grid, [3]int64{5, 1, 0}, [3]int64{-2, 3, 1 << 62}); !ok || low != -2*(1<<20-1-5)-3 || high != 10 {
		t.Errorf("%d to %d, %v", low, high, ok)
	}
}
