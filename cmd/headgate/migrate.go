package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/headgate-dev/headgate/cmd/headgate/cli"
	"github.com/headgate-dev/headgate/cmd/headgate/node"
	"github.com/headgate-dev/headgate/core/records/store"
)

func newMigrateCommand(f *node.Options) *cobra.Command {
	c := &cobra.Command{Use: "migrate", Short: "Show and apply migrations of the database", Args: cobra.NoArgs}
	c.AddCommand(
		newMigrateStatusCommand(f),
		&cobra.Command{
			Use:   "up",
			Short: "Apply pending migrations, as serve does at its start; running gateways are not interrupted",
			Args:  cobra.NoArgs,
			RunE:  func(c *cobra.Command, _ []string) error { return applyMigrations(c, f) },
		},
	)
	return c
}

func newMigrateStatusCommand(f *node.Options) *cobra.Command {
	var asJSON *bool
	c := &cobra.Command{
		Use:   "status",
		Short: "List the migrations of the database; exit with 1 if some are pending, or if the database belongs to a newer headgate",
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return printMigrationStatus(c, f, *asJSON) },
	}
	asJSON = cli.AddJSONFlag(c)
	return c
}

func printMigrationStatus(c *cobra.Command, f *node.Options, asJSON bool) error {
	cfg, _, err := f.Load()
	if err != nil {
		return err
	}
	list, err := store.ListMigrations(c.Context(), cfg.Store.URL)
	if err != nil && !errors.Is(err, store.ErrNewer) {
		return err
	}
	if e := printMigrations(c.OutOrStdout(), list, asJSON); e != nil {
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

// migrationRow is a row of "headgate migrate status".
type migrationRow struct {
	Version   int64      `json:"version"`
	Name      string     `json:"name,omitempty"` // empty: of a newer headgate
	AppliedAt *time.Time `json:"applied_at"`     // null: pending
}

// printMigrations writes migrations as a table, or as JSON.
func printMigrations(out io.Writer, list []store.Migration, asJSON bool) error {
	rows := make([]migrationRow, len(list))
	for i, m := range list {
		rows[i] = migrationRow{Version: m.Version, Name: m.Name}
		if !m.Applied.IsZero() {
			applied := m.Applied.UTC()
			rows[i].AppliedAt = &applied
		}
	}
	return cli.PrintList(out, asJSON, rows, []cli.Column[migrationRow]{
		{Head: "NO.", Text: func(m *migrationRow) string { return fmt.Sprintf("%05d", m.Version) }},
		{Head: "NAME", Text: func(m *migrationRow) string { return cmp.Or(m.Name, "(of a newer headgate)") }},
		{Head: "STATE", Text: func(m *migrationRow) string {
			switch {
			case m.AppliedAt != nil:
				return "made " + formatTime(m.AppliedAt, "")
			case m.Name == "":
				return "made"
			}
			return "pending"
		}},
	})
}

func applyMigrations(c *cobra.Command, f *node.Options) error {
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
	return printMigrations(c.OutOrStdout(), taken, false)
}
