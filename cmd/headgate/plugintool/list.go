package plugintool

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/headgate-dev/headgate/cmd/headgate/cli"
	"github.com/headgate-dev/headgate/cmd/headgate/node"
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/records/state"
	"github.com/headgate-dev/headgate/plugins"
)

// listedModule is one line of the list.
type listedModule struct {
	File    string   `json:"file"`
	State   string   `json:"state"` // ok or refused
	Name    string   `json:"name,omitempty"`
	Version string   `json:"version,omitempty"`
	Kind    string   `json:"kind,omitempty"`
	Labels  []string `json:"labels,omitempty"`
	Digest  string   `json:"digest,omitempty"`
	Trust   string   `json:"trust"`
	Reason  string   `json:"reason,omitempty"`
}

func newListCommand(f *node.Options) *cobra.Command {
	url, asJSON := "", false
	c := &cobra.Command{
		Use:   "list",
		Short: "List the modules in the plugins folder and whether each would load; with --url, the plugins of a running gateway",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if url != "" {
				return listRunning(c, url, asJSON)
			}
			cfg, _, err := f.Load()
			if err != nil {
				return err
			}
			return listFolder(c, cfg, asJSON)
		},
	}
	c.Flags().StringVar(
		&url,
		"url",
		"",
		"`address` of a running gateway, as http://127.0.0.1:8080: state, calls, faults and time of what serves, and of candidates; needs HEADGATE_DEV_KEY or HEADGATE_ADMIN_TOKEN",
	)
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// listFolder loads every module of the folder.
func listFolder(c *cobra.Command, cfg *config.Config, asJSON bool) error {
	say := func(text string) { _, _ = fmt.Fprintln(c.ErrOrStderr(), text) } // what a module logs about its settings
	dir, err := node.OpenPlugins(cfg, say, nil)
	if err != nil {
		return err
	}
	list, bad := []listedModule{}, false
	for _, file := range dir.Names() {
		l := listedModule{File: file, State: "ok", Trust: string(cfg.Plugins.Trust)}
		v, err := dir.Try(c.Context(), file, findSettings(cfg, file), newTrialDeps(file))
		if err != nil {
			l.State, l.Reason, bad = "refused", err.Error(), true
		} else {
			l.Name, l.Version, l.Kind, l.Labels, l.Digest = v.Manifest.Name, v.Manifest.Version, v.Manifest.Kind, v.Manifest.Labels, v.Digest
		}
		list = append(list, l)
	}
	if asJSON {
		err = cli.PrintJSON(c.OutOrStdout(), list)
	} else {
		err = printListed(c.OutOrStdout(), list)
	}
	if err == nil && bad {
		return cli.ErrReported
	}
	return err
}

// findSettings returns the settings of the first link that names the file, because some modules do not start without
// them, or nil.
func findSettings(cfg *config.Config, file string) core.Settings {
	for _, l := range cfg.Links() {
		if l.Wasm == file {
			return l.Config
		}
	}
	return nil
}

// newTrialDeps returns the dependencies of a module that is only loaded for a test.
func newTrialDeps(file string) plugins.Deps {
	return plugins.Deps{Name: file, State: state.NewMemory(state.Options{})}
}

func printListed(w io.Writer, list []listedModule) error {
	for i := range list {
		l := &list[i]
		if l.State == "refused" {
			if _, err := fmt.Fprintf(w, "%-28s REFUSED  %s\n", l.File, l.Reason); err != nil {
				return err
			}
			continue
		}
		if _, err := fmt.Fprintf(
			w,
			"%-28s ok       %s %s, %s, labels %v, trust %s, sha256 %s\n",
			l.File,
			l.Name,
			l.Version,
			l.Kind,
			l.Labels,
			l.Trust,
			l.Digest,
		); err != nil {
			return err
		}
	}
	return nil
}
