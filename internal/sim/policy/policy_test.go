package policy

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	for in, want := range map[string]Policy{
		"lrr":          {Name: "lrr"},
		"gto":          {Name: "gto"},
		"srr":          {Name: "srr"},
		"gsrr":         {Name: "gsrr"},
		"segments":     {Name: "segments"},
		"oldest":       {Name: "oldest"},
		"ahead":        {Name: "ahead"},
		"behind":       {Name: "behind"},
		"two-level:4":  {Name: "two-level", Param: 4},
		"random:17":    {Name: "random", Seed: 17},
		"starve:3":     {Name: "starve", Param: 3},
		"script:0,2,1": {Name: "script", Script: []int{0, 2, 1}},
	} {
		p, err := Parse(in)
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		if d := cmp.Diff(want, p); d != "" {
			t.Errorf("%s:\n%s", in, d)
		}
		if p.String() != in {
			t.Errorf("%s prints as %s", in, p)
		}
		if p.WorkConserving() == (p.Name == "srr" || p.Name == "gsrr" || p.Name == "segments") {
			t.Errorf("%s: work conserving %t", in, p.WorkConserving())
		}
	}
	if p, err := Parse("two-level"); err != nil || p.Param != defaultGroup {
		t.Errorf("two-level without a size: %+v, %v", p, err)
	}
	for _, in := range []string{"", "fair", "lrr:1", "random:x", "two-level:0", "two-level:x", "starve:-1", "script:a"} {
		if p, err := Parse(in); err == nil {
			t.Errorf("%q is accepted as %+v", in, p)
		}
	}
	for _, name := range Names() {
		if _, err := Parse(name); err != nil {
			t.Errorf("the listed policy %s: %v", name, err)
		}
	}
}

// What each policy picks, issue after issue, while all of five warps stay ready
// and, from the fourth issue on, warp 1 is not.
func TestPolicyOrders(t *testing.T) {
	for policy, want := range map[string][]int{
		"lrr":         {0, 1, 2, 3, 4, 0, 2},
		"gto":         {2, 2, 2, 2, 2, 2, 2}, // slot 2 holds the oldest warp
		"oldest":      {2, 2, 2, 2, 2, 2, 2},
		"srr":         {0, 1, 2, 3, 4, 0, -1},
		"gsrr":        {0, 0, 0, 0, 0, 0, 0},
		"segments":    {0, 0, 0, 0, 0, 0, 0}, // nothing says that the segment ends
		"two-level:2": {0, 1, 0, 0, 0, 0, 0},
		"starve:2":    {0, 1, 3, 4, 0, 3, 4},
		"ahead":       {3, 3, 3, 3, 3, 3, 3}, // slot 3 has issued most
		"behind":      {4, 1, 4, 4, 4, 4, 4}, // slots 4 and 1 have issued least, 4 one less
	} {
		p, err := Parse(policy)
		if err != nil {
			t.Fatal(err)
		}
		pick := p.Picker(0, 0)
		c := &Candidates{Turn: []uint64{0b11111}, Age: []int64{5, 6, 1, 7, 8}, Issued: []int64{20, 11, 20, 30, 10}, Stride: 1}
		var got []int
		for n := range want {
			c.Ready = []uint64{0b11111}
			if n >= 3 {
				c.Ready = []uint64{0b11101}
			}
			i, err := pick.Pick(c)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, i)
			if i >= 0 {
				c.Issued[i]++
				pick.IssuedFrom(i, c)
			}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s:\n%s", policy, d)
		}
	}
}

// A random policy picks every ready warp about equally often, and repeats
// itself with the same seed.
func TestRandomPolicy(t *testing.T) {
	run := func() (counts [130]int) {
		pick := Policy{Name: "random", Seed: 4}.Picker(0, 0)
		c := &Candidates{Ready: []uint64{1<<63 | 1, 0, 0b10}, Stride: 1}
		for range 3000 {
			i, err := pick.Pick(c)
			if err != nil {
				t.Fatal(err)
			}
			counts[i]++
		}
		return counts
	}
	counts := run()
	for _, i := range []int{0, 63, 129} {
		if counts[i] < 900 || counts[i] > 1100 {
			t.Errorf("warp %d picked %d times of 3000", i, counts[i])
		}
	}
	if counts != run() {
		t.Error("the same seed picks differently")
	}
}
