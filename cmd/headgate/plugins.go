package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/state"
	"github.com/headgate-dev/headgate/plugins"
	"github.com/headgate-dev/headgate/wasm"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// openPlugins opens the folder of plugins. Modules are compiled by a child of
// this program, so that one that is slow to compile cannot stall the gateway.
func openPlugins(cfg *config.Config, log func(text string)) (*plugins.Dir, error) {
	trust, err := plugins.ParseTrust(string(cfg.Plugins.Trust))
	if err != nil {
		return nil, err
	}
	cache, err := cacheDir(cfg.Plugins.CacheDir)
	if err != nil {
		return nil, err
	}
	exe, err := os.Executable()
	if err != nil {
		exe = "" // compile in this process
	}
	return plugins.Open(plugins.Options{
		Dir: cfg.Plugins.Dir, Trust: trust, CacheDir: cache,
		Child: wasm.Child{Exe: exe, Args: []string{"plugin", "compile"}},
		Log: func(file string, _ abi.Level, text string, dropped int) {
			if dropped > 0 {
				text = fmt.Sprintf("%s (%d lines dropped)", text, dropped)
			}
			log(file + ": " + text)
		},
	})
}

// cacheDir is where compiled modules are kept: a folder of this user's own.
func cacheDir(named string) (string, error) {
	if named != "" {
		return named, nil
	}
	base, err := os.UserCacheDir()
	if err != nil { // no home, as in a bare container
		return "", nil //nolint:nilerr // without a cache modules are compiled at each start
	}
	return filepath.Join(base, "headgate", "wasm"), nil
}

func pluginCommand(f *flags) *cobra.Command {
	c := &cobra.Command{Use: "plugin", Short: "Look after plugins", Args: cobra.NoArgs}
	c.AddCommand(pluginList(f), pluginPack(), pluginCompile())
	c.AddCommand(pluginNew(), pluginBuild())
	return c
}

func pluginList(f *flags) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the modules in the plugins folder, and whether each would be loaded",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) (err error) {
			cfg, _, err := f.load()
			if err != nil {
				return err
			}
			dir, err := openPlugins(cfg, func(string) {})
			if err != nil {
				return err
			}
			out, bad := c.OutOrStdout(), false
			for _, file := range dir.Names() {
				st, err := dir.Stage(c.Context(), file, nil, wasm.Limits{}, core.Deps{Name: file, State: state.NewMemory(state.Options{})})
				if err != nil {
					bad = true
					if _, err := fmt.Fprintf(out, "%-28s REFUSED  %v\n", file, err); err != nil {
						return err
					}
					continue
				}
				v := st.Version()
				_, err = fmt.Fprintf(out, "%-28s ok       %s %s, %s, labels %v, sha256 %s\n", file, v.Manifest.Name, v.Manifest.Version, v.Manifest.Kind, v.Manifest.Labels, v.Digest)
				if err = errors.Join(err, st.Close(c.Context())); err != nil {
					return err
				}
			}
			if bad {
				return errSilent
			}
			return nil
		},
	}
}

func pluginPack() *cobra.Command {
	return &cobra.Command{
		Use:   "pack MODULE MANIFEST",
		Short: "Put a manifest (JSON or YAML) into a module",
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
			return os.WriteFile(args[0], packed, 0o644) //nolint:gosec // a module is meant to be read
		},
	}
}

// pluginCompile is run by the gateway itself, as a child with little memory and
// little time.
func pluginCompile() *cobra.Command {
	return &cobra.Command{
		Use: "compile DIR", Hidden: true, Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return wasm.CompileMain(c.Context(), args[0], c.InOrStdin())
		},
	}
}
