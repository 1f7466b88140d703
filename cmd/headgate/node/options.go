package node

import (
	"fmt"
	"io"
	"os"

	"github.com/headgate-dev/headgate/configs"
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/plugins"
	"github.com/headgate-dev/headgate/plugins/outside"
	"github.com/headgate-dev/headgate/providers"
	"github.com/headgate-dev/headgate/stages"
)

// Options are the flags that all verbs share.
type Options struct {
	Config  string
	Set     []string
	Version string // program version, for the status and the records

	// ReadOnly makes OpenRecords and OpenDatabase refuse a database that does not exist yet, and create nothing.
	ReadOnly bool

	replica *replica // nil unless the configuration comes from a control plane
}

// Load reads the configuration that the flags name.
func (f *Options) Load() (*config.Config, []config.Warning, error) { return f.LoadOver("") }

// LoadOver is Load with an overlay file, if over is not empty.
func (f *Options) LoadOver(over string) (*config.Config, []config.Warning, error) {
	return f.loadWith(over, nil)
}

// loadArranged is load with a different layout of the chain, if it is not nil.
func (f *Options) loadArranged(l *config.Layout) (*config.Config, []config.Warning, error) {
	return f.loadWith("", l)
}

func (f *Options) loadWith(over string, l *config.Layout) (*config.Config, []config.Warning, error) {
	src := config.Source{
		Path: f.Config, Over: over, Layout: l, Default: configs.Gateway, Set: f.Set, Environ: os.Environ(),
		Known: config.Known{Providers: providers.ListNames(), Stages: stages.ListNames(), Guards: outside.ListVendors(), Role: plugins.FindRole},
	}
	cfg, warnings, err := config.Load(src)
	if err != nil || !isNode(cfg) {
		return cfg, warnings, err
	}
	src.Node, src.Default = true, []byte("role: gateway\n")
	if f.replica != nil {
		src.Base = f.replica.site.Load().Config
	}
	return config.Load(src)
}

func PrintWarnings(w io.Writer, list []config.Warning) {
	for _, x := range list {
		_, _ = fmt.Fprintln(w, "warning:", x) // a closed terminal cannot be reported
	}
}
