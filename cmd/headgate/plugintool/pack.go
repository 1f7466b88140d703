package plugintool

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/headgate-dev/headgate/plugins"
)

func newPackCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "pack MODULE MANIFEST",
		Short: "Embed a manifest (JSON or YAML) in a module",
		Args:  cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			module, err := os.ReadFile(args[0])
			if err != nil {
				return err
			}
			manifest, err := os.ReadFile(args[1])
			if err != nil {
				return err
			}
			packed, err := plugins.Pack(module, manifest)
			if err != nil {
				return err
			}
			return os.WriteFile(args[0], packed, 0o644) // modules are public
		},
	}
}
