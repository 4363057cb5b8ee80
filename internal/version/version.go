// Package version says which warpbound this is. Every JSON document carries it.
package version

import (
	"runtime/debug"

	"github.com/warpbound/warpbound/gpu"
)

// Release is the last release: the newest heading of CHANGELOG.md with a date.
const Release = "0.1.0"

// Version is the release that this build is; a build from a checkout is "devel".
// Release builds (scripts/release) set it to Release with -ldflags "-X".
var Version = "devel"

// Info identifies a build.
type Info struct {
	Version string `json:"version"`
	Commit  string `json:"commit"`    // "unknown" where the build has none; "+dirty" for uncommitted changes
	GPUHash string `json:"gpu_files"` // hash of the embedded GPU descriptions
}

// Get identifies the running build.
func Get() Info {
	info := Info{Version: Version, Commit: "unknown", GPUHash: gpu.Hash()}
	b, ok := debug.ReadBuildInfo()
	if !ok {
		return info
	}
	dirty := false
	for _, s := range b.Settings {
		switch s.Key {
		case "vcs.revision":
			info.Commit = s.Value
		case "vcs.modified":
			dirty = s.Value == "true"
		}
	}
	if dirty {
		info.Commit += "+dirty"
	}
	return info
}
