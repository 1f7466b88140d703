package proxy_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/gateway/upstream"
	"github.com/headgate-dev/headgate/core/records/audit"
	"github.com/headgate-dev/headgate/providers"
)

// spoiler answers with broken bytes.
type spoiler struct {
	url  string
	mu   sync.Mutex
	next *spoilt
	wire string
	held chan struct{}
}

func newSpoiler(t *testing.T) *spoiler {
	s := &spoiler{held: make(chan struct{})}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		s.mu.Lock()
		c := s.next
		s.wire = ""
		for _, p := range wirePaths {
			end := p.whole
			if c.manner == streamed {
				end = p.stream
			}
			if strings.HasSuffix(r.URL.Path, end) {
				s.wire = p.wire
			}
		}
		wire := s.wire
		s.mu.Unlock()
		kind := map[string]string{"bedrock.converse": "application/vnd.amazon.eventstream", "ollama.chat": "application/x-ndjson"}[wire]
		if kind == "" {
			kind = "text/event-stream"
		}
		raw := c.say(t, wire, kind, partsOf(t, "answers/"+wire))
		conn, _, err := w.(http.Hijacker).Hijack()
		if !assert.NoError(t, err) {
			return
		}
		defer func() { _ = conn.Close() }()
		_, _ = io.WriteString(conn, raw)
		if c.stalls {
			hungUp(conn)
		}
	}))
	t.Cleanup(srv.Close)
	s.url = srv.URL
	return s
}

// TestWhateverAProviderSpoilsIsAClearErrorInTheClientsShape sends each kind of broken answer in each provider's wire to
// a client of each shape.
func TestWhateverAProviderSpoilsIsAClearErrorInTheClientsShape(t *testing.T) {
	for _, v := range vendors {
		switch v.name {
		case "openai", "anthropic", "gemini", "bedrock", "cohere", "ollama", "mistral":
		default:
			continue // they speak the chat wire too
		}
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			up := newSpoiler(t)
			lean := upstream.NewLean(upstream.LeanOptions{})
			t.Cleanup(func() { _ = lean.Close() })
			p, err := providers.New(providers.Settings{
				Name: v.name, APIKey: upstreamKey, BaseURL: up.url, Region: "eu-central-1", Client: lean,
				Timeouts: upstream.Timeouts{Idle: 50 * time.Millisecond},
			})
			require.NoError(t, err)
			for _, chain := range []bool{true, false} {
				s := setup{provider: p}
				if chain {
					s.chain = redacting(t, "")
				}
				g := open(t, s)
				traces := map[string]string{}
				for _, shape := range shapesOf {
					for i := range spoiltAnswers {
						c := &spoiltAnswers[i]
						name := fmt.Sprintf("governed %v/%s/%s/%s", chain, shape.name, c.name, c.manner)
						t.Run(name, func(t *testing.T) {
							up.mu.Lock()
							up.next = c
							up.mu.Unlock()
							a := askFor(t, g, shape, p.Name()+"/"+v.model, c.manner)
							traces[a.header.Get("X-Trace-Id")] = name
							judgeSpoilt(t, c, shape, p.Label(), a)
							if t.Failed() {
								t.Logf("%d %s", a.status, a.body)
							}
						})
					}
				}
				judgeRecords(t, g, traces)
			}
		})
	}
}

// askFor sends the plain request of a shape.
func askFor(t *testing.T, g *gate, shape *shapeOf, model string, m manner) answer {
	body := strings.Replace(shape.request(t, "plain"), `"MODEL"`, strconv.Quote(model), 1)
	path := strings.Replace(shape.path, "MODEL", model, 1)
	if m == streamed {
		body = strings.Replace(body, `"stream":false`, `"stream":true`, 1)
		path = strings.Replace(path, ":generateContent", ":streamGenerateContent", 1)
		if shape.inPath {
			path += "?alt=sse"
		}
	}
	r, err := http.NewRequest(http.MethodPost, g.url+path, strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+g.key["dev"])
	return g.do(r)
}

func judgeSpoilt(t *testing.T, c *spoilt, shape *shapeOf, label string, a answer) {
	require.NoError(t, a.err, "the answer ends properly")
	if c.status != 0 {
		require.Equal(t, c.status, a.status)
	}
	if a.status != http.StatusOK {
		assert.GreaterOrEqual(t, a.status, 400)
		e := shape.problem(t, a.body, a.status)
		assert.Contains(t, e.message, label)
		assert.NotContains(t, e.message, "<h1>")
		if c.reason && a.status == http.StatusTooManyRequests {
			assert.Contains(t, e.message, reasonOf429)
		}
		return
	}
	require.Equal(t, streamed, c.manner, "an unusable answer is not a success")
	frames := strings.Split(strings.TrimSpace(strings.ReplaceAll(a.body, "\r\n", "\n")), "\n\n")
	last := frames[len(frames)-1]
	at := strings.Index(last, "data: ")
	require.GreaterOrEqual(t, at, 0, last)
	var v struct {
		Type     string
		Code     any
		Message  string
		Error    json.RawMessage
		Response struct{ Error json.RawMessage }
	}
	require.NoError(t, json.Unmarshal([]byte(last[at+6:]), &v), last)
	switch shape.dialect {
	case "responses":
		assert.Contains(t, []string{"error", "response.failed"}, v.Type)
	case "messages":
		assert.Equal(t, "error", v.Type)
		fallthrough
	default:
		assert.NotEmpty(t, v.Error)
	}
	assert.NotContains(t, a.body, "[DONE]")
	assert.NotContains(t, a.body, "message_stop")
	assert.NotContains(t, a.body, "response.completed")
}

// judgeRecords checks that every exchange has both audit records, its outcome, and a usage record.
func judgeRecords(t *testing.T, g *gate, traces map[string]string) {
	type pair struct{ request, response int }
	var all []record
	require.Eventually(t, func() bool { all = g.records(); return len(all) >= 2*len(traces) }, generous, 20*time.Millisecond)
	seen := map[string]pair{}
	for _, r := range all {
		id, _ := r.payload["request_id"].(string)
		n := seen[id]
		switch r.kind {
		case audit.GatewayRequest:
			n.request++
		case audit.GatewayResponse:
			n.response++
			assert.Equal(t, "upstream_error", r.payload["outcome"], traces[id])
			assert.False(t, r.payload["complete"] == true && r.payload["status"] == 200.0, traces[id])
		}
		seen[id] = n
	}
	for id, name := range traces {
		assert.Equal(t, pair{1, 1}, seen[id], name)
	}
	require.Eventually(t, func() bool { return g.usage().Records >= int64(len(traces)) }, generous, 20*time.Millisecond)
	assert.EqualValues(t, len(traces), g.usage().Records)
}
