package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/headgate-dev/headgate/cmd/headgate/node"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/records/vault"
)

func newBackupCommand(f *node.Options) *cobra.Command {
	return &cobra.Command{
		Use:   "backup FILE",
		Short: "Write a copy of the database to a new file; a running gateway is not interrupted",
		Args:  cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			cfg, _, err := f.Load()
			if err != nil {
				return err
			}
			if err := store.Backup(c.Context(), cfg.Store.URL, args[0]); err != nil {
				return err
			}
			_, err = fmt.Fprintf(
				c.OutOrStdout(),
				"%s is written. It can be used only with the master key, which is not in it: keep a copy of %s, or of the password, apart from it.\n",
				args[0],
				vault.KeyFileName,
			)
			return err
		},
	}
}

func newRestoreCommand(f *node.Options) *cobra.Command {
	var overwrite bool
	c := &cobra.Command{
		Use:   "restore FILE",
		Short: "Replace the database with a backup after an integrity check; no gateway must have it open",
		Args:  cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			cfg, _, err := f.Load()
			if err != nil {
				return err
			}
			if err := store.Restore(c.Context(), cfg.Store.URL, args[0], overwrite); err != nil {
				return err
			}
			_, err = fmt.Fprintln(c.OutOrStdout(), "The database is restored. headgate audit verify proves its audit chain.")
			return err
		},
	}
	c.Flags().BoolVar(&overwrite, "overwrite", false, "replace an existing database")
	return c
}
