package report

import (
	"fmt"

	"github.com/warpbound/warpbound/internal/version"
)

// Version says which warpbound this is.
func Version() *Document {
	info := version.Get()
	name := info.Version
	if name != version.Release {
		name += ", after release " + version.Release
	}
	return &Document{Kind: "version", Provenance: Written(info, nil), JSON: info, Sections: []Section{{
		ID: "version", Lead: fmt.Sprintf("warpbound %s\ncommit    %s\ngpu files %s\n", name, info.Commit, info.GPUHash),
	}}}
}
