package main

import (
	"fmt"
	"strings"

	"github.com/headgate-dev/headgate/cmd/headgate/node"

	"github.com/spf13/cobra"
)

func newValidateCommand(f *node.Options) *cobra.Command {
	return &cobra.Command{
		Use:        "validate",
		SuggestFor: []string{"check", "config check", "config validate", "lint"},
		Short:      "Check the configuration and its plugins without serving",
		Args:       cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, warnings, err := f.Load()
			node.PrintWarnings(c.ErrOrStderr(), warnings)
			if err != nil {
				return err
			}
			links, err := node.Check(c.Context(), cfg, c.ErrOrStderr())
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.OutOrStdout(), "%s is valid: %d providers, %d routes, %d tenants, %d links in the chain\n",
				strings.TrimSpace(cfg.File), len(cfg.Providers), len(cfg.Routes), len(cfg.Tenants), links)
			return err
		},
	}
}
