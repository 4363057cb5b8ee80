package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"regexp"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"github.com/warpbound/warpbound/internal/version"
)

var day = time.Date(2026, 11, 23, 12, 30, 0, 0, time.UTC)

func files() []file {
	return []file{{"warpbound", 0o755, bytes.Repeat([]byte("code"), 1000)}, {"man/man1/warpbound.1", 0o644, []byte("page\n")}, {"LICENSE", 0o644, nil}}
}

// The archive does not depend on the order in which files were found, holds them with their
// modes, and knows no time but the one given.
func TestArchives(t *testing.T) {
	turned := files()
	slices.Reverse(turned)
	for name, pack := range map[string]func(string, []file, time.Time) ([]byte, error){"tar": tarball, "zip": zipped} {
		a, err := pack("top", files(), day)
		if err != nil {
			t.Fatal(err)
		}
		b, err := pack("top", turned, day)
		if err != nil || !bytes.Equal(a, b) {
			t.Errorf("%s: another order gives other bytes, %v", name, err)
		}
		if c, err := pack("top", files(), day.Add(time.Hour)); err != nil || bytes.Equal(a, c) {
			t.Errorf("%s: another time gives the same bytes, %v", name, err)
		}
	}
	data, err := tarball("top", files(), day)
	if err != nil {
		t.Fatal(err)
	}
	zr, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for tr := tar.NewReader(zr); ; {
		h, err := tr.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, h.Name)
		if want := int64(0o644); h.Name == "top/warpbound" {
			if want = 0o755; h.Mode != want || h.Size != 4000 {
				t.Errorf("%s: mode %o, %d bytes", h.Name, h.Mode, h.Size)
			}
		} else if h.Mode != want {
			t.Errorf("%s: mode %o", h.Name, h.Mode)
		}
		if !h.ModTime.Equal(day) || h.Uid != 0 {
			t.Errorf("%s: of %v, owner %d", h.Name, h.ModTime, h.Uid)
		}
	}
	if want := []string{"top/LICENSE", "top/man/man1/warpbound.1", "top/warpbound"}; !slices.Equal(names, want) {
		t.Errorf("files %q, want %q", names, want)
	}
	if data, err = zipped("top", files(), day); err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil || len(z.File) != 3 || z.File[2].Mode() != 0o755 || !z.File[0].Modified.Equal(day) {
		t.Errorf("zip: %v, %v", z, err)
	}
}

func TestSBOM(t *testing.T) {
	info := &debug.BuildInfo{
		GoVersion: "go1.26.8", Main: debug.Module{Path: "github.com/warpbound/warpbound"},
		Deps:     []*debug.Module{{Path: "z.org/z", Version: "v1.0.0+incompatible", Sum: "h1:z"}, {Path: "a.org/a", Version: "v0.2.0", Sum: "h1:a"}},
		Settings: []debug.BuildSetting{{Key: "GOOS", Value: "linux"}, {Key: "GOARCH", Value: "amd64"}},
	}
	c := commit{"0123abcd", day}
	text, err := sbom(info, c)
	if err != nil {
		t.Fatal(err)
	}
	var d document
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	if d.Format != "CycloneDX" || d.Spec != "1.5" || d.Version != 1 || d.Metadata.Timestamp != "2026-11-23T12:30:00Z" || d.Metadata.Component.Version != "v"+version.Release {
		t.Errorf("%+v", d)
	}
	// The form that the schema of CycloneDX 1.5 asks of a serial number.
	if !regexp.MustCompile(`^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`).MatchString(d.Serial) {
		t.Errorf("serial number %s", d.Serial)
	}
	var refs []string
	for _, p := range d.Components {
		refs = append(refs, p.Ref)
	}
	if len(refs) != 4 || refs[0] != "pkg:golang/a.org/a@v0.2.0" || refs[1] != "pkg:golang/std@go1.26.8" || refs[2] != "pkg:golang/z.org/z@v1.0.0%2Bincompatible" || !regexp.MustCompile(`^pkg:npm/highs@\d+\.\d+\.\d+$`).MatchString(refs[3]) {
		t.Errorf("components %q", refs)
	}
	if len(d.Dependencies) != 1 || !slices.Equal(d.Dependencies[0].DependsOn, refs) {
		t.Errorf("dependencies %+v", d.Dependencies)
	}
	other, err := sbom(info, commit{"4567", day})
	if err != nil || bytes.Equal(text, other) {
		t.Errorf("another commit, the same list: %v", err)
	}
	info.Deps[0].Replace = &debug.Module{Path: "../z"}
	if _, err := sbom(info, c); err == nil {
		t.Error("a module that nobody else has is released")
	}
}
