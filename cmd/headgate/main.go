// Command headgate is a governing gateway for language-model traffic. This package holds its commands and flags;
// package node is the gateway that "headgate serve" runs.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/headgate-dev/headgate/cmd/headgate/a2atool"
	"github.com/headgate-dev/headgate/cmd/headgate/cli"
	"github.com/headgate-dev/headgate/cmd/headgate/importtool"
	"github.com/headgate-dev/headgate/cmd/headgate/mcptool"
	"github.com/headgate-dev/headgate/cmd/headgate/node"
	"github.com/headgate-dev/headgate/cmd/headgate/plugintool"
)

func main() {
	signal.Ignore(syscall.SIGXFSZ) // a file at its size limit fails the write; the signal must not end the gateway
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := newRootCommand().ExecuteContext(ctx)
	stop()
	if err != nil {
		var status cli.StatusError
		if errors.As(err, &status) {
			os.Exit(int(status))
		}
		if !errors.Is(err, cli.ErrReported) {
			fmt.Fprintln(os.Stderr, "headgate:", err)
		}
		os.Exit(1)
	}
}

func newRootCommand() *cobra.Command {
	f := &node.Options{Version: readProgramVersion()}
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
		newServeCommand(f),
		newValidateCommand(f),
		newConfigCommand(f),
		newVersionCommand(),
		newKeysCommand(f),
		newUsersCommand(f),
		newPATCommand(f),
		plugintool.NewCommand(f),
		mcptool.NewCommand(f, newOperator(nil)),
		a2atool.NewCommand(f, newOperator(nil)),
		newWebhookCommand(f),
		newWebhooksAlias(f),
		newAuditCommand(f),
		newLicenseCommand(f),
		newPricesCommand(f),
		newCostsCommand(f),
		newFleetCommand(f),
		newPolicyCommand(f),
		newScanCommand(f),
		newReplayCommand(f),
		newMigrateCommand(f),
		newBackupCommand(f),
		newRestoreCommand(f),
		importtool.NewCommand(),
	)
	setUsageErrors(c, c)
	c.PersistentPreRun = func(verb *cobra.Command, _ []string) { f.ReadOnly = readsDatabase(verb) }
	c.Version = readProgramVersion()
	c.SetVersionTemplate(formatVersion())
	return c
}
