package node

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/sdk/samples"
)

// writeSample writes the sample detector to the plugins folder if the built-in configuration, which names it, is served
// and the folder lacks it. The binary alone then suffices to try the gateway.
func writeSample(cfg *config.Config) (dropped string, err error) {
	path := filepath.Join(cfg.Plugins.Dir, samples.EmployeeIDFile)
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return "", nil // it exists, or the plugins folder reports the problem
	}
	if err := os.MkdirAll(cfg.Plugins.Dir, 0o750); err != nil {
		return "", fmt.Errorf("the sample detector: %w", err)
	}
	if err := os.WriteFile(path, samples.EmployeeID, 0o600); err != nil {
		return "", fmt.Errorf("the sample detector: %w", err)
	}
	return path, nil
}
