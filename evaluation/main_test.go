package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warpbound/warpbound/evaluation/internal/kit"
	"github.com/warpbound/warpbound/internal/plot"
)

const root = ".."

// The page's tables are those of the data files.
func TestPageIsUpToDate(t *testing.T) {
	v, err := views(root)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(kit.Page)))
	if err != nil {
		t.Fatal(err)
	}
	filled, err := kit.Fill(string(text), v.Tables)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(text), filled); d != "" {
		t.Errorf("%s is out of date; run: go run ./evaluation -tables\n%s", kit.Page, d)
	}
}

func TestFiguresAreUpToDate(t *testing.T) {
	v, err := views(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(v.Figures) < 10 {
		t.Errorf("%d figures", len(v.Figures))
	}
	for _, f := range v.Figures {
		want, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(f.File)))
		if err != nil {
			t.Fatal(err)
		}
		got, err := f.Render(plot.SVG)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(want, got) {
			t.Errorf("%s is out of date; run: go run ./evaluation -tables", f.File)
		}
	}
}

func TestChoose(t *testing.T) {
	if all, err := choose(nil); err != nil || len(all) != len(evaluations) {
		t.Errorf("%d, %v", len(all), err)
	}
	if one, err := choose([]string{"huangfu2017"}); err != nil || len(one) != 1 || one[0].Name != "huangfu2017" {
		t.Errorf("%+v, %v", one, err)
	}
	if _, err := choose([]string{"huangfu"}); err == nil || !strings.Contains(err.Error(), "jeanmougin2025, huangfu2017, crouzet2024, forsberg2021") {
		t.Errorf("%v", err)
	}
	var b bytes.Buffer
	usage(&b)
	for _, e := range evaluations {
		if !strings.Contains(b.String(), e.Name+" ") || e.Doc == "" {
			t.Errorf("usage says nothing of %s", e.Name)
		}
	}
}
