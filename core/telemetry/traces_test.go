package telemetry

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

// sink is a collector that counts what it is sent, and answers with a status.
func sink(t *testing.T, status int) (url string, exports *atomic.Int64) {
	exports = new(atomic.Int64)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		exports.Add(1)
		http.Error(w, "words of the collector", status)
	}))
	t.Cleanup(srv.Close)
	return srv.URL, exports
}

func TestTracesAreOffUnlessSomethingSaysWhereTheyGo(t *testing.T) {
	url, exports := sink(t, 200)
	for _, c := range []struct {
		name, endpoint string
		env            map[string]string
		on             bool
	}{
		{"nothing", "", nil, false},
		{"the file", url, nil, true},
		{"the variable for all signals", "", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": url}, true},
		{"the variable for traces", "", map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": url + "/v1/traces"}, true},
		{"the SDK is disabled", url, map[string]string{"OTEL_SDK_DISABLED": "true"}, false},
		{"there is to be no exporter", url, map[string]string{"OTEL_TRACES_EXPORTER": "none"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			for k, v := range c.env {
				t.Setenv(k, v)
			}
			exports.Store(0)
			m, err := New(Options{Out: new(paper), Traces: Traces{Endpoint: c.endpoint, Sample: 1}})
			require.NoError(t, err)
			x := exchange()
			s := m.StartTrace(http.Header{}, x)
			assert.Equal(t, c.on, s != nil)
			s.End(x)
			require.NoError(t, m.Close())
			assert.Equal(t, c.on, exports.Load() > 0)
		})
	}
}

func TestTheShareOfTracesIsThatOfTheFileOrTheVariable(t *testing.T) {
	url, _ := sink(t, 200)
	for _, c := range []struct {
		name    string
		sample  float64
		env     string
		sampled bool
	}{
		{"all", 1, "", true},
		{"none", 0, "", false},
		{"none by the variable", 1, "always_off", false},
		{"the file goes before the variable", 0, "always_on", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("OTEL_TRACES_SAMPLER", c.env)
			m, err := New(Options{Out: new(paper), Traces: Traces{Endpoint: url, Sample: c.sample}})
			require.NoError(t, err)
			x := exchange()
			parent, _ := m.StartTrace(http.Header{}, x).StartCall(x, time.Now())
			assert.Equal(t, c.sampled, strings.HasSuffix(parent, "-01"), parent)
			require.NoError(t, m.Close())
		})
	}
}

func TestSpansThatAreLostAreCountedAndTheCollectorIsNotQuoted(t *testing.T) {
	url, _ := sink(t, 400)
	p := new(paper)
	m, err := New(Options{Out: p, Traces: Traces{Endpoint: url, Sample: 1, Headers: map[string]string{"authorization": "Bearer hidden"}}})
	require.NoError(t, err)
	x := exchange()
	for range 3 {
		m.StartTrace(http.Header{}, x).End(x)
	}
	require.NoError(t, m.traces.provider.ForceFlush(context.Background()))
	assert.Contains(t, scrape(t, m), "headgate_spans_total{result=\"lost\"} 9\n") // a server's, and those of two links
	require.NoError(t, m.Close())
	text := p.read()
	assert.Equal(t, 1, strings.Count(text, "spans could not be sent"))
	for _, hidden := range []string{"words of the collector", url, "hidden"} {
		assert.NotContains(t, text, hidden)
	}
}

func TestAnEndpointThatIsNoneIsRefusedAndNotTold(t *testing.T) {
	for _, bad := range []string{"://secret", "secret", "http://%zz@secret"} {
		_, err := New(Options{Out: new(paper), Traces: Traces{Endpoint: bad, Sample: 1}})
		require.Error(t, err, bad)
		assert.NotContains(t, err.Error(), "secret")
	}
}

func TestAClientsModelIsCutInSpans(t *testing.T) {
	assert.Equal(t, "ab", truncateModel("a\n\x00b"))
	assert.Len(t, truncateModel(strings.Repeat("x", 1000)), longest)
	assert.Equal(t, strings.Repeat("x", longest-1), truncateModel(strings.Repeat("x", longest-1)+"ü"))
}

func TestWhatIsOffAllocatesNothing(t *testing.T) {
	m, err := New(Options{Out: new(paper)})
	require.NoError(t, err)
	defer func() { require.NoError(t, m.Close()) }()
	x, h := exchange(), http.Header{"Traceparent": {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}}
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		s := m.StartTrace(h, x)
		s.StartCall(x, x.Received)
		s.End(x)
	}))
}

func BenchmarkTrace(b *testing.B) {
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer srv.Close()
	for _, c := range []struct {
		name string
		t    Traces
	}{{"off", Traces{}}, {"sampled out", Traces{Endpoint: srv.URL, Sample: 0}}, {"on", Traces{Endpoint: srv.URL, Sample: 1}}} {
		b.Run(c.name, func(b *testing.B) {
			m, err := New(Options{Out: new(paper), Traces: c.t})
			require.NoError(b, err)
			x, h := exchange(), http.Header{}
			x.Attempts = []core.Attempt{{Status: 200, Began: x.Received}}
			b.ReportAllocs()
			for b.Loop() {
				s := m.StartTrace(h, x)
				s.StartCall(x, x.Received)
				s.End(x)
			}
			require.NoError(b, m.Close())
		})
	}
}

func BenchmarkMetrics(b *testing.B) {
	m, err := New(Options{Out: new(paper)})
	require.NoError(b, err)
	x := exchange()
	b.ReportAllocs()
	for b.Loop() {
		m.RecordExchange(x, time.Millisecond)
	}
}

// BenchmarkLine is a request's line in the access log.
func BenchmarkLine(b *testing.B) {
	m, err := New(Options{Out: io.Discard, Access: true})
	require.NoError(b, err)
	x := exchange()
	x.Trace = x.ID
	b.ReportAllocs()
	for b.Loop() {
		m.writeLine(x, time.Millisecond)
	}
}
