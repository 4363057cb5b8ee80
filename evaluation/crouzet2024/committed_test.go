package crouzet2024

import (
	"path/filepath"
	"testing"
)

var root = filepath.Join("..", "..")

func committed(t *testing.T) *results {
	t.Helper()
	r, err := read(root)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
