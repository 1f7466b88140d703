package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/headgate-dev/headgate/cmd/headgate/cli"
	"github.com/headgate-dev/headgate/cmd/headgate/node"
	"github.com/headgate-dev/headgate/core/records/store"
)

// newFleetCommand manages the nodes of a control plane, in its database.
func newFleetCommand(f *node.Options) *cobra.Command {
	c := &cobra.Command{Use: "fleet", Short: "Manage the nodes of a control plane", Args: cobra.NoArgs}
	c.AddCommand(newFleetNodesCommand(f), &cobra.Command{
		Use: "resume", Short: "After restoring a control plane from a backup, make all nodes adopt its configuration", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return runWithStore(f, c.Context(), func(ctx context.Context, db *store.DB) error {
				nodes, err := db.Fleet().ListNodes(ctx)
				if err != nil {
					return err
				}
				if err := db.Config().AdvanceBeyond(ctx, findMaxVersion(nodes)); err != nil {
					return err
				}
				v, err := db.Config().ReadVersion(ctx)
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

// fleetNode is a row of "headgate fleet nodes".
type fleetNode struct {
	Name    string    `json:"name"`
	Version int64     `json:"config_version"`         // of the node at its last request
	Current int64     `json:"current_config_version"` // of the control plane
	SeenAt  time.Time `json:"seen_at"`
}

var fleetNodeColumns = []cli.Column[fleetNode]{
	{Head: "NODE", Text: func(n *fleetNode) string { return n.Name }},
	{Head: "VERSION", Text: func(n *fleetNode) string { return fmt.Sprintf("%d of %d", n.Version, n.Current) }},
	{Head: "SEEN", Text: func(n *fleetNode) string { return formatTime(&n.SeenAt, "") }},
}

func newFleetNodesCommand(f *node.Options) *cobra.Command {
	var asJSON *bool
	c := &cobra.Command{
		Use:     "nodes",
		Aliases: []string{"list"},
		Short:   "List the nodes, with the configuration version and the time of their last request",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return runWithStore(f, c.Context(), func(ctx context.Context, db *store.DB) error {
				stored, err := db.Fleet().ListNodes(ctx)
				if err != nil {
					return err
				}
				current, err := db.Config().ReadVersion(ctx)
				if err != nil {
					return err
				}
				nodes := make([]fleetNode, len(stored))
				for i, n := range stored {
					nodes[i] = fleetNode{n.Name, n.Version, current, n.SeenAt.UTC()}
				}
				return cli.PrintList(c.OutOrStdout(), *asJSON, nodes, fleetNodeColumns)
			})
		},
	}
	asJSON = cli.AddJSONFlag(c)
	return c
}

// runWithStore opens the database of the configuration for one command.
func runWithStore(f *node.Options, ctx context.Context, do func(context.Context, *store.DB) error) (err error) {
	cfg, _, err := f.Load()
	if err != nil {
		return err
	}
	db, err := f.OpenDatabase(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close(ctx)) }()
	return do(ctx, db)
}

// findMaxVersion returns the highest version that a node has.
func findMaxVersion(nodes []store.FleetNode) (v int64) {
	if len(nodes) == 0 {
		return 0
	}
	return slices.MaxFunc(nodes, func(a, b store.FleetNode) int { return int(a.Version - b.Version) }).Version
}
