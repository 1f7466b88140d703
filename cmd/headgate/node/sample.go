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

// dropSample puts the sample detector into the plugins folder when the built-in
// configuration, which names it, is served in a folder that does not have it.
// The binary alone is then enough to try the gateway.
func dropSample(cfg *config.Config) (dropped string, err error) {
	path := filepath.Join(cfg.Plugins.Dir, samples.EmployeeIDFile)
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return "", nil // it is there, or the plugins folder says what is wrong with it
	}
	if err := os.MkdirAll(cfg.Plugins.Dir, 0o750); err != nil {
		return "", fmt.Errorf("the sample detector: %w", err)
	}
	if err := os.WriteFile(path, samples.EmployeeID, 0o600); err != nil {
		return "", fmt.Errorf("the sample detector: %w", err)
	}
	return path, nil
}
