package main_test

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Answers pass the links in reverse, so a detector before the PII stage would see restored text; it checks only
// requests.
const (
	piiFirst = "  - stage: pii\n  - {wasm: employee-id.wasm, name: employees, phases: [request], config: {action: redact}}\n"
	piiLast  = "  - {wasm: employee-id.wasm, name: employees, phases: [request], config: {action: redact}}\n  - stage: pii\n"
)

func TestTheChainIsReorderedWhileItServes(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.copy("plugins/employee-id.wasm", sample(t))
	s.configure("", piiFirst)
	g := s.serve("--config", "gateway.yaml")
	require.Equal(t, []string{"pii", "employees"}, g.status().links())
	tr := g.traffic(16, 5*time.Millisecond, "mock-echo")
	tr.awaitMore(32)

	for _, step := range []struct {
		how   string
		chain string
		links []string
		put   func(name string, b []byte)
		hup   bool
	}{
		{"by a file that replaces the old one", piiLast, []string{"employees", "pii"}, s.write, false},
		{"by a file that is overwritten", piiFirst, []string{"pii", "employees"}, s.copy, false},
		{"by SIGHUP", piiLast, []string{"employees", "pii"}, s.write, true},
	} {
		reloads := g.metric("headgate_config_reloads_total", `result="ok"`)
		step.put("gateway.yaml", []byte(configText("", step.chain)))
		if step.hup {
			g.signal(syscall.SIGHUP)
		}
		took := eventually(t, step.how, func() bool { return assert.ObjectsAreEqual(step.links, g.status().links()) })
		t.Logf("in force after %s, %s", took.Round(10*time.Millisecond), step.how)
		// The change is counted when it is in force, so the metric follows a moment later.
		eventually(t, "it is counted", func() bool { return g.metric("headgate_config_reloads_total", `result="ok"`) > reloads })
		tr.awaitMore(32)
		timing := g.client(testKey).chat(t, "mock-echo", "hello").header.Get("Server-Timing")
		first, second := strings.Index(timing, step.links[0]+";"), strings.Index(timing, step.links[1]+";")
		assert.True(t, first >= 0 && first < second, "the order in which the links were called: %s", timing)
	}
	tr.endUnharmed()
	s.verifyAudit("--config", "gateway.yaml")
}

func TestABadConfigurationIsRefusedAndTheLastGoodOneServes(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.copy("plugins/employee-id.wasm", sample(t))
	s.configure("", piiFirst)
	g := s.serve("--config", "gateway.yaml")
	assert.Zero(t, g.metric("headgate_config_refused"))
	assert.Equal(t, "ok", g.status().Status)
	tr := g.traffic(4, 10*time.Millisecond, "mock-echo")
	good := configText("", piiLast)
	for _, c := range []struct{ name, old, new, says string }{
		{"a chain that cannot work", "stage: pii", "stage: pij", "gateway.yaml:14"},
		{"a missing module", "employee-id.wasm", "none.wasm", "none.wasm"},
		{"no YAML", "chain:", "chain: [", "gateway.yaml"},
		{"another listener, which needs a restart", "listen: 127.0.0.1:0", "listen: 127.0.0.2:0", "restart"},
		{"another store, which needs a restart", "chain:", "store: {url: \"sqlite:other.db\"}\nchain:", "restart"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.write("gateway.yaml", []byte(strings.Replace(good, c.old, c.new, 1)))
			eventually(t, "it is refused", func() bool { return g.metric("headgate_config_refused") == 1 })
			st := g.status()
			assert.Equal(t, "degraded", st.Status)
			assert.True(t, st.warned("refused", c.says), "%v", st.Warnings)
			assert.Equal(t, []string{"pii", "employees"}, st.links(), "the last good one serves")
			eventually(t, "the log reports it", func() bool {
				line := g.findLogLine("the new configuration is refused; the last good one stays in force")
				text, _ := line["error"].(string)
				return strings.Contains(text, c.says)
			})
			tr.awaitMore(4)
			s.configure("", piiFirst)
			eventually(t, "it recovers", func() bool { return g.metric("headgate_config_refused") == 0 })
			assert.Equal(t, "ok", g.status().Status)
		})
	}
	assert.GreaterOrEqual(t, g.metric("headgate_config_reloads_total", `result="refused"`), 5.0)
	tr.endUnharmed()
}
