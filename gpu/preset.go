package gpu

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"

	"github.com/warpbound/warpbound/internal/conf"
)

//go:embed presets/*.toml
var presetFS embed.FS

// PresetInfo is a line of `gpu list`.
type PresetInfo struct {
	Name, Description string
}

func presetFile(name string) string { return "presets/" + name + ".toml" }

func presetText(name string) ([]byte, bool) {
	data, err := presetFS.ReadFile(presetFile(name))
	return data, err == nil
}

// presetNames lists the presets with numbers in the order of their values, so
// that ecrts2025-5 comes before ecrts2025-10.
func presetNames() []string {
	entries, err := presetFS.ReadDir("presets")
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), path.Ext(e.Name())))
	}
	slices.SortFunc(names, func(a, b string) int {
		i, j := strings.LastIndexByte(a, '-')+1, strings.LastIndexByte(b, '-')+1
		if i > 0 && i == j && a[:i] == b[:j] && len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
	return names
}

// Presets lists the embedded descriptions.
func Presets() ([]PresetInfo, error) {
	var infos []PresetInfo
	for _, name := range presetNames() {
		d, err := Preset(name)
		if err != nil {
			return nil, err
		}
		infos = append(infos, PresetInfo{d.Name, d.Description})
	}
	return infos, nil
}

// Preset returns an embedded description.
func Preset(name string) (*Description, error) {
	return preset(name, nil)
}

func preset(name string, set []string) (*Description, error) {
	data, ok := presetText(name)
	if !ok {
		return nil, fmt.Errorf("no GPU preset %q, %s", name, conf.Suggest(name, presetNames()))
	}
	tree, ok := presetTrees.Load(name)
	if !ok {
		root, err := parse(presetFile(name), data, 0)
		if err != nil {
			return nil, err
		}
		tree, _ = presetTrees.LoadOrStore(name, root)
	}
	return describe(tree.(*conf.Node).Clone(), set)
}

// presetTrees are the trees of the presets parsed so far, by name, which are
// never changed: campaigns and comparisons open the same few presets thousands
// of times.
var presetTrees sync.Map

// PresetText returns the file of a preset as it is embedded, comments included.
func PresetText(name string) ([]byte, error) {
	data, ok := presetText(name)
	if !ok {
		return nil, fmt.Errorf("no GPU preset %q, %s", name, conf.Suggest(name, presetNames()))
	}
	return data, nil
}

// Open returns the description that a command line names: a preset, or else a
// file, with `key=value` settings applied in order (docs/gpu-format.md,
// "Settings"). Names with a slash or ending in .toml are always files.
func Open(nameOrPath string, set []string) (*Description, error) {
	if _, ok := presetText(nameOrPath); ok {
		return preset(nameOrPath, set)
	}
	if !strings.ContainsAny(nameOrPath, `/\`) && !strings.HasSuffix(nameOrPath, ".toml") {
		return nil, fmt.Errorf("no GPU preset %q, %s", nameOrPath, conf.Suggest(nameOrPath, presetNames()))
	}
	data, err := conf.Read(nameOrPath)
	if err != nil {
		return nil, fmt.Errorf("GPU file: %w", err)
	}
	return load(nameOrPath, data, set)
}

// Hash identifies the embedded files: SHA-256 over their names, sizes and
// contents in order of name, in hexadecimal.
func Hash() string {
	h := sha256.New()
	for _, name := range presetNames() {
		data, _ := presetText(name)
		fmt.Fprintf(h, "%s %d\n", name, len(data))
		h.Write(data)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Encode writes the description as a GPU file that Load reads back equal, with
// settings applied and without comments and base.
func (d *Description) Encode() ([]byte, error) {
	var b bytes.Buffer
	if err := toml.NewEncoder(&b).Encode(d); err != nil {
		return nil, fmt.Errorf("encoding GPU description %s: %w", d.Name, err)
	}
	return b.Bytes(), nil
}

// MarshalJSON writes the description with the keys of the file in their order,
// and the settings applied to it under "overrides".
func (d *Description) MarshalJSON() ([]byte, error) {
	text, err := conf.JSON(d)
	if err != nil {
		return nil, err
	}
	overrides, err := json.Marshal(append([]string{}, d.Overrides...))
	if err != nil {
		return nil, err
	}
	text = append(bytes.TrimSuffix(text, []byte("}")), `,"overrides":`...)
	return append(append(text, overrides...), '}'), nil
}
