package cases

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/headgate-dev/headgate/core"
)

// compareGolden compares the outcome of a step with a file, or writes the file.
func (r *Runner) compareGolden(path string, got []byte) (faults []string, written bool, err error) {
	want, err := os.ReadFile(path) // beside the case file
	missing := errors.Is(err, fs.ErrNotExist)
	switch {
	case err != nil && !missing:
		return nil, false, fmt.Errorf("golden file %s: %w", path, core.RemovePath(err))
	case !missing && bytes.Equal(want, got):
		return nil, false, nil
	case r.Update:
		if err = os.MkdirAll(filepath.Dir(path), 0o755); err == nil { // kept with the sources
			err = os.WriteFile(path, got, 0o644) // as above
		}
		if err != nil {
			return nil, false, fmt.Errorf("golden file %s: %w", path, core.RemovePath(err))
		}
		return nil, true, nil
	case missing:
		return []string{fmt.Sprintf("golden file %s is missing: run with --update, and look at what it writes", path)}, false, nil
	}
	return []string{fmt.Sprintf("golden file %s:\n%s", path, diffLines(string(want), string(got)))}, false, nil
}
