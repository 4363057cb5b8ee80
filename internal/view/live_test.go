package view

import (
	"slices"
	"strconv"
	"testing"
)

// TestLive moves a number of the GPU under every launch of the examples that what the page
// shows is made for, and measures how long it is until the bound is there again.
func TestLive(t *testing.T) {
	get := asked(t, Options{Path: examples})
	items := decoded[struct{ Items []item }](t, get("/api/session")).Items
	var took []float64
	slow := 0
	for n, it := range items {
		if it.Kind != ofLaunch || n%4 != 0 {
			continue
		}
		path := "/api/analyze?id=" + strconv.Itoa(it.ID)
		if get(path+"&brief=true").Code != 200 {
			continue // of another machine than the default
		}
		if bound, all := best(t, decoded[answered](t, get(path+"&brief=true"))), best(t, decoded[answered](t, get(path))); bound != all {
			t.Errorf("%s: %d cycles at once, and %d with all that belongs to them", it.Name, bound, all)
		}
		a := decoded[answered](t, get(path+"&brief=true&set=issue.dependency_depth_cycles=5"))
		took = append(took, a.Millis)
		if a.Millis > 100 {
			slow++
			t.Logf("%s: %.0f ms", it.Name, a.Millis)
		}
	}
	if len(took) < 40 {
		t.Fatalf("%d launches were analysed of %d items", len(took), len(items))
	}
	slices.Sort(took)
	t.Logf("the bound is there again after %.1f ms (median), %.1f ms (95 %%), %.0f ms (most), of %d launches; %d took more than 100 ms", took[len(took)/2], took[len(took)*95/100], took[len(took)-1], len(took), slow)
}
