// Command headgate is a governing gateway for language-model traffic. This
// package wires all the others together: verbs, flags, signals.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := root().ExecuteContext(ctx)
	stop()
	if err != nil {
		if !errors.Is(err, errSilent) {
			fmt.Fprintln(os.Stderr, "headgate:", err)
		}
		os.Exit(1)
	}
}

// errSilent ends the program with status 1 after everything was said.
var errSilent = errors.New("silent")

// flags that all verbs share.
type flags struct {
	config string
	set    []string
}

func root() *cobra.Command {
	f := new(flags)
	c := &cobra.Command{
		Use:           "headgate",
		Short:         "A governing gateway for language-model traffic",
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
	}
	c.PersistentFlags().StringVar(&f.config, "config", "", "configuration `file` (default: the built-in sample)")
	c.PersistentFlags().StringArrayVar(&f.set, "set", nil, "set a configuration key, as `key=value`; may be repeated")
	c.AddCommand(serveCommand(f), validateCommand(f), versionCommand(), keysCommand(f), pluginCommand(f), webhookCommand(), auditCommand(f), policyCommand(f), scanCommand(f), replayCommand(f))
	return c
}
