package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/warpbound/warpbound/internal/milp/highs"
	"github.com/warpbound/warpbound/internal/version"
)

// document is a list of what a binary is made of, as CycloneDX 1.5 writes it.
type document struct {
	Format       string       `json:"bomFormat"`
	Spec         string       `json:"specVersion"`
	Serial       string       `json:"serialNumber"`
	Version      int          `json:"version"`
	Metadata     metadata     `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type metadata struct {
	Timestamp string    `json:"timestamp"`
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	PURL       string     `json:"purl"`
	Licenses   []license  `json:"licenses,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type license struct {
	License struct {
		ID string `json:"id"`
	} `json:"license"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type dependency struct {
	Ref       string   `json:"ref"`
	DependsOn []string `json:"dependsOn"`
}

// sbom lists the modules that the linker put into a binary, Go's library, and the solver that
// it carries as WebAssembly.
func sbom(info *debug.BuildInfo, c commit) ([]byte, error) {
	setting := func(key string) string {
		for _, s := range info.Settings {
			if s.Key == key {
				return s.Value
			}
		}
		return ""
	}
	main := golang(info.Main.Path, "v"+version.Release)
	main.Type, main.Licenses = "application", licensed("Apache-2.0")
	main.Properties = []property{{"commit", c.hash}, {"GOOS", setting("GOOS")}, {"GOARCH", setting("GOARCH")}}
	parts := []component{golang("std", info.GoVersion), solver()}
	for _, m := range info.Deps {
		if m.Replace != nil {
			return nil, fmt.Errorf("module %s is replaced by %s, expected a published one", m.Path, m.Replace.Path)
		}
		p := golang(m.Path, m.Version)
		p.Properties = []property{{"go.sum", m.Sum}}
		parts = append(parts, p)
	}
	slices.SortFunc(parts, func(a, b component) int { return cmp.Compare(a.Ref, b.Ref) })
	all := dependency{Ref: main.Ref}
	for _, p := range parts {
		all.DependsOn = append(all.DependsOn, p.Ref)
	}
	seed := sha256.Sum256([]byte(c.hash + setting("GOOS") + setting("GOARCH")))
	seed[6], seed[8] = seed[6]&0x0f|0x80, seed[8]&0x3f|0x80 // a UUID of version 8
	doc := document{
		Format: "CycloneDX", Spec: "1.5", Version: 1,
		Serial:     fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", seed[:4], seed[4:6], seed[6:8], seed[8:10], seed[10:16]),
		Metadata:   metadata{c.time.Format(time.RFC3339), main},
		Components: parts, Dependencies: []dependency{all},
	}
	text, err := json.MarshalIndent(doc, "", "  ")
	return append(text, '\n'), err
}

func golang(path, version string) component {
	purl := "pkg:golang/" + path + "@" + strings.ReplaceAll(version, "+", "%2B")
	return component{Type: "library", Ref: purl, Name: path, Version: version, PURL: purl}
}

// solver is HiGHS, of which package highs says "HiGHS 1.2.3 (npm highs 1.2.3)".
func solver() component {
	_, npm, _ := strings.Cut(highs.Solver{}.Version(), "(npm highs ")
	npm = strings.TrimSuffix(npm, ")")
	purl := "pkg:npm/highs@" + npm
	return component{Type: "library", Ref: purl, Name: "highs", Version: npm, PURL: purl, Licenses: licensed("MIT")}
}

func licensed(id string) []license {
	var l license
	l.License.ID = id
	return []license{l}
}
