package node

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/license"
)

// licenseEvery is the interval at which the state of the licence is checked.
const licenseEvery = time.Minute

// openLicense returns the licence service of the installation and its clock.
func openLicense(ctx context.Context, cfg *config.Config, r *Records) (_ *admin.LicenseKeeper, err error) {
	if r.clock, err = loadSettledClock(ctx, r.DB, r.audit.Node()); err != nil {
		return nil, fmt.Errorf("the time of the last run: %w", err)
	}
	keys, err := ListLicenseKeys(cfg)
	if err != nil {
		return nil, err
	}
	k := &admin.LicenseKeeper{Store: r.DB, Audit: r.audit, Keys: keys, Now: time.Now, Settled: r.clock.Now}
	switch {
	case cfg.License.File != "":
		if k.File, err = ReadLicense(cfg.License.File); err != nil {
			return nil, fmt.Errorf("license.file: %w", err)
		}
	case cfg.License.Text != "":
		k.File = []byte(strings.TrimRight(cfg.License.Text, "\n") + "\n")
	}
	return k, nil
}

// ListLicenseKeys returns the public keys of the release and of the configuration.
func ListLicenseKeys(cfg *config.Config) ([]ed25519.PublicKey, error) {
	keys := license.ListReleaseKeys()
	for i, text := range cfg.License.Keys {
		k, err := license.ReadKey(text)
		if err != nil {
			return nil, fmt.Errorf("license.keys[%d]: %w", i, err)
		}
		keys = append(keys, k)
	}
	return keys, nil
}

func ReadLicense(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > license.MaxBytes {
		return nil, fmt.Errorf("longer than %d bytes; is it a licence file?", license.MaxBytes)
	}
	return os.ReadFile(path)
}
