package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/headgate-dev/headgate/cmd/headgate/node"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/body/match"
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/store"
)

func newKeysCommand(f *node.Options) *cobra.Command {
	c := &cobra.Command{Use: "keys", Short: "Manage gateway keys", Args: cobra.NoArgs}
	var tenant, name, expires string
	var scopes, models []string
	create := &cobra.Command{
		Use:   "create",
		Short: "Create a key and print it once; a running gateway accepts it within 2 s",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			n := admin.NewKey{Name: name, Scopes: &scopes, Models: models}
			if expires != "" {
				until, err := time.Parse(time.RFC3339, expires)
				if err != nil {
					return fmt.Errorf("--expires-at %q is not a time; write it as 2027-01-31T00:00:00Z", expires)
				}
				n.ExpiresAt = &until
			}
			if err := checkModels(models); err != nil {
				return err
			}
			for _, s := range scopes {
				if !isKnownScope(s) {
					_, err := fmt.Fprintf(c.ErrOrStderr(), "warning: %q is a label: it opens no endpoint\n", s)
					if err != nil {
						return err
					}
				}
			}
			return createKey(c, f, tenant, n)
		},
	}
	create.Flags().StringVar(&tenant, "tenant", "default", "id of the tenant")
	create.Flags().StringVar(&name, "name", "", "`name` of the key")
	create.Flags().StringVar(&expires, "expires-at", "", "end of the key, in RFC 3339 (default: never)")
	create.Flags().StringSliceVar(&scopes, "scope", []string{auth.ScopeCompletions}, "what the key may do; \"\" for everything")
	create.Flags().StringSliceVar(&models, "model", nil, "a `pattern` of models that the key may ask for, such as gpt-4o* (default: all)")
	_ = create.MarkFlagRequired("name") // the flag is defined above
	c.AddCommand(create, newKeysListCommand(f), newKeysRotateCommand(f), newKeysRevokeCommand(f))
	return c
}

// createKey creates a key of a tenant and prints it.
func createKey(c *cobra.Command, f *node.Options, tenant string, n admin.NewKey) error {
	cfg, _, err := f.Load()
	if err != nil {
		return err
	}
	return runOperation(c, f, func(ctx context.Context, s *admin.Service) error {
		if err := ensureTenant(ctx, s.Store, cfg, tenant); err != nil {
			return err
		}
		if _, err := s.Store.Tenants().Get(ctx, tenant); errors.Is(err, store.ErrNotFound) {
			return fmt.Errorf("unknown tenant %q", tenant)
		}
		k, err := s.Keys().Create(ctx, newOperator(nil), tenant, n)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(c.OutOrStdout(), k.Key)
		return err
	})
}

// checkModels checks the patterns of a new key's models.
func checkModels(models []string) error {
	if len(models) > match.MaxModelPatterns {
		return fmt.Errorf("--model names %d patterns, and a key has at most %d; write a pattern with * for several models",
			len(models), match.MaxModelPatterns)
	}
	for _, m := range models {
		if !match.IsModelPattern(m) {
			return fmt.Errorf("--model %q: %s", m, match.ModelPatternRule)
		}
	}
	return nil
}

// ensureTenant adds the tenant if the store does not have it yet, as before the first start. It leaves an existing
// tenant alone: this command may run with another configuration than the gateway's.
func ensureTenant(ctx context.Context, db *store.DB, cfg *config.Config, id string) error {
	stored, err := db.Tenants().List(ctx)
	if err != nil || slices.ContainsFunc(stored, func(t store.Tenant) bool { return t.ID == id }) {
		return err
	}
	for i := range cfg.Tenants {
		if cfg.Tenants[i].ID == id {
			return node.SaveTenant(ctx, db, &cfg.Tenants[i])
		}
	}
	return nil
}

func isKnownScope(s string) bool {
	switch s {
	case auth.ScopeCompletions, auth.ScopeEmbeddings, auth.ScopeModels, auth.ScopeBatches, auth.ScopeToolsList, auth.ScopeToolsCall:
		return true
	}
	return false
}
