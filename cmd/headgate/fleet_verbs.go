package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/headgate-dev/headgate/cmd/headgate/node"

	"github.com/spf13/cobra"

	"github.com/headgate-dev/headgate/core/records/store"
)

// fleetCommand looks after the nodes of a control plane, on its database.
func fleetCommand(f *node.Options) *cobra.Command {
	c := &cobra.Command{Use: "fleet", Short: "Look after the nodes of a control plane", Args: cobra.NoArgs}
	c.AddCommand(&cobra.Command{
		Use: "nodes", Short: "List the nodes that have asked, with the version of the configuration that each had", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return withStore(f, c.Context(), func(ctx context.Context, db *store.DB) error {
				nodes, err := db.Fleet().ListNodes(ctx)
				if err != nil {
					return err
				}
				own, err := db.Config().Version(ctx)
				if err != nil {
					return err
				}
				for _, n := range nodes {
					if _, err := fmt.Fprintf(c.OutOrStdout(), "%s  version %d of %d  %s\n", n.Name, n.Version, own, n.SeenAt.Format(time.RFC3339)); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}, &cobra.Command{
		Use: "resume", Short: "After a control plane was put back to a backup: have all nodes take its configuration as it is now", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return withStore(f, c.Context(), func(ctx context.Context, db *store.DB) error {
				nodes, err := db.Fleet().ListNodes(ctx)
				if err != nil {
					return err
				}
				if err := db.Config().AdvanceBeyond(ctx, newest(nodes)); err != nil {
					return err
				}
				v, err := db.Config().Version(ctx)
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(c.OutOrStdout(), "the configuration version is %d; %d nodes take all of it when they ask next\n", v, len(nodes))
				return err
			})
		},
	})
	return c
}

// withStore opens the database of the configuration for one command.
func withStore(f *node.Options, ctx context.Context, do func(context.Context, *store.DB) error) (err error) {
	cfg, _, err := f.Load()
	if err != nil {
		return err
	}
	db, err := store.Open(ctx, cfg.Store.URL)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close(ctx)) }()
	return do(ctx, db)
}

// newest is the highest version that a node has.
func newest(nodes []store.FleetNode) (v int64) {
	if len(nodes) == 0 {
		return 0
	}
	return slices.MaxFunc(nodes, func(a, b store.FleetNode) int { return int(a.Version - b.Version) }).Version
}
