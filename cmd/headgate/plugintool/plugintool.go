// Package plugintool implements the commands of "headgate plugin": create, build, test, benchmark, sign, pin and list plugins.
package plugintool

import (
	"github.com/spf13/cobra"

	"github.com/headgate-dev/headgate/cmd/headgate/node"
)

// NewCommand returns "headgate plugin" with its subcommands.
func NewCommand(o *node.Options) *cobra.Command {
	c := &cobra.Command{Use: "plugin", Short: "Manage plugins", Args: cobra.NoArgs}
	c.AddCommand(
		newListCommand(o), newNewCommand(), newBuildCommand(), newPackCommand(), newCompileCommand(), newTestCommand(o), newBenchCommand(o),
		newConformCommand(), newABICommand(), newPushCommand(), newPullCommand(o),
		newKeygenCommand(), newSignCommand(), newVerifyCommand(o), newLockCommand(o), newInspectCommand(o),
		newDecideCommand(o, true), newDecideCommand(o, false),
	)
	return c
}
