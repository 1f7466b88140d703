package node

import (
	"slices"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/server"
	"github.com/headgate-dev/headgate/plugins"
	"github.com/headgate-dev/headgate/wasm"
)

// listPlugins returns the plugins of the status document. The caller holds g.mu.
func (g *gateway) listPlugins() []server.Plugin {
	list, concerns := g.dir.Status(), g.buildFileFilter()
	list = slices.DeleteFunc(list, func(s plugins.Status) bool { return !concerns(s.File) })
	force := g.listInForce()
	out := make([]server.Plugin, 0, len(list))
	for i := range list {
		p := describePlugin(&list[i])
		if v := force[p.File]; v != nil && v.Digest != p.Digest { // the next chain is being built
			p.Name, p.Version, p.Digest = v.Manifest.Name, v.Manifest.Version, v.Digest
		}
		p.Links = listPluginLinks(g.rt.Chain, p.File)
		out = append(out, p)
	}
	return out
}

// listPluginLinks returns the links of a chain that run a file, with the memory of their instances.
func listPluginLinks(c *chain.Chain, file string) (out []admin.PluginLink) {
	var versions []*wasm.Version
	for _, l := range c.Links() {
		if m, ok := l.Stage.(interface{ Version() *wasm.Version }); ok && m.Version().Name == file {
			s := m.Version().Stats()
			out = append(out, admin.PluginLink{Link: l.Name, Instances: s.Instances, MemoryBytes: s.Memory})
			versions = append(versions, m.Version())
		}
	}
	for i := range out {
		for k := range out {
			if k != i && versions[k] == versions[i] {
				out[i].SharedWith = append(out[i].SharedWith, out[k].Link)
			}
		}
	}
	return out
}

// listInForce returns the plugin versions that the chain's links use. The caller holds g.mu.
func (g *gateway) listInForce() map[string]*wasm.Version {
	out := map[string]*wasm.Version{}
	for _, l := range g.rt.Chain.Links() {
		if m, ok := l.Stage.(interface{ Version() *wasm.Version }); ok {
			out[m.Version().Name] = m.Version()
		}
	}
	return out
}

func describePlugin(s *plugins.Status) server.Plugin {
	p := server.Plugin{
		File:         s.File,
		Name:         s.Name,
		Version:      s.Version,
		Digest:       s.Digest,
		State:        s.State,
		Trust:        s.Trust.String(),
		Reason:       s.Reason,
		Calls:        s.Stats.Calls,
		Findings:     s.Stats.Findings,
		Faults:       keyByFault(s.Stats.Faults),
		MeanMicros:   averageMicros(s.Stats.Mean()),
		Instances:    s.Stats.Instances,
		MemoryBytes:  s.Stats.Memory,
		OutOfService: s.Stats.OutOfService,
	}
	if c := s.Candidate; c != nil {
		p.Candidate = &admin.PluginCandidate{
			Version: c.Version, Digest: c.Digest, State: c.State, Since: c.Since.UTC(), Reason: c.Reason,
			Calls: c.Calls, Agreed: c.Agreed, Skipped: c.Skipped, Diverged: c.Diverged, Faults: keyByFault(c.Faults),
			MeanMicros: averageMicros(c.Time), LiveMeanMicros: float64(c.LiveTime.Nanoseconds()) / 1000,
		}
		if len(c.Labels) > 0 {
			p.Candidate.Labels = map[string]admin.PluginLabel{}
			for label, n := range c.Labels {
				p.Candidate.Labels[label] = admin.PluginLabel{Live: n.Live, Candidate: n.Candidate}
			}
		}
	}
	return p
}

func keyByFault[N int64 | uint64](in map[core.Fault]N) map[string]N {
	out := make(map[string]N, len(in))
	for f, n := range in {
		out[f.String()] = n
	}
	return out
}

func averageMicros(d time.Duration) float64 {
	return float64(d.Round(10*time.Nanosecond)) / float64(time.Microsecond)
}
