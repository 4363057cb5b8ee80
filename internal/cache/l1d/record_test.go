package l1d

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/cache"
)

// A program of more global accesses than a recording numbers is executed.
func TestTooManyAccessesToRecord(t *testing.T) {
	var text strings.Builder
	text.WriteString("mul.wide.u32 %rd1, %cta, 128; add.u64 %rd1, %rd1, %base;\n")
	const accesses = math.MaxInt16 + 100
	for i := range accesses {
		fmt.Fprintf(&text, "ld.global.u32 %%r1, [%%rd1+%d];\n", i%512*4)
	}
	s := source{grid: 4, block: 2, warpSize: 2, text: text.String() + "ret;"}
	a, fresh := s.again(t)
	if n, why := a.Replayed(); n != 1 || why != nil {
		t.Fatalf("%d classes, %v", n, why)
	}
	caches := []cache.Config{smallCache()}
	r := Residency{Blocks: 4, SMs: 1, BlocksPerSM: 4}
	got, err := a.Estimate(context.Background(), fresh, r, caches, EstimateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want, err := (&Analysis{points: a.points}).Estimate(context.Background(), fresh, r, caches, EstimateOptions{})
	if err != nil || !reflect.DeepEqual(got, want) || got.Caches[0].Total.Loads.Accesses != 4*accesses {
		t.Errorf("%+v, executed %+v, %v", got.Caches[0].Total, want.Caches[0].Total, err)
	}
}
