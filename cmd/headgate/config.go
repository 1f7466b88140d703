package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/headgate-dev/headgate/configs"
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/records/state"
	"github.com/headgate-dev/headgate/providers"
	"github.com/headgate-dev/headgate/stages"
)

// load reads the configuration that the flags name.
func (f *flags) load() (*config.Config, []config.Warning, error) { return f.loadOver("") }

// loadOver reads it with another file laid over it; "": there is none.
func (f *flags) loadOver(over string) (*config.Config, []config.Warning, error) {
	return f.loadWith(over, nil)
}

// arranged reads it with another layout of the chain; nil: as the file says.
func (f *flags) arranged(l *config.Layout) (*config.Config, []config.Warning, error) {
	return f.loadWith("", l)
}

func (f *flags) loadWith(over string, l *config.Layout) (*config.Config, []config.Warning, error) {
	names, err := stageNames()
	if err != nil {
		return nil, nil, err
	}
	src := config.Source{
		Path: f.config, Over: over, Layout: l, Default: configs.Gateway, Set: f.set, Environ: os.Environ(),
		Known: config.Known{Providers: providers.Names(), Stages: names},
	}
	cfg, warnings, err := config.Load(src)
	if err != nil || !isNode(cfg) {
		return cfg, warnings, err
	}
	src.Node, src.Default = true, []byte("role: gateway\n")
	if f.node != nil {
		src.Base = f.node.site.Load().Config
	}
	return config.Load(src)
}

func stageNames() ([]string, error) {
	r, err := stages.Builtin()
	if err != nil {
		return nil, err
	}
	return r.Names(), nil
}

func warn(w io.Writer, list []config.Warning) {
	for _, x := range list {
		_, _ = fmt.Fprintln(w, "warning:", x) // nothing can be done when the terminal is gone
	}
}

func validateCommand(f *flags) *cobra.Command {
	return &cobra.Command{
		Use:   "validate",
		Short: "Check the configuration and the plugins it names, without serving",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, warnings, err := f.load()
			warn(c.ErrOrStderr(), warnings)
			if err != nil {
				return err
			}
			dir, err := openFolder(cfg, func(string) {}, nil)
			if err != nil {
				return err
			}
			file, err := filePolicies(cfg)
			if err != nil {
				return err
			}
			for _, i := range policyLanguage(cfg).Conflicts(activeOf(file)) {
				if i.Level != core.IssueInfo {
					_, _ = fmt.Fprintln(c.ErrOrStderr(), "warning:", i) // nothing can be done when the terminal is gone
				}
			}
			rt, err := buildRuntime(c.Context(), cfg, dir, core.Deps{State: state.NewMemory(state.Options{}), Policies: newPolicySource(nil, nil).view(file, nil)}, nil, nil)
			if err != nil {
				return err
			}
			links := writtenLinks(rt.Chain)
			rt.Release()
			if err := rt.Drained(c.Context()); err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.OutOrStdout(), "%s is valid: %d providers, %d routes, %d tenants, %d links in the chain\n",
				strings.TrimSpace(cfg.File), len(cfg.Providers), len(cfg.Routes), len(cfg.Tenants), links)
			return err
		},
	}
}
