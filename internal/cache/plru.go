package cache

import "math/bits"

// trees is the tree-PLRU state of every set. The ways are the leaves of a complete
// binary tree; the bit of an inner node says in which half the next victim is (0:
// the lower ways). A use of a way turns the bits on its path away from it. Node 1
// is the root, nodes 2n and 2n+1 are below node n.
//
// The bits of a set are a row of words, and what a use of a way does to them is a
// row of masks, so that it costs one step up to 64 ways and four up to 256.
type trees struct {
	ways, levels int
	words        int      // 64-bit words of a set, in node and in used
	node         []uint64 // by set: bit n: node n
	used         []uint64 // by set: bit w: way w holds a line
	path         []uint64 // by way: the nodes above it
	away         []uint64 // by way: those of them that a use sets
}

func newTrees(sets, ways int) trees {
	words := (ways + 63) / 64
	t := trees{
		ways: ways, levels: bits.TrailingZeros(uint(ways)), words: words,
		node: make([]uint64, sets*words), used: make([]uint64, sets*words),
		path: make([]uint64, ways*words), away: make([]uint64, ways*words),
	}
	for way := range ways {
		n := 1
		for level := t.levels - 1; level >= 0; level-- {
			half := way >> level & 1
			t.path[way*words+n>>6] |= 1 << (n & 63)
			t.away[way*words+n>>6] |= uint64(1-half) << (n & 63)
			n = 2*n + half
		}
	}
	return t
}

// reset empties every way and points every tree at way 0.
func (t *trees) reset() {
	clear(t.node)
	clear(t.used)
}

// touch turns the path of a way away from it.
func (t *trees) touch(set, way int) {
	if t.words == 1 {
		t.node[set] = t.node[set]&^t.path[way] | t.away[way]
		return
	}
	path, away := t.path[way*t.words:], t.away[way*t.words:]
	for i := range t.node[set*t.words : (set+1)*t.words] {
		n := &t.node[set*t.words+i]
		*n = *n&^path[i] | away[i]
	}
}

// fill uses the lowest empty way, or the victim, and returns it.
func (t *trees) fill(set int) int {
	way := t.empty(set)
	if way < 0 {
		node := t.node[set*t.words : (set+1)*t.words]
		n := 1
		for range t.levels {
			n = 2*n + int(node[n>>6]>>(n&63)&1)
		}
		way = n - t.ways
	}
	t.used[set*t.words+way>>6] |= 1 << (way & 63)
	t.touch(set, way)
	return way
}

// empty is the lowest way without a line, -1 if there is none.
func (t *trees) empty(set int) int {
	for i, w := range t.used[set*t.words : (set+1)*t.words] {
		if way := 64*i + bits.TrailingZeros64(^w); ^w != 0 && way < t.ways {
			return way
		}
	}
	return -1
}

// free empties a way; the bits of the tree stay.
func (t *trees) free(set, way int) {
	t.used[set*t.words+way>>6] &^= 1 << (way & 63)
}
