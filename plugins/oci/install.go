package oci

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/plugins"
)

// Install writes a plugin's files, the module first in the list, to a plugins folder. A file that is there with the same content is left as
// it is. The module is written last: with it a gateway takes the others.
func Install(dir string, files []File) error {
	if err := removeStaleCompanions(dir, files); err != nil {
		return err
	}
	for k := range files {
		f := files[len(files)-1-k]
		path := filepath.Join(dir, f.Name)
		if have, err := os.ReadFile(path); err == nil && bytes.Equal(have, f.Body) {
			continue
		}
		if err := plugins.ReplaceFile(path, f.Body); err != nil {
			return err
		}
	}
	return nil
}

// removeStaleCompanions removes companions of an earlier version that the new one does not have: an old manifest would be used for the
// new module.
func removeStaleCompanions(dir string, files []File) error {
	module := filepath.Join(dir, files[0].Name)
	beside := plugins.FormatManifestName(module)
	for _, path := range []string{beside, plugins.FormatSignatureName(module), plugins.FormatSignatureName(beside)} {
		if slices.ContainsFunc(files, func(f File) bool { return f.Name == filepath.Base(path) }) {
			continue
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return core.RemovePath(err)
		}
	}
	return nil
}
