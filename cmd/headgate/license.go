package main

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/license"
	"github.com/headgate-dev/headgate/core/records/store"
)

// licenseEvery is how often the state of the licence is looked at.
const licenseEvery = time.Minute

// openLicense makes what knows the licence of the installation, and the clock that it goes by.
func openLicense(ctx context.Context, cfg *config.Config, r *records) (_ *admin.LicenseKeeper, err error) {
	if r.clock, err = loadSettledClock(ctx, r.db, r.audit.Node()); err != nil {
		return nil, fmt.Errorf("the time of the last run: %w", err)
	}
	keys, err := licenseKeys(cfg)
	if err != nil {
		return nil, err
	}
	k := &admin.LicenseKeeper{Store: r.db, Audit: r.audit, Keys: keys, Now: time.Now, Settled: r.clock.Now}
	switch {
	case cfg.License.File != "":
		if k.File, err = readLicense(cfg.License.File); err != nil {
			return nil, fmt.Errorf("license.file: %w", err)
		}
	case cfg.License.Text != "":
		k.File = []byte(strings.TrimRight(cfg.License.Text, "\n") + "\n")
	}
	return k, nil
}

// licenseKeys are the public keys of the release and of the configuration.
func licenseKeys(cfg *config.Config) ([]ed25519.PublicKey, error) {
	keys := license.ReleaseKeys()
	for i, text := range cfg.License.Keys {
		k, err := license.ReadKey(text)
		if err != nil {
			return nil, fmt.Errorf("license.keys[%d]: %w", i, err)
		}
		keys = append(keys, k)
	}
	return keys, nil
}

func readLicense(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > license.MostBytes {
		return nil, fmt.Errorf("it is longer than %d bytes; is it a licence file?", license.MostBytes)
	}
	return os.ReadFile(path)
}

func licenseCommand(f *flags) *cobra.Command {
	c := &cobra.Command{Use: "license", Short: "Look at and set the installation's licence", Args: cobra.NoArgs}
	c.AddCommand(licenseShowCommand(f), licenseSetCommand(f), licenseVerifyCommand(f), licenseCreateCommand())
	return c
}

func licenseShowCommand(f *flags) *cobra.Command {
	return &cobra.Command{
		Use:   "show",
		Short: "Say how the installation stands with its licence",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return byHand(c, f, func(ctx context.Context, s *admin.Service) error {
				v, err := s.Licenses().Get(ctx, operator(nil))
				if err != nil {
					return err
				}
				return printLicense(c, &v)
			})
		},
	}
}

func licenseSetCommand(f *flags) *cobra.Command {
	return &cobra.Command{
		Use:   "set FILE",
		Short: "Set or replace the licence of the database",
		Args:  cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			file, err := readLicense(args[0])
			if err != nil {
				return err
			}
			return byHand(c, f, func(ctx context.Context, s *admin.Service) error {
				v, err := s.Licenses().Set(ctx, operator(nil), string(file))
				if err != nil {
					return err
				}
				return printLicense(c, &v)
			})
		},
	}
}

func licenseVerifyCommand(f *flags) *cobra.Command {
	return &cobra.Command{
		Use:   "verify FILE",
		Short: "Check a licence file without setting it",
		Args:  cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			cfg, _, err := f.load()
			if err != nil {
				return err
			}
			keys, err := licenseKeys(cfg)
			if err != nil {
				return err
			}
			file, err := readLicense(args[0])
			if err != nil {
				return err
			}
			l, err := license.Parse(file, keys)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.OutOrStdout(), "licence %s of %s, %s, until %s: %s; signed with key %s\n",
				l.ID, l.Licensee, l.Type, l.ExpiresAt.UTC().Format(time.RFC3339), l.StateAt(time.Now()), l.Key)
			return err
		},
	}
}

func printLicense(c *cobra.Command, v *admin.LicenseView) error {
	var b strings.Builder
	line := func(name, value string) { fmt.Fprintf(&b, "%-15s %s\n", name, value) }
	line("posture", v.Posture)
	line("status", v.Status)
	if v.ExpiresAt != nil {
		line("licensee", v.Licensee)
		line("type", v.Type)
		line("expires", v.ExpiresAt.Format(time.RFC3339))
		kept := "the database"
		if v.Source == store.SourceFile {
			kept = "the configuration"
		}
		line("kept in", kept)
	}
	features := "none"
	if len(v.Features) > 0 {
		features = strings.Join(v.Features, ", ")
	}
	line("features", features)
	line("tenants", quota(v.Tenants))
	line("governed calls", quota(v.GovernedCalls)+" in "+v.GovernedCalls.Month)
	if v.Problem != "" {
		line("problem", v.Problem)
	}
	_, err := fmt.Fprint(c.OutOrStdout(), b.String())
	return err
}

func quota(q *admin.Quota) string {
	if q.Limit == nil {
		return fmt.Sprint(q.Count)
	}
	return fmt.Sprintf("%d of %d", q.Count, *q.Limit)
}

// licenseCreateCommand makes licences for development, which an installation takes whose configuration names their key.
func licenseCreateCommand() *cobra.Command {
	var l license.License
	var days int
	var out, keyPath string
	c := &cobra.Command{
		Use:   "create-dev",
		Short: "Make a development licence with a key pair of its own",
		Long: "Make a licence for development and tests. The key that signs it is made beside it when it is not there; installations\n" +
			"take the licence when license.keys of their configuration holds the public key, which is printed.",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			key, err := devKey(keyPath)
			if err != nil {
				return err
			}
			l.ID = newID()
			l.IssuedAt = time.Now().UTC().Truncate(time.Second)
			if days < 1 { // one that has expired, for tests of that: it was issued before
				l.IssuedAt = l.IssuedAt.AddDate(-1, 0, min(0, days))
			}
			l.ExpiresAt = time.Now().UTC().Truncate(time.Second).AddDate(0, 0, days)
			file, err := license.Sign(l, key)
			if err != nil {
				return err
			}
			if err := os.WriteFile(out, file, 0o644); err != nil {
				return err
			}
			public := key.Public().(ed25519.PublicKey)
			_, err = fmt.Fprintf(c.OutOrStdout(), "%s: a %s licence of %s until %s\nlet an installation take it:\n\nlicense:\n  file: %s\n  keys: [\"%s\"]\n",
				out, l.Type, l.Licensee, l.ExpiresAt.Format(time.RFC3339), out, base64.StdEncoding.EncodeToString(public))
			return err
		},
	}
	c.Flags().StringVar(&l.Licensee, "licensee", "Development", "whom the licence is for")
	c.Flags().StringVar(&l.Type, "type", license.Trial, "TRIAL or PRODUCTION")
	c.Flags().IntVar(&days, "days", 30, "how many `days` it is valid; 0 or less: it has expired so many days ago")
	c.Flags().StringSliceVar(&l.Features, "feature", nil, "a `feature` that it unlocks; may be repeated; all without it")
	c.Flags().StringVarP(&out, "output", "o", "headgate.licence", "the `file` to write")
	c.Flags().StringVar(&keyPath, "key", "licence-dev.key", "the `file` with the private key, which is made when it is not there")
	return c
}

// devKey reads the private key of development licences, or makes it.
func devKey(path string) (ed25519.PrivateKey, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		_, key, err := ed25519.GenerateKey(nil)
		if err != nil {
			return nil, err
		}
		text := base64.StdEncoding.EncodeToString(key.Seed()) + "\n"
		if err := os.WriteFile(filepath.Clean(path), []byte(text), 0o600); err != nil {
			return nil, err
		}
		return key, nil
	}
	if err != nil {
		return nil, err
	}
	seed, err := base64.StdEncoding.DecodeString(strings.TrimSpace(string(b)))
	if err != nil || len(seed) != ed25519.SeedSize {
		return nil, fmt.Errorf("%s: it holds no key of a development licence", path)
	}
	return ed25519.NewKeyFromSeed(seed), nil
}
