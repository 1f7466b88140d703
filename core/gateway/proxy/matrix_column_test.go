package proxy_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
	"github.com/headgate-dev/headgate/providers"
)

// column is a provider behind a gateway.
type column struct {
	vendor
	p    route.Provider
	g    *gate
	fake *scriptedProvider
	sum  float64 // of the fields that were dropped so far
}

func newColumn(t *testing.T, v vendor) *column {
	c := &column{vendor: v, fake: newScripted(t)}
	c.fake.counts = v.name == "mistral" || v.name == "zhipu"
	s := providers.Settings{Name: v.name, APIKey: upstreamKey, BaseURL: c.fake.url, Region: "eu-central-1"}
	if v.name == "vertex" {
		s.Project = "my-project"
	}
	if v.name == "mock" {
		s = providers.Settings{Name: "mocked", Type: "mock"} // the gate has its own mock
	} else {
		lean := upstream.NewLean(upstream.LeanOptions{})
		t.Cleanup(func() { _ = lean.Close() })
		s.Client = lean
	}
	p, err := providers.New(s)
	require.NoError(t, err)
	if v.name == "mock" {
		p = &overheard{Provider: p, fake: c.fake}
	}
	// This link inspects everything and finds nothing: what the test judges has passed the chain.
	c.p, c.g = p, open(t, setup{provider: p, chain: redacting(t, "")})
	return c
}

// modelFor is the name that the client sends.
func (c *column) modelFor(shape *shapeOf, feature string) string {
	m := c.model
	switch {
	case c.tools != "" && feature != "seen" && withTools[feature] && shape.calls:
		m = c.tools
	case c.name == "mock" && feature == "error":
		m = "mock-error-429"
	}
	if shape.variant && withEffort[feature] {
		m += "-thinking-high"
	}
	return c.p.Name() + "/" + m
}

// run sends one request.
func (c *column) run(t *testing.T, shape *shapeOf, feature string, m manner) *cell {
	x := &cell{column: c, shape: shape, feature: feature, manner: m}
	x.body = shape.request(t, feature)
	x.body = strings.Replace(x.body, `"MODEL"`, strconv.Quote(c.modelFor(shape, feature)), 1)
	path := strings.Replace(shape.path, "MODEL", c.modelFor(shape, feature), 1)
	if m == streamed {
		x.body = strings.Replace(x.body, `"stream":false`, `"stream":true`, 1)
		path = strings.Replace(path, ":generateContent", ":streamGenerateContent", 1)
		if shape.inPath {
			path += "?alt=sse"
		}
	}
	said := feature
	if !shape.calls && withTools[feature] {
		said = "plain" // a model without tools calls none
	}
	c.fake.say(said, m)
	r, err := http.NewRequest(http.MethodPost, c.g.url+path, strings.NewReader(x.body))
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+c.g.key["dev"])
	x.got = c.g.do(r)
	x.asked = c.fake.takeCall(t)
	n := c.sumDropped(t)
	x.counted, c.sum = n-c.sum, n
	return x
}

// sumDropped returns the sum of headgate_dropped_fields_total.
func (c *column) sumDropped(t *testing.T) (sum float64) {
	w := httptest.NewRecorder()
	c.g.tel.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for line := range strings.Lines(w.Body.String()) {
		if strings.HasPrefix(line, "headgate_dropped_fields_total") {
			n, err := strconv.ParseFloat(strings.TrimSpace(line[strings.LastIndexByte(line, ' '):]), 64)
			require.NoError(t, err)
			sum += n
		}
	}
	return sum
}

// cells sends all requests of the column.
func (c *column) cells(t *testing.T) (all []*cell) {
	for _, shape := range shapesOf {
		for _, feature := range features {
			for _, m := range []manner{wholly, streamed} {
				if shape.asks(t, feature.name) && (feature.name != "early" || m == streamed) {
					all = append(all, c.run(t, shape, feature.name, m))
				}
			}
		}
	}
	c.checkDroppedNames(t, all)
	return all
}

// checkDroppedNames stops the gateway and returns the dropped fields that its log names.
func (c *column) checkDroppedNames(t *testing.T, cells []*cell) {
	c.g.end()
	fields := map[string][]string{}
	for line := range strings.Lines(c.g.lines.String()) {
		var v struct {
			ID     string `json:"request_id"`
			Fields []string
		}
		require.NoError(t, json.Unmarshal([]byte(line), &v), line)
		fields[v.ID] = append(fields[v.ID], v.Fields...)
	}
	for _, x := range cells {
		x.dropped = fields[x.got.header.Get("X-Trace-Id")]
	}
}
