package proxy_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/upstream"
	"github.com/headgate-dev/headgate/providers"
)

// vendor is a provider of the matrix, and the model that it is asked for.
type vendor struct {
	name, model string
	tools       string // the model that calls tools, where it is another
}

var vendors = []vendor{
	{name: "openai", model: "gpt-5-mini"},
	{name: "azure-openai", model: "gpt-5-mini"},
	{name: "anthropic", model: "claude-sonnet-4-5-20250929"},
	{name: "gemini", model: "gemini-2.5-flash"},
	{name: "bedrock", model: "us.anthropic.claude-sonnet-4-5-20250929-v1:0"},
	{name: "xai", model: "grok-4"},
	{name: "mistral", model: "mistral-large-2512"},
	{name: "deepseek", model: "deepseek-v4-flash"},
	{name: "moonshot", model: "kimi-k2.5"},
	{name: "zhipu", model: "glm-5"},
	{name: "cohere", model: "command-a-03-2025"},
	{name: "groq", model: "llama-3.3-70b-versatile"},
	{name: "qwen", model: "qwen-plus"},
	{name: "ollama", model: "llama3.2"},
	{name: "mock", model: "mock-echo", tools: "mock-tools"},
}

// features are what is asked for, or answered, with the words of the table for them.
var features = []struct{ name, title, about string }{
	{"plain", "Text", "A system message, a message of the user's and a text as the answer, with usage."},
	{"tools", "Tools", "A tool, a call of it and its result in the conversation, and another call in the answer."},
	{"parallel", "Parallel calls", "Two tools, two calls in one turn with their results, and two calls in the answer."},
	{"images", "Images", "A PNG, as base64, beside a text."},
	{"structured", "Structured output", "A JSON Schema for the answer."},
	{"reasoning", "Reasoning", "An effort, or what the shape has in its place: `thinking`, `thinkingConfig`, `-thinking-high` in the model's name of the editor client. The answer holds a thought and tells its tokens."},
	{"detour", "Tools with an effort", "A tool together with an effort, which newer models of OpenAI take on the Responses API alone."},
	{"unknown", "Unknown fields", "A field that the gateway does not model, beside a text."},
	{"refusal", "Refusal", "The model declines, or the provider's filter does, as the provider tells it."},
	{"error", "Error of the provider", "The provider answers 429 with a reason, and the time to wait."},
	{"early", "Error at the start of a stream", "The provider begins a stream with its error: the client gets the status that the error stands for."},
}

// manner is how an answer is wanted.
type manner string

const (
	wholly   manner = "whole"
	streamed manner = "stream"
)

// cell is one request of the matrix, and what became of it.
type cell struct {
	*column
	shape   *shapeOf
	feature string
	manner  manner
	body    string // as the client sent it
	got     answer
	asked   *asked   // nil: the provider was not called
	counted float64  // by headgate_dropped_fields_total
	dropped []string // the names in the log
}

func (c *cell) title() string { return c.shape.name + "/" + c.feature + "/" + string(c.manner) }

// withTools are the features that call tools, withEffort those that ask for one.
var (
	withTools  = map[string]bool{"tools": true, "parallel": true, "detour": true}
	withEffort = map[string]bool{"reasoning": true, "detour": true}
)

// column is a provider with a gateway before it.
type column struct {
	vendor
	p    core.Provider
	g    *gate
	fake *scriptedProvider
	sum  float64 // of the fields that were dropped so far
}

func newColumn(t *testing.T, v vendor) *column {
	c := &column{vendor: v, fake: newScripted(t)}
	c.fake.counts = v.name == "mistral" || v.name == "zhipu"
	s := providers.Settings{Name: v.name, APIKey: upstreamKey, BaseURL: c.fake.url, Region: "eu-central-1"}
	if v.name == "mock" {
		s = providers.Settings{Name: "mocked", Type: "mock"} // the gate has a mock of its own
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
	c.p, c.g = p, open(t, setup{provider: p})
	return c
}

// modelFor is the name that the client sends.
func (c *column) modelFor(shape *shapeOf, feature string) string {
	m := c.model
	switch {
	case c.tools != "" && withTools[feature] && shape.calls:
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
	x.asked = c.fake.heard(t)
	n := c.counted(t)
	x.counted, c.sum = n-c.sum, n
	return x
}

// counted is the sum of headgate_dropped_fields_total.
func (c *column) counted(t *testing.T) (sum float64) {
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
				if feature.name != "early" || m == streamed {
					all = append(all, c.run(t, shape, feature.name, m))
				}
			}
		}
	}
	c.named(t, all)
	return all
}

// named ends the gateway, and reads from its log which fields were dropped.
func (c *column) named(t *testing.T, cells []*cell) {
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

// TestEveryShapeOnEveryProvider sends each feature in each client shape to each
// provider, derives from the bytes of both sides what became of it, and compares
// that with the rules of the specification and with docs/shapes.md.
func TestEveryShapeOnEveryProvider(t *testing.T) {
	var mu sync.Mutex
	seen := map[string]finding{}
	t.Run("cells", func(t *testing.T) {
		for _, v := range vendors {
			t.Run(v.name, func(t *testing.T) {
				t.Parallel()
				for _, x := range newColumn(t, v).cells(t) {
					t.Run(x.title(), func(t *testing.T) {
						assert.InDelta(t, len(x.dropped), x.counted, 0, "what is left out is counted, and named in the log")
						got := x.judge(t)
						assert.Equal(t, x.expected(), got, "sent on:\n%s\nleft out: %v\nthe client got %d:\n%s", x.sentOn(), x.dropped, x.got.status, x.got.body)
						mu.Lock()
						defer mu.Unlock()
						seen[v.name+"/"+x.title()] = finding{got, x.wire(), x.dropped}
					})
				}
			})
		}
	})
	if t.Failed() || len(seen) < len(vendors)*len(shapesOf)*len(features) { // some were left out by -run
		return
	}
	const doc = "../../docs/shapes.md"
	table := tableOf(seen)
	if *update {
		require.NoError(t, os.WriteFile(doc, []byte(table), 0o644))
		return
	}
	old, err := os.ReadFile(doc)
	require.NoError(t, err)
	assert.Equal(t, string(old), table, "docs/shapes.md is not what this run saw: go generate ./core/proxy")
}

func TestTheMatrixHasEveryProvider(t *testing.T) {
	names := make([]string, 0, len(vendors))
	for _, v := range vendors {
		names = append(names, v.name)
	}
	slices.Sort(names)
	assert.Equal(t, providers.Types(), names)
}

// wire is the one that the provider was asked in.
func (c *cell) wire() string {
	if c.asked == nil {
		return ""
	}
	return c.asked.wire
}

// sentOn is what reached the provider, to be told when a test fails.
func (c *cell) sentOn() string {
	if c.asked == nil {
		return "nothing"
	}
	return fmt.Sprintf("%s: %s", c.asked.wire, c.asked.body)
}
