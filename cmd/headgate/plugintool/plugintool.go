// Package plugintool implements the commands of "headgate plugin": create, build, test, benchmark, sign, pin and list plugins.
package plugintool

import (
	"github.com/spf13/cobra"

	"github.com/headgate-dev/headgate/cmd/headgate/node"
)

// Command returns "headgate plugin" with its subcommands.
func Command(o *node.Options) *cobra.Command {
	c := &cobra.Command{Use: "plugin", Short: "Manage plugins", Args: cobra.NoArgs}
	c.AddCommand(
		listCommand(o), newCommand(), buildCommand(), packCommand(), compileCommand(), testCommand(o), benchCommand(o),
		conformCommand(), abiCommand(), pushCommand(), pullCommand(o),
		keygenCommand(), signCommand(), verifyCommand(o), lockCommand(o), inspectCommand(o), decideCommand(o, true), decideCommand(o, false),
	)
	return c
}
