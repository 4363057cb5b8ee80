package report

import (
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/version"
)

// GPUListDocument is the JSON form of the list of presets (docs/json.md).
type GPUListDocument struct {
	Warpbound version.Info `json:"warpbound"`
	Presets   []GPUPreset  `json:"presets"`
}

// GPUPreset is a description that comes with warpbound.
type GPUPreset struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// GPUShowDocument is the JSON form of a description (docs/json.md).
type GPUShowDocument struct {
	Warpbound version.Info     `json:"warpbound"`
	GPU       *gpu.Description `json:"gpu"`
}

// GPUList lists presets.
func GPUList(presets []gpu.PresetInfo) *Document {
	d := &GPUListDocument{Warpbound: version.Get()}
	for _, p := range presets {
		d.Presets = append(d.Presets, GPUPreset(p))
	}
	rows := NewSheet("presets[]", d.Presets, []Of[GPUPreset]{
		{Column{ID: "name", Heading: "preset"}, func(p *GPUPreset) any { return p.Name }},
		{Column{ID: "description", Heading: "description"}, func(p *GPUPreset) any { return p.Description }},
	})
	return &Document{Kind: "gpu-list", Provenance: Written(d.Warpbound, nil), JSON: d, Sections: []Section{{ID: "presets", Sheet: rows}}}
}

// GPUShow shows a description, which encoded is text.
func GPUShow(g *gpu.Description) (*Document, error) {
	id, err := identity(g)
	if err != nil {
		return nil, err
	}
	text, err := g.Encode()
	if err != nil {
		return nil, err
	}
	d := &GPUShowDocument{version.Get(), g}
	return &Document{Kind: "gpu-show", Provenance: Written(d.Warpbound, nil, id), JSON: d, Sections: []Section{{ID: "description", Lead: string(text), Listing: true}}}, nil
}
