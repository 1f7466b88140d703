package main

import (
	"github.com/headgate-dev/headgate/cmd/headgate/node"
	"github.com/spf13/cobra"
)

func pluginCommand(f *node.Options) *cobra.Command {
	c := &cobra.Command{Use: "plugin", Short: "Look after plugins", Args: cobra.NoArgs}
	c.AddCommand(pluginList(f), pluginNew(), pluginBuild(), pluginPack(), pluginCompile(), pluginTry(f), pluginBench(f), pluginKeygen(), pluginSign(), pluginVerify(f), pluginLock(f), pluginInspect(f),
		pluginDecide(f, true), pluginDecide(f, false))
	return c
}
