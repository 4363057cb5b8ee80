package conf

import (
	"cmp"
	"slices"
	"strings"
)

// Near returns the up to three candidates that differ least from word, nearest
// first, leaving out those with nothing in common with it.
func Near(word string, candidates []string) []string {
	type scored struct {
		name     string
		distance int
	}
	var near []scored
	for _, c := range candidates {
		d := editDistance(strings.ToLower(word), strings.ToLower(c))
		contains := len(word) >= 3 && strings.Contains(strings.ToLower(c), strings.ToLower(word))
		if d <= 1+len(c)/3 || contains {
			near = append(near, scored{c, d})
		}
	}
	slices.SortStableFunc(near, func(a, b scored) int { return cmp.Compare(a.distance, b.distance) })
	names := make([]string, min(len(near), 3))
	for i := range names {
		names[i] = near[i].name
	}
	return names
}

// Suggest is the end of a message about an unknown word: the nearest known
// words, or all of them where none is near.
func Suggest(word string, candidates []string) string {
	if near := Near(word, candidates); len(near) > 0 {
		return "did you mean " + List(near) + "?"
	}
	return "expected one of " + List(candidates)
}

// List joins names as `a, b or c`.
func List(names []string) string {
	switch len(names) {
	case 0:
		return "none"
	case 1:
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

// editDistance is the least number of bytes inserted, removed, replaced or
// swapped with their neighbour that turns a into b. Long words are cut, which
// only makes a suggestion worse.
func editDistance(a, b string) int {
	const longest = 64
	a, b = a[:min(len(a), longest)], b[:min(len(b), longest)]
	var rows [3][longest + 1]int // of the last two bytes of a, and of this one
	before, last, row := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j]+cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
