package main

import (
	"github.com/headgate-dev/headgate/cmd/headgate/node"
	"github.com/spf13/cobra"
)

func newServeCommand(f *node.Options) *cobra.Command {
	var role, control string
	c := &cobra.Command{
		Use:        "serve",
		SuggestFor: []string{"run", "start", "up"},
		Short:      "Run the gateway",
		Args:       cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if role != "" {
				f.Set = append(f.Set, "role="+role)
			}
			if control != "" {
				f.Set = append(f.Set, "fleet.control_plane="+control)
			}
			return f.Serve(c.Context(), c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	c.Flags().StringVar(&role, "role", "", "all, control-plane, gateway or console (default: as the configuration says)")
	c.Flags().StringVar(&control, "control-plane", "", "`URL` of the control plane that a node takes its configuration from")
	return c
}
