package l1d

// warpHeap is a binary heap of warps with a next access; the first is the one
// whose access is sent next.
type warpHeap []*orderWarp

func (a *orderWarp) before(b *orderWarp) bool {
	if c := comparePoints(a.key, b.key); c != 0 {
		return c < 0
	}
	if a.access.Block != b.access.Block {
		return a.access.Block < b.access.Block
	}
	return a.access.Warp < b.access.Warp
}

// comparePoints is negative where point a comes before b.
func comparePoints(a, b []int64) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			if a[i] < b[i] {
				return -1
			}
			return 1
		}
	}
	return len(a) - len(b)
}

func (h *warpHeap) push(w *orderWarp) {
	*h = append(*h, w)
	s := *h
	for i := len(s) - 1; i > 0; {
		up := (i - 1) / 2
		if !s[i].before(s[up]) {
			return
		}
		s[i], s[up] = s[up], s[i]
		i = up
	}
}

// pop removes the first.
func (h *warpHeap) pop() {
	s := *h
	n := len(s) - 1
	s[0] = s[n]
	s[n] = nil
	*h = s[:n]
	if n > 0 {
		h.down(0)
	}
}

// down restores the order after the warp at i has got a later access.
func (h *warpHeap) down(i int) {
	s := *h
	for {
		least := 2*i + 1
		if least >= len(s) {
			return
		}
		if right := least + 1; right < len(s) && s[right].before(s[least]) {
			least = right
		}
		if !s[least].before(s[i]) {
			return
		}
		s[i], s[least] = s[least], s[i]
		i = least
	}
}
