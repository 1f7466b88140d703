package telemetry

import (
	"encoding/json"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
)

// exchange is one with everything in it; client marks what the client chose.
func exchange() *core.Exchange {
	const client = "client-chosen"
	x := &core.Exchange{
		ID: "id-1", Trace: client + "-trace", Dialect: "openai.chat", Received: time.Now(),
		Principal: &core.Principal{Tenant: "t", KeyPrefix: "gw_12345"},
		Head:      core.Head{Model: client + "-model", User: client + "-user", Stream: true, Tools: []string{client}},
		Target:    core.TargetRef{Provider: "openai", Model: "gpt-test"},
		Attempts:  []core.Attempt{{Status: 200}},
		Usage:     llm.Usage{Reported: true, Input: 5, Output: 3, Cached: 2, Reasoning: 1},
		Cost:      2_500_000_000, Priced: true,
		Outcome:   core.Outcome{Kind: core.Served, Status: 200, Complete: true},
		FirstByte: time.Now(),
	}
	x.Findings = []core.Finding{{Link: "pii", Label: "EMAIL"}}
	x.Visits = []core.Visit{
		{Link: "pii", Phase: core.Request, Action: core.Pass, Duration: time.Millisecond},
		{Link: "late", Phase: core.Response, Shadow: true, Fault: core.FaultPanic},
	}
	return x
}

func scrape(t *testing.T, m *Telemetry) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	require.Equal(t, 200, w.Code)
	return w.Body.String()
}

func TestAnExchangeIsCounted(t *testing.T) {
	m, err := New(Options{Out: new(paper)})
	require.NoError(t, err)
	defer func() { require.NoError(t, m.Close()) }()
	for range 2 {
		m.RecordExchange(exchange(), 3*time.Millisecond)
	}
	m.RecordAudit("GATEWAY_REQUEST")
	m.RecordUsage()
	m.ReportLoss("audit", "id-1", errors.New("busy"))
	m.RecordReload(true)
	m.RecordReload(false)
	text := scrape(t, m)
	for _, line := range []string{
		`headgate_requests_total{outcome="served",provider="openai",shape="openai.chat",status="200"} 2`,
		`headgate_tokens_total{kind="input",provider="openai"} 10`, `headgate_tokens_total{kind="output",provider="openai"} 6`,
		`headgate_verdicts_total{action="pass",fault="",link="pii",mode="enforce",phase="request"} 2`,
		`headgate_verdicts_total{action="undecided",fault="panic",link="late",mode="shadow",phase="response"} 2`,
		`headgate_link_seconds_total{link="pii"} 0.002`, `headgate_request_seconds_count{shape="openai.chat"} 2`,
		`headgate_cost_usd_total{provider="openai"} 0.5`, `headgate_unpriced_exchanges_total{provider="openai"} 0`,
		`headgate_audit_records_total{type="GATEWAY_REQUEST"} 1`, `headgate_usage_records_total 1`, `headgate_records_lost_total{record="audit"} 1`,
		`headgate_config_reloads_total{result="ok"} 1`, `headgate_config_reloads_total{result="refused"} 1`, `headgate_panics_total 0`,
	} {
		assert.Contains(t, text, line+"\n")
	}
	assert.NotContains(t, text, "client-chosen", "no label is the client's to choose")
}

func TestAnExchangeHasOneLine(t *testing.T) {
	p := new(paper)
	m, err := New(Options{Out: p, Access: true})
	require.NoError(t, err)
	x := exchange()
	x.Outcome.Kind, x.Outcome.By = core.Faulted, "pii"
	x.Outcome.Err = &core.Error{Code: "guard_unavailable", Public: "public text", Err: errors.New("the cause")}
	m.RecordExchange(x, 3*time.Millisecond)
	require.NoError(t, m.Close())
	require.Equal(t, 1, strings.Count(p.read(), "\n"))
	var line map[string]any
	require.NoError(t, json.Unmarshal([]byte(p.read()), &line))
	for name, want := range map[string]any{
		"level": "warn", "message": "exchange", "request_id": "id-1", "trace_id": "client-chosen-trace", "shape": "openai.chat", "tenant": "t",
		"api_key": "gw_12345", "model": "client-chosen-model", "stream": true, "provider": "openai", "status": 200.0, "outcome": "faulted", "by": "pii",
		"code": "guard_unavailable", "cause": "the cause", "latency_us": 3000.0, "findings": 1.0,
		"tokens_prompt": 5.0, "tokens_completion": 3.0, "tokens_cached": 2.0, "tokens_reasoning": 1.0,
	} {
		assert.Equal(t, want, line[name], name)
	}
	assert.NotContains(t, p.read(), "public text")
	assert.NotContains(t, p.read(), "client-chosen-user")
}

func TestWithoutAccessLogNothingIsWritten(t *testing.T) {
	p := new(paper)
	m, err := New(Options{Out: p})
	require.NoError(t, err)
	m.RecordExchange(exchange(), time.Millisecond)
	require.NoError(t, m.Close())
	assert.Empty(t, p.read())
}

func TestAPanicsValueIsNotWritten(t *testing.T) {
	p := new(paper)
	m, err := New(Options{Out: p})
	require.NoError(t, err)
	m.RecordPanic("id-1", "a prompt", []byte("stack"))
	var list []int
	func() {
		defer func() { m.RecordPanic("id-2", recover(), nil) }()
		_ = list[len(p.read())+1]
	}()
	require.NoError(t, m.Close())
	assert.NotContains(t, p.read(), "a prompt")
	assert.Contains(t, p.read(), "a value of type string")
	assert.Contains(t, p.read(), "index out of range")
	assert.Contains(t, scrape(t, m), "headgate_panics_total 2\n")
}

func TestOptionsAreChecked(t *testing.T) {
	_, err := New(Options{Out: new(paper), Level: "loud"})
	require.ErrorContains(t, err, `"loud"`)
	p := new(paper)
	m, err := New(Options{Out: p, Level: "warn", Format: "console"})
	require.NoError(t, err)
	m.Log.Info().Msg("quiet")
	m.Log.Warn().Msg("heard")
	c := prometheus.NewCounter(prometheus.CounterOpts{Name: "x_total"})
	require.NoError(t, m.Register(c))
	require.Error(t, m.Register(c))
	require.NoError(t, m.Close())
	assert.NotContains(t, p.read(), "quiet")
	assert.Contains(t, p.read(), "heard")
}

func TestLinksAreTotalled(t *testing.T) {
	m, err := New(Options{Out: new(paper)})
	require.NoError(t, err)
	defer func() { require.NoError(t, m.Close()) }()
	assert.Empty(t, m.Links())
	x := exchange()
	x.Visits = append(x.Visits, core.Visit{Link: "pii", Phase: core.Response, Action: core.Block, Duration: 2 * time.Millisecond})
	for range 2 {
		m.RecordExchange(x, 3*time.Millisecond)
	}
	assert.Equal(t, map[string]LinkTotals{
		"pii": {Calls: 4, Blocks: 2, Time: 6 * time.Millisecond}, "late": {Calls: 2, Faults: 2},
	}, m.Links())
}
