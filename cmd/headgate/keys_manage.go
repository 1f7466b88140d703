package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/headgate-dev/headgate/cmd/headgate/cli"
	"github.com/headgate-dev/headgate/cmd/headgate/node"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/store"
)

var keyColumns = []cli.Column[admin.Key]{
	{Head: "ID", Text: func(k *admin.Key) string { return k.ID }},
	{Head: "TENANT", Text: func(k *admin.Key) string { return k.TenantID }},
	{Head: "NAME", Text: func(k *admin.Key) string { return escapeName(k.Name) }},
	{Head: "PREFIX", Text: func(k *admin.Key) string { return k.KeyPrefix }},
	{Head: "SCOPES", Text: func(k *admin.Key) string { return strings.Join(k.Scopes, ",") }},
	{Head: "STATUS", Text: func(k *admin.Key) string { return k.Status }},
	{Head: "SOURCE", Text: func(k *admin.Key) string { return k.Source }},
	{Head: "CREATED", Text: func(k *admin.Key) string { return formatTime(&k.CreatedAt, "") }},
	{Head: "EXPIRES", Text: func(k *admin.Key) string { return formatTime(k.ExpiresAt, "never") }},
}

func newKeysListCommand(f *node.Options) *cobra.Command {
	var tenant string
	var asJSON *bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List gateway keys, without the keys themselves",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return runOperation(c, f, func(ctx context.Context, s *admin.Service) error {
				ids := []string{tenant}
				if tenant == "" {
					tenants, err := s.Store.Tenants().List(ctx)
					if err != nil {
						return err
					}
					ids = ids[:0]
					for i := range tenants {
						ids = append(ids, tenants[i].ID)
					}
				}
				var keys []admin.Key
				for _, id := range ids {
					list, err := s.Keys().List(ctx, newOperator(nil), id, admin.Page{})
					if err == nil {
						keys, err = appendAll(keys, list)
					}
					if err != nil {
						return err
					}
				}
				return cli.PrintList(c.OutOrStdout(), *asJSON, keys, keyColumns)
			})
		},
	}
	c.Flags().StringVar(&tenant, "tenant", "", "`id` of a tenant whose keys to list (default: all tenants)")
	asJSON = cli.AddJSONFlag(c)
	return c
}

func newKeysRotateCommand(f *node.Options) *cobra.Command {
	return &cobra.Command{
		Use:   "rotate ID",
		Short: "Replace a key and print the new one once; the old one works until its grace period (admin.key_grace) ends",
		Args:  cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return changeKey(c, f, args[0], func(ctx context.Context, s *admin.Service, tenant string) error {
				k, err := s.Keys().Rotate(ctx, newOperator(nil), tenant, args[0], "")
				if err != nil {
					return err
				}
				_, err = fmt.Fprintln(c.OutOrStdout(), k.Key)
				return err
			})
		},
	}
}

func newKeysRevokeCommand(f *node.Options) *cobra.Command {
	return &cobra.Command{
		Use:   "revoke ID",
		Short: "Revoke a key permanently; a running gateway refuses it within 2 s",
		Args:  cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return changeKey(c, f, args[0], func(ctx context.Context, s *admin.Service, tenant string) error {
				return s.Keys().Revoke(ctx, newOperator(nil), tenant, args[0], "")
			})
		},
	}
}

// changeKey calls change with the tenant of a key.
func changeKey(
	c *cobra.Command,
	f *node.Options,
	id string,
	change func(ctx context.Context, s *admin.Service, tenant string) error,
) error {
	return runOperation(c, f, func(ctx context.Context, s *admin.Service) error {
		k, err := s.Store.Keys().Get(ctx, id)
		if errors.Is(err, store.ErrNotFound) {
			return fmt.Errorf("unknown key %q; \"headgate keys list\" shows the ids of all keys", id)
		}
		if err != nil {
			return err
		}
		return change(ctx, s, k.TenantID)
	})
}

// appendAll appends all items of a list of the administrative API.
func appendAll[T any](items []T, list admin.List[T]) ([]T, error) {
	for item, err := range list.All {
		if err != nil {
			return items, err
		}
		items = append(items, item)
	}
	return items, nil
}
