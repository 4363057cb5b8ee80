package dp

import (
	"testing"

	"github.com/warpbound/warpbound/internal/method/makespan/internal/reference"
)

// explore calls f once for every state that can follow from n, n included.
func explore(s *space, n []int, f func(n []int)) {
	seen := map[string]bool{}
	key := func(n []int) string {
		b := make([]byte, len(n))
		for i, v := range n {
			b[i] = byte(v)
		}
		return string(b)
	}
	stack := [][]int{n}
	seen[key(n)] = true
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		f(n)
		newChoices(s).each(n, func(moves []int) bool {
			next := append([]int(nil), n...)
			for i, x := range moves {
				next[i] += x
			}
			if k := key(next); !seen[k] {
				seen[k] = true
				stack = append(stack, next)
			}
			return false
		})
	}
}

// Every state that can be reached, from the start or from a state on the way, is in
// the space, has a number of its own, and has no longer queue than claimed.
func TestSpaceHoldsWhatCanBeReached(t *testing.T) {
	capped := 0
	for _, text := range append(reference.Strings("LC", 5), "LLCLLCLL", "LCCLLC", "LMCLMC", "LMLCC", "CLCMLC") {
		for _, c := range reference.Tuples(3, 2) {
			c = append([]int64(nil), c...)
			c[1] *= 2 // 2 and 4, so that longer runs are never contested
			in := reference.Instance(t, text, 6, c...)
			var from []int
			states := 0
			explore(newSpace(in, make([]int, len(in.Code))), make([]int, len(in.Code)), func(n []int) {
				if states++; states%7 == 3 {
					from = n
				}
			})
			for _, start := range [][]int{make([]int, len(in.Code)), from} {
				if start == nil {
					continue
				}
				s := newSpace(in, start)
				l := newLayout(s, s.total, true)
				if l.cells != s.total || l.keep != s.warps {
					t.Fatalf("%s %v: %d cells for %d states", text, c, l.cells, s.total)
				}
				sw := newSweep(s, l, make([]uint16, l.cells), 1, 1)
				used := make([]bool, s.total)
				explore(s, start, func(n []int) {
					if at := sw.at(n); at < 0 || at >= len(used) || used[at] {
						t.Errorf("%s %v: state %v has number %d", text, c, n, at)
					} else {
						used[at] = true
					}
					ways := 0
					newChoices(s).each(n, func([]int) bool { ways++; return false })
					if float64(ways) > s.ways() {
						t.Errorf("%s %v: %d ways on from %v, at most %v claimed", text, c, ways, n, s.ways())
					}
					waiting := make([]int, len(s.capacity))
					before := s.warps
					for i, k := range s.code {
						waiting[k] += before - n[i]
						if n[i] < s.low[i] || before-n[i] > s.waiting[i] {
							t.Errorf("%s %v: %v is not in the space", text, c, n)
						}
						before = n[i]
					}
					for k, w := range waiting {
						if w > s.limit[k] {
							t.Errorf("%s %v: %d warps wait for a kind in %v, at most %d claimed", text, c, w, n, s.limit[k])
						}
					}
				})
				for _, limit := range s.limit {
					if limit < s.warps {
						capped++
					}
				}
			}
		}
	}
	if capped == 0 {
		t.Error("no instance with a kind that is never contested")
	}
}

func TestQueueLimits(t *testing.T) {
	for _, c := range []struct {
		text string
		caps []int64
		want []int // 9: none
	}{
		{"LLCLL", []int64{1, 1}, []int{9, 1}},
		{"LLCLL", []int64{2, 1}, []int{9, 9}}, // two can come at once
		{"LLCCL", []int64{1, 1}, []int{9, 9}}, // each that comes stays two cycles
		{"LLCCL", []int64{1, 2}, []int{9, 2}},
		{"CLLC", []int64{2, 1}, []int{2, 9}}, // everybody waits for C at first
		{"LMC", []int64{1, 1, 1}, []int{9, 1, 1}},
		{"LCMC", []int64{1, 1, 1}, []int{9, 9, 1}}, // C is fed by two kinds, M by C
		{"LCMC", []int64{1, 2, 2}, []int{9, 9, 2}},
		{"LCMC", []int64{1, 3, 3}, []int{9, 9, 3}},
	} {
		in := reference.Instance(t, c.text, 9, c.caps...)
		got := newSpace(in, make([]int, len(in.Code))).limit
		for i, k := range in.Kinds {
			if want := c.want[indexOf(k.Letter)]; got[i] != want {
				t.Errorf("%s %v: at most %d wait for %c, expected %d", c.text, c.caps, got[i], k.Letter, want)
			}
		}
	}
}

func indexOf(letter byte) int {
	for i := range len(reference.Letters) {
		if reference.Letters[i] == letter {
			return i
		}
	}
	return -1
}
