package config

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"reflect"
	"slices"

	"github.com/headgate-dev/headgate/core"
)

// Source is where a configuration comes from. Later layers take precedence: the file, then Environ, then Set.
type Source struct {
	// Path is the file, relative to the working directory; "" reads Default.
	Path string
	// Default is used without a Path, and Name is its name in messages.
	Default []byte
	Name    string
	// Over is a second file, overlaid on the first: a mapping is merged key by key, a list replaces the first one's.
	// Optional.
	Over string
	// Node marks the file as a node's: it holds the machine's own settings, and everything else is Base, from the
	// control plane.
	Node bool
	Base []byte
	// Layout changes the chain of the files. Optional.
	Layout *Layout
	// Set holds key=value settings, in the order given. The value is YAML if the key holds a list, a mapping or an
	// opaque block, and plain text otherwise.
	Set []string
	// Environ is the environment as os.Environ returns it. HEADGATE_ variables set keys (HEADGATE_SERVER_MAX_BODY sets
	// server.max_body); the file can use any variable as ${VAR}.
	Environ []string
	// Known is what is built into the binary.
	Known Known
}

// Known lists names that other packages own. An empty list is not checked.
type Known struct {
	// Providers are the provider types, Stages the compiled-in stages.
	Providers, Stages, Guards []string
	// Role returns the role in the manifest of a module in the plugins folder, or "" if it has none or cannot be read. Optional.
	Role func(dir, file string) string
	// Variables are further HEADGATE_ variables that the binary reads itself.
	Variables []string
}

// name returns the name of the file in messages.
func (s Source) name() string {
	switch {
	case s.Path != "":
		return s.Path
	case s.Name != "":
		return s.Name
	}
	return "built-in gateway.yaml"
}

// Load reads, merges, decodes and checks a configuration. The error is a *Problems with everything that is wrong;
// warnings are returned with and without it.
func Load(src Source) (*Config, []Warning, error) {
	r, vars, name := &report{}, newVariables(src.Environ), src.name()
	l := newLayers()
	if src.Node && !src.overlayBase(l, r) {
		return nil, nil, r.joinErrors()
	}
	if !src.overlayLayer(l, r, vars, name, "write server: {…}") {
		return nil, nil, r.joinErrors()
	}
	if over := (Source{Path: src.Over}); src.Over != "" && !over.overlayLayer(l, r, vars, src.Over, "write chain: […]") {
		return nil, nil, r.joinErrors()
	}
	set := append(l.applyEnvironment(r, src, vars.used), l.applyFlags(r, src)...)

	cfg := &Config{File: name, Overrides: slices.Compact(slices.Sorted(slices.Values(set)))}
	for _, link := range src.Layout.apply(l.buildValue()) {
		r.warn(
			place{file: name},
			"chain",
			"has no link "+quoteText(link)+", which the stored layout of the chain names",
			"arrange the chain again, or take the layout away",
		)
	}
	d := &decoder{report: r, origins: map[string]origin{}}
	rv := reflect.ValueOf(cfg).Elem()
	d.setDefaults(rv)
	d.decodeStructure(rv, l.buildValue(), "")
	cfg.complete()
	c := &checker{report: r, cfg: cfg, known: src.Known, origins: d.origins, root: place{file: name}}
	c.checkAll()
	if err := r.joinErrors(); err != nil {
		return nil, r.sortWarnings(), err
	}
	sum := sha256.New()
	cfg.root = l.buildValue()
	cfg.root.hash(sum)
	cfg.Digest = hex.EncodeToString(sum.Sum(nil))
	return cfg, r.sortWarnings(), nil
}

// overlayLayer reads the file and overlays it; problems go to the report.
func (s Source) overlayLayer(l *layers, r *report, vars *variables, name, hint string) bool {
	data, ok := s.read(r)
	if !ok {
		return false
	}
	root := (&parser{report: r, file: name, vars: vars}).parse(data)
	if root == nil {
		return false
	}
	if root.kind != mapping {
		r.reportProblem(root.at, "", "the file is "+root.nameKind()+" where a mapping is wanted", hint)
		return false
	}
	r.expandProperties(root)
	if s.Node {
		r.reportForeign(root)
	}
	if err := l.overlayValue(nil, root); err != nil {
		r.reportProblem(place{file: name}, "", "cannot be merged: "+err.Error(), "")
		return false
	}
	return true
}

// read returns the file's bytes, at most one more than allowed.
func (s Source) read(r *report) ([]byte, bool) {
	if s.Path == "" {
		return s.Default, true
	}
	f, err := os.Open(s.Path)
	if err == nil {
		defer func() { _ = f.Close() }() // only read from
		var data []byte
		if data, err = io.ReadAll(io.LimitReader(f, maxFile+1)); err == nil {
			return data, true
		}
	}
	r.reportProblem(place{file: s.Path}, "", "the file cannot be read: "+core.RemovePath(err).Error(), "")
	return nil, false
}

// complete sets keys that default to another key.
func (c *Config) complete() {
	for name, p := range c.Providers {
		if p.Type == "" {
			p.Type = name
			c.Providers[name] = p
		}
	}
	for i := range c.Tenants {
		t := &c.Tenants[i]
		if t.Name == "" {
			t.Name = t.ID
		}
		for j := range t.Keys {
			if t.Keys[j].Tier == "" {
				t.Keys[j].Tier = t.Tier
			}
		}
	}
	for i := range c.Policies {
		if p := &c.Policies[i]; p.Name == "" {
			p.Name = p.ID
		}
	}
	for i := range c.Chain {
		l := &c.Chain[i]
		l.Name = chooseLinkName(l.Name, l.Stage, l.Wasm, l.Plugins, l.Webhook, l.Guard, l.Process, l.GuardrailPlugins)
		if l.FailMode == FailOpen {
			l.OnFault = FaultPass
		}
	}
}
