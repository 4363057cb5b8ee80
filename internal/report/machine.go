package report

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/version"
)

// MachineIdentity is the part of a document that says which description of a GPU
// it is about: a name alone does not tell where settings were changed, or where
// a file of the user's has the name of another.
type MachineIdentity struct {
	GPU string `json:"gpu"`
	// Settings are the key=value overrides applied, in order.
	Settings []string `json:"gpu_settings"`
	// SHA256 is of the description, settings applied, as `gpu show` prints it.
	SHA256 string `json:"gpu_sha256"`
}

// settings are the overrides of a description on one line.
func (m *MachineIdentity) settings() string { return strings.Join(m.Settings, "; ") }

func identity(d *gpu.Description) (MachineIdentity, error) {
	text, err := d.Encode()
	if err != nil {
		return MachineIdentity{}, err
	}
	sum := sha256.Sum256(text)
	return MachineIdentity{GPU: d.Name, Settings: append([]string{}, d.Overrides...), SHA256: hex.EncodeToString(sum[:])}, nil
}

// note says in a picture which GPU, with what settings, and which warpbound it is of.
func (m *MachineIdentity) note() string {
	s := m.GPU
	if len(m.Settings) > 0 {
		s += " with " + strings.Join(m.Settings, ", ")
	}
	return s + "; warpbound " + version.Get().Version
}

// machineName is the name of a description with the settings that change it.
func machineName(d *gpu.Description) string {
	if len(d.Overrides) == 0 {
		return d.Name
	}
	return fmt.Sprintf("%s with %s", d.Name, strings.Join(d.Overrides, ", "))
}
