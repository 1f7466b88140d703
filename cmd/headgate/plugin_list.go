package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/wasm"
)

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
			dir, err := openPlugins(cfg, func(string) {}, nil)
			if err != nil {
				return err
			}
			out, bad := c.OutOrStdout(), false
			for _, file := range dir.Names() {
				loaded, err := dir.Stage(c.Context(), file, nil, wasm.Limits{}, core.Deps{Name: file})
				st := loaded.Live
				if err != nil {
					bad = true
					if _, err := fmt.Fprintf(out, "%-28s REFUSED  %v\n", file, err); err != nil {
						return err
					}
					continue
				}
				v := st.Version()
				_, err = fmt.Fprintf(out, "%-28s ok       %s %s, labels %v, sha256 %s\n", file, v.Manifest.Name, v.Manifest.Version, v.Manifest.Labels, v.Digest)
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
