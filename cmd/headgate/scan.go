package main

import (
	"github.com/headgate-dev/headgate/cmd/headgate/node"
	"github.com/spf13/cobra"
)

// newScanCommand runs the detectors of stages on lines from standard input.
func newScanCommand(f *node.Options) *cobra.Command {
	c := &cobra.Command{
		Use:   "scan",
		Short: "Run a stage's detectors on your own data",
		Args:  cobra.NoArgs,
	}
	c.AddCommand(newScanPIICommand(f), newScanGuardCommand(f))
	return c
}
