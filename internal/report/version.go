package report

import (
	"fmt"

	"github.com/warpbound/warpbound/internal/version"
)

// Version says which warpbound this is.
func Version() *Document {
	info := version.Get()
	return Sentences("version", Written(info, nil), info, func(p *Printer) {
		name := info.Version
		if name != version.Release {
			name += ", after release " + version.Release
		}
		fmt.Fprintf(p, "warpbound %s\ncommit    %s\ngpu files %s\n", name, info.Commit, info.GPUHash)
	})
}
