package plugins

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/headgate-dev/headgate/core"
)

// ReplaceFile replaces a file atomically: a reader, such as a gateway that watches the folder,
// sees either the old bytes or the new ones.
func ReplaceFile(path string, b []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".headgate-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(path), core.RemovePath(err))
	}
	_, err = f.Write(b)
	err = errors.Join(err, f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // of no use now
		return fmt.Errorf("write %s: %w", filepath.Base(path), core.RemovePath(err))
	}
	return nil
}
