package plugintool

import (
	"github.com/spf13/cobra"

	"github.com/headgate-dev/headgate/wasm"
)

// newCompileCommand returns the command that the gateway itself runs, as a child process with limited memory and time.
func newCompileCommand() *cobra.Command {
	return &cobra.Command{
		Use: "compile DIR", Hidden: true, Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return wasm.CompileMain(c.Context(), args[0], c.InOrStdin())
		},
	}
}
