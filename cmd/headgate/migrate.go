package main

import (
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/headgate-dev/headgate/cmd/headgate/cli"

	"github.com/headgate-dev/headgate/cmd/headgate/node"

	"github.com/spf13/cobra"

	"github.com/headgate-dev/headgate/core/records/store"
)

func migrateCommand(f *node.Options) *cobra.Command {
	c := &cobra.Command{Use: "migrate", Short: "Look at the database's schema, and bring it up to date", Args: cobra.NoArgs}
	c.AddCommand(
		&cobra.Command{
			Use:   "status",
			Short: "List the migrations of the database; status 1 when some are to be made, or when it belongs to a newer headgate",
			Args:  cobra.NoArgs,
			RunE:  func(c *cobra.Command, _ []string) error { return migrateStatus(c, f) },
		},
		&cobra.Command{
			Use:   "up",
			Short: "Make the migrations that the database lacks; gateways that run go on, and serve does it too",
			Args:  cobra.NoArgs,
			RunE:  func(c *cobra.Command, _ []string) error { return migrateUp(c, f) },
		},
	)
	return c
}

func migrateStatus(c *cobra.Command, f *node.Options) error {
	cfg, _, err := f.Load()
	if err != nil {
		return err
	}
	list, err := store.Migrations(c.Context(), cfg.Store.URL)
	if err != nil && !errors.Is(err, store.ErrNewer) {
		return err
	}
	if e := printMigrations(c.OutOrStdout(), list); e != nil {
		return e
	}
	if err != nil {
		return err
	}
	for _, m := range list {
		if m.Applied.IsZero() {
			return cli.ErrReported
		}
	}
	return nil
}

func printMigrations(out io.Writer, list []store.Migration) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, m := range list {
		state, name := "to be made", m.Name
		switch {
		case m.Name == "":
			state, name = "made", "(of a newer headgate)"
		case !m.Applied.IsZero():
			state = "made " + m.Applied.Format(time.RFC3339)
		}
		if _, err := fmt.Fprintf(w, "%05d\t%s\t%s\n", m.Version, name, state); err != nil {
			return err
		}
	}
	return w.Flush()
}

func migrateUp(c *cobra.Command, f *node.Options) error {
	cfg, _, err := f.Load()
	if err != nil {
		return err
	}
	taken, err := store.Migrate(c.Context(), cfg.Store.URL)
	if err != nil {
		return err
	}
	if len(taken) == 0 {
		_, err = fmt.Fprintln(c.OutOrStdout(), "the schema is up to date")
		return err
	}
	return printMigrations(c.OutOrStdout(), taken)
}
