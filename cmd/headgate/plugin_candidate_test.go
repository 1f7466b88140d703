package main_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/server"
)

// plugin is a plugin in /status.
func (g *gate) plugin(file string) (p server.Plugin) {
	g.t.Helper()
	a, err := g.client(testKey).do("GET", "/status", nil)
	require.NoError(g.t, err)
	var s server.Status
	require.NoError(g.t, json.Unmarshal([]byte(a.body), &s))
	for _, p := range s.Plugins {
		if p.File == file {
			return p
		}
	}
	return p
}

// awaitTrial waits until requests are tried with a candidate that replaced a file. The status names the candidate a
// moment before the chain with it is in force; a request in between reaches only the serving version.
func (g *gate) awaitTrial(file string) {
	g.t.Helper()
	eventually(g.t, "it is tried", func() bool {
		return g.plugin(file).Candidate != nil && strings.Contains(g.out.String(), `"cause":"the plugins folder changed"`)
	})
}

func candidates(rule string) []byte {
	return []byte(strings.Replace(configText("", everyPlugin), "trust: open", "trust: open, candidate: "+rule, 1))
}

func TestACandidateIsPromotedUnderLoad(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.write("gateway.yaml", candidates("{min_calls: 300}"))
	s.copy("plugins/"+employees, sample(t))
	g := s.serve("--config", "gateway.yaml")
	tr := g.traffic(16, 10*time.Millisecond, "mock-echo")
	tr.awaitMore(16)
	old := sample(t)
	for n, name := range []string{"one", "two", "three"} {
		next := build(sample(t), name)
		s.write("plugins/"+employees, next)
		var seen server.Plugin
		eventually(t, "it is tried", func() bool { seen = g.plugin(employees); return seen.Candidate != nil })
		assert.Equal(t, digest(next), seen.Candidate.Digest)
		assert.Equal(t, digest(old), seen.Digest, "the previous version serves meanwhile")
		assert.Equal(t, "live", seen.State)
		g.awaitModule(employees, digest(next))
		eventually(t, "the trial is over", func() bool { return g.plugin(employees).Candidate == nil })
		eventually(t, "the promotion is counted", func() bool { return int(g.metric("headgate_plugin_events_total", `event="PLUGIN_PROMOTED"`)) == n+1 })
		old = next
	}
	tr.awaitMore(32)
	tr.endUnharmed()
	assert.Equal(t, "ok", g.status().Status)
	p := g.plugin(employees)
	assert.Positive(t, p.Calls)
	assert.Positive(t, p.MeanMicros)
	assert.Empty(t, p.Faults)
	f := s.listRunning(g)
	require.Zero(t, f.code, f.err)
	assert.Regexp(
		t,
		`(?m)^employee-id\.wasm +live +employee-id 1\.0\.0, trust open, sha256 `+digest(
			old,
		)+`\n  calls [1-9]\d*, findings [1-9]\d*, faults 0, mean [0-9.]+ µs, memory [0-9.]+ MiB in [1-9]\d* instances?$`,
		f.out,
	)
	g.stop()
	assert.Equal(t, 3, s.countAuditEvents("PLUGIN_CANDIDATE"))
	assert.Equal(t, 3, s.countAuditEvents("PLUGIN_PROMOTED"))
	t.Logf("%d exchanges, none with an error", tr.sent.Load())
}

func TestACandidateThatIsBadIsHeldUntilAnOperatorDecides(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		body []byte
		says string
	}{
		"diverges": {guest{name: "blind"}.bytes(), "verdicts differ"},
		"traps":    {guest{name: "trap", detect: onMark(unreachable)}.bytes(), "of its calls failed"},
		"hangs":    {guest{name: "hang", detect: onMark(endless(nil))}.bytes(), "of its calls failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.write("gateway.yaml", candidates("{for: 1h, min_calls: 100000}"))
			s.copy("plugins/"+employees, sample(t))
			g := s.serve("--config", "gateway.yaml")
			s.write("plugins/"+employees, c.body)
			g.awaitTrial(employees)
			for range 3 {
				require.NoError(t, g.client(testKey).checkEcho("mock-echo", "! badge EMP-123456"), "no client notices")
			}
			eventually(t, "it is held", func() bool { return g.status().warned(employees, "the candidate is held", c.says) })
			p := g.plugin(employees)
			assert.Equal(t, "held", p.Candidate.State)
			assert.Equal(t, digest(sample(t)), p.Digest)
			assert.Contains(t, p.Candidate.Reason, c.says)
			assert.Equal(t, 1, int(g.metric("headgate_plugin_candidates_held")))
			require.NoError(t, g.client(testKey).checkEcho("mock-echo", "! badge EMP-123456"))
			f := s.listRunning(g)
			assert.Contains(t, f.out, "candidate without a version, held, since ")

			f = s.run("plugin", "reject", "--config", "gateway.yaml", "--digest", digest(c.body), employees)
			require.Zero(t, f.code, f.err)
			eventually(t, "it is rejected", func() bool { return g.status().warned(employees, "rejected in plugins.decisions") })
			assert.Nil(t, g.plugin(employees).Candidate)
			f = s.run("plugin", "promote", "--config", "gateway.yaml", employees)
			require.Zero(t, f.code, f.err)
			g.awaitModule(employees, digest(c.body))
			s.write("plugins/"+employees, sample(t))
			eventually(t, "the old version is a candidate now", func() bool {
				k := g.plugin(employees).Candidate
				return k != nil && k.Digest == digest(sample(t))
			})
			g.stop()
			assert.Equal(t, 1, s.countAuditEvents("PLUGIN_HELD"))
		})
	}
}
