package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
)

// The parts of SARIF 2.1.0 (OASIS, 2020) that are written.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool              `json:"tool"`
		Invocations []sarifInvocation      `json:"invocations"`
		Bases       map[string]sarifSource `json:"originalUriBaseIds"`
		ColumnKind  string                 `json:"columnKind"`
		Results     []sarifResult          `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version"`
		URI     string      `json:"informationUri"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID    string    `json:"id"`
		Short sarifText `json:"shortDescription"`
		Help  sarifText `json:"help"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifInvocation struct {
		Successful bool   `json:"executionSuccessful"`
		Command    string `json:"commandLine"`
	}
	sarifSource struct {
		Description sarifText `json:"description"`
	}
	sarifResult struct {
		Rule         string            `json:"ruleId"`
		Index        int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Message      sarifText         `json:"message"`
		Locations    []sarifLocation   `json:"locations"`
		Related      []sarifLocation   `json:"relatedLocations,omitempty"`
		Fingerprints map[string]string `json:"partialFingerprints"`
	}
	sarifLocation struct {
		ID       *int          `json:"id,omitempty"`
		Physical sarifPhysical `json:"physicalLocation"`
		Message  *sarifText    `json:"message,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI  string `json:"uri"`
		Base string `json:"uriBaseId,omitempty"`
	}
	sarifRegion struct {
		Line   int64 `json:"startLine"`
		Column int64 `json:"startColumn,omitempty"`
	}
)

// projectRoot is what paths are relative to: the directory of the project file, or the
// one that the launches were named from.
const projectRoot = "PROJECTROOT"

// SARIF is the findings of the assessment as SARIF 2.1.0, for services that show them at
// source lines.
func (d *AssessmentDocument) SARIF() ([]byte, error) {
	run := sarifRun{
		Tool:        sarifTool{sarifDriver{Name: "warpbound", Version: d.Warpbound.Version, URI: "https://github.com/warpbound/warpbound"}},
		Invocations: []sarifInvocation{{Successful: d.Complete, Command: d.Command}},
		Bases:       map[string]sarifSource{projectRoot: {sarifText{"the directory of the project file, or that in which warpbound was called"}}},
		ColumnKind:  "unicodeCodePoints", Results: []sarifResult{},
	}
	rules := Rules()
	for _, r := range rules {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{ID: r.ID, Short: sarifText{r.Short}, Help: sarifText{r.Help}})
	}
	for i := range d.Findings {
		f := &d.Findings[i]
		x := sarifResult{
			Rule: f.Rule, Index: slices.IndexFunc(rules, func(r Rule) bool { return r.ID == f.Rule }), Level: f.Level,
			Message: sarifText{f.Message}, Locations: []sarifLocation{d.sarifPlace(f.At)}, Fingerprints: d.fingerprint(f),
		}
		for j, p := range f.Related {
			at := d.sarifPlace(p)
			at.ID, at.Message = &j, &sarifText{"stated here"}
			x.Related = append(x.Related, at)
		}
		run.Results = append(run.Results, x)
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetIndent("", "  ")
	if err := enc.Encode(sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}}); err != nil {
		return nil, fmt.Errorf("writing SARIF: %w", err)
	}
	return out.Bytes(), nil
}

// sarifPlace is a place relative to the project.
func (d *AssessmentDocument) sarifPlace(p Place) sarifLocation {
	path, base := p.File, projectRoot
	if d.Project != "" {
		if relative, err := filepath.Rel(filepath.Dir(d.Project), path); err == nil {
			path = relative
		}
	}
	u := url.URL{Path: filepath.ToSlash(path)}
	if filepath.IsAbs(path) {
		u.Scheme, base = "file", ""
		if !strings.HasPrefix(u.Path, "/") { // C:/...
			u.Path = "/" + u.Path
		}
	}
	out := sarifLocation{Physical: sarifPhysical{Artifact: sarifArtifact{URI: u.String(), Base: base}}}
	if p.Line > 0 {
		out.Physical.Region = &sarifRegion{Line: p.Line, Column: p.Column}
	}
	return out
}

// fingerprint tells a finding from others whatever the lines around it: by its rule and
// what it is about, and for assumptions by their id.
func (d *AssessmentDocument) fingerprint(f *Finding) map[string]string {
	about := f.Rule + "\n"
	if f.Case != nil {
		about += d.Cases[*f.Case].Name() + "\n"
	}
	switch f.Rule {
	case RuleAssumption, RuleUnused, RuleInput, RuleLoopBound:
		about += f.Message
	}
	sum := sha256.Sum256([]byte(about))
	return map[string]string{"warpbound/v1": hex.EncodeToString(sum[:16])}
}
