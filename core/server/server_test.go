package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/gateway/proxy"
	"github.com/headgate-dev/headgate/core/server"
	"github.com/headgate-dev/headgate/core/telemetry"
)

func TestThePublicPages(t *testing.T) {
	r := start(t)
	for _, c := range []struct {
		name, method, path string
		status             int
		contentType, says  string
	}{
		{"the root leads to the page to try", "GET", "/", 302, "", ""},
		{"the page to try is HTML", "GET", "/try", 200, "text/html; charset=utf-8", "<html"},
		{"it lives", "GET", "/livez", 200, "text/plain; charset=utf-8", "ok"},
		{"it is ready", "GET", "/readyz", 200, "text/plain; charset=utf-8", "ok"},
		{"the status is JSON", "GET", "/status", 200, "application/json; charset=utf-8", `{"status":"ok"}`},
		{"an unknown path is an error in JSON", "GET", "/nope", 404, "application/json", `"not_found_error"`},
		{"a slash too many is an unknown path", "POST", "/v1/chat/completions/", 404, "application/json", `"not_found"`},
		{"administration is not here", "GET", "/v1/admin/x", 404, "application/json", `"not_found"`},
		{"the metrics are not on this port", "GET", "/metrics", 404, "application/json", `"not_found"`},
		{"the profiles are not on this port", "GET", "/debug/pprof/", 404, "application/json", `"not_found"`},
		{"a wrong method is an error in JSON", "GET", "/v1/chat/completions", 405, "application/json", `"method_not_allowed"`},
		{"a wrong method on the list of models", "POST", "/v1/models", 405, "application/json", `"method_not_allowed"`},
		{"a chat without a key", "POST", "/v1/chat/completions", 401, "application/json", `"UNAUTHORIZED"`},
		{"the models without a key", "GET", "/v1/models", 401, "application/json", `"UNAUTHORIZED"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			res, body := r.ask(t, c.method, c.path)
			assert.Equal(t, c.status, res.StatusCode)
			assert.Regexp(t, "^[0-9a-f]{32}$", res.Header.Get("X-Trace-ID"))
			if c.contentType != "" {
				assert.Equal(t, c.contentType, res.Header.Get("Content-Type"))
			}
			assert.Contains(t, body, c.says)
			switch c.status {
			case 302:
				assert.Equal(t, "/try", res.Header.Get("Location"))
			case 405:
				assert.NotEmpty(t, res.Header.Get("Allow"))
			}
			if c.contentType == "application/json" {
				var v map[string]map[string]any
				require.NoError(t, json.Unmarshal([]byte(body), &v))
				assert.Subset(t, []string{"type", "code", "message", "param"}, keys(v["error"]))
			}
		})
	}
	res, _ := r.ask(t, "GET", "/try")
	assert.Contains(t, res.Header.Get("Content-Security-Policy"), "default-src 'none'")
	assert.Equal(t, "nosniff", res.Header.Get("X-Content-Type-Options"))
}

func keys(m map[string]any) (out []string) {
	for k := range m {
		out = append(out, k)
	}
	return out
}

func TestATraceIDOfTheClientsIsKeptOnEveryPage(t *testing.T) {
	r := start(t)
	for _, path := range []string{"/", "/try", "/livez", "/status", "/nope", "/v1/models"} {
		req, err := http.NewRequest("GET", r.url+path, nil)
		require.NoError(t, err)
		req.Header.Set("X-Trace-Id", "mine-1")
		res, err := http.DefaultTransport.RoundTrip(req)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		assert.Equal(t, []string{"mine-1"}, res.Header["X-Trace-Id"], path)
	}
}

func TestNotReadyIs503AndDoesNotSayWhy(t *testing.T) {
	r := start(t)
	r.ready = errors.New("secret reason")
	res, body := r.ask(t, "GET", "/readyz")
	assert.Equal(t, 503, res.StatusCode)
	assert.NotContains(t, body, "secret")
	res, _ = r.ask(t, "GET", "/livez")
	assert.Equal(t, 200, res.StatusCode)
}

func TestTheStatusDocumentHasTheNamesOfTheSpecification(t *testing.T) {
	r := start(t)
	req, err := http.NewRequest("GET", r.url+"/status", nil)
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+r.key)
	res, err := http.DefaultTransport.RoundTrip(req)
	require.NoError(t, err)
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	assert.JSONEq(t, `{"status":"ok","mode":"all","version":"1","uptimeSeconds":2,"configVersion":3,
		"providers":[{"name":"mock","type":"mock","health":"unknown","capabilities":{"streaming":true,"vision":false,"toolCalls":false,
			"structuredOutputs":false,"jsonMode":false,"maxContextTokens":5}}],
		"routes":[{"modelPattern":"gpt-*","strategy":"model-prefix","providers":["mock"]}],
		"region":{"id":"","name":"","regionAware":false},
		"rateLimits":{"enabled":false,"globalRequestsPerSecond":0,"defaultPerKeyRequestsPerSecond":0,"defaultPerKeyTokensPerMinute":0},
		"warnings":[],"chain":[],"plugins":[]}`, string(body))
}

func TestTheMetricsHaveAPortOfTheirOwn(t *testing.T) {
	r := start(t)
	r.ask(t, "POST", "/v1/chat/completions")
	res, err := http.Get("http://" + r.Metrics().String() + "/metrics")
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	assert.Contains(t, string(b), "headgate_audit_records_total")
}

func TestAnAddressThatIsTakenIsAnErrorAndOpensNothing(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = ln.Close() }()
	tel, err := telemetry.New(telemetry.Options{Out: io.Discard})
	require.NoError(t, err)
	defer func() { require.NoError(t, tel.Close()) }()
	for setting, o := range map[string]server.Options{
		"server.listen":       {Listen: ln.Addr().String()},
		"server.pprof_listen": {Listen: "127.0.0.1:0", Pprof: ln.Addr().String()},
	} {
		o.Telemetry, o.Proxy = tel, proxy.New(proxy.Options{})
		_, err = server.Start(o)
		require.ErrorContains(t, err, "`"+setting+"`: another program listens on "+ln.Addr().String())
	}
}

func TestTrafficDoesNotWaitForAFreePortOfTheMetrics(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = ln.Close() }()
	var log bytes.Buffer
	tel, err := telemetry.New(telemetry.Options{Out: &log})
	require.NoError(t, err)
	s, err := server.Start(
		server.Options{Listen: "127.0.0.1:0", Metrics: ln.Addr().String(), Telemetry: tel, Proxy: proxy.New(proxy.Options{}), Ready: ready},
	)
	require.NoError(t, err)
	assert.NotNil(t, s.Addr())
	assert.Nil(t, s.Metrics())
	require.NoError(t, s.Shutdown(t.Context()))
	require.NoError(t, tel.Close())
	assert.Contains(t, log.String(), "`server.metrics_listen`")
}

func ready(context.Context) error { return nil }

func TestAShutdownLetsARunningExchangeEnd(t *testing.T) {
	r := start(t)
	got := make(chan int, 1)
	go func() {
		req, _ := http.NewRequest(
			"POST",
			r.url+"/v1/chat/completions",
			strings.NewReader(`{"model":"m","messages":[{"role":"user","content":"x"}]}`),
		)
		req.Header.Set("Authorization", "Bearer "+r.key)
		res, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			got <- 0
			return
		}
		_ = res.Body.Close()
		got <- res.StatusCode
	}()
	<-r.slow.come
	down := make(chan error, 1)
	go func() { down <- r.Shutdown(context.Background()) }()
	require.Eventually(t, func() bool {
		c, err := net.Dial("tcp", r.Addr().String())
		if err == nil {
			_ = c.Close()
		}
		return err != nil
	}, 30*time.Second, time.Millisecond, "no new connections")
	close(r.slow.goOn)
	assert.Equal(t, 400, <-got)
	assert.NoError(t, <-down)
}
