package highs

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tetratelabs/wazero"
)

// diskCache keeps the machine code of the module in a directory of its own,
// where nothing else may be kept. wazero checks
// the code it loads but not the table of its entry points, and a wrong entry
// may crash the process or, worse, go on: so every file has a seal beside it,
// the SHA-256 of its content, and is removed when they do not agree. That is
// against damage; who can write to the user's directory needs no such way in.
type diskCache struct{ dir string }

// sealSuffix is appended to the name of the file that is sealed.
const sealSuffix = ".sha256"

// userCache returns the cache in the user's cache directory, nil without one.
func userCache() *diskCache {
	dir, err := os.UserCacheDir()
	if err != nil {
		return nil
	}
	return &diskCache{filepath.Join(dir, "warpbound", "highs")}
}

// open returns the cache without damaged files, nil where it cannot be used.
func (c *diskCache) open() wazero.CompilationCache {
	for _, file := range c.files() {
		seal, err := os.ReadFile(file + sealSuffix)
		if err == nil && string(seal) == digest(file) {
			continue
		}
		if os.Remove(file) != nil {
			return nil
		}
		os.Remove(file + sealSuffix)
	}
	cache, err := wazero.NewCompilationCacheWithDir(c.dir)
	if err != nil {
		return nil
	}
	return cache
}

// seal seals the files that open did not find: those just written. A file that
// cannot be sealed is compiled again next time.
func (c *diskCache) seal() {
	for _, file := range c.files() {
		if _, err := os.Stat(file + sealSuffix); err == nil {
			continue
		}
		if d := digest(file); d != "" {
			// Written in one piece, so that no other process reads half of it.
			part := fmt.Sprintf("%s.%d.tmp", file, os.Getpid())
			if os.WriteFile(part, []byte(d), 0o600) != nil || os.Rename(part, file+sealSuffix) != nil {
				os.Remove(part)
			}
		}
	}
}

// files returns the files of machine code, of every version of wazero.
func (c *diskCache) files() []string {
	var code []string
	filepath.WalkDir(c.dir, func(path string, d fs.DirEntry, err error) error {
		// What cannot be listed cannot be loaded either.
		if err == nil && d.Type().IsRegular() && !strings.HasSuffix(path, sealSuffix) && !strings.HasSuffix(path, ".tmp") {
			code = append(code, path)
		}
		return nil
	})
	return code
}

// digest returns the SHA-256 of a file, "" if it cannot be read.
func digest(file string) string {
	data, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%x\n", sha256.Sum256(data))
}
