package warpbound

import (
	"github.com/warpbound/warpbound/internal/report"
	"github.com/warpbound/warpbound/internal/version"
)

// Build says which warpbound this is.
type Build struct {
	Version  string // a release, "devel" for a build from a checkout
	Commit   string // "unknown" where the build has none; "+dirty" for uncommitted changes
	GPUFiles string // hash of the presets
}

// Version is the running build.
func Version() Build {
	is := version.Get()
	return Build{Version: is.Version, Commit: is.Commit, GPUFiles: is.GPUHash}
}

// Report is the build as the command version prints it.
func (Build) Report() (*Report, error) { return &Report{report.Version()}, nil }
