package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/warpbound/warpbound/internal/report"
	"github.com/warpbound/warpbound/internal/testkit/golden"
	"github.com/warpbound/warpbound/internal/testkit/settings"
)

// gallery is the folder of what the repository shows.
const gallery = "docs/gallery"

// TestGalleryReport makes the reports of the gallery. The short one is compared to the
// byte; of the page, which every change of a figure anywhere changes, the verdicts are, and
// the hashes of the files that it is of.
func TestGalleryReport(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	made := t.TempDir()
	args := []string{"report", "--project", gallery + "/warpbound.toml"}
	for _, name := range []string{"report.md", "report.html", "report.json"} {
		args = append(args, "-o", filepath.Join(made, name))
	}
	var out, errs bytes.Buffer
	if code := run(context.Background(), args, &out, &errs); code != 0 || out.Len() > 0 || errs.Len() > 0 {
		t.Fatalf("exit code %d\n%s%s", code, &out, &errs)
	}
	read := func(name string) []byte {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	golden.File(t, gallery+"/report.md", read(filepath.Join(made, "report.md")))
	page := gallery + "/report.html"
	if settings.Updating(t) {
		golden.File(t, page, read(filepath.Join(made, "report.html")))
	}
	var document struct { // what is looked at of it
		Cases []struct {
			Launch, Kernel string
			Cycles         int64
			Inputs         []report.InputDocument
		}
	}
	if err := json.Unmarshal(read(filepath.Join(made, "report.json")), &document); err != nil {
		t.Fatal(err)
	}
	shown := read(page)
	if n := len(document.Cases); n < 4 {
		t.Errorf("%d cases", n)
	}
	for i := range document.Cases {
		c := &document.Cases[i]
		wants := []string{fmt.Sprintf("data-value=\"%d\"", c.Cycles), c.Kernel}
		for _, in := range c.Inputs {
			wants = append(wants, in.SHA256)
		}
		for _, want := range wants {
			if !bytes.Contains(shown, []byte(want)) {
				t.Errorf("%s: nothing of %s, which is %s now: make golden writes it anew", page, want, c.Launch)
			}
		}
	}
	const most = 1 << 20
	if len(shown) > most {
		t.Errorf("%s has %d bytes, expected at most %d", page, len(shown), most)
	}
}
