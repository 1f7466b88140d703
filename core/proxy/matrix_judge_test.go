package proxy_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// verdict is what became of a feature.
type verdict string

const (
	native     verdict = "native"            // the client's own bytes, and the provider's
	translated verdict = "translated"        // said in the words of the other shape, both ways
	dropped    verdict = "dropped (counted)" // left out, and counted; the rest was answered
	refused    verdict = "refused"           // a 4xx in the client's shape; the provider was not called
	wrong      verdict = "wrong"             // none of these
)

// shapeOf is a shape as clients speak it.
type shapeOf struct {
	name, path string
	requests   string // the file with its requests
	wire       string // the wire that is its own; "": none is
	dialect    string // the words it is answered in
	calls      bool   // it has words for tools
	system     bool   // it has words for instructions
	inPath     bool   // the path says the model and whether the answer is streamed
	variant    bool   // the effort stands in the model's name
	read       func(t *testing.T, body string, m manner) told
	problem    func(t *testing.T, body string, status int) problem
}

var shapesOf = []*shapeOf{
	{
		name: "chat", path: "/v1/chat/completions", requests: "chat", wire: "openai.chat", dialect: "chat",
		calls: true, system: true, read: chatTold(false), problem: openAIProblem,
	},
	{name: "completions", path: "/v1/completions", requests: "completions", dialect: "completions", read: chatTold(true), problem: openAIProblem},
	{
		name: "messages", path: "/v1/messages", requests: "messages", wire: "anthropic.messages", dialect: "messages",
		calls: true, system: true, read: messagesTold, problem: messagesProblem,
	},
	{
		name: "responses", path: "/v1/responses", requests: "responses", wire: "openai.responses", dialect: "responses",
		calls: true, system: true, read: responsesTold, problem: openAIProblem,
	},
	{
		name: "generateContent", path: "/v1/gen/v1beta/models/MODEL:generateContent", requests: "generate", wire: "gemini.generate", dialect: "generate",
		calls: true, system: true, inPath: true, read: generateTold, problem: generateProblem,
	},
	{
		name: "ide-chat", path: "/v1/ide/chat/completions", requests: "chat", wire: "openai.chat", dialect: "chat",
		calls: true, system: true, variant: true, read: chatTold(false), problem: openAIProblem,
	},
	{
		name: "ide-responses", path: "/v1/ide/chat/completions", requests: "responses", dialect: "chat",
		calls: true, system: true, variant: true, read: chatTold(false), problem: openAIProblem,
	},
}

// request is the body that asks for a feature. What is asked is plain where only the
// answer matters.
func (s *shapeOf) request(t *testing.T, feature string) string {
	parts := partsOf(t, "requests/"+s.requests)
	switch feature {
	case "refusal", "error", "early":
		feature = "plain"
	case "reasoning":
		if s.variant {
			feature = "plain"
		}
	case "detour":
		if s.variant {
			feature = "first"
		}
	}
	require.NotEmpty(t, parts[feature], feature)
	return strings.TrimSpace(parts[feature])
}

// judge derives the verdict from the bytes.
func (c *cell) judge(t *testing.T) verdict {
	if c.asked == nil {
		return c.judgeRefusal(t)
	}
	if c.feature == "error" || c.feature == "early" {
		return c.judgeError(t)
	}
	if !assert.Equal(t, http.StatusOK, c.got.status) || !assert.NoError(t, c.got.err) {
		return wrong
	}
	c.judgeAnswer(t)
	m := wireMarks[c.asked.wire]
	missing := m.missing(t, c.feature, c.asked.body, c.shape.system)
	if c.ownWire() {
		cut := c.compare(t)
		switch {
		case len(cut) == 0:
			assert.Empty(t, c.dropped)
			c.compareAnswer(t)
			return native
		case assert.Equal(t, c.dropped, cut, "what is cut out is counted"):
			return dropped
		}
		return wrong
	}
	switch {
	case len(missing) == 0 && !slices.ContainsFunc(c.dropped, c.unexplained):
		return translated
	case len(missing) > 0 && len(c.dropped) > 0:
		assert.True(t, slices.ContainsFunc(c.dropped, c.names), "%q is not the field of %s", c.dropped, c.feature)
		return dropped
	}
	assert.Fail(t, "neither translated nor dropped", "not in the provider's request: %v", missing)
	return wrong
}

// ownWire is true when the provider was asked in the client's own shape. An effort that
// moves from the model's name into the body makes another body of it.
func (c *cell) ownWire() bool {
	return c.asked.wire == c.shape.wire && !(c.shape.variant && withEffort[c.feature])
}

// fieldsOf are the names of what carries a feature, in any shape.
var fieldsOf = map[string][]string{
	"tools":      {"tools"},
	"parallel":   {"tools"},
	"structured": {"response_format", "text.format"},
	"detour":     {"reasoning_effort", "reasoning.effort", "generationConfig.thinkingConfig", "thinkingConfig", "tools"},
	"unknown":    {"x_unknown", "xUnknown"},
	"reasoning":  {"reasoning_effort", "reasoning.effort", "generationConfig.thinkingConfig", "thinkingConfig"},
}

func (c *cell) names(field string) bool { return slices.Contains(fieldsOf[c.feature], field) }

// besides are fields that may go while what a feature asks for is there: a forced tool
// that is not held to its schema, and the signature of a thought where the client's
// shape has no place for it.
var besides = map[string][]string{"strict": {"structured"}, "reasoning.signature": {"reasoning"}}

func (c *cell) unexplained(field string) bool { return !slices.Contains(besides[field], c.feature) }

// judgeRefusal sees that a refusal says what to change, in the client's own shape.
func (c *cell) judgeRefusal(t *testing.T) verdict {
	e := c.shape.problem(t, c.got.body, c.got.status)
	if !assert.Equal(t, http.StatusBadRequest, c.got.status) {
		return wrong
	}
	switch c.shape.dialect {
	case "generate":
		assert.Equal(t, "INVALID_ARGUMENT", e.kind)
	default:
		assert.Equal(t, "invalid_request_error", e.kind)
	}
	if c.shape.dialect != "generate" && c.shape.dialect != "messages" && c.shape.calls {
		assert.Equal(t, "unsupported_parameter", e.code)
	}
	if c.shape.calls { // the provider is the reason
		assert.Contains(t, e.message, c.p.Label())
	}
	return refused
}

const reasonOf429 = "Rate limit reached for requests"

// judgeError sees that the provider's error has its status, its reason and the
// client's shape.
func (c *cell) judgeError(t *testing.T) verdict {
	status, reason := http.StatusTooManyRequests, reasonOf429
	if c.feature == "early" && statusless[c.asked.wire] {
		status, reason = http.StatusInternalServerError, "" // told as a failure of the provider's
	}
	if c.vendor.name == "mock" && c.feature == "error" {
		reason = "this is the error 429 that was asked for"
	}
	e := c.shape.problem(t, c.got.body, c.got.status)
	ok := assert.Equal(t, status, c.got.status) && assert.Contains(t, e.message, c.p.Label()+" API error") && assert.Contains(t, e.message, reason)
	if c.feature == "error" {
		ok = assert.Equal(t, "1", c.got.header.Get("Retry-After")) && ok
	}
	switch {
	case !ok:
		return wrong
	case c.ownWire():
		return native
	}
	return translated
}

// statusless are the wires whose errors in a stream say no status.
var statusless = map[string]bool{"cohere.chat": true, "ollama.chat": true}

// member is a member of a JSON object, as it is spelled.
type member struct{ key, value string }

func membersOf(t *testing.T, body string) (out []member) {
	d := json.NewDecoder(strings.NewReader(body))
	_, err := d.Token()
	require.NoError(t, err)
	for d.More() {
		k, err := d.Token()
		require.NoError(t, err)
		var v json.RawMessage
		require.NoError(t, d.Decode(&v))
		out = append(out, member{k.(string), string(bytes.TrimSpace(v))})
	}
	return out
}

// compare gives what of the client's request the provider did not get. Anything else
// that is not as the client sent it, but for the routed model, the name of the token
// limit and the wish for usage, fails.
func (c *cell) compare(t *testing.T) (cut []string) {
	sent := membersOf(t, c.asked.body)
	at := func(key string) int { return slices.IndexFunc(sent, func(m member) bool { return m.key == key }) }
	if i := at("stream_options"); i >= 0 {
		assert.Equal(t, c.manner, streamed)
		sent = slices.Delete(sent, i, i+1)
	}
	var kept []member
	for _, m := range membersOf(t, c.body) {
		if m.key == "model" {
			_, name, _ := strings.Cut(c.modelFor(c.shape, c.feature), "/")
			m.value = `"` + name + `"`
		}
		if m.key == "max_tokens" && at("max_completion_tokens") >= 0 {
			m.key = "max_completion_tokens"
		}
		if at(m.key) < 0 {
			cut = append(cut, m.key)
			continue
		}
		kept = append(kept, m)
	}
	assert.Equal(t, kept, sent)
	return cut
}

// compareAnswer sees that a native answer is the provider's own, byte by byte, but
// for the chunk that the gateway alone asked for.
func (c *cell) compareAnswer(t *testing.T) {
	if c.asked.said == "" { // the mock's own
		return
	}
	want := c.asked.said
	if c.manner == streamed && c.asked.wire == "openai.chat" {
		want = withoutUsage(want)
	}
	assert.Equal(t, want, c.got.body)
}
