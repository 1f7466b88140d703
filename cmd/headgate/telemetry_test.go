package main_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"
)

// spans is a collector that keeps the names of spans and the token that it received.
type spans struct {
	mu    sync.Mutex
	names []string
	token string
}

func (s *spans) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	var req collector.ExportTraceServiceRequest
	if err != nil || proto.Unmarshal(raw, &req) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.token = r.Header.Get("Authorization")
	for _, rs := range req.GetResourceSpans() {
		for _, ss := range rs.GetScopeSpans() {
			for _, span := range ss.GetSpans() {
				s.names = append(s.names, span.GetName())
			}
		}
	}
}

func TestTheConfigurationSaysWhereTracesGoAndTheMetricsTellOfTheControlPlane(t *testing.T) {
	t.Parallel()
	sink := new(spans)
	srv := httptest.NewServer(sink)
	defer srv.Close()
	s := newSite(t)
	s.env = append(s.env, "COLLECTOR_TOKEN=hidden-token")
	s.write("gateway.yaml", []byte(configText("", "  - stage: pii\n")+
		"telemetry: {traces: {endpoint: \""+srv.URL+"\", headers: {authorization: \"Bearer ${COLLECTOR_TOKEN}\"}}}\n"))
	g := s.serve("--config", "gateway.yaml")
	a := g.client(testKey).chat(t, "mock-echo", "hello")
	require.Equal(t, 200, a.status, a.body)
	res, err := http.Get("http://" + g.metrics + "/metrics")
	require.NoError(t, err)
	text, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	for _, line := range []string{
		`headgate_webhook_deliveries{state="pending"} 0`, `headgate_webhook_deliveries{state="dead"} 0`, `headgate_fleet_nodes{state="seen"} 0`, `headgate_fleet_nodes_behind 0`,
		`headgate_license_state{state="NONE"} 1`, `headgate_license_state{state="VALID"} 0`, `headgate_plugin_modules{state="live"} 0`, `headgate_control_metrics_stale 0`,
		`headgate_record_writer_failing 0`, `headgate_records_refused_total 0`, `headgate_config_refused 0`,
		`headgate_verdicts_total{action="pass",fault="",link="pii",mode="enforce",phase="request"} 1`,
	} {
		assert.Contains(t, string(text), line+"\n")
	}
	assert.Contains(
		t,
		string(text),
		`gen_ai_client_operation_duration_seconds_count{error_type="",gen_ai_operation_name="chat",gen_ai_provider_name="mock",gen_ai_request_model="mock-echo"`,
	)
	g.stop()
	sink.mu.Lock()
	defer sink.mu.Unlock()
	assert.ElementsMatch(t, []string{"chat openai.chat", "request pii", "response pii", "chat mock-echo"}, sink.names)
	assert.Equal(t, "Bearer hidden-token", sink.token)
	assert.NotContains(t, g.out.String()+g.errs.String(), "hidden-token")
	assert.Contains(t, g.out.String(), a.header.Get("X-Trace-Id"))
}

func TestTracesThatCannotBeSentAnywhereAreRefusedByTheConfiguration(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for bad, want := range map[string]string{
		"{endpoint: collector}":                                     "telemetry.traces.endpoint",
		"{endpoint: \"http://user:hidden@collector\"}":              "telemetry.traces.endpoint",
		"{endpoint: \"http://collector\", sample: 2}":               "telemetry.traces.sample",
		"{endpoint: \"http://collector\", headers: {\"a b\": x}}":   "telemetry.traces.headers",
		"{endpoint: \"http://collector\", headers: {a: \"x\\ny\"}}": "telemetry.traces.headers",
	} {
		s.write("gateway.yaml", []byte(configText("", "  - stage: pii\n")+"telemetry: {traces: "+bad+"}\n"))
		f := s.run("validate", "--config", "gateway.yaml")
		assert.NotZero(t, f.code, bad)
		assert.Contains(t, f.err+f.out, want, bad)
		assert.NotContains(t, f.err+f.out, "hidden", bad)
	}
}
