package main_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheStatusTellsAllThatThereIsToSayOfAPlugin(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.configure("", everyPlugin)
	s.copy("plugins/"+employees, sample(t))
	g := s.serve("--config", "gateway.yaml")
	eventually(t, "it is in force", func() bool { return g.plugin(employees).State == "live" })
	for range 40 { // some calls are timed
		require.Equal(t, 200, g.client(testKey).chat(t, "mock-echo", "ask EMP-123456").status)
	}
	p := g.plugin(employees)
	assert.Equal(t, "employee-id", p.Name)
	assert.NotEmpty(t, p.Version)
	assert.Equal(t, digest(sample(t)), p.Digest)
	assert.Equal(t, "open", p.Trust)
	assert.GreaterOrEqual(t, p.Calls, uint64(40))
	assert.GreaterOrEqual(t, p.Findings, uint64(40))
	assert.Empty(t, p.Faults)
	assert.Positive(t, p.MeanMicros)
	assert.Positive(t, p.Instances)
	assert.Positive(t, p.MemoryBytes)
	assert.Empty(t, p.Reason)
	require.Len(t, p.Links, 1)
	assert.Equal(t, p.Instances, p.Links[0].Instances)
	assert.Positive(t, p.Links[0].MemoryBytes)

	out := s.listRunning(g)
	require.Equal(t, 0, out.code, out.err)
	for _, word := range []string{employees, "live", "employee-id", digest(sample(t))[:12], "calls", "faults", "MiB in", "link " + p.Links[0].Link + ": memory"} {
		assert.Contains(t, out.out, word)
	}
}

// listRunning lists the plugins of a running gateway, with a key.
func (s *site) listRunning(g *gate) finished {
	with := *s
	with.env = append(s.env[:len(s.env):len(s.env)], "HEADGATE_DEV_KEY="+testKey)
	return with.run("plugin", "list", "--url", "http://"+g.addr)
}

func TestTheListOfARunningGatewaysPluginsNeedsAKey(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.configure("", everyPlugin)
	g := s.serve("--config", "gateway.yaml")
	f := s.run("plugin", "list", "--url", "http://"+g.addr)
	assert.Equal(t, 1, f.code)
	assert.Contains(t, f.err, "set HEADGATE_DEV_KEY to a gateway key, or HEADGATE_ADMIN_TOKEN")
}
