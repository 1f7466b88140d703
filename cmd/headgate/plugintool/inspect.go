package plugintool

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/headgate-dev/headgate/cmd/headgate/cli"
	"github.com/headgate-dev/headgate/cmd/headgate/node"
	"github.com/headgate-dev/headgate/plugins"
)

func newInspectCommand(f *node.Options) *cobra.Command {
	var t trustFlags
	asJSON := false
	c := &cobra.Command{
		Use:   "inspect FILE",
		Short: "Show what a module is and what it may access, without running it",
		Args:  cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			keys, err := t.read()
			if err != nil {
				return err
			}
			if len(keys) == 0 && f.Config != "" {
				if _, keys, _, err = t.readRules(f); err != nil {
					return err
				}
			}
			dir, file := filepath.Split(args[0])
			s, err := plugins.InspectModule(filepath.Clean(dir), file, keys)
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			i := node.Inspect(s, len(keys) > 0)
			if asJSON {
				err = cli.PrintJSON(c.OutOrStdout(), i)
			} else {
				err = printInspected(c.OutOrStdout(), &i)
			}
			if err == nil && i.Problem != "" {
				return cli.ErrReported
			}
			return err
		},
	}
	c.Flags().StringArrayVar(
		&t.keys,
		"pub",
		nil,
		"a public `key` to check the signature with, or its file; may be repeated (default: plugins.keys of --config)",
	)
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}
