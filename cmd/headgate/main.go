// Command headgate is a governing gateway for language-model traffic. This package holds its verbs and flags; package
// node is the gateway that "headgate serve" runs.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/headgate-dev/headgate/cmd/headgate/plugintool"

	"github.com/headgate-dev/headgate/cmd/headgate/cli"

	"github.com/headgate-dev/headgate/cmd/headgate/node"

	"github.com/spf13/cobra"
)

func main() {
	signal.Ignore(syscall.SIGXFSZ) // a file that may not grow is an error of the write, and no end of the gateway
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := root().ExecuteContext(ctx)
	stop()
	if err != nil {
		if !errors.Is(err, cli.ErrReported) {
			fmt.Fprintln(os.Stderr, "headgate:", err)
		}
		os.Exit(1)
	}
}

func root() *cobra.Command {
	f := &node.Options{Version: version}
	c := &cobra.Command{
		Use:           "headgate",
		Short:         "A governing gateway for language-model traffic",
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
	}
	c.PersistentFlags().StringVar(&f.Config, "config", "", "configuration `file` (default: the built-in sample)")
	c.PersistentFlags().StringArrayVar(&f.Set, "set", nil, "set a configuration key, as `key=value`; may be repeated")
	c.AddCommand(
		serveCommand(f),
		validateCommand(f),
		configCommand(f),
		versionCommand(),
		keysCommand(f),
		usersCommand(f),
		patCommand(f),
		plugintool.Command(f),
		webhookCommand(),
		webhooksCommand(f),
		auditCommand(f),
		licenseCommand(f),
		pricesCommand(f),
		costsCommand(f),
		fleetCommand(f),
		policyCommand(f),
		scanCommand(f),
		replayCommand(f),
		migrateCommand(f),
		backupCommand(f),
		restoreCommand(f),
	)
	sayUsage(c)
	return c
}

// sayUsage has every verb that is given too few words, or too many, say which it takes. A
// group of verbs is made one that runs: else a misspelt verb would print help, with status 0.
func sayUsage(c *cobra.Command) {
	for _, sub := range c.Commands() {
		sayUsage(sub)
	}
	check := c.Args
	switch {
	case c.HasSubCommands():
		c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
		return
	case check == nil:
		return
	}
	c.Args = func(c *cobra.Command, args []string) error {
		if check(c, args) != nil {
			return fmt.Errorf("write: %s", c.UseLine())
		}
		return nil
	}
}
