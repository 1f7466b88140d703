package plugintool

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/headgate-dev/headgate/sdk/project"
)

func newNewCommand() *cobra.Command {
	var lang, kind string
	c := &cobra.Command{
		Use:   "new NAME",
		Short: "Create the folder of a new plugin that builds and runs",
		Args:  cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			files, err := project.New(".", args[0], lang, kind)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.OutOrStdout(), "%s: %s\nNext: cd %s, and read README.md\n", args[0], strings.Join(files, ", "), args[0])
			return err
		},
	}
	c.Flags().StringVar(&lang, "lang", "", "language: "+strings.Join(project.Languages(), ", ")+"; of a webhook: "+
		strings.Join(project.ProgramLanguages("webhook"), ", ")+"; of a process: "+strings.Join(project.ProgramLanguages("process"), ", "))
	c.Flags().StringVar(&kind, "kind", "detector", "detector, which finds things in texts; stage, which decides about an exchange; "+
		"webhook, a guard behind HTTP; process, a program that the gateway starts")
	if err := c.MarkFlagRequired("lang"); err != nil {
		panic(err) // the flag is defined three lines above
	}
	return c
}
