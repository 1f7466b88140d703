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

	"github.com/headgate-dev/headgate/cmd/headgate/cli"
	"github.com/headgate-dev/headgate/cmd/headgate/node"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/license"
	"github.com/headgate-dev/headgate/core/records/store"
)

func newLicenseCommand(f *node.Options) *cobra.Command {
	c := &cobra.Command{Use: "license", Short: "Show and set the installation's licence", Args: cobra.NoArgs}
	c.AddCommand(newLicenseShowCommand(f), newLicenseSetCommand(f), newLicenseVerifyCommand(f), newLicenseCreateCommand())
	return c
}

func newLicenseShowCommand(f *node.Options) *cobra.Command {
	var asJSON *bool
	c := &cobra.Command{
		Use:   "show",
		Short: "Show the licence, its state and its quotas",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return runOperation(c, f, func(ctx context.Context, s *admin.Service) error {
				v, err := s.Licenses().Get(ctx, newOperator(nil))
				if err != nil {
					return err
				}
				if *asJSON {
					return cli.PrintJSON(c.OutOrStdout(), v)
				}
				return printLicense(c, &v)
			})
		},
	}
	asJSON = cli.AddJSONFlag(c)
	return c
}

func newLicenseSetCommand(f *node.Options) *cobra.Command {
	return &cobra.Command{
		Use:   "set FILE",
		Short: "Set or replace the licence of the database",
		Args:  cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			file, err := node.ReadLicense(args[0])
			if err != nil {
				return err
			}
			return runOperation(c, f, func(ctx context.Context, s *admin.Service) error {
				v, err := s.Licenses().Set(ctx, newOperator(nil), string(file))
				if err != nil {
					return err
				}
				return printLicense(c, &v)
			})
		},
	}
}

func newLicenseVerifyCommand(f *node.Options) *cobra.Command {
	return &cobra.Command{
		Use:   "verify FILE",
		Short: "Check a licence file without setting it",
		Args:  cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			cfg, _, err := f.Load()
			if err != nil {
				return err
			}
			keys, err := node.ListLicenseKeys(cfg)
			if err != nil {
				return err
			}
			file, err := node.ReadLicense(args[0])
			if err != nil {
				return err
			}
			l, err := license.Parse(file, keys)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.OutOrStdout(), "licence %s of %s, %s, until %s: %s; signed with key %s\n",
				l.ID, l.Licensee, l.Type, l.ExpiresAt.UTC().Format(time.RFC3339), l.FindState(time.Now()), l.Key)
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
	line("tenants", formatQuota(v.Tenants))
	line("governed calls", formatQuota(v.GovernedCalls)+" in "+v.GovernedCalls.Month)
	if v.Problem != "" {
		line("problem", v.Problem)
	}
	_, err := fmt.Fprint(c.OutOrStdout(), b.String())
	return err
}

func formatQuota(q *admin.Quota) string {
	if q.Limit == nil {
		return fmt.Sprint(q.Count)
	}
	return fmt.Sprintf("%d of %d", q.Count, *q.Limit)
}

// newLicenseCreateCommand creates licences for development, which installations accept if their configuration names the key.
func newLicenseCreateCommand() *cobra.Command {
	var l license.License
	var days int
	var out, keyPath string
	c := &cobra.Command{
		Use:   "create-dev",
		Short: "Create a development licence and its key pair",
		Long: "Create a licence for development and tests. The key that signs it is created beside it if it does not exist; installations\n" +
			"take the licence when license.keys of their configuration holds the public key, which is printed.",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			key, err := ensureDevKey(keyPath)
			if err != nil {
				return err
			}
			l.ID = node.NewID()
			l.IssuedAt = time.Now().UTC().Truncate(time.Second)
			if days < 1 { // an expired licence, for tests: it was issued earlier
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
			_, err = fmt.Fprintf(
				c.OutOrStdout(),
				"%s: a %s licence of %s until %s\nlet an installation take it:\n\nlicense:\n  file: %s\n  keys: [\"%s\"]\n",
				out,
				l.Type,
				l.Licensee,
				l.ExpiresAt.Format(time.RFC3339),
				out,
				base64.StdEncoding.EncodeToString(public),
			)
			return err
		},
	}
	c.Flags().StringVar(&l.Licensee, "licensee", "Development", "whom the licence is for")
	c.Flags().StringVar(&l.Type, "type", license.Trial, "TRIAL or PRODUCTION")
	c.Flags().IntVar(&days, "days", 30, "`days` until it expires; 0 or less: it expired that many days ago")
	c.Flags().StringSliceVar(&l.Features, "feature", nil, "a `feature` that it unlocks; may be repeated (default: all)")
	c.Flags().StringVarP(&out, "output", "o", "headgate.licence", "the `file` to write")
	c.Flags().StringVar(&keyPath, "key", "licence-dev.key", "the `file` with the private key, which is made when it is not there")
	return c
}

// ensureDevKey reads the private key of development licences, or creates it.
func ensureDevKey(path string) (ed25519.PrivateKey, error) {
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
		return nil, fmt.Errorf("%s: it contains no key for development licences", path)
	}
	return ed25519.NewKeyFromSeed(seed), nil
}
